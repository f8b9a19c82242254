// What the keys, menus and headings of the table do.
import { h } from "./dom.js";
import { app } from "./app.js";
import { go, toClass, toObject, trail } from "./address.js";
import { count, plain } from "./format.js";
import { classNamed } from "./model.js";
import { confirm, dialog, menu, note, noteError, toClipboard } from "./ui.js";
import { brief, exactText } from "./values.js";
import { hideColumn, moveColumn, storeWidth } from "./columns.js";
import { editCell } from "./celleditor.js";
import { edits } from "./edits.js";
import { sortText } from "./data.js";

const FORMATS = [["text", "Text"], ["json", "JSON"], ["csv", "CSV"], ["markdown", "Markdown"], ["swift", "Swift literals"], ["condition", "Condition"]];
const MOST_COPIED = 10_000;

/** The actions of the table of one screen. */
export class TableActions {
  constructor(screen) {
    this.screen = screen;
    this.sums = "";
  }

  get grid() { return this.screen.grid; }

  clear() {
    this.screen.source = { count: 0, row: () => undefined, want: () => {}, fresh: () => null, pending: () => [] };
    this.grid.source = this.screen.source;
    this.grid.setColumns([]);
  }

  sort(column, isAdded) {
    const current = column.sorted ? (column.sorted.descending ? null : "desc") : "asc";
    const others = isAdded ? this.screen.columns.filter((other) => other.sorted && other !== column).sort((a, b) => a.sorted.position - b.sorted.position).map((other) => [other.name, other.sorted.descending ? "desc" : "asc"]) : [];
    const sort = current ? [...others, [column.name, current]] : others;
    this.screen.option("sort", sort.length ? sortText(sort) : null);
  }

  resized(column) { storeWidth(this.screen.className, column); }

  headingMenu(column, place) {
    const { screen } = this, by = (order, isAdded) => () => {
      const others = isAdded ? screen.columns.filter((other) => other.sorted && other !== column).map((other) => [other.name, other.sorted.descending ? "desc" : "asc"]) : [];
      screen.option("sort", sortText([...others, [column.name, order]]));
    };
    const widen = (factor) => () => { column.width = Math.max(48, Math.round(column.width * factor)); this.grid.applyWidths(); this.resized(column); };
    const move = (step) => () => { moveColumn(screen.className, column.name, step); screen.reopen(); };
    menu([
      ...(column.sortable ? [{ label: "Sort ascending", action: by("asc") }, { label: "Sort descending", action: by("desc") }, { label: "Then by this, ascending", action: by("asc", true) }, { label: "Then by this, descending", action: by("desc", true) }, { label: "Don't sort", action: () => screen.option("sort", null) }, null] : []),
      ...(app.has("facets") ? [{ label: "Frequent values", action: () => screen.option("values", column.name) }] : []), ...(app.has("sum") ? [{ label: "Sum, mean, minimum, maximum", action: () => this.summary([column.name]) }] : []), app.has("facets") || app.has("sum") ? null : false,
      { label: "Wider", action: widen(1.3) }, { label: "Narrower", action: widen(1 / 1.3) },
      ...(column.pinned ? [] : [{ label: "Move left", action: move(-1) }, { label: "Move right", action: move(1) }]),
      { label: "Hide", action: () => { hideColumn(screen.className, column.name); screen.reopen(); } },
    ], place);
  }

  async cellMenu(row, column, place) {
    const { screen } = this, { className } = screen, value = row.cells[column.cell], link = this.linkOf(value, column);
    const filter = (not) => async () => {
      try { const { query } = await app.ask("condition", { class: className, property: column.name, key: row.key, ...(not ? { not: true } : {}) }); go(screen.addressWith({ query, of: null }), { trail: trail() }); } catch (error) { noteError(error); }
    };
    const selected = this.selectedCount();
    menu([
      { label: "Open", note: "⏎", action: () => this.open(row, { isFocused: true }) }, link && { label: `Follow the link to ${plain(link.title ?? link.to)}`, note: "⌘⏎", action: () => this.follow(row, column) },
      this.isLinkList(column) && value?.count ? { label: `Show the ${count(value.count)} objects`, action: () => this.showElements(row, column) } : false, null,
      !column.property.collection && { label: "Filter by this value", action: filter(false) }, !column.property.collection && { label: "Filter by all other values", action: filter(true) }, null,
      { label: "Copy", note: "⌘C", action: () => this.copy() }, ...FORMATS.slice(1).filter(([format]) => !app.file.copies || app.file.copies.includes(format)).map(([format, label]) => ({ label: `Copy as ${label}`, action: () => this.copy(format) })),
      { label: "Copy the address", action: () => toClipboard(`${location.origin}/${toObject(className, row.key)}`) }, null,
      ...(app.canWrite ? [{ label: "Edit", note: "F2", action: () => this.edit(row, column) }, column.property.optional && !column.property.collection ? { label: "Set to null", action: () => this.setNull(row, column) } : false, { label: `Delete ${selected > 1 ? `${count(selected)} objects` : "the object"}`, note: "Del", action: () => this.remove() }, ...(app.has("editAll") ? [{ label: "Set a value for all results…", action: () => this.setAll(column) }, { label: "Delete all results…", action: () => this.removeAll() }] : [])] : []),
    ], place);
  }

