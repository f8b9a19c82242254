// The screen of the data: the query, the plan, the table, and the object beside it.
import { fill, h } from "./dom.js";
import { app, remember, rememberNow, rememberQuery } from "./app.js";
import { address, go, parsed, stay, trail } from "./address.js";
import { count, duration, plain } from "./format.js";
import { classNamed, model } from "./model.js";
import { announce, button, choice, dialog, note, noteError, pairs } from "./ui.js";
import { Grid } from "./grid.js";
import { ObjectPane } from "./object.js";
import { Plan } from "./plan.js";
import { QueryLine } from "./query.js";
import { Facets } from "./facets.js";
import { Rows } from "./rows.js";
import { TableActions } from "./table.js";
import { WaitingBar, edits } from "./edits.js";
import { chooseColumns, fitColumns, gridColumns, shownColumns } from "./columns.js";
import { exportDialog } from "./export.js";
import { cellContent, textNodes } from "./values.js";

const QUICK = 100; // milliseconds: a query that is faster runs while the user types

/** The main screen. */
export class DataScreen {
  /** @param element The element of the screen. A page with a `main` of its own has another one. */
  constructor(shell, { element = "main" } = {}) {
    this.shell = shell;
    this.query = new QueryLine({ onRun: (text, isTyped) => this.run(text, isTyped) });
    this.facts = h("div.across.grow");
    this.planButton = button("Plan", () => this.option("plan", this.place.options.get("plan") ? null : "1"), { kind: "small", "aria-pressed": false });
    this.columnsButton = button("Columns", () => chooseColumns(this.className, () => this.reopen()), { kind: "small" });
    this.searchBox = h("div.searchbox", { hidden: true });
    this.actions = new TableActions(this);
    this.source = {
      count: 0, row: () => undefined, want: () => {}, fresh: () => null, pending: () => [],
    };
    this.grid = new Grid({ label: "Objects", source: this.source, actions: this.actions, draw: (column, row) => this.cell(column, row) });
    this.message = h("div.empty", { hidden: true });
    this.planView = new Plan();
    this.planView.element.hidden = true;
    this.facets = new Facets(this);
    this.mapBox = h("div");
    this.mapButton = button("Map", () => this.toggleMap(), { kind: "small", "aria-pressed": false });
    this.object = new ObjectPane({ onClose: () => this.option("object", null), screen: this });
    this.waiting = new WaitingBar();
    this.table = h("div.tablebox", null, this.grid.element, this.message);
    this.planButton.hidden = !app.has("plan");
    this.element = h(element, { tabindex: -1, "aria-label": "Data" },
      h("section.work", { "aria-label": "Objects" },
        h("div.ask", null, this.query.element, this.query.problem, this.searchBox,
          h("div.facts", null, this.facts, this.planButton, button("Values", () => this.chooseFacet(), { kind: "small", hidden: !app.has("facets") }), this.mapButton, this.columnsButton,
            button("Export…", () => this.exports(), { kind: "small", iconName: "export", hidden: !app.has("export") }), button("Save query", () => this.saveQuery(), { kind: "small" }), this.createButton = button("New object", () => this.actions.create(), { kind: "small", iconName: "plus" }))),
        this.planView.element, this.facets.element, this.mapBox, this.table, this.waiting.element),
      this.object.element);
    this.stops = [edits.onChange(() => this.grid.redraw())];
    this.serial = 0;
    this.took = Infinity;
  }

  close() {
    this.rows?.close();
    this.grid.close();
    this.planView.close();
    this.map?.close();
    this.object.close();
    this.waiting.close();
    this.stops.forEach((stop) => stop());
    this.isClosed = true;
  }

