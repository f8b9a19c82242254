// The schema as a graph of classes, and the selected class beside it.
import { eachFrame, fill, h, icon, s } from "./dom.js";
import { app } from "./app.js";
import { address, go, trail } from "./address.js";
import { bytes, count, plain, plural } from "./format.js";
import { classNamed, hueOf, kindIcon, model, typeText } from "./model.js";
import { button, choice, noteError, saveText, toClipboard } from "./ui.js";
import { CARD, placed, routes } from "./layout.js";
import { changeDialog } from "./migration.js";
import { saveCode } from "./bytes.js";
import { textNodes } from "./values.js";

const MOST = 40, LINES = 24;

/** The screen of the schema. */
export class SchemaScreen {
  constructor(shell) {
    this.shell = shell;
    this.zoom = 1;
    this.hidesEmbedded = false;
    this.stage = h("div.stage");
    this.scroller = h("div.canvas", { tabindex: 0, role: "group", "aria-label": "Graph of the classes" }, this.stage);
    this.panel = h("aside.panel", { "aria-label": "Class", tabindex: 0 });
    this.embeddedButton = button("Hide embedded", () => { this.hidesEmbedded = !this.hidesEmbedded; this.embeddedButton.setAttribute("aria-pressed", this.hidesEmbedded); this.draw(); }, { kind: "small", "aria-pressed": false });
    this.tools = h("div.tools", { role: "toolbar", "aria-label": "Graph" }, this.embeddedButton, button("−", () => this.scale(0.8), { kind: "small", "aria-label": "Smaller" }), button("+", () => this.scale(1.25), { kind: "small", "aria-label": "Larger" }), button("Fit", () => this.fit(), { kind: "small" }), button("SVG", () => this.save(), { kind: "small", iconName: "export" }),
      app.canWrite && !app.file.flags.synced ? button("Change…", () => changeDialog(this.chosen), { kind: "small", iconName: "edit" }) : null);
    this.element = h("main", { tabindex: -1, "aria-label": "Schema" }, h("div.canvasbox", null, this.scroller, this.tools, legend()), this.panel);
    this.later = eachFrame(() => this.draw());
    this.observer = new ResizeObserver(this.later);
    this.observer.observe(this.scroller);
  }

  close() { this.observer.disconnect(); }

  update(place) {
    const chosen = place.parts[0] && classNamed(place.parts[0]) ? place.parts[0] : model.classes.find((entry) => entry.kind === "object")?.class ?? model.classes[0]?.class;
    this.language = place.options.get("language") ?? this.language ?? "swift";
    const isChange = place.options.get("change");
    this.chosen = chosen;
    this.later();
    this.drawPanel();
    this.shell.drawTrail(chosen ? `Schema: ${chosen}` : "Schema");
    const properties = model.classes.reduce((sum, entry) => sum + entry.properties.length, 0), links = model.classes.reduce((sum, entry) => sum + entry.properties.filter((property) => property.target && !property.inverses).length, 0);
    const indexes = model.classes.reduce((sum, entry) => sum + entry.properties.filter((property) => property.index || property.primaryKey).length + (entry.indexes?.length ?? 0), 0);
    this.shell.setStatus([plural(model.classes.length, "class", "classes"), plural(properties, "property", "properties"), plural(links, "link"), plural(indexes, "index", "indexes"), app.file.schemaVersion !== undefined ? `schema version ${app.file.schemaVersion}` : null]);
    if (isChange && app.canWrite && !this.isChanging) { this.isChanging = true; changeDialog(chosen, () => { this.isChanging = false; }); }
  }

  schemaChanged() { this.draw(); this.drawPanel(); }

  /** The classes that are drawn: all, or those around the selected one if there are many. */
  visible() {
    const all = model.classes.filter((entry) => !this.hidesEmbedded || entry.kind !== "embedded");
    if (all.length <= MOST) return all;
    const near = new Set([this.chosen]);
    for (let round = 0; round < 3 && near.size < MOST; round++) {
      for (const entry of all) {
        if (near.size >= MOST) break;
        const targets = entry.properties.map((property) => property.target).filter(Boolean);
        if (near.has(entry.class)) for (const target of targets) { if (near.size < MOST) near.add(target); } else if (targets.some((target) => near.has(target))) near.add(entry.class);
      }
    }
    return all.filter((entry) => near.has(entry.class));
  }

