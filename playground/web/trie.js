// Draws a trie. The places of its nodes, panning and zooming are D3's.
/* global d3 */
import { busy, visible } from "./dom.js";

const font = "12px ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const ruler = document.createElement("canvas").getContext("2d");
const textWidth = (text, in_ = font) => ((ruler.font = in_), ruler.measureText(text).width);
const badge = "600 10.5px system-ui, 'DejaVu Sans', sans-serif", note = "11px ui-monospace, 'SF Mono', 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";
const short = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);

// sourceTree is the trie as the routes were written.
export function sourceTree(tree) {
  const node = (t) => ({
    id: t.Key,
    kind: t.Kind,
    label: visible(t.Label),
    methods: (t.Routes || []).map((r) => r.Method || "any").join(" "),
    ends: (t.Routes || []).length > 0,
    title: (t.Routes || []).map((r) => r.Pattern + (r.Name ? "  " + r.Name : "")).join("\n"),
    kids: (t.Kids || []).map(node),
  });
  return node(tree);
}

// compiledTree is the trie as lookups go through it. What several ways lead to
// is drawn once, and by its name on the others. A node is known by the way on
// which it is drawn, since its number changes when other routes do.
export function compiledTree(nodes) {
  const seen = new Set(), ids = new Set();
  const draw = (i, label, kind, before) => {
    const n = nodes[i];
    const branches = n.Branches || [];
    const drawn = { id: unused(ids, `${before}/${kind}:${label}`), number: i, kind, label: visible(label), methods: "", kids: [] };
    if (seen.has(i)) return { ...drawn, note: "the node of " + short(branches.join(", "), 34), again: true };
    seen.add(i);
    const edges = n.Edges || [];
    return {
      ...drawn,
      ends: Boolean(n.End || n.Rest),
      note: n.Wide ? "side by side: " + plural(branches.length) : branches.length > 1 ? branches.length + " merged: " + short(branches.join(", "), 44) : "",
      title: branches.join("\n") + (n.End ? "\nat the end: " + n.End : "") + (n.Rest ? "\nelse: " + n.Rest : ""),
      kids: edges.map((e) => draw(e.To, e.Kind === "literal" ? e.Text || "/" : e.Kind === "aside" ? nameOf(nodes[e.To]) : "any other", e.Kind, drawn.id)),
    };
  };
  return draw(0, "/", "literal", "");
}

function unused(ids, id) {
  while (ids.has(id)) id += "'";
  ids.add(id);
  return id;
}

const plural = (n) => n + " branches";
const nameOf = (n) => short((n.Branches || ["…"]).join(", "), 28);

// Beyond so many rows only what is beside the way is unfolded at first.
const manyRows = 48;

// A panel that is narrower has no room for a column for each depth: the nodes
// stand in rows, each further in than the one that it hangs on.
const narrow = 520, step = 20;

export class Trie {
  constructor(svg, inView) {
    this.svg = d3.select(svg);
    this.inView = inView; // is told whether all that is drawn is in view
    this.group = this.svg.append("g");
    this.links = this.group.append("g");
    this.nodes = this.group.append("g");
    this.zoom = d3.zoom().scaleExtent([0.03, 3]).filter((e) => this.isForUs(e)).on("zoom", (e) => this.moved(e));
    this.forget();
    this.svg.call(this.zoom).on("dblclick.zoom", null);
    this.svg.on("keydown", (e) => this.key(e));
  }

  // isForUs leaves a finger to the page where all of the drawing is in view.
  isForUs(e) {
    if (e.type === "touchstart" && e.touches.length < 2) return !this.svg.classed("whole");
    return (!e.ctrlKey || e.type === "wheel") && !e.button;
  }

  // forget drops what a person did to the drawings.
  forget() { this.states = {}; }

  // state is what a person did to the drawing of this kind: the nodes unfolded,
  // and what the view is to show: "best", "way", "all", or by "hand" a place.
  get state() { return (this.states[this.kind] ||= { opened: new Set(), unfolded: false, view: "best" }); }

  // show takes another tree, to be drawn by follow. kind says which one it is.
  show(data, kind) {
    this.kind = kind;
    this.full = d3.hierarchy(data, (d) => d.kids);
    this.at = new Map();
    this.full.each((n) => {
      this.at.set(n.data.id, n);
      if (kind === "compiled" && !n.data.again) this.at.set(n.data.number, n);
    });
    this.many = this.full.leaves().length > manyRows;
  }