  /** Shows the place that the address names. */
  update(place) {
    this.place = place;
    const className = place.parts[0] ?? model.classes.find((entry) => entry.kind === "object")?.class ?? model.classes[0]?.class;
    if (!className || !classNamed(className)) {
      this.className = null;
      this.wanted = null;
      this.cursor = undefined;
      this.serial++;
      this.rows?.close();
      this.rows = null;
      this.actions.clear();
      this.showMessage(className ? `There is no class ${plain(className)}.` : "There are no classes.");
      return this.shell.drawTrail(className ?? "Data");
    }
    const query = place.options.get("query") ?? "", sort = sortOf(place.options.get("sort")), of = place.options.get("of");
    const wanted = JSON.stringify([className, query, sort, of]);
    const classChanged = className !== this.className;
    this.className = className;
    this.mapButton.hidden = !app.has("map") || !placeNames(className).length;
    this.createButton.hidden = !app.canWrite || classNamed(className).kind !== "object";
    if (document.activeElement !== this.query.field || classChanged || query !== this.lastRun) this.query.show({ className, query });
    this.lastRun = query;
    if (wanted !== this.wanted) {
      this.wanted = wanted;
      if (classChanged) { this.grid.focus = { row: 0, column: 0 }; this.grid.anchor = null; this.grid.marked.clear(); this.grid.top = 0; }
      this.open({ className, query, sort, of });
    } else this.afterOpen();
    this.object.show(place);
    this.shell.drawTrail(place.options.get("object") ? this.object.label ?? `${className} #${place.options.get("object")}` : className);
  }

  reopen() {
    this.wanted = null;
    this.update(parsed());
  }

  async open({ className, query, sort, of }) {
    const serial = ++this.serial;
    const entry = classNamed(className), names = shownColumns(className);
    this.columnsButton.textContent = `Columns ${names.length}/${entry.properties.filter((property) => !property.inverses).length}`;
    this.grid.setLabel(plain(className));
    const request = { class: className, columns: names, table: "main" };
    if (query.trim()) request.query = query;
    if (sort.length) request.sort = sort;
    if (of) { const [parent, key, property] = of.split("/").map(decodeURIComponent); request.of = { class: parent, key: app.keyOf(key), property }; }
    try {
      const answer = await app.ask("open", request);
      if (serial !== this.serial || this.isClosed) return;
      this.rows?.close();
      this.opened(answer, { className, sort, names, query });
    } catch (error) {
      if (serial !== this.serial || error.code === "cancelled" || error.code === "closed") return;
      if (error.code !== "query") this.showMessage(error.message);
      this.query.showProblem(error);
      fill(this.facts, h("span.error", null, error.code === "query" ? "The query has an error." : error.message));
      announce(error.message);
    }
  }

  opened(answer, { className, sort, names, query }) {
    this.message.hidden = true;
    this.answer = answer;
    this.took = answer.took;
    this.cursor = answer.cursor;
    this.rows = new Rows({ session: app.session, cursor: answer.cursor, count: answer.count, isWhole: answer.whole, known: answer.known, onChange: (push) => this.changed(push), onError: noteError, onGone: (error) => this.showMessage(error.message) });
    this.source = this.makeSource();
    this.grid.source = this.source;
    const columns = gridColumns({ className, names: answer.columns ?? names, sort });
    this.columns = columns;
    this.isFitted = false;
    this.grid.setColumns(columns);
    this.drawFacts();
    performance.mark("freehold-open");
    if (query && !this.isTyped) rememberQuery({ className, query, count: answer.count });
    this.afterOpen();
    this.actions.focused(this.grid.focus);
    announce(this.rows.isWhole ? `${count(answer.count)} objects` : "More objects than are read");
  }

  makeSource() {
    const { rows } = this;
    return {
      get count() { return rows.count; },
      row: (index) => rows.get(index),
      want: (from, to) => rows.show(from, to),
      fresh: (row, now) => rows.fresh(row.key, now),
      pending: (row) => (edits.waiting.length ? this.columns.filter((column) => edits.has({ className: this.className, key: row.key, property: column.name })).map((column) => column.name) : []),
    };
  }

  /** Opens what the options of the address name: the plan, the values and the row of the object. */
  afterOpen() {
    const { options } = this.place;
    this.showPlan(Boolean(options.get("plan")));
    this.facets.show(this.cursor === undefined || !app.has("facets") ? null : options.get("values"));
    this.showMap(this.cursor === undefined || !app.has("map") ? null : options.get("map"));
    const key = options.get("object");
    if (key && key !== this.placed && this.cursor !== undefined) this.findRow(app.keyOf(key));
    this.placed = key;
  }

