// What a person has written: it stays in the browser's storage until the person
// clears it. Where there is no storage it stays as long as the page does.

const key = "segue.own";
const most = 30; // beyond that the oldest goes
let memory = [];

// list returns what there is, the latest first. Another tab may have written.
export function list() {
  try {
    const all = JSON.parse(localStorage.getItem(key) || "[]");
    memory = Array.isArray(all) ? all.filter((e) => e && typeof e.id === "string" && typeof e.text === "string") : [];
  } catch { /* no storage, or not ours */ }
  return memory;
}

function write(all) {
  memory = all.slice(0, most);
  try { localStorage.setItem(key, JSON.stringify(memory)); } catch { /* it stays in memory */ }
}

export const find = (id) => list().find((e) => e.id === id);

export const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 6);

// save puts an entry first; one without text is dropped.
export function save(entry) {
  const others = list().filter((e) => e.id !== entry.id);
  write(entry.text.trim() ? [entry, ...others] : others);
}

// take removes an entry and returns it.
export function take(id) {
  const entry = find(id);
  write(list().filter((e) => e.id !== id));
  return entry;
}

// title is the first line that says something.
export function title(entry) {
  const line = entry.text.split("\n").map((l) => l.trim()).find((l) => l && !l.startsWith("#")) || entry.text.trim();
  const words = line.replace(/\s+/g, " ");
  return "My own: " + (words.length > 28 ? words.slice(0, 27) + "…" : words);
}
