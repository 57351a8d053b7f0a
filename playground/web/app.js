// The page: routes and a request in, tries and answers out. All of its state is
// in the address, so that a link shows the same.
import { byId, el, later, plural } from "./dom.js";
import { load } from "./load.js";
import { Trie, sourceTree, compiledTree } from "./trie.js";
import { mark, showProblems } from "./editor.js";
import { lightSteps, showAnswers, showSteps } from "./answers.js";

const text = byId("text"), method = byId("method"), target = byId("target"), host = byId("host"), sample = byId("sample");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
let call, trie, samples, built, found, view = "source", drawn = "", running = 0;

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
  document.body.dataset.state = "ready";
}

function listen() {
  text.addEventListener("input", later(120, () => { rebuild(); keep(); }));
  const typed = later(120, () => { follow(false); keep(); });
  for (const field of [method, target, host]) field.addEventListener("input", typed);
  byId("request").addEventListener("submit", (e) => { e.preventDefault(); typed.stop(); follow(true); keep(); });
  sample.addEventListener("change", () => { useSample(sample.value); rebuild(); keep(); });
  for (const radio of document.getElementsByName("view")) radio.addEventListener("change", () => { view = radio.value; follow(false); keep(); });
  addEventListener("hashchange", () => { if (location.hash !== kept) restore(); });
  byId("in").addEventListener("click", () => trie.by(1.3));
  byId("out").addEventListener("click", () => trie.by(1 / 1.3));
  byId("all").addEventListener("click", () => trie.all(!calm.matches));
  byId("lit").addEventListener("click", () => trie.way(!calm.matches));
  byId("share").addEventListener("click", share);
  byId("measure").addEventListener("click", measure);
  addEventListener("resize", later(150, () => trie.best()));
}

function useSample(name) {
  const s = samples.find((s) => s.Name === name) || samples[0];
  text.value = s.Text;
  method.value = s.Method;
  target.value = s.Target;
  host.value = "";
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

async function share() {
  keep();
  const button = byId("share");
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "It is in the address bar";
  }
  setTimeout(() => (button.textContent = "Copy link"), 1500);
}

// rebuild registers the routes anew.
function rebuild() {
  built = call("build", { text: text.value });
  byId("count").textContent = plural(built.Routes.length, "route") + (built.Problems.length ? `, ${plural(built.Problems.length, "line")} refused` : "");
  showProblems(built.Problems);
  byId("paces").replaceChildren();
  drawn = "";
  follow(false);
}

// draw shows the trie that the switch names, if that is not what is drawn.
function draw() {
  const name = view + (view === "compiled" ? method.value + host.value : "");
  byId("for").textContent = view === "compiled" ? ` for ${method.value}` : "";
  if (drawn === name) return;
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
}

// follow sends the request, and lights its way at once or step by step.
function follow(slowly) {
  running++;
  draw();
  try {
    found = call("explain", { method: method.value, target: target.value, host: host.value });
  } catch (err) {
    found = null;
    byId("ended").replaceChildren(el("p", {}, err.message));
    for (const id of ["steps", "nearest"]) byId(id).replaceChildren();
    for (const id of ["segue", "mux"]) byId(id).querySelector(".answer").replaceChildren();
    mark(built.Problems, 0);
    trie.follow([]);
    return;
  }
  showAnswers(found, built);
  showSteps(found, (i) => { running++; light(i); });
  mark(built.Problems, found.Segue.Line);
  trie.follow(found.Steps || []);
  trie.best(slowly && !calm.matches);
  const last = (found.Steps || []).length - 1;
  if (!slowly || calm.matches) {
    light(last);
    return;
  }
  light(-1);
  setTimeout(step, 260, 0, last, running);
}

function step(i, last, run) {
  if (run !== running || i > last) return;
  light(i);
  setTimeout(() => step(i + 1, last, run), 260);
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
  const turns = 12, button = byId("measure"), sums = { segue: [0, 0], mux: [0, 0] };
  button.disabled = true;
  try {
    for (let turn = 0; turn < turns; turn++) {
      for (const who of ["segue", "mux"]) {
        const pace = call("bench", { who, millis: 40 });
        if (turn > 1) { sums[who][0] += pace.Lookups; sums[who][1] += pace.Nanos; } // the first ones warm up
        sums.requests = pace.Requests;
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
    showPaces(sums);
  } catch (err) {
    byId("paces").replaceChildren(el("p", {}, err.message));
  }
  button.disabled = false;
}

function showPaces(sums) {
  const rate = (who) => (sums[who][0] / sums[who][1]) * 1e9;
  const most = Math.max(rate("segue"), rate("mux"));
  const row = (who, name) => {
    const bar = el("i");
    bar.style.width = (100 * rate(who)) / most + "%";
    return [el("span", {}, name), el("span", { class: "track " + who }, bar), el("span", { class: "number" }, Math.round(rate(who)).toLocaleString("en"))];
  };
  byId("paces").replaceChildren(...row("segue", "segue"), ...row("mux", "ServeMux"),
    el("p", {}, `One request for each of ${plural(sums.requests, "route")} that both took.`));
}
