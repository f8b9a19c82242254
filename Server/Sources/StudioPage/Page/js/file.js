// The file: its bytes by class and property, its pages in order, the readers of its versions, and its growth.
import { eachFrame, fill, h, s } from "./dom.js";
import { app } from "./app.js";
import { address } from "./address.js";
import { bytes, count, duration, pageSize, plain, plural, since } from "./format.js";
import { hueOf } from "./model.js";
import { button, confirm, download, note, noteError } from "./ui.js";
import { reportView, textNodes } from "./values.js";
import { treemap } from "./treemap.js";

const HIGH = 372, TITLE = 20, COLUMNS = 132;
const KINDS = { values: "values", long: "long values", index: "index", inverse: "incoming links", objects: "objects", history: "history", journal: "journal", catalogue: "catalogue", tree: "pages of trees", free: "free" };

/** The screen of the file. */
export class FileScreen {
  constructor(shell) {
    this.shell = shell;
    this.tiles = h("div.tiles");
    this.map = s("svg.areas", { role: "img", "aria-label": "Bytes by class and property" });
    this.mapNote = h("span.dim");
    this.areaTable = h("div", { hidden: true });
    this.tableButton = button("As a table", () => { this.areaTable.hidden = !this.areaTable.hidden; this.tableButton.setAttribute("aria-pressed", !this.areaTable.hidden); }, { kind: "small", "aria-pressed": false });
    this.canvas = h("canvas.pages", { width: COLUMNS, height: 40, role: "img", "aria-label": "Pages in the order of the file" });
    this.pagesNote = h("span.dim");
    this.legend = h("div.legendline");
    this.readers = h("div");
    this.growth = s("svg.growth", { viewBox: "0 0 300 60", preserveAspectRatio: "none", role: "img", "aria-label": "Size of the file in this session" });
    this.growthNote = h("p.dim");
    this.result = h("div.down", { role: "status" });
    this.commandsBox = h("div.across.wrap", null, button("Verify", () => this.verify(), { kind: "small" }), button("Back up…", () => this.backup(), { kind: "small" }), app.canWrite ? button("Compact…", () => this.compact(), { kind: "small" }) : null, h("a.button.small", { href: address("transfer", ["compare"]) }, "Compare…"), button("Read again", () => this.load(), { kind: "small" }));
    this.element = h("main", { tabindex: -1, "aria-label": "File" }, h("div.page", { tabindex: 0, role: "region", "aria-label": "File" },
      this.tiles, app.file.conversion ? h("section.sheet", { "aria-label": "Conversion" }, h("header", null, h("h2", null, "Conversion of the Realm file")), reportView(app.file.conversion)) : null,
      h("section.sheet", { "aria-label": "Commands" }, h("header", null, h("h2", null, "Commands"), h("span.grow"), this.commandsBox), this.result),
      h("section.sheet", { "aria-label": "Bytes" }, h("header", null, h("h2", null, "Bytes"), h("span.grow"), this.mapNote, this.tableButton), this.map, this.areaTable),
      h("div.two", null, h("section.sheet", { "aria-label": "Pages" }, h("header", null, h("h2", null, "Pages in the order of the file"), h("span.grow"), this.pagesNote), this.canvas, this.legend),
        h("div.down", null, h("section.sheet", { "aria-label": "Readers" }, h("header", null, h("h2", null, "Versions that are read")), this.readers), h("section.sheet", { "aria-label": "Growth" }, h("header", null, h("h2", null, "Growth in this session")), this.growth, this.growthNote)))));
    this.later = eachFrame(() => this.drawMap());
    this.observer = new ResizeObserver(this.later);
    this.observer.observe(this.map);
    this.load();
    this.timer = setInterval(() => { if (!document.hidden) this.loadReaders(); }, 2000);
  }

  close() { this.observer.disconnect(); clearInterval(this.timer); this.isClosed = true; }

  update() { this.shell.drawTrail("File"); this.shell.setStatus([`format ${app.file.format}`, `version ${count(app.file.version)}`]); }

  async load() {
    try {
      app.anatomy = app.ask("anatomy");
      const anatomy = await app.anatomy;
      if (this.isClosed) return;
      this.anatomy = anatomy;
      sizes.push({ at: Date.now(), size: anatomy.file, used: anatomy.used });
      this.drawAll();
    } catch (error) { app.anatomy = null; noteError(error); }
    this.loadReaders();
  }

  async loadReaders() {
    try {
      const answer = await app.ask("readers");
      if (this.isClosed) return;
      this.held = answer.readers.filter((reader) => reader.behind > 0);
      this.drawReaders(answer);
      this.drawTiles();
    } catch (error) { if (error.code !== "closed" && !this.isClosed) fill(this.readers, h("p.dim", null, error.message)); }
  }

