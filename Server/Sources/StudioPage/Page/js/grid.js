// A table of any number of rows. It has as many lines as fit, moves them and fills them again.
// Browsers bound the height of an element, so above `MOST` pixels the scroll bar stands for positions in proportion.
import { eachFrame, fill, h, icon } from "./dom.js";
import { count as numbered } from "./format.js";
import { GridKeys } from "./gridkeys.js";

export const ROW = 30, HEAD = 34;
const MOST = 8_000_000, NUMBERS = 64, LINES = 200;
let serial = 0;

/** A table. `source` has `count`, `row(index)`, `want(from, to)`; `actions` handles sorting, menus, opening and editing. */
export class Grid {
  constructor({ label, source, actions, draw }) {
    this.source = source;
    this.actions = actions;
    this.drawCell = draw;
    this.id = `grid${serial++}`;
    this.top = 0;             // the first visible row; a fraction if it is partly visible
    this.focus = { row: 0, column: 0 };
    this.anchor = null;
    this.marked = new Set();
    this.lines = [];
    this.columns = [];
    this.head = h("div.head", { role: "row", "aria-rowindex": 1 });
    this.pool = h("div.pool");
    this.space = h("div.space", null, this.head, this.pool);
    this.keys = new GridKeys(this);
    this.element = h("div.grid", {
      id: this.id, role: "grid", tabindex: 0, "aria-label": label, "aria-multiselectable": true,
      onscroll: () => this.scrolled(), onkeydown: (event) => this.keys.pressed(event), onpointerdown: (event) => this.keys.pointed(event),
      ondblclick: (event) => this.keys.doubleClicked(event), oncontextmenu: (event) => this.keys.menu(event), onpointerover: (event) => this.explain(event), onfocus: () => this.refresh(),
    }, this.space);
    this.element.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    this.later = eachFrame(() => this.draw());
    this.observer = new ResizeObserver(this.later);
    this.observer.observe(this.element);
  }

  close() {
    this.observer.disconnect();
    clearTimeout(this.fading);
  }

  get count() { return this.source.count; }
  /** The scroll position at the end, and the row that is then the first one. */
  get maxScroll() { return Math.max(1, Math.min(this.count * ROW, MOST) + HEAD - this.element.clientHeight); }
  get maxTop() { return Math.max(0, this.count - (this.element.clientHeight - HEAD) / ROW); }
  get pageRows() { return Math.max(1, Math.floor((this.element.clientHeight - HEAD) / ROW) - 1); }

  setLabel(label) { this.element.setAttribute("aria-label", label); }

  setColumns(columns) {
    this.columns = columns;
    fill(this.head, h("div.n", { role: "columnheader", "aria-colindex": 1 }, h("span.unseen", null, "Row"), h("span", { "aria-hidden": "true" }, "#")), columns.map((column, index) => this.heading(column, index)));
    this.lines.forEach((line) => line.remove());
    this.lines = [];
    this.applyWidths();
    if (!columns.length) this.element.removeAttribute("aria-activedescendant");
    this.focus.column = Math.min(this.focus.column, Math.max(0, columns.length - 1));
    this.element.setAttribute("aria-colcount", columns.length + 1);
    this.refresh();
  }

  applyWidths() {
    this.element.style.setProperty("--columns", `${NUMBERS}px ${this.columns.map((column) => `${column.width}px`).join(" ")}`);
  }

  heading(column, index) {
    const { sorted } = column;
    return h("div", {
      role: "columnheader", id: `${this.id}-h${index}`, "aria-colindex": index + 2, class: column.pinned ? "pinned" : null,
      "aria-sort": sorted ? (sorted.descending ? "descending" : "ascending") : null, title: `${column.name} ${column.typeText}`,
      onclick: (event) => { if (!event.target.closest(".grip") && column.sortable) this.actions.sort(column, event.shiftKey); },
      oncontextmenu: (event) => { event.preventDefault(); event.stopPropagation(); this.actions.headingMenu(column, event); },
    }, column.icon && icon(column.icon), h("span.cut", null, column.title), h("span.type", null, column.typeText),
      sorted && h("span.order", { "aria-hidden": "true" }, sorted.descending ? "↓" : "↑", sorted.position ? h("small", null, String(sorted.position)) : null),
      h("span.grip", { onpointerdown: (event) => this.resize(column, event) }));
  }

  resize(column, event) {
    event.preventDefault();
    event.stopPropagation();
    const start = event.clientX, width = column.width, grip = event.target;
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = (move) => { column.width = Math.max(48, width + move.clientX - start); this.applyWidths(); };
    grip.onpointerup = () => { grip.onpointermove = null; grip.onpointerup = null; this.actions.resized(column); };
  }