  draw() {
    if (!this.element.isConnected) return;
    const classes = this.visible();
    const entries = classes.map((entry) => {
      const own = entry.properties.filter((property) => !property.inverses), lines = own.length > LINES ? [...own.slice(0, LINES - 1), null] : own;
      return { name: entry.class, entry, lines, hiddenLines: own.length - LINES + 1, links: lines.flatMap((property, line) => (property?.target && classNamed(property.target) ? [{ line, to: property.target, isMany: Boolean(property.collection), isOwned: Boolean(property.owns) }] : [])) };
    });
    if (!entries.length) return void fill(this.stage, h("p.empty", null, "The file has no classes."));
    const plan = placed(entries, { width: this.scroller.clientWidth, height: this.scroller.clientHeight - 60 });
    this.size = plan;
    this.stage.style.setProperty("width", `${plan.width}px`);
    this.stage.style.setProperty("height", `${plan.height}px`);
    this.stage.style.setProperty("transform", `scale(${this.zoom})`);
    this.graph = s("svg.graph", { viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height, "aria-hidden": "true" }, this.edges(entries, plan));
    const focused = document.activeElement?.dataset?.class;
    fill(this.stage, this.graph, entries.map((entry) => this.card(entry, plan.place.get(entry.name))), classes.length < model.classes.length && !this.hidesEmbedded ? h("p.hidden", null, `${count(classes.length)} of ${count(model.classes.length)} classes, those around ${plain(this.chosen)}`) : null);
    if (focused) [...this.stage.querySelectorAll("a.card")].find((card) => card.dataset.class === focused)?.focus({ preventScroll: true });
  }

  edges(entries, plan) {
    return routes(entries, plan).map(({ from, to, path, start, end, isMany, isOwned }) => {
      const classes = `${hueOf(to)} ${from === this.chosen || to === this.chosen ? "lit" : ""}`;
      return [s("path.edge", { class: classes, d: path }),
        isOwned ? s("path.end.full", { class: classes, d: `M${start.x} ${start.y}l${start.direction * 6} -4.5l${start.direction * 6} 4.5l${-start.direction * 6} 4.5z` }) : null,
        isMany ? s("path.edge", { class: classes, d: `M${end.x + end.direction * 12} ${end.y}L${end.x} ${end.y - 6}M${end.x + end.direction * 12} ${end.y}L${end.x} ${end.y + 6}M${end.x + end.direction * 12} ${end.y}H${end.x}` }) : s("circle.end", { class: classes, cx: end.x + end.direction * 5, cy: end.y, r: 4 })];
    });
  }

  card({ entry, lines, hiddenLines }, box) {
    return h("a.card", { class: `${entry.hueClass} ${entry.kind} ${entry.class === this.chosen ? "lit" : ""}`, href: address("schema", [entry.class]), "data-class": entry.class, "aria-current": entry.class === this.chosen ? "true" : null, "aria-label": `${plain(entry.class)}, ${plural(entry.count, "object")}, ${plural(entry.properties.length, "property", "properties")}`, style: { left: `${box.x}px`, top: `${box.y}px`, width: `${CARD}px` }, ondblclick: () => go(address("data", [entry.class]), { trail: trail() }) },
      h("span.cardhead", null, h("span.plot", { class: entry.kind }), h("b.cut", null, textNodes(entry.class)), entry.kind !== "object" ? h("span.tag", null, entry.kind) : null, h("span.dim", null, entry.kind === "asymmetric" ? "" : count(entry.count))),
      lines.map((property) => (property ? h("span.p", { class: property.target ? `link ${hueOf(property.target)}` : null }, kindIcon(property) ? icon(kindIcon(property)) : null, h("span.cut", null, textNodes(property.name)), h("span.type.cut", null, plain(typeText(property)))) : h("span.p.dim", null, `${hiddenLines} more`))));
  }

  scale(factor) {
    this.zoom = Math.max(0.25, Math.min(2, this.zoom * factor));
    this.stage.style.setProperty("transform", `scale(${this.zoom})`);
  }

  fit() {
    this.zoom = 1;
    this.scale(Math.min(1, (this.scroller.clientWidth - 10) / this.size.width, (this.scroller.clientHeight - 10) / this.size.height));
    this.scroller.scrollTo(0, 0);
  }