  drawAll() {
    const { anatomy } = this;
    this.mapNote.textContent = `by class and property, with indexes · read in ${duration(anatomy.ms)}`;
    this.drawTiles();
    this.later();
    this.drawTable();
    this.drawPages();
    this.drawGrowth();
  }

  drawTiles() {
    const { anatomy } = this;
    if (!anatomy) return;
    const free = anatomy.file ? (anatomy.free / anatomy.file) * 100 : 0, oldest = (this.held ?? []).reduce((most, reader) => (reader.behind > (most?.behind ?? 0) ? reader : most), null);
    fill(this.tiles, tile(bytes(anatomy.file), "file", `${plural(Math.round(anatomy.file / anatomy.page), "page")} of ${pageSize(anatomy.page)}`), tile(bytes(anatomy.free), "free pages", `${free.toFixed(1)} % of the file`), tile(count(anatomy.version), "version", app.file.lastCommit ? `last commit ${since(app.file.lastCommit)} ago` : ""),
      tile(count(this.held?.length ?? 0), "old versions that are read", oldest ? `v ${count(oldest.version)} by process ${oldest.process}: ${bytes(oldest.bytes ?? 0)} can't be used again` : "No version is held.", oldest ? "held" : null));
  }

  /** The areas by class: `{ name, hue, size, parts }`. */
  groups() {
    const groups = new Map();
    for (const area of this.anatomy.areas) {
      if (area.kind === "free") continue;
      const name = area.class ?? "file";
      if (!groups.has(name)) groups.set(name, { name, hue: area.class ? hueOf(area.class) : "", size: 0, parts: [] });
      const group = groups.get(name);
      group.size += area.bytes;
      group.parts.push({ name: label(area), size: area.bytes, blocks: area.blocks, kind: area.kind });
    }
    const list = [...groups.values()].sort((a, b) => b.size - a.size);
    for (const group of list) group.parts.sort((a, b) => b.size - a.size);
    return list;
  }

  drawMap() {
    if (!this.anatomy || !this.map.clientWidth) return;
    const width = this.map.clientWidth;
    this.map.setAttribute("viewBox", `0 0 ${width} ${HIGH}`);
    this.map.style.setProperty("height", `${HIGH}px`);
    fill(this.map, treemap(this.groups(), { x: 0, y: 0, width, height: HIGH }).map(({ item: group, x, y, width: wide, height }) => s("g", { class: group.hue || "nohue" },
      wide > 24 && s("text.title", { x: x + 4, y: y + 14 }, fitted(`${group.name}  ${bytes(group.size)}`, wide)),
      treemap(group.parts, { x, y: y + TITLE, width: wide, height: Math.max(0, height - TITLE) }).map((part) => s("g", null, s("rect", { class: `area ${part.item.kind}`, x: part.x + 1, y: part.y + 1, width: Math.max(0, part.width - 2), height: Math.max(0, part.height - 2), rx: 4 }, s("title", null, `${plain(group.name)} ${plain(part.item.name)}: ${bytes(part.item.size)}, ${plural(part.item.blocks ?? 0, "block")}`)),
        part.height > 20 && part.width > 30 && s("text.small", { x: part.x + 7, y: part.y + 16 }, fitted(part.item.name, part.width)), part.height > 36 && part.width > 50 && s("text.small", { x: part.x + 7, y: part.y + 31 }, bytes(part.item.size)))))));
  }

  drawTable() {
    fill(this.areaTable, h("table.plain", null, h("thead", null, h("tr", null, ["Class", "Part", "Bytes", "Blocks"].map((text, index) => h("th", { scope: "col", class: index > 1 ? "right" : null }, text)))), h("tbody", null, this.groups().flatMap((group) => group.parts.map((part) => h("tr", null, h("td", null, textNodes(group.name)), h("td", null, textNodes(part.name)), h("td.right", null, bytes(part.size)), h("td.right", null, count(part.blocks ?? 0))))))));
  }

  /** Draws the cells of the pages in the hue of their class. */
  drawPages() {
    const { order, areas, page } = this.anatomy, cells = order?.areas ?? [];
    if (!cells.length) return void (this.pagesNote.textContent = "not available");
    const rows = Math.ceil(cells.length / COLUMNS);
    this.canvas.height = rows;
    const context = this.canvas.getContext("2d"), colours = new Map(), style = (name) => { if (!colours.has(name)) { const probe = h("i", { class: `${name} probe` }); document.body.append(probe); colours.set(name, getComputedStyle(probe).color); probe.remove(); } return colours.get(name); };
    const names = new Map();
    cells.forEach((index, cell) => {
      const area = index < 0 ? null : areas[index], isFree = !area || area.kind === "free";
      context.globalAlpha = isFree ? 0.12 : area.kind === "index" ? 0.55 : 0.85;
      context.fillStyle = isFree ? "gray" : area.class ? style(hueOf(area.class)) : "gray";
      context.fillRect(cell % COLUMNS, Math.floor(cell / COLUMNS), 0.88, 0.88);
      if (!isFree && area.class) names.set(area.class, hueOf(area.class));
    });
    this.pagesNote.textContent = order.pages > cells.length ? `one square: ${plural(Math.ceil(order.pages / cells.length), "page")} of ${pageSize(page)}` : `one square: a page of ${pageSize(page)}`;
    fill(this.legend, [...names].slice(0, 14).map(([name, hue]) => h("span", null, h("span.plot", { class: hue }), textNodes(name))), h("span", null, h("span.freebox"), "free"));
  }