  async showMap(property) {
    this.mapButton.setAttribute("aria-pressed", Boolean(property));
    if (!this.map && property) {
      const { MapView } = await import("./mapview.js");
      if (this.map || this.isClosed) return;
      this.map = new MapView(this);
      fill(this.mapBox, this.map.element);
    }
    this.map?.show(property);
  }

  toggleMap() { this.option("map", this.place.options.get("map") ? null : placeNames(this.className)[0]); }

  async findRow(key) {
    const row = this.rows.get(this.grid.focus.row);
    if (row?.key === key) return;
    try {
      const { index } = await app.ask("place", { cursor: this.cursor, key });
      if (index === null || index === undefined || this.isClosed) return;
      this.grid.focus.row = index;
      this.grid.reveal(index, true);
      this.actions.focused(this.grid.focus);
      this.grid.later();
    } catch { /* The object is shown without its row. */ }
  }

  changed(push) {
    if (!this.rows || this.isClosed) return;
    if (!this.isFitted && this.rows.get(0)) this.fit();
    this.grid.refresh();
    if (push) {
      this.drawFacts();
      this.actions.changed(push);
      if (this.place.options.get("plan")) this.planIsOld = true;
    }
    if (this.rows.get(0) && !this.isTimed) { this.isTimed = true; requestAnimationFrame(() => performance.mark("freehold-rows")); }
    if (this.rows.count === 0) this.showMessage(this.query.text.trim() ? "No object matches." : "The class has no objects.");
    else this.message.hidden = true;
  }

  fit() {
    this.isFitted = true;
    fitColumns({ className: this.className, columns: this.columns, rows: Array.from({ length: 40 }, (_, index) => this.rows.get(index)).filter(Boolean) });
    this.grid.applyWidths();
  }

  drawFacts() {
    const total = classNamed(this.className)?.count ?? null, found = this.rows.count;
    const isLive = app.file.flags.live && !app.notLive;
    fill(this.facts, h("span.pill", { class: isLive ? "good" : "warn", title: isLive ? "The table follows each commit" : app.notLive ?? app.file.notLive }, isLive ? "live" : "not live"),
      h("span.num", null, h("b", null, this.countText()), total === null || found === total ? " objects in " : ` of ${count(total)} in `, h("b", null, duration(this.answer.took))),
      this.place.options.get("of") ? h("span.pill.info", null, "elements of ", textNodes(decodeURIComponent(this.place.options.get("of").split("/")[2] ?? ""))) : null);
  }

  /** The number of rows. A plus sign says that the end of the result isn't known. */
  countText() { return this.rows.isWhole ? count(this.rows.count) : `${count(this.rows.known)}+`; }

  showMessage(text) {
    this.message.hidden = false;
    fill(this.message, h("p", null, text));
  }

  async showPlan(isWanted) {
    const isShown = isWanted && app.has("plan");
    this.planButton.setAttribute("aria-pressed", isShown);
    this.planView.element.hidden = !isShown;
    if (!isShown || this.cursor === undefined || this.planned === this.cursor) return;
    this.planned = this.cursor;
    try { this.planView.show(await app.ask("plan", { cursor: this.cursor })); } catch (error) { this.planned = null; noteError(error); }
  }

  cell(column, row) {
    const waiting = edits.valueOf({ className: this.className, key: row.key, property: column.name });
    return cellContent(waiting === undefined ? row.cells[column.cell] : waiting, column.property);
  }

  run(text, isTyped) {
    if (isTyped && this.took > QUICK) return;
    this.isTyped = isTyped;
    const to = this.addressWith({ query: text.trim() ? text : null, object: this.place.options.get("object") });
    if (isTyped) { stay(to); this.update(parsed()); } else if (to === location.hash) this.reopen(); else go(to, { trail: trail() });
  }

  addressWith(changes) {
    return address("data", [this.className], { ...Object.fromEntries(this.place.options), ...changes });
  }

  option(name, value) { go(this.addressWith({ [name]: value }), { trail: trail() }); }