  /** Adapts the height to the number of rows, and draws. */
  refresh() {
    const height = `${Math.min(this.count * ROW, MOST) + HEAD}px`;
    if (this.height !== height) { this.height = height; this.space.style.setProperty("height", height); }
    this.element.setAttribute("aria-rowcount", this.count + 1);
    this.top = Math.max(0, Math.min(this.top, this.maxTop));
    this.focus.row = Math.max(-1, Math.min(this.focus.row, this.count - 1));
    this.later();
  }

  /** Draws all cells again, such as after an edit. */
  redraw() {
    this.lines.forEach((line) => { line.shown = null; });
    this.refresh();
  }

  scrolled() {
    this.later();
    if (this.moving === this.element.scrollTop) return;
    this.moving = null;
    this.top = Math.max(0, Math.min((this.element.scrollTop / this.maxScroll) * this.maxTop, this.maxTop));
    this.later();
  }

  /** Moves by rows if the scroll bar stands for positions in proportion. */
  wheeled(event) {
    if (this.count * ROW <= MOST || event.ctrlKey || event.shiftKey || !event.deltaY) return;
    event.preventDefault();
    this.go(this.top + (event.deltaMode === 1 ? event.deltaY : event.deltaY / ROW));
    if (event.deltaX) this.element.scrollLeft += event.deltaX;
  }

  /** Moves so that a row is visible. `middle` puts it in the middle. */
  reveal(row, middle = false) {
    const page = this.pageRows;
    if (middle && (row < this.top || row > this.top + page)) return this.go(row - Math.floor(page / 2));
    if (row < this.top) this.go(row);
    else if (row > this.top + page - 0.5) this.go(row - page + 0.2);
  }

  go(row) {
    this.top = Math.max(0, Math.min(row, this.maxTop));
    this.element.scrollTop = this.maxTop ? (this.top / this.maxTop) * this.maxScroll : 0;
    this.moving = this.element.scrollTop;
    this.later();
  }

  draw() {
    if (!this.columns.length) return;
    const needed = Math.min(LINES, Math.ceil(Math.max(0, this.element.clientHeight - HEAD) / ROW) + 2);
    if (this.lines.length !== needed) this.makeLines(needed);
    const first = Math.floor(this.top), shift = (this.top - first) * ROW;
    this.source.want(first, Math.min(this.count, first + needed));
    const now = performance.now(), selection = this.selection(), range = this.visibleColumns(), rangeKey = String(range);
    let fading = false;
    for (let index = first; index < first + needed; index++) {
      const line = this.lines[index % needed];
      line.hidden = index >= this.count;
      if (line.hidden) { line.row = -1; continue; }
      const y = Math.round((index - first) * ROW - shift);
      if (line.y !== y) { line.y = y; line.style.setProperty("transform", `translateY(${y}px)`); }
      if (line.row !== index) { line.row = index; line.shown = null; line.setAttribute("aria-rowindex", index + 2); line.firstChild.textContent = numbered(index + 1); }
      const row = this.source.row(index);
      if (line.shown !== row || !row || line.range !== rangeKey) { line.range = rangeKey; this.fill(line, row, range); }
      if (this.mark(line, row, { now, selection })) fading = true;
    }
    this.pointAtFocus();
    clearTimeout(this.fading);
    if (fading) this.fading = setTimeout(this.later, 500);
  }

  makeLines(needed) {
    this.lines.forEach((line) => line.remove());
    this.lines = Array.from({ length: needed }, (_, number) => h("div.line", { role: "row" }, h("div.n", { role: "rowheader", "aria-colindex": 1 }),
      this.columns.map((column, index) => h("div", { role: "gridcell", id: `${this.id}-${number}-${index}`, "aria-colindex": index + 2, class: [column.right && "right", column.pinned && "pinned", column.mono && "mono"].filter(Boolean).join(" ") || null }))));
    this.lines.forEach((line) => { line.row = -1; this.pool.append(line); });
  }

  /** The first and the last column that are on the screen. Other cells stay empty. */
  visibleColumns() {
    const { scrollLeft, clientWidth } = this.element;
    let x = NUMBERS, from = 0, to = -1;
    this.columns.forEach((column, index) => {
      if (x + column.width < scrollLeft) from = index + 1;
      if (x < scrollLeft + clientWidth) to = index;
      x += column.width;
    });
    return [from, to];
  }

