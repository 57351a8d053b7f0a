// The two answers, the steps, and what comes near to a miss.
import { byId, el, plural, put, visible } from "./dom.js";

const words = { 200: "answered by", 204: "automatic OPTIONS", 307: "redirected to", 301: "redirected to", 400: "no path", 404: "no route", 405: "method not allowed" };

// showAnswers shows what both make of a request; found is null where it is none.
// Where they differ it says in what, and why.
export function showAnswers(found) {
  const differs = (found && found.Differs) || [];
  put(byId("segue").querySelector(".answer"), ...(found ? [...answer(found.Segue), about(found)] : []));
  put(byId("mux").querySelector(".answer"), ...(found ? answer(found.Mux) : []));
  put(byId("mux").querySelector("h3"), "http.ServeMux", differs.length ? el("span", { class: "differs" }, "another answer: " + differs.join(", ")) : "");
  put(byId("reasons"), ...((found && found.Reasons) || []).filter(Boolean).map((r) => el("p", {}, el("b", {}, "On purpose: "), r)));
}

// about tells which router a miss is about, and which middlewares ran.
function about(found) {
  const { Miss: miss, Segue: { Ran: ran } } = found;
  const lines = [];
  if (miss) {
    lines.push(el("p", {}, ...(miss.Line ? ["about the router at ", el("span", { class: "mono" }, visible(miss.Prefix)), `, line ${miss.Line}`] : ["about the outermost router"]),
      miss.Handler ? `; answered by ${visible(miss.Handler)}, line ${miss.HandlerLine}` : ""));
  }
  if (ran) lines.push(el("p", {}, "ran: ", el("span", { class: "mono" }, visible(ran.join(" → ")))));
  return lines.length ? el("div", { class: "about" }, ...lines) : "";
}

function answer(a) {
  if (a.Panic) return [el("div", {}, el("span", { class: "status s4" }, "panics"), el("span", { class: "pattern" }, visible(a.Pattern))), el("div", { class: "more" }, visible(a.Panic))];
  const first = [el("span", { class: "status s" + String(a.Status)[0] }, String(a.Status))];
  if (a.Location) first.push(el("span", { class: "pattern" }, "→ " + visible(a.Location)));
  else if (a.Pattern) first.push(el("span", { class: "pattern" }, visible(a.Pattern)));
  else first.push(" " + (words[a.Status] || ""));
  const more = (a.Params || []).map((p) => el("span", { class: "mono" }, el("b", {}, p.Name), " = " + JSON.stringify(p.Value)));
  if (a.Location && a.Pattern) more.push(el("span", {}, "of ", el("span", { class: "mono" }, visible(a.Pattern))));
  if (a.Allow) more.push(el("span", {}, "Allow: " + a.Allow));
  if (a.Name) more.push(el("span", {}, visible(a.Name) + ", line " + a.Line));
  return [el("div", {}, ...first), el("div", { class: "more" }, ...more)];
}

// showRefused lists the routes that ServeMux does not take. Its element stays,
// hidden or not, and with it whether it is open.
export function showRefused(built) {
  const refused = built.Refused;
  byId("refuses").hidden = !refused.length;
  if (!refused.length) return;
  put(byId("refuses").firstElementChild, `refuses ${refused.length} of these ${plural(built.Routes.length, "route")}; with the others:`);
  put(byId("refuses").lastElementChild, refused.map((p) => `line ${p.Line}: ${visible(p.Reason).replaceAll("\\u{a}", "\n")}`).join("\n\n"));
}

// showSteps lists the steps; each is a button that lights the way up to it.
export function showSteps(found, stop) {
  const steps = found.Steps || [];
  put(byId("steps"), ...steps.map((s, i) => el("li", { class: s.Kind ? "" : "none" },
    el("button", { type: "button", onclick: () => stop(i) },
      el("span", { class: "n" }, String(i + 1)),
      el("span", { class: "seg" }, visible(s.Segment) || "/"),
      el("span", { class: "open" }, (s.Open || []).length ? plural(s.Open.length, "route") : ""),
      ...how(s).map((line) => el("span", { class: "how" }, ...line))))));
  const last = steps[steps.length - 1];
  const missed = found.Lookup.Status === 404;
  put(byId("ended"), ...(found.Notes || []).map((n) => el("p", {}, visible(n))),
    missed && last && (last.Node || []).length ? el("p", {}, "The path ends here, and no route does.") : "");
  put(byId("trace"), found.Text);
  showNearest(found.Nearest || []);
}

// showOffers offers another request where a person may have meant one: the method
// that this one is a slip of, and a path that the routes have.
export function showOffers(found, ask) {
  const { Method: method, Example: example } = found;
  put(byId("offers"),
    method ? el("p", {}, "Is the method ", el("button", { type: "button", onclick: () => ask({ Method: method }) }, method), "?") : "",
    example ? el("p", {}, "Try a path that these routes have: ", el("button", { type: "button", onclick: () => ask(example) },
      visible([example.Method, example.Host, example.Target].filter(Boolean).join(" ")))) : "");
}

function how(s) {
  const lines = [];
  if (!s.Kind) lines.push(["no route goes on here"]);
  else if (s.Name) lines.push([el("span", { class: "mono" }, el("b", {}, "{" + s.Name + (s.Kind === "rest" ? "..." : "") + "}"), " = " + JSON.stringify(s.Value))]);
  else if (s.Segment === "" && s.Kind === "literal") lines.push(["the final slash"]);
  else lines.push([s.Kind === "rest" ? "the rest" : s.Kind]);
  if ((s.Node || []).length > 1) lines.push([(s.Wide ? "side by side: " : "merged: "), el("span", { class: "mono" }, cut(s.Node))]);
  else if (s.Wide) lines.push(["side by side"]);
  if (s.Rule) lines.push([el("span", s.Rule.length > 130 ? { title: s.Rule } : {}, visible(s.Rule.length > 130 ? s.Rule.slice(0, 129) + "…" : s.Rule))]);
  return lines;
}

function cut(names) {
  const most = 6;
  return visible(names.slice(0, most).join(", ")) + (names.length > most ? ` and ${names.length - most} more` : "");
}

function showNearest(nearest) {
  put(byId("nearest"), ...(nearest.length ? [el("h3", {}, "Nearest"), el("ol", {},
    ...nearest.map((n) => el("li", {}, el("span", { class: "mono" }, visible(n.Pattern)), el("span", {}, n.Why))))] : []));
}

// showNone says why there is no request to answer.
export function showNone(why) {
  showAnswers(null);
  put(byId("ended"), el("p", {}, why));
  for (const id of ["steps", "offers", "nearest", "trace"]) put(byId(id));
}

// lightSteps marks the steps up to one.
export function lightSteps(upTo) {
  [...byId("steps").children].forEach((li, i) => {
    li.classList.toggle("lit", i <= upTo);
    li.classList.toggle("now", i === upTo);
    li.firstChild.setAttribute("aria-current", i === upTo ? "step" : "false");
  });
}