  // follow takes the steps of a request, and unfolds what is beside their way.
  follow(steps) {
    this.steps = steps;
    this.wayIds = this.idsOf(steps).lit.add(this.full.data.id);
    this.layout();
    this.light(steps.length, false);
  }

  get unfolded() { return !this.many || this.state.unfolded; }

  isOpen(d) { return this.unfolded || this.wayIds.has(d.id) || this.state.opened.has(d.id); }

  layout() {
    this.root = d3.hierarchy(this.full.data, (d) => (this.isOpen(d) ? d.kids : null));
    this.root.each((n) => {
      n.folded = !n.children && n.data.kids.length > 0;
      const methods = this.unfolded || this.wayIds.has(n.data.id) ? n.data.methods : ""; // there are many: less of each
      n.ends = methods + (n.folded ? (methods ? " " : "") + "+" + this.below(n.data) : "");
      n.label = textWidth(short(n.data.label, 34), "bold " + font) + 12;
      n.wide = Math.max(n.label + (n.ends ? textWidth(n.ends, badge) + n.ends.length * 0.2 + 8 : 0), textWidth(n.data.note || "", note) + 12);
    });
    this.narrow = this.size()[0] < narrow;
    if (this.narrow) this.rows();
    else this.columns();
    this.drawLinks();
    this.drawNodes();
  }

  // rows puts each node below the one before, as a list of files is drawn.
  rows() {
    let at = 0;
    this.root.eachBefore((n) => {
      [n.x, n.y] = [at, n.depth * step];
      at += n.data.note ? 42 : 26;
    });
    this.svg.node().style.setProperty("--tall", at + 30 + "px");
  }

  // below counts what a folded node hides.
  below(d) { return d.kids.reduce((n, k) => n + 1 + this.below(k), 0); }

  // columns gives each depth the room that its widest label needs, and spreads
  // what is small over the panel.
  columns() {
    const [w, h] = this.size(), wide = [];
    this.root.each((n) => (wide[n.depth] = Math.max(wide[n.depth] || 0, n.wide)));
    const labels = wide.reduce((sum, each) => sum + each, 30);
    const gap = Math.min(120, Math.max(18, (w / 1.1 - labels) / Math.max(wide.length - 1, 1)));
    const start = [0];
    for (let i = 0; i < wide.length; i++) start[i + 1] = start[i] + wide[i] + gap;
    d3.tree().nodeSize([1, 1]).separation((a, b) => (a.parent === b.parent ? 1 : 1.15))(this.root);
    const scale = Math.min(1.1, Math.max(0.72, w / (labels + gap * (wide.length - 1))));
    const high = -least(this.root.descendants(), (n) => -n.x) - least(this.root.descendants(), (n) => n.x);
    const row = Math.min(72, Math.max(this.kind === "compiled" ? 37 : 26, (h / scale - 70) / Math.max(high, 1)));
    this.root.each((n) => ([n.x, n.y] = [n.x * row, start[n.depth]]));
  }

  // resized draws anew where there is more room or less.
  resized() {
    if (!this.root) return;
    if (!this.narrow || this.size()[0] >= narrow) this.again();
    this.aim(false, true);
  }

  drawLinks() {
    const curve = d3.linkHorizontal();
    const elbow = (l) => `M${l.source.y},${l.source.x + 7}V${l.target.x - 6}q0,6 6,6H${l.target.y - 6}`;
    const from = (n) => n.y + (n.data.note && n.children[0].data.kind !== "aside" ? n.label : n.wide) + 3;
    this.links
      .selectAll("path")
      .data(this.root.links(), (l) => l.target.data.id)
      .join("path")
      .attr("class", (l) => "link " + (l.target.data.kind === "aside" ? "aside" : l.target.data.again ? "again" : ""))
      .attr("d", (l) => (this.narrow ? elbow(l) : curve({ source: [from(l.source), l.source.x], target: [l.target.y - 5, l.target.x] })));
  }

