// The page: routes and a request in, tries and answers out. All of its state is
// in the address, so that a link shows the same.
import { busy, byId, el, later, plural, put } from "./dom.js";
import { load } from "./load.js";
import { Trie, sourceTree, compiledTree } from "./trie.js";
import { mark, showProblems } from "./editor.js";
import { lightSteps, showAnswers, showNone, showRefused, showSteps } from "./answers.js";

const text = byId("text"), method = byId("method"), target = byId("target"), host = byId("host"), sample = byId("sample");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let call, trie, samples, built, found, view = "source", drawn = "", running = 0;
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
  sample.append(...samples.map((s) => el("option", { value: s.Name }, s.Title)), el("option", { value: "", hidden: true }, "My own"));
  byId("loading").hidden = true;
  byId("main").hidden = false;
  trie = new Trie(byId("drawing"));
  listen();
  restore();
  new ResizeObserver(() => trie.aim(false, true)).observe(byId("drawing")); // what opens beside it leaves it less room
  document.body.dataset.state = "ready";
}

function listen() {
  text.addEventListener("input", typedRoutes);
  for (const field of [method, target, host]) field.addEventListener("input", typedRequest);
  byId("request").addEventListener("submit", acting((e) => { e.preventDefault(); follow(true); keep(); }));
  sample.addEventListener("change", () => { useSample(sample.value); rebuild(); keep(); });
  for (const radio of document.getElementsByName("view")) radio.addEventListener("change", acting(() => { view = radio.value; follow(false); keep(); }));
  addEventListener("hashchange", () => { if (location.hash !== kept) restore(); });
  byId("in").addEventListener("click", () => trie.by(1.3));
  byId("out").addEventListener("click", () => trie.by(1 / 1.3));
  byId("all").addEventListener("click", acting(() => trie.all(!calm.matches)));
  byId("lit").addEventListener("click", acting(() => trie.way(!calm.matches)));
  byId("share").addEventListener("click", acting(share));
  byId("measure").addEventListener("click", acting(measure));
}

// useSample begins anew: nothing of what was typed or chosen before is for it.
function useSample(name) {
  const s = samples.find((s) => s.Name === name) || samples[0];
  text.value = s.Text;
  method.value = s.Method;
  target.value = s.Target;
  host.value = "";
  typedRoutes.stop();
  typedRequest.stop();
  asked = "";
  trie.forget();
}

// restore takes the state from the address.
function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  useSample(state.get("s") || "");
  if (state.has("r")) {
    try { text.value = call("unpack", { text: state.get("r") }); } catch { text.value = "# This link is broken."; }
  }
  if (state.has("m")) method.value = state.get("m");
  if (state.has("p")) target.value = state.get("p");
  if (state.has("h")) host.value = state.get("h");
  view = state.get("v") === "compiled" ? "compiled" : "source";
  for (const radio of document.getElementsByName("view")) radio.checked = radio.value === view;
  rebuild();
  keep();
}

let kept = "";

// keep puts the state into the address.
function keep() {
  const state = new URLSearchParams();
  const s = samples.find((s) => s.Text === text.value);
  if (s) state.set("s", s.Name);
  else state.set("r", call("pack", { text: text.value }));
  state.set("m", method.value);
  state.set("p", target.value);
  if (host.value) state.set("h", host.value);
  if (view === "compiled") state.set("v", view);
  sample.value = s ? s.Name : "";
  kept = "#" + state;
  history.replaceState(null, "", kept);
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
  showRefused(built);
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
    byId("legend").textContent = "One node for each segment, filled where a route ends. Pale: what was open beside the way.";
  }
  return true;
}

// follow sends the request, and lights its way at once or step by step.
function follow(slowly) {
  const request = { method: method.value, target: target.value, host: host.value };
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
  mark(built.Problems, found.Segue.Line);
  trie.follow(found.Steps || []);
  trie.aim(slowly && !calm.matches, same && !slowly);
  if (!slowly || calm.matches) light(chosen >= 0 ? Math.min(chosen, last) : last);
  else walk(-1, last);
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
