// The editor: a text area with line numbers and marks under what is wrong.
import { byId, el, put, visible } from "./dom.js";

const text = byId("text"), marks = byId("marks"), gutter = byId("gutter"), list = byId("problems");

text.addEventListener("scroll", scrolled);

function scrolled() {
  marks.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  gutter.scrollTop = text.scrollTop;
}

// mark shows what was refused; won is the line of the route that answers.
export function mark(problems, won) {
  const wrong = new Map(problems.map((p) => [p.Line, p]));
  const lines = text.value.split("\n");
  gutter.style.width = `calc(${Math.max(2, String(lines.length).length) + 2}ch + 10px)`;
  gutter.replaceChildren(...lines.flatMap((_, i) => [
    wrong.has(i + 1) ? el("b", {}, "✕ " + (i + 1)) : won === i + 1 ? el("i", {}, "› " + (i + 1)) : String(i + 1), "\n"]), "\n\n");
  marks.replaceChildren(...lines.flatMap((line, i) => [...marked(line, wrong.get(i + 1)), "\n"]));
  scrolled();
}

function marked(line, problem) {
  if (!problem || problem.Column < 0) return [line];
  const chars = [...line];
  const at = Math.min(problem.Column, Math.max(chars.length - 1, 0));
  return [chars.slice(0, at).join(""), el("span", { class: "wrong" }, chars.slice(at, at + 1).join("") || " "), chars.slice(at + 1).join("")];
}

// showProblems shows each refused line with a caret under the place.
export function showProblems(problems) {
  put(list, ...problems.map((p) => {
    const chars = [...p.Text.replace(/\t/g, " ")];
    const indent = chars.findIndex((c) => c !== " ");
    const number = p.Line + "  ";
    const picture = el("pre", {}, el("span", { class: "at" }, number), visible(chars.slice(indent).join("")));
    if (p.Column >= 0) picture.append("\n" + " ".repeat(number.length + Math.max(p.Column - indent, 0)), el("span", { class: "caret" }, "^"));
    const where = p.Other ? ` (line ${p.Other})` : "";
    return el("li", { "data-key": p.Text }, el("button", { type: "button", onclick: () => goTo(p.Line, Math.max(p.Column, 0)) }, picture, el("p", {}, visible(p.Reason) + where)));
  }));
}

// goTo puts the cursor at a place.
export function goTo(line, column) {
  const lines = text.value.split("\n");
  const before = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);
  const at = before + [...(lines[line - 1] || "")].slice(0, column).join("").length;
  text.focus();
  text.setSelectionRange(at, at);
  text.scrollTop = Math.max(0, (line - 4) * 20);
}
