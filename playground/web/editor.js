// The editor: a text area with line numbers and marks under what is wrong.
import { byId, el, plural, put, visible } from "./dom.js";

const text = byId("text"), marks = byId("marks"), gutter = byId("gutter"), list = byId("problems");

text.addEventListener("scroll", scrolled);

function scrolled() {
  marks.style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  gutter.scrollTop = text.scrollTop;
}

// reset goes back to the beginning of the text.
export function reset() {
  text.scrollTop = text.scrollLeft = 0;
  scrolled();
}

// write puts text in the place of the selection, as a person would: what was
// there before can be brought back by the browser's undo.
export function write(what) {
  text.focus();
  if (!document.execCommand("insertText", false, what)) {
    text.setRangeText(what, text.selectionStart, text.selectionEnd, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
  }
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

// showHints shows what was taken and is probably a slip, and mends it.
export function showHints(hints) {
  put(byId("hints"), ...hints.map((h) => el("li", { "data-key": h.Text },
    el("p", {}, el("span", { class: "at" }, String(h.Line)), " ", visible(h.Reason)),
    el("button", { type: "button", onclick: () => fix(h) }, "Mend it"))));
}

function fix(hint) {
  const from = startOf(hint.Line);
  text.setSelectionRange(from, from + hint.Text.length);
  write(hint.Fix);
}

// showReading tells what was made of a program, or offers to read one.
export function showReading(reading, looksLikeOne, read, dismiss) {
  const panel = byId("reading");
  if (!reading && !looksLikeOne) return put(panel);
  if (!reading) return put(panel, el("p", {}, "This looks like a program. "), el("button", { type: "button", onclick: read }, "Read it"));
  const left = reading.Left;
  put(panel,
    el("p", {}, reading.Routes ? `Read ${plural(reading.Routes, "route")} from the program.` : "The program registers no route that the page can read.",
      left.length ? " Not read, or not for sure:" : ""),
    el("ul", {}, ...left.map((l) => el("li", {}, l.Line ? el("span", { class: "at" }, "line " + l.Line) : "", l.Text ? el("code", {}, visible(l.Text)) : "", el("span", {}, visible(l.Why))))),
    el("button", { type: "button", onclick: dismiss }, "Close"));
}

const startOf = (line) => text.value.split("\n").slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0);

// goTo puts the cursor at a place.
export function goTo(line, column) {
  const lines = text.value.split("\n");
  const at = startOf(line) + [...(lines[line - 1] || "")].slice(0, column).join("").length;
  text.focus();
  text.setSelectionRange(at, at);
  text.scrollTop = Math.max(0, (line - 4) * 20);
}