  linkOf(value, column) {
    if (value?.to) return value;
    return column.property.type === "mixed" && value?.is === "link" ? value.value : null;
  }

  isLinkList(column) { return column.property.type === "link" && ["list", "set"].includes(column.property.collection) && !column.property.owns; }

  open(row, { isFocused }) { this.screen.select(row, { isFocused }); }

  follow(row, column) {
    const link = this.linkOf(row.cells[column.cell], column);
    if (link) go(toObject(link.to, link.key), { trail: [...trail(), ...app.here()] });
    else if (this.isLinkList(column)) this.showElements(row, column);
  }

  showElements(row, column) {
    const of = [this.screen.className, row.key, column.name].map(encodeURIComponent).join("/");
    const target = classNamed(column.property.target);
    if (target) go(toClass(target.class, { of }), { trail: [...trail(), ...app.here()] });
  }

  /** The ranges of rows that are selected, for copies and sums. */
  ranges() {
    const { top, bottom } = this.grid.selection();
    return bottom >= top && bottom >= 0 ? [[top, bottom + 1]] : [[this.grid.focus.row, this.grid.focus.row + 1]];
  }

  selectedColumns() {
    const { left, right } = this.grid.selection();
    return right >= left ? this.screen.columns.slice(left, right + 1) : [this.screen.columns[this.grid.focus.column]];
  }

  /** The number of the marked objects, or of the rows that are selected. */
  selectedCount() {
    const { grid } = this;
    return grid.marked.size || this.ranges().reduce((sum, [from, to]) => sum + (from < 0 ? 0 : to - from), 0);
  }

  /** The edit that deletes the marked objects, or those of the rows that are selected. The program has all rows of a range, and the page only some. */
  deletion() {
    const { grid, screen } = this, ranges = this.ranges(), keys = grid.marked.size ? [...grid.marked] : ranges[0][1] - ranges[0][0] === 1 ? [grid.source.row(ranges[0][0])?.key] : [undefined];
    return { delete: keys.includes(undefined) ? { cursor: screen.cursor, ranges } : { class: screen.className, keys } };
  }

  async copy(format = "text") {
    const { screen } = this, ranges = this.ranges(), rows = ranges.reduce((sum, [from, to]) => sum + to - from, 0);
    if (rows > MOST_COPIED) return note(`${count(rows)} rows are selected. At most ${count(MOST_COPIED)} can be copied. Export them.`, { isBad: true });
    const request = { cursor: screen.cursor, ranges, columns: this.selectedColumns().map((column) => column.name) };
    try {
      const answer = await app.ask("copy", { ...request, format });
      const html = format === "text" ? (await app.ask("copy", { ...request, format: "html" })).text : null;
      if (await toClipboard(answer.text, html)) note(`${count(answer.rows ?? rows)} ${answer.rows === 1 ? "row was" : "rows were"} copied.`);
    } catch (error) { noteError(error); }
  }

  /** Shows the position and the sum of the selection in the status line. */
  focused({ row }) {
    const { screen } = this;
    if (!screen.rows) return;
    const { top, bottom, left, right } = this.grid.selection(), cells = Math.max(0, bottom - top + 1) * Math.max(0, right - left + 1);
    this.status = [row < 0 ? "headings" : screen.rows.count ? `row ${count(row + 1)} of ${screen.countText()}` : null, this.grid.marked.size ? `${count(this.grid.marked.size)} marked` : null];
    this.sums = cells > 1 ? `${count(cells)} cells` : "";
    this.showStatus();
    clearTimeout(this.timer);
    if (cells > 1 && app.has("sum")) this.timer = setTimeout(() => this.sum({ top, bottom }), 150);
  }