  drawNodes() {
    const node = this.nodes
      .selectAll("g")
      .data(this.root.descendants(), (n) => n.data.id)
      .join((enter) => {
        const g = enter.append("g");
        g.append("circle").attr("r", 4);
        g.append("text").attr("class", "label").attr("x", 9).attr("dy", "0.33em");
        g.append("text").attr("class", "methods").attr("dy", "0.33em");
        g.append("text").attr("class", "merged").attr("x", 9).attr("dy", "17");
        g.append("title");
        return g;
      });
    node.attr("class", (n) => `node ${n.data.kind} ${n.data.ends ? "ends" : ""} ${n.folded ? "folded" : ""}`).attr("transform", (n) => `translate(${n.y},${n.x})`);
    node.attr("data-id", (n) => n.data.id);
    node.select(".label").text((n) => short(n.data.label, 34));
    node.select(".methods").attr("x", (n) => n.label + 4).text((n) => n.ends);
    node.select(".merged").text((n) => n.data.note || "");
    node.select("title").text((n) => n.data.title || "");
    node.on("click", (e, n) => n.folded && this.unfold(n));
  }

  unfold(n) {
    this.state.opened.add(n.data.id);
    this.again();
  }

  // light shows the way of the first steps; won says that the last one answers.
  light(upTo, won) {
    this.upTo = upTo;
    this.won = won;
    const steps = this.steps.slice(0, upTo);
    const { lit, open } = this.idsOf(steps);
    const last = steps.length && won ? steps[steps.length - 1].Way : null;
    this.nodes.selectAll("g.node").classed("lit", (n) => lit.has(n.data.id)).classed("open", (n) => open.has(n.data.id)).classed("won", (n) => n.data.id === last);
    this.links.selectAll("path").classed("lit", (l) => lit.has(l.target.data.id)).classed("open", (l) => open.has(l.target.data.id));
    this.links.selectAll("path.lit").raise();
  }

  // idsOf returns the nodes on the way, and those beside it that were open.
  idsOf(steps) {
    const lit = new Set(), open = new Set();
    if (steps.length) lit.add(this.full.data.id);
    if (this.kind === "compiled") this.compiledWay(steps, lit);
    else this.sourceWay(steps, lit, open);
    return { lit, open };
  }

  sourceWay(steps, lit, open) {
    for (const s of steps) {
      this.above(s.Way, lit);
      for (const key of s.Others || []) this.above(key, open);
    }
    for (const id of lit) open.delete(id);
  }

  // above adds a node and those on the way to it.
  above(id, to) {
    for (let n = this.at.get(id); n; n = n.parent) to.add(n.data.id);
  }

  // compiledWay follows the edges that were taken, also those that lead to a
  // node which is drawn somewhere else.
  compiledWay(steps, lit) {
    let from = [this.full];
    for (const s of steps) {
      const reached = new Set(s.Compiled || []);
      const todo = [...from];
      for (let n = todo.shift(); n; n = todo.shift()) {
        for (const c of n.children || []) {
          if (!reached.has(c.data.number) || lit.has(c.data.id)) continue;
          const drawn = this.at.get(c.data.number);
          lit.add(c.data.id).add(drawn.data.id);
          todo.push(drawn); // on from there, side by side
        }
      }
      from = [...reached].map((number) => this.at.get(number)).filter(Boolean);
    }
  }

  size() {
    const box = this.svg.node().getBoundingClientRect();
    return [box.width || 600, box.height || 400];
  }

  box(nodes) {
    const left = least(nodes, (n) => n.y) - 14, right = -least(nodes, (n) => -n.y - n.wide) + 10;
    const top = least(nodes, (n) => n.x) - 22, bottom = -least(nodes, (n) => -n.x) + 26;
    return { left, top, width: right - left, height: bottom - top };
  }

  // fit moves the view to some nodes, at a scale that can be read. Where there
  // is no room for all, the end of the way is what matters.
  fit(nodes, smallest, largest, smooth) {
    const [w, h] = this.size();
    const b = this.box(nodes);
    const k = Math.min(largest, Math.max(smallest, Math.min(w / b.width, h / b.height)));
    const end = nodes[nodes.length - 1];
    const x = this.narrow ? 6 - Math.max(0, (end.y + end.wide - b.left + 10) * k - w) : b.width * k <= w ? (w - b.width * k) / 2 : w - b.width * k;
    const y = b.height * k <= h ? (h - b.height * k) / 2 : this.middle(end.x - b.top, b.height, k, h);
    const to = d3.zoomIdentity.translate(x - b.left * k, y - b.top * k).scale(k);
    this.move(to, smooth);
  }

