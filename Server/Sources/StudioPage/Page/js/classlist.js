// The list of classes at the side, with saved and earlier queries.
import { fill, h, icon } from "./dom.js";
import { app, remember } from "./app.js";
import { address, parsed, toClass } from "./address.js";
import { count, plain } from "./format.js";
import { hueOf, model } from "./model.js";
import { iconButton } from "./ui.js";
import { textNodes } from "./values.js";

/** The list of classes, and the field that finds one. */
export class ClassList {
  constructor() {
    this.list = h("div.list");
    this.field = h("input.input", { type: "search", placeholder: "Find a class", "aria-label": "Find a class", oninput: () => this.draw(), onkeydown: (event) => this.keys(event) });
    this.find = h("div.find", null, icon("search"), this.field, h("kbd", { "aria-hidden": "true" }, "/"));
    this.ticks = new Map();
  }

  countSpan(entry) {
    const span = h("span.count.num", null, entry.kind === "asymmetric" ? "only sent" : entry.count === null ? "" : count(entry.count));
    this.countSpans.set(entry.class, span);
    return span;
  }

  draw() {
    this.countSpans = new Map();
    const wanted = this.field.value.trim().toLowerCase(), { screen, parts } = parsed();
    const matches = (text) => !wanted || text.toLowerCase().includes(wanted);
    const classes = model.classes.filter((entry) => matches(entry.class));
    const item = (entry) => h("a.item", { class: entry.hueClass, href: screen === "schema" ? address("schema", [entry.class]) : toClass(entry.class), "aria-current": parts[0] === entry.class && (screen === "data" || screen === "schema") ? "page" : null, title: plain(entry.class) },
      h("span.plot", { class: entry.kind }), h("span.cut", null, textNodes(entry.class)), this.tick(entry.class), this.countSpan(entry));
    const query = (entry, action) => h("div.item.row", null, h("a", { href: toClass(entry.class, { query: entry.query }), class: hueOf(entry.class), title: `${plain(entry.class)}: ${plain(entry.query)}` }, icon("search"), h("span.cut", null, textNodes(entry.name ?? entry.query))), action);
    const section = (title, items) => (items.length ? [h("h2.caps", null, title), items] : []);
    const saved = (app.state.saved ?? []).filter((entry) => matches(entry.name + entry.query)), earlier = (app.state.earlier ?? []).filter((entry) => matches(entry.query)).slice(0, 8);
    fill(this.list, section("Classes", classes.filter((entry) => entry.kind !== "embedded").map(item)), section("Embedded", classes.filter((entry) => entry.kind === "embedded").map(item)),
      section("Saved queries", saved.map((entry) => query(entry, iconButton(`Delete the saved query ${plain(entry.name)}`, "close", () => { remember((state) => { state.saved = state.saved.filter((other) => other !== entry); }); this.draw(); })))),
      section("Earlier queries", earlier.map((entry) => query(entry))));
    if (!classes.length && wanted) fill(this.list, h("p.empty", null, "No class has this name."));
  }

  tick(name) {
    if (!this.ticks.has(name)) this.ticks.set(name, h("span.tick", { "aria-hidden": "true" }));
    return this.ticks.get(name);
  }

  /** Marks classes that have just changed, and shows their new counts. */
  changed(push) {
    for (const [name, number] of push.counts) if (model.byName.has(name)) model.byName.get(name).count = number;
    for (const name of push.changed ?? []) {
      const tick = this.tick(name);
      tick.classList.remove("now");
      void tick.offsetWidth;
      tick.classList.add("now");
      tick.parentElement?.setAttribute("data-changed", "");
      clearTimeout(tick.timer);
      tick.timer = setTimeout(() => tick.classList.remove("now"), 7000);
    }
    for (const [name, number] of push.counts) {
      const span = this.countSpans?.get(name);
      if (span && model.byName.get(name)?.kind !== "asymmetric") span.textContent = count(number);
    }
  }

  keys(event) {
    if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      const first = this.list.querySelector("a.item");
      if (event.key === "Enter") first?.click(); else first?.focus();
    }
    if (event.key === "Escape") { event.target.value = ""; this.draw(); event.target.blur(); }
  }
}

