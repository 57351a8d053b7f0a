// The page: routes and a request in, tries and answers out. All of its state is
// in the address, so that a link shows the same. What a person wrote is in the
// browser's storage too, so that a sample does not take its place.
import { busy, byId, el, later, plural, put } from "./dom.js";
import { load } from "./load.js";
import { Trie, sourceTree, compiledTree } from "./trie.js";
import { mark, reset, showHints, showProblems, showReading, write } from "./editor.js";
import * as own from "./own.js";
import { lightSteps, showAnswers, showNone, showOffers, showRefused, showSteps } from "./answers.js";

const text = byId("text"), method = byId("method"), target = byId("target"), host = byId("host"), preflight = byId("preflight"), sample = byId("sample");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let call, trie, samples, built, found, view = "source", drawn = "", running = 0;
let shown = {}; // what the editor shows: a sample by its name, what a person wrote by its id, or a link's routes by neither
let cleared = null, reading = null;
let asked = "", chosen = -1; // the request that is shown, and the step of it that a person chose

// What was typed is shown when the keys have ceased, or when something else is
// done: that acts on what is typed, never on what was there before.
const typedRoutes = later(120, "routes", () => { rebuild(); keep(); });
const typedRequest = later(120, "request", () => { follow(false); keep(); });

function acting(f) {
  return (e) => {
    typedRoutes.now();
    typedRequest.now();
    return f(e);
  };
}

start().catch((err) => {
  byId("progress").hidden = true;
  byId("loading-text").textContent = err.message;
  document.body.dataset.state = "failed";
});

async function start() {
  call = await load();
  samples = call("samples", {});
  byId("loading").hidden = true;
  byId("main").hidden = false;
  trie = new Trie(byId("drawing"), (all) => (byId("beyond").hidden = all));
  listen();
  restore();
  new ResizeObserver(() => trie.resized()).observe(byId("drawing")); // what opens beside it leaves it less room
  document.body.dataset.state = "ready";
}

function listen() {
  text.addEventListener("input", () => { written(); typedRoutes(); });
  for (const [event, data] of [["paste", "clipboardData"], ["drop", "dataTransfer"]]) text.addEventListener(event, (e) => pasted(e, e[data]));
  for (const field of [method, target, host, preflight]) field.addEventListener("input", typedRequest);
  byId("request").addEventListener("submit", acting((e) => { e.preventDefault(); follow(true); keep(); }));
  sample.addEventListener("change", (e) => { const name = sample.value; acting(() => { cleared = null; show(name); })(e); });
  for (const radio of document.getElementsByName("view")) radio.addEventListener("change", acting(() => { view = radio.value; follow(false); keep(); }));
  addEventListener("hashchange", () => { if (location.hash !== kept) restore(); });
  addEventListener("pagehide", acting(() => {}));
  byId("in").addEventListener("click", () => trie.by(1.3));
  byId("out").addEventListener("click", () => trie.by(1 / 1.3));
  byId("all").addEventListener("click", acting(() => trie.all(!calm.matches)));
  byId("lit").addEventListener("click", acting(() => trie.way(!calm.matches)));
  byId("share").addEventListener("click", acting(share));
  byId("clear").addEventListener("click", acting(clear));
  byId("measure").addEventListener("click", acting(measure));
}

// written notes that what is shown is now a person's own.
function written() {
  if (!shown.id) shown = { id: own.newId() };
  cleared = null;
}

// clear drops what a person wrote, and brings it back if that was a slip.
function clear() {
  const back = cleared;
  cleared = back ? null : own.take(shown.id);
  if (back) own.save(back);
  show(back ? "own:" + back.id : samples[0].Name);
}

// pasted reads a program where one is pasted. It takes the place of a sample that
// nobody has touched, else that of the selection.
function pasted(e, data) {
  const got = call("read", { text: data.getData("text/plain") });
  if (!got.Program) return;
  e.preventDefault();
  read(got, shown.name !== undefined && text.selectionStart === text.selectionEnd);
}

function read(got, all) {
  reading = got;
  if (all) text.select();
  if (got.Routes) write(got.Text);
  typedRoutes.now();
  showRead();
}

// showRead shows what was made of a program, or offers to read one that was typed.
function showRead() {
  showReading(reading, built.Program, () => read(call("read", { text: text.value }), true), () => { reading = null; showRead(); });
}