  // middle brings a row to the middle, as far as there is more above and below.
  middle(row, height, k, h) {
    return Math.min(0, Math.max(h - height * k, h / 2 - row * k));
  }

  move(to, smooth) {
    if (!smooth) return this.svg.call(this.zoom.transform, to);
    const move = (this.moving = this.svg.transition().duration(250));
    busy("move", true);
    move.on("end interrupt cancel", () => busy("move", this.moving !== move)).call(this.zoom.transform, to);
  }

  moved(e) {
    this.group.attr("transform", e.transform);
    this.state.place = e.transform;
    this.seeWhole(e.transform);
    if (e.sourceEvent) this.state.view = "hand";
  }

  // seeWhole tells whether all that is drawn is in view.
  seeWhole(at) {
    if (!this.root) return;
    const [w, h] = this.size(), b = this.box(this.root.descendants()), slack = 12;
    const whole = at.applyX(b.left) >= -slack && at.applyY(b.top) >= -slack && at.applyX(b.left + b.width) <= w + slack && at.applyY(b.top + b.height) <= h + slack;
    this.svg.classed("whole", whole);
    this.inView(whole);
  }

  // aim brings into view what a person last wanted to see. same says that the
  // request is the one that was shown: then a view moved by hand stays.
  aim(smooth, same) {
    const { view, place } = this.state;
    if (view === "all") this.fitAll(smooth);
    else if (view === "way") this.fitWay(smooth);
    else if (view === "best") this.best(smooth);
    else if (d3.zoomTransform(this.svg.node()) !== place) this.move(place);
    else if (!same) this.reach(smooth);
  }

  // reach moves the view no further than to where the way ends.
  reach(smooth) {
    const [w, h] = this.size(), at = d3.zoomTransform(this.svg.node()), end = this.onWay().pop();
    const inside = (from, to, size) => (from < 0 ? -from : Math.max(Math.min(size - to, 0), -from));
    const dx = inside(at.applyX(end.y - 14), at.applyX(end.y + end.wide + 10), w), dy = inside(at.applyY(end.x - 22), at.applyY(end.x + 26), h);
    if (dx || dy) this.move(d3.zoomIdentity.translate(at.x + dx, at.y + dy).scale(at.k), smooth);
  }

  onWay() { return this.root.descendants().filter((n) => this.wayIds.has(n.data.id)).sort((a, b) => a.depth - b.depth); }

  // all unfolds everything and shows it.
  all(smooth) {
    Object.assign(this.state, { view: "all", unfolded: true });
    this.again();
    this.fitAll(smooth);
  }

  // way folds what is not beside the way, and shows that.
  way(smooth) {
    Object.assign(this.state, { view: "way", unfolded: false, opened: new Set() });
    this.again();
    this.fitWay(smooth);
  }

  again() {
    this.layout();
    this.light(this.upTo, this.won);
  }

  fitAll(smooth) { this.fit(this.root.descendants(), 0.03, 1.4, smooth); }

  fitWay(smooth) { this.fit(this.onWay(), this.narrow ? 0.9 : 0.72, this.narrow ? 1 : 1.15, smooth); }

  // best shows all that is unfolded if that can be read, else the way.
  best(smooth) {
    const [w, h] = this.size();
    const b = this.box(this.root.descendants());
    const least = this.narrow ? 0.8 : 0.72;
    if (Math.min(w / b.width, h / b.height) >= least) this.fit(this.root.descendants(), least, this.narrow ? 1.05 : 1.4, smooth);
    else this.fitWay(smooth);
  }

  by(factor) { this.hand(this.zoom.scaleBy, factor); }

  hand(how, ...by) {
    this.state.view = "hand";
    this.svg.call(how, ...by);
  }

  key(e) {
    const move = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (move) this.hand(this.zoom.translateBy, move[0] / this.scale(), move[1] / this.scale());
    else if (e.key === "+" || e.key === "=") this.by(1.25);
    else if (e.key === "-") this.by(0.8);
    else if (e.key === "0") this.all();
    else return;
    e.preventDefault();
  }

  scale() { return d3.zoomTransform(this.svg.node()).k; }
}

function least(list, of) {
  return list.reduce((most, n) => Math.min(most, of(n)), Infinity);
}