  fill(line, row, [from, to]) {
    line.shown = row ?? null;
    line.classList.toggle("waiting", !row);
    this.columns.forEach((column, index) => {
      const cell = line.children[index + 1];
      if (!row || ((index < from || index > to) && !column.pinned)) { if (cell.firstChild) cell.replaceChildren(); return; }
      const content = this.drawCell(column, row), only = cell.firstChild;
      if (typeof content !== "string") fill(cell, content);
      else if (only?.nodeType === Node.TEXT_NODE && !only.nextSibling) { if (only.data !== content) only.data = content; }
      else cell.textContent = content;
      if (cell.title) cell.removeAttribute("title");
    });
  }

  mark(line, row, { now, selection }) {
    const fresh = row ? this.source.fresh(row, now) : null;
    const isMarked = row && this.marked.has(row.key);
    const pending = row ? this.source.pending(row) : [];
    const key = `${line.row === this.focus.row ? this.focus.column : ""}|${line.row >= selection.top && line.row <= selection.bottom ? `${selection.left}-${selection.right}` : ""}|${isMarked}|${fresh ? [...fresh.keys()] : ""}|${pending}`;
    if (line.key === key) return Boolean(fresh);
    line.key = key;
    line.setAttribute("aria-selected", line.row === this.focus.row || Boolean(isMarked));
    line.classList.toggle("marked", Boolean(isMarked));
    this.columns.forEach((column, index) => {
      const { classList } = line.children[index + 1];
      classList.toggle("changed", Boolean(fresh?.has(column.cell)));
      classList.toggle("focus", line.row === this.focus.row && index === this.focus.column);
      classList.toggle("selected", line.row >= selection.top && line.row <= selection.bottom && index >= selection.left && index <= selection.right);
      classList.toggle("pending", pending.includes(column.name));
    });
    return Boolean(fresh);
  }

  /** The selected cells: a rectangle between the anchor and the focus, empty if there is no anchor. */
  selection() {
    if (!this.anchor) return { top: 0, bottom: -1, left: 0, right: -1 };
    const { row, column } = this.focus;
    return { top: Math.min(this.anchor.row, row), bottom: Math.max(this.anchor.row, row), left: Math.min(this.anchor.column, column), right: Math.max(this.anchor.column, column) };
  }

  pointAtFocus() {
    const { row, column } = this.focus;
    const heading = row < 0;
    this.head.querySelector(".focus")?.classList.remove("focus");
    if (heading) this.head.children[column + 1]?.classList.add("focus");
    const line = heading ? null : this.lines[row % this.lines.length];
    const id = heading ? `${this.id}-h${column}` : line?.row === row && !line.hidden ? line.children[column + 1]?.id : null;
    if (id) this.element.setAttribute("aria-activedescendant", id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Adds the exact value as the tooltip of the cell below the pointer. */
  explain(event) {
    const cell = event.target.closest?.("[role=gridcell]"), row = cell && this.source.row(cell.parentElement.row);
    if (row && !cell.title) cell.title = this.actions.explain(row, this.columns[[...cell.parentElement.children].indexOf(cell) - 1]);
  }

  /** Moves the focus, and extends the selection if `extend` is true. */
  moveTo({ row, column }, { extend = false, reveal = true } = {}) {
    if (extend) this.anchor ??= { ...this.focus };
    else this.anchor = null;
    this.focus = { row: Math.max(-1, Math.min(this.count - 1, row)), column: Math.max(0, Math.min(this.columns.length - 1, column)) };
    if (reveal && this.focus.row >= 0) this.reveal(this.focus.row);
    if (reveal) this.revealColumn(this.focus.column);
    this.actions.focused(this.focus);
    this.later();
  }

  revealColumn(column) {
    const pinned = this.columns[0]?.pinned ? this.columns[0].width : 0;
    if (this.columns[column]?.pinned) return;
    const left = NUMBERS + this.columns.slice(0, column).reduce((sum, entry) => sum + entry.width, 0), right = left + this.columns[column].width;
    const { scrollLeft, clientWidth } = this.element;
    if (left < scrollLeft + NUMBERS + pinned) this.element.scrollLeft = left - NUMBERS - pinned;
    else if (right > scrollLeft + clientWidth) this.element.scrollLeft = Math.min(right - clientWidth, left - NUMBERS - pinned);
  }

  /** The element of a cell, if it is on the screen. */
  cellAt(row, column) {
    const line = this.lines[row % this.lines.length];
    return line?.row === row && !line.hidden ? line.children[column + 1] : null;
  }
}