// show begins anew with a sample or with what a person wrote before: nothing of
// what was chosen meanwhile is for it.
function show(name) {
  use(name);
  rebuild();
  keep();
}

function use(name) {
  const mine = name.startsWith("own:") && own.find(name.slice(4));
  const s = samples.find((s) => s.Name === name) || samples[0];
  shown = mine ? { id: mine.id } : { name: s.Name };
  text.value = mine ? mine.text : s.Text;
  method.value = mine ? mine.method : s.Method;
  target.value = mine ? mine.target : s.Target;
  host.value = mine ? mine.host : "";
  preflight.value = mine ? mine.preflight : "";
  typedRoutes.stop();
  typedRequest.stop();
  asked = "";
  reading = null;
  reset();
  trie.forget();
}

// restore takes the state from the address, else what a person wrote last.
function restore() {
  const state = new URLSearchParams(location.hash.slice(1)), last = own.list()[0];
  use(state.get("s") || (location.hash.length < 2 && last ? "own:" + last.id : ""));
  if (state.has("r")) linked(state.get("r"));
  if (state.has("m")) method.value = state.get("m");
  if (state.has("p")) target.value = state.get("p");
  if (state.has("h")) host.value = state.get("h");
  if (state.has("a")) preflight.value = state.get("a");
  view = state.get("v") === "compiled" ? "compiled" : "source";
  for (const radio of document.getElementsByName("view")) radio.checked = radio.value === view;
  rebuild();
  keep();
}

// linked shows the routes of a link, which may be a person's own.
function linked(packed) {
  try { text.value = call("unpack", { text: packed }); } catch { text.value = "# This link is broken."; }
  const mine = own.list().find((e) => e.text === text.value);
  const s = samples.find((s) => s.Text === text.value);
  shown = mine ? { id: mine.id } : s ? { name: s.Name } : {};
  host.value = "";
}

let kept = "";

// keep puts the state into the address, and what a person wrote into storage.
function keep() {
  const state = new URLSearchParams();
  if (shown.name) state.set("s", shown.name);
  else state.set("r", call("pack", { text: text.value }));
  state.set("m", method.value);
  state.set("p", target.value);
  if (host.value) state.set("h", host.value);
  if (preflight.value) state.set("a", preflight.value);
  if (view === "compiled") state.set("v", view);
  if (shown.id) own.save({ id: shown.id, text: text.value, method: method.value, target: target.value, host: host.value, preflight: preflight.value });
  showSamples();
  kept = "#" + state;
  history.replaceState(null, "", kept);
}

// showSamples lists the samples and what a person wrote.
function showSamples() {
  const mine = own.list().map((e) => [e.id, own.title(e)]);
  if (shown.id && !mine.some(([id]) => id === shown.id)) mine.unshift([shown.id, "My own"]);
  put(sample, ...samples.map((s) => el("option", { value: s.Name, "data-key": s.Name }, s.Title)),
    ...mine.map(([id, title]) => el("option", { value: "own:" + id, "data-key": id }, title)),
    shown.name || shown.id ? "" : el("option", { value: "", hidden: true }, "From a link"));
  sample.value = shown.id ? "own:" + shown.id : shown.name || "";
  byId("clear").hidden = !shown.id && !cleared;
  byId("clear").textContent = cleared ? "Undo clear" : "Clear";
}

const shared = later(1500, "link", () => (byId("share").textContent = "Copy link"));

async function share() {
  keep();
  shared();
  try {
    await navigator.clipboard.writeText(location.href);
    byId("share").textContent = "Copied";
  } catch {
    byId("share").textContent = "It is in the address bar";
  }
}

// rebuild registers the routes anew.
function rebuild() {
  built = call("build", { text: text.value });
  byId("count").textContent = plural(built.Routes.length, "route") + (built.Problems.length ? `, ${plural(built.Problems.length, "line")} refused` : "");
  showProblems(built.Problems);
  showHints(built.Hints);
  showRefused(built);
  if (reading?.Routes && !text.value.includes(reading.Text.split("\n", 1)[0])) reading = null; // it is about other routes
  showRead();
  byId("paces").replaceChildren();
  drawn = "";
  follow(false);
}