  drawReaders({ newest, readers }) {
    fill(this.readers, readers.length ? h("table.plain", null, h("thead", null, h("tr", null, ["Version", "Process", "Since", "Keeps"].map((text) => h("th", { scope: "col" }, text)))), h("tbody", null, readers.map((reader) => h("tr", null,
      h("td.num", null, count(reader.version), reader.behind ? h("span.dim", null, ` (${plural(reader.behind, "version")} old)`) : null), h("td", null, reader.mine ? "Studio (this page)" : `${plain(reader.name ?? "process")} ${reader.process}`), h("td", null, reader.since ? (reader.behind ? h("span.pill.warn", null, since(reader.since)) : since(reader.since)) : "–"), h("td", null, reader.bytes ? bytes(reader.bytes) : "–"))))) : h("p.dim", null, `No process reads an old version. The newest is ${count(newest)}.`));
  }

  drawGrowth() {
    const most = Math.max(...sizes.map((entry) => entry.size)), first = sizes[0], last = sizes.at(-1), span = Math.max(1, last.at - first.at);
    const line = (name) => sizes.map((entry, index) => `${index ? "L" : "M"}${(((entry.at - first.at) / span) * 300).toFixed(1)} ${(58 - (entry[name] / most) * 54).toFixed(1)}`).join("");
    fill(this.growth, s("path.file", { d: sizes.length > 1 ? line("size") : "M0 4H300" }), s("path.used", { d: sizes.length > 1 ? line("used") : `M0 ${58 - (last.used / most) * 54}H300` }));
    this.growthNote.textContent = sizes.length > 1 ? `${last.size >= first.size ? "+" : "−"}${bytes(Math.abs(last.size - first.size))} in ${duration(last.at - first.at)}; used ${bytes(last.used)}` : `used ${bytes(last.used)} of ${bytes(last.size)}`;
  }

  async verify() {
    const bar = h("progress", { max: 1, "aria-label": "Verify" }), text = h("span.dim");
    fill(this.result, bar, text);
    try {
      const answer = await app.ask("verify", {}, { onProgress: (push) => { text.textContent = plain(push.what ?? ""); if (push.of) bar.value = push.done / push.of; } });
      fill(this.result, answer.findings.length ? [h("p.error", null, `${plural(answer.count ?? answer.findings.length, "finding")} in ${duration(answer.ms)}`), h("ul", null, answer.findings.slice(0, 500).map((finding) => h("li", null, plain(finding))))] : h("p.insert", null, `No damage was found in ${duration(answer.ms)}.`));
    } catch (error) { fill(this.result, h("p.error", null, error.message)); }
  }

  async backup() {
    fill(this.result, h("p.dim", null, "Copying…"));
    try { const answer = await app.ask("backup"); fill(this.result, h("p", null, `The copy has ${bytes(answer.bytes)}.`)); download(answer); } catch (error) { fill(this.result, h("p.error", null, error.message)); }
  }

  async compact() {
    if (!await confirm("Compact the file", "The file is rewritten without its free pages. No other process may have it open.", { action: "Compact" })) return;
    fill(this.result, h("p.dim", null, "Compacting…"));
    try { const { before, after } = await app.ask("compact"); fill(this.result, h("p", null, `${bytes(before)} before, ${bytes(after)} now.`)); note("The file was compacted."); this.load(); } catch (error) { fill(this.result, h("p.error", null, error.message)); }
  }

  commands() { return [{ label: "Verify the file", iconName: "ok", action: () => this.verify() }, { label: "Back up the file", iconName: "export", action: () => this.backup() }]; }
}

const sizes = [];
const tile = (big, name, text, mark) => h("div.tile", null, h("div.across", null, h("span.soft", null, name), h("span.grow"), mark ? h("span.pill.warn", null, mark) : null), h("div.big.num", null, big), h("div.dim", null, text));
const label = (area) => (area.kind === "values" && area.property ? area.property : area.property ? `${KINDS[area.kind] ?? area.kind}: ${area.property}` : KINDS[area.kind] ?? area.kind);

function fitted(text, width) {
  const shown = plain(text), room = Math.floor((width - 12) / 6.7);
  return room < 3 ? "" : shown.length > room ? `${shown.slice(0, room - 1)}…` : shown;
}
