// What the other files share: elements by id, and new ones. Text is only ever
// set as text, so that no route and no path can bring markup with it.

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c != null && c !== ""));
  return e;
}

// visible shows control characters as what they are.
export function visible(text) {
  return text.replace(/[\p{C}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

// later runs f when calls have ceased for a moment.
export function later(millis, f) {
  let timer;
  const call = () => {
    clearTimeout(timer);
    timer = setTimeout(f, millis);
  };
  call.stop = () => clearTimeout(timer);
  return call;
}

export const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