  /** Saves the graph with its cards as one SVG file. */
  save() {
    const { width, height, place } = this.size, style = getComputedStyle(document.documentElement), ink = style.color || "black";
    const copy = this.graph.cloneNode(true), originals = [...this.graph.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((element, index) => { const computed = getComputedStyle(originals[index]); for (const name of ["fill", "stroke", "stroke-width", "opacity"]) element.setAttribute(name, computed.getPropertyValue(name)); });
    for (const entry of this.visible()) {
      const box = place.get(entry.class);
      if (!box) continue;
      copy.append(s("rect", { x: box.x, y: box.y, width: CARD, height: box.height, rx: 8, fill: "white", stroke: "gray" }), s("text", { x: box.x + 11, y: box.y + 22, "font-family": "sans-serif", "font-size": 12.5, "font-weight": 700, fill: "black" }, plain(entry.class)),
        entry.properties.filter((property) => !property.inverses).slice(0, LINES).map((property, line) => [s("text", { x: box.x + 11, y: box.y + 53 + line * 23, "font-family": "sans-serif", "font-size": 12, fill: "black" }, plain(property.name)), s("text", { x: box.x + CARD - 11, y: box.y + 53 + line * 23, "text-anchor": "end", "font-family": "sans-serif", "font-size": 11, fill: ink }, plain(typeText(property)))]));
    }
    copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
    saveText(new XMLSerializer().serializeToString(copy), { name: `${app.file.name}-schema.svg`, type: "image/svg+xml" });
  }

  drawPanel() {
    const entry = this.chosen ? classNamed(this.chosen) : null;
    if (!entry) return void fill(this.panel);
    const incoming = entry.inverse ?? model.classes.flatMap((other) => other.properties.filter((property) => property.target === entry.class && !property.inverses).map((property) => ({ class: other.class, property: property.name })));
    const rules = entry.properties.filter((property) => property.rule), indexes = [...entry.properties.filter((property) => property.index).map((property) => `${plain(property.name)} (${property.index === "fullText" ? "full text" : property.index})`), ...(entry.indexes ?? []).map((index) => `${index.properties.map(plain).join(", ")}${index.unique ? " (unique)" : ""}`)];
    const fact = (name, value) => [h("dt", null, name), h("dd", null, value)];
    this.bytesCell = h("dd.dim", null, "…");
    fill(this.panel, h("div.across", { class: entry.hueClass }, h("span.plot", { class: entry.kind }), h("h2.cut", null, textNodes(entry.class)), h("span.grow"), entry.kind !== "asymmetric" ? h("a.button.small", { href: address("data", [entry.class]) }, "Open objects") : null),
      h("dl.facts2", null, fact("kind", entry.kind), entry.kind === "asymmetric" ? null : fact("objects", count(entry.count)), h("dt", null, "bytes"), this.bytesCell, fact("primary key", entry.key ? plain(entry.key) : "none"), fact("indexes", indexes.length ? indexes.join(" · ") : "none"),
        fact("linked from", incoming.length ? incoming.map((link, index) => [index ? " · " : null, h("a", { href: address("schema", [link.class]) }, plain(link.class)), `.${plain(link.property)}`]) : "none"), rules.length ? fact("when deleted", rules.map((property) => `${plain(property.name)}: ${property.rule}`).join(" · ")) : null),
      h("h3", null, "Code"), this.code(entry), h("h3", null, "Findings"), this.findings(entry));
    this.measure(entry);
  }

  async measure(entry) {
    try {
      app.anatomy ??= app.ask("anatomy");
      const { areas } = await app.anatomy, own = areas.filter((area) => area.class === entry.class), sum = own.reduce((total, area) => total + area.bytes, 0);
      if (this.chosen === entry.class) fill(this.bytesCell, entry.count ? `${bytes(sum)} · ${bytes(sum / entry.count)} each` : bytes(sum));
    } catch { app.anatomy = null; fill(this.bytesCell, "–"); }
  }

  code(entry) {
    const box = h("pre.swift", { tabindex: 0, "aria-label": "Code of the class" }), notes = h("div.dim"), languages = app.file.languages ?? [{ language: "swift", name: "Swift" }];
    const load = async (language) => {
      this.language = language;
      try {
        const answer = await app.ask("code", { language, classes: [entry.class] });
        if (this.language !== language) return;
        this.shownCode = answer.files;
        fill(box, answer.files.map((file) => [answer.files.length > 1 ? h("b", null, `${plain(file.name)}\n`) : null, file.text.split("\n").map((line, index) => [index ? "\n" : null, textNodes(line)])]));
        fill(notes, answer.notes.map((text) => h("p", null, plain(text))));
      } catch (error) { fill(box, error.message); }
    };
    const list = choice(languages.map(({ language, name }) => [language, name]), { value: this.language, onChange: load, "aria-label": "Language" });
    load(this.language);
    return [h("div.across", null, list, h("span.grow"), button("Copy", () => toClipboard((this.shownCode ?? []).map((file) => file.text).join("\n")), { kind: "small", iconName: "copy" }), button("Save all…", () => this.saveAll(), { kind: "small" })), box, notes];
  }

  async saveAll() {
    try { for (const file of (await app.ask("code", { language: this.language })).files) saveCode(file.text, file.name); } catch (error) { noteError(error); }
  }

  findings(entry) {
    const box = h("div.down", null, h("p.dim", null, "No finding."));
    app.ask("findings").then(({ findings }) => {
      const own = findings.filter((finding) => finding.class === entry.class);
      if (own.length) fill(box, own.map((finding) => h("p", null, h("span.pill.warn", null, "unused index"), " ", h("span.soft", null, textNodes(finding.text)))));
    }).catch(() => {});
    return box;
  }

  commands() { return [{ label: "Fit the graph", iconName: "schema", action: () => this.fit() }, { label: "Save the graph as SVG", iconName: "export", action: () => this.save() }]; }
}

const legend = () => h("div.legend", null,
  h("span", null, s("svg", { width: 26, height: 12, "aria-hidden": "true" }, s("path.edge.lit", { d: "M0 6h14" }), s("circle.end", { cx: 18, cy: 6, r: 4 })), "to one"),
  h("span", null, s("svg", { width: 26, height: 14, "aria-hidden": "true" }, s("path.edge.lit", { d: "M0 7h10M10 7l12-6M10 7h12M10 7l12 6" })), "to many"),
  h("span", null, s("svg", { width: 26, height: 12, "aria-hidden": "true" }, s("path.end.full", { d: "M1 6l6-4l6 4l-6 4z" }), s("path.edge.lit", { d: "M13 6h12" })), "owns"),
  [["key", "key"], ["index", "index"], ["words", "words"], ["place", "places"]].map(([name, label]) => h("span", null, icon(name), label)));