// draw takes the trie that the switch names, and tells whether it is another.
function draw() {
  const name = view + (view === "compiled" ? method.value + host.value : "");
  byId("for").textContent = view === "compiled" ? ` for ${method.value}` : "";
  if (drawn === name) return false;
  drawn = name;
  if (view === "compiled") {
    const nodes = call("compiled", { method: method.value, host: host.value });
    trie.show(compiledTree(nodes), view);
    const merged = nodes.filter((n) => (n.Branches || []).length > 1 && !n.Wide).length, wide = nodes.filter((n) => n.Wide).length;
    byId("legend").textContent = `${plural(nodes.length, "node")}, ${merged} merged` + (wide ? `, ${wide} left side by side, since the budget was used up` : "");
  } else {
    trie.show(sourceTree(built.Tree), view);
    byId("legend").textContent = "Filled: a route ends there. Coloured and thin: what was open beside the way.";
  }
  return true;
}

// follow sends the request, and lights its way at once or step by step.
function follow(slowly) {
  const options = method.value === "OPTIONS";
  byId("asks").hidden = !options;
  const request = { method: method.value, target: target.value, host: host.value, preflight: options ? preflight.value : "" };
  const same = asked === JSON.stringify(request);
  asked = JSON.stringify(request);
  if (!same || slowly) chosen = -1;
  rest();
  const other = draw();
  try {
    found = call("explain", request);
  } catch (err) {
    found = null;
    showNone(err.message);
    mark(built.Problems, 0);
    trie.follow([]);
    if (other) trie.aim(false, true);
    delete document.body.dataset.step;
    return;
  }
  const last = (found.Steps || []).length - 1;
  showAnswers(found);
  showSteps(found, (i) => { rest(); light(chosen = i); });
  showOffers(found, ask);
  mark(built.Problems, found.Segue.Line || found.Miss?.HandlerLine || found.Miss?.Line);
  trie.follow(found.Steps || []);
  trie.aim(slowly && !calm.matches, same && !slowly);
  if (!slowly || calm.matches) light(chosen >= 0 ? Math.min(chosen, last) : last);
  else walk(-1, last);
}

// ask sends another request, one that the page has offered.
function ask(request) {
  for (const [field, value] of [[method, request.Method], [target, request.Target], [host, request.Host]]) {
    if (value !== undefined) field.value = value;
  }
  typedRequest.stop();
  follow(true);
  keep();
}

// walk lights one step after the other, until something else is shown.
function walk(i, last) {
  light(i);
  busy("walk", i < last);
  const run = running;
  if (i < last) setTimeout(() => run === running && walk(i + 1, last), 260);
}

function rest() {
  running++;
  busy("walk", false);
}

// light shows the way up to a step.
function light(upTo) {
  const last = (found.Steps || []).length - 1;
  trie.light(upTo + 1, upTo === last && found.Lookup.Status < 400);
  lightSteps(upTo);
  document.body.dataset.step = upTo + 1;
}

// measure lets the two routers take turns, so that what else the machine does
// meets both.
async function measure() {
  const turns = 12, button = byId("measure");
  let sums, of;
  if (button.ariaDisabled) return; // and keeps the focus, which the disabled lose
  button.ariaDisabled = "true";
  busy("measure", true);
  try {
    for (let turn = 0; turn < turns || of !== built; turn++) {
      if (of !== built) [of, turn, sums] = [built, 0, { segue: [0, 0], mux: [0, 0] }]; // other routes: anew
      for (const who of ["segue", "mux"]) {
        const pace = call("bench", { who, millis: 40 });
        if (turn > 1) { sums[who][0] += pace.Lookups; sums[who][1] += pace.Nanos; } // the first ones warm up
        sums.requests = pace.Requests;
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    showPaces(sums);
  } catch (err) {
    put(byId("paces"), el("p", {}, err.message));
  }
  button.ariaDisabled = null;
  busy("measure", false);
}

function showPaces(sums) {
  const rate = (who) => (sums[who][0] / sums[who][1]) * 1e9;
  const most = Math.max(rate("segue"), rate("mux"));
  const row = (who, name) => {
    const bar = el("i");
    bar.style.width = (100 * rate(who)) / most + "%";
    return [el("span", {}, name), el("span", { class: "track " + who }, bar), el("span", { class: "number" }, Math.round(rate(who)).toLocaleString("en"))];
  };
  put(byId("paces"), ...row("segue", "segue"), ...row("mux", "ServeMux"),
    el("p", {}, `One request for each of ${plural(sums.requests, "route")} that both took.`));
}