  select(row, { isFocused }) {
    stay(this.addressWith({ object: row.key, ...(this.place.options.get("object") === String(row.key) ? {} : { part: null }) }));
    this.placed = String(row.key);
    this.place = parsed();
    this.object.show(this.place);
    if (isFocused) this.object.focus();
  }

  chooseFacet() {
    if (this.place.options.get("values")) return this.option("values", null);
    const column = this.grid.columns[this.grid.focus.column];
    this.option("values", column?.name ?? null);
  }

  exports() { exportDialog({ className: this.className, cursor: this.cursor, columns: this.columns?.map((column) => column.name), query: this.query.text }); }

  async search() { (await import("./search.js")).searchText(this); }

  saveQuery() {
    const name = h("input.input", { value: this.query.text.split("\n")[0].slice(0, 60), required: true });
    dialog("Save query", pairs([["Name", name]]), { width: 420, actions: [["Cancel", "quiet", () => null], ["Save", "primary", () => {
      if (!name.value.trim()) throw new Error("The query needs a name.");
      remember((state) => { state.saved = [{ name: name.value.trim(), class: this.className, query: this.query.text }, ...(state.saved ?? [])]; });
      this.shell.drawClasses();
    }]] });
  }

  schemaChanged() { this.reopen(); }
  classesChanged() { if (this.rows) this.drawFacts(); }

  key({ key, event, control, isTyping }) {
    if (control && key === "f") { this.search(); return true; }
    if (control && key === "s") { edits.review(); return true; }
    if (control && key === "z" && !isTyping) { edits.undo(); return true; }
    if (event.key === "Escape" && isTyping) { this.grid.element.focus(); return true; }
    if (event.key === "Escape" && this.object.element.contains(document.activeElement)) { this.grid.element.focus(); return true; }
    return false;
  }

  commands() {
    return [
      { label: "Run the query", note: "⌃⏎", iconName: "play", action: () => this.query.run() }, { label: "Plan of the query", iconName: "index", action: () => this.option("plan", "1") },
      { label: "Columns…", iconName: "data", action: () => chooseColumns(this.className, () => this.reopen()) }, { label: "Save query", iconName: "star", action: () => this.saveQuery() },
      { label: "Frequent values of the column", iconName: "index", action: () => this.chooseFacet() }, { label: "Search in the result", note: "⌘F", iconName: "search", action: () => this.search() },
      app.canWrite ? { label: "New object", iconName: "plus", action: () => this.actions.create() } : null,
      app.canWrite ? { label: "Review and write the edits", note: "⌘S", iconName: "ok", action: () => edits.review() } : null,
      { label: "Property for titles of this class…", iconName: "words", action: () => this.chooseTitle() },
    ].filter(Boolean);
  }

  /** Asks for the property that names the objects of a class. */
  chooseTitle() {
    const entry = classNamed(this.className), names = entry.properties.filter((property) => property.type === "string" && !property.collection).map((property) => [property.name, plain(property.name)]);
    if (!names.length) return note("The class has no property of type String.");
    const list = choice([["", "automatic"], ...names], { value: app.state.titles?.[this.className] ?? "" });
    dialog("Titles", pairs([["Property", list]]), { width: 400, actions: [["Cancel", "quiet", () => null], ["Use", "primary", async () => {
      remember((state) => { state.titles = { ...state.titles, [this.className]: list.value || undefined }; });
      await rememberNow();
      this.reopen();
    }]] });
  }
}

/** The properties of a class that are places: embedded objects with a list `coordinates`. */
const placeNames = (className) => (classNamed(className)?.properties ?? []).filter((property) => property.owns && !property.collection && classNamed(property.target)?.properties.some((other) => other.name === "coordinates" && other.collection === "list" && other.type === "double")).map((property) => property.name);

function sortOf(text) {
  return (text ?? "").split(",").filter(Boolean).map((part) => { const [path, order] = part.split(":"); return [decodeURIComponent(path), order === "desc" ? "desc" : "asc"]; });
}

export const sortText = (sort) => sort.map(([path, order]) => `${encodeURIComponent(path)}:${order}`).join(",");
export { sortOf };