  showStatus() { if (!this.screen.isClosed) this.screen.shell.setStatus([...(this.status ?? []), this.sums, this.news]); }

  async sum({ top, bottom }) {
    const columns = this.selectedColumns().filter((column) => !column.property.collection && ["int", "double", "float", "decimal128", "date"].includes(column.property.type));
    if (!columns.length) return;
    try {
      const answer = await app.ask("sum", { cursor: this.screen.cursor, ranges: [[top, bottom + 1]], columns: columns.map((column) => column.name) });
      this.sums = answer.columns.map((entry) => { const { property } = columns.find((column) => column.name === entry.name); return `${columns.length > 1 ? `${plain(entry.name)}: ` : ""}${count(entry.count)} values${entry.sum !== null ? ` · sum ${text(entry.sum, property)} · mean ${text(entry.mean, property)}` : ` · ${text(entry.min, property)} … ${text(entry.max, property)}`}`; }).slice(0, 2).join(" | ");
      this.showStatus();
    } catch (error) { if (error.code !== "cancelled") noteError(error); }
  }

  async summary(columns) {
    try {
      const answer = await app.ask("sum", { cursor: this.screen.cursor, columns });
      dialog("Summary", h("table.plain", null, h("thead", null, h("tr", null, ["", "Values", "Null", "Sum", "Mean", "Minimum", "Maximum"].map((label) => h("th", { scope: "col" }, label || h("span.unseen", null, "Property"))))),
        h("tbody", null, answer.columns.map((entry) => { const property = this.screen.columns.find((column) => column.name === entry.name)?.property ?? { type: "int" }; return h("tr", null, h("th", { scope: "row" }, plain(entry.name)), [count(entry.count), count(entry.nulls), text(entry.sum, property), text(entry.mean, property), text(entry.min, property), text(entry.max, property)].map((value) => h("td.right", null, value))); }))), { width: 720 });
    } catch (error) { noteError(error); }
  }

  /** Shows who changed rows a moment ago. */
  changed(push) {
    const cells = (push.cells ?? []).length;
    this.news = cells || push.commits > 1 ? `version ${count(push.version)}: ${cells ? `${count(cells)} changed` : `${count(push.commits)} commits`}` : null;
    this.showStatus();
    clearTimeout(this.newsTimer);
    this.newsTimer = setTimeout(() => { this.news = null; this.showStatus(); }, 4000);
  }

  /** The tooltip of a cell. */
  explain(row, column) {
    if (!column) return "";
    const change = this.screen.rows?.fresh(row.key, performance.now())?.get(column.cell);
    return [exactText(row.cells[column.cell], column.property), change ? `Changed in version ${count(change.version)}` : ""].filter(Boolean).join("\n");
  }

  canEdit() {
    if (app.canWrite) return true;
    note(app.file.kind === "realm" ? "Realm files are read-only." : "Studio was started without --write.");
    return false;
  }

  edit(row, column, typed) { if (this.canEdit()) editCell({ screen: this.screen, row, column, typed }); }

  type(row, column, character) {
    if (!app.canWrite) return false;
    this.edit(row, column, character);
    return true;
  }

  setNull(row, column) { edits.stage([{ set: { class: this.screen.className, key: row.key, property: column.name, value: null } }]); }

  async remove() {
    if (!this.selectedCount() || !this.canEdit()) return;
    if (await edits.stage([this.deletion()])) this.grid.marked.clear();
  }

  async removeAll() {
    const number = this.screen.rows.count;
    if (number && this.canEdit() && await confirm("Delete all results", `This stages the deletion of ${count(number)} objects.`, { action: "Stage", kind: "danger" })) edits.stage([{ deleteAll: { cursor: this.screen.cursor } }]);
  }

  setAll(column) {
    const field = h("input.input", { "aria-label": `Value of ${plain(column.name)}` });
    dialog("Set a value for all results", [h("p", null, `${count(this.screen.rows.count)} objects get this value of ${plain(column.name)}.`), field], { width: 440, actions: [["Cancel", "quiet", () => null], ["Stage", "primary", async () => { await edits.stage([{ setAll: { cursor: this.screen.cursor, property: column.name, text: field.value } }], { fails: true }); }]] });
  }

  async create() { if (this.canEdit()) (await import("./create.js")).createDialog(this.screen.className); }
}

const text = (value, property) => (value === null || value === undefined ? "–" : brief(value, { ...property, type: Array.isArray(value) ? "date" : "double" }));
