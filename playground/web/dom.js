// What the other files share: elements by id, and new ones. Text is only ever
// set as text, so that no route and no path can bring markup with it.

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e[name] = value;
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c != null && c !== ""));
  return e;
}

// put gives an element other children. Those that are there already stay, with
// all that a person did to them: what has the focus, what is scrolled, marked or
// open. Only what differs is changed. Children with a key are known by it, others
// by what they are and their place among their like.
export function put(parent, ...children) {
  const there = new Map(named([...parent.childNodes]));
  const wanted = named(children.filter((c) => c !== "").map((c) => (typeof c === "string" ? document.createTextNode(c) : c)));
  const next = wanted.map(([name, child]) => {
    const old = there.get(name);
    there.delete(name);
    return old ? become(old, child) : child;
  });
  for (const old of there.values()) old.remove();
  next.forEach((child, i) => {
    if (parent.childNodes[i] !== child) parent.insertBefore(child, parent.childNodes[i] || null);
  });
}

function named(nodes) {
  const seen = new Map();
  return nodes.map((n) => {
    const kind = n.dataset?.key ?? n.nodeName;
    seen.set(kind, (seen.get(kind) || 0) + 1);
    return [kind + " " + seen.get(kind), n];
  });
}

function become(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return old;
  }
  for (const name of old.getAttributeNames()) if (!wanted.hasAttribute(name)) old.removeAttribute(name);
  for (const name of wanted.getAttributeNames()) {
    if (old.getAttribute(name) !== wanted.getAttribute(name)) old.setAttribute(name, wanted.getAttribute(name));
  }
  old.onclick = wanted.onclick;
  put(old, ...wanted.childNodes);
  return old;
}

// visible shows control characters as what they are.
export function visible(text) {
  return text.replace(/[\p{C}]/gu, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

const under = new Set();

// busy says on the body what is still to come. Without data-busy, what is shown
// belongs to what was typed.
export function busy(what, is) {
  if (is) under.add(what);
  else under.delete(what);
  if (under.size) document.body.dataset.busy = [...under].join(" ");
  else delete document.body.dataset.busy;
}

// later runs f when calls have ceased for a moment, or at once by now, if there
// was a call.
export function later(millis, what, f) {
  let timer;
  const call = () => {
    clearTimeout(timer);
    timer = setTimeout(call.now, millis);
    busy(what, true);
  };
  call.stop = () => {
    clearTimeout(timer);
    timer = undefined;
    busy(what, false);
  };
  call.now = () => {
    if (timer === undefined) return;
    call.stop();
    f();
  };
  return call;
}

export const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
