// The keys and the pointer of a table.

/** Translates events of a table into movements and actions. */
export class GridKeys {
  constructor(grid) {
    this.grid = grid;
  }

  pressed(event) {
    const { grid } = this;
    if (event.target !== grid.element) return;
    const control = event.ctrlKey || event.metaKey;
    const handled = this.moved(event, control) || (grid.focus.row < 0 ? this.onHeading(event) : this.onCell(event, control));
    if (handled) { event.preventDefault(); event.stopPropagation(); }
  }

  moved(event, control) {
    const { grid } = this;
    if (event.altKey) return false;
    const { row, column } = grid.focus, far = grid.count + 1, page = grid.pageRows;
    const targets = {
      ArrowDown: [control ? far : row + 1, column], ArrowUp: [control ? 0 : row - 1, column], PageDown: [row + page, column], PageUp: [Math.max(0, row - page), column],
      ArrowRight: [row, control ? far : column + 1], ArrowLeft: [row, control ? 0 : column - 1], Home: control ? [0, 0] : [row, 0], End: control ? [far, far] : [row, far],
    };
    const target = targets[event.key];
    if (!target) return false;
    grid.moveTo({ row: event.key === "ArrowUp" && row === 0 && !event.shiftKey ? -1 : Math.max(target[0], row < 0 ? -1 : event.key === "ArrowUp" ? 0 : target[0]), column: target[1] }, { extend: event.shiftKey });
    return true;
  }

  onHeading(event) {
    const { grid } = this, column = grid.columns[grid.focus.column];
    if (event.key === "Enter" || event.key === " ") {
      if (column.sortable) grid.actions.sort(column, event.shiftKey);
      return true;
    }
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      grid.actions.headingMenu(column, placeOf(grid.head.children[grid.focus.column + 1]));
      return true;
    }
    return false;
  }

  onCell(event, control) {
    const { grid } = this, { actions, focus } = grid;
    const row = grid.source.row(focus.row), column = grid.columns[focus.column];
    // These keys concern the selection. The row with the focus may not have arrived.
    if (event.key === "Delete") { actions.remove(); return true; }
    if (control && event.key.toLowerCase() === "c") { actions.copy(); return true; }
    if (control && event.key.toLowerCase() === "a") { grid.anchor = { row: 0, column: 0 }; grid.focus = { row: grid.count - 1, column: grid.columns.length - 1 }; actions.focused(grid.focus); grid.later(); return true; }
    if (event.key === "Escape" && (grid.anchor || grid.marked.size)) { grid.anchor = null; grid.marked.clear(); actions.focused(focus); grid.later(); return true; }
    if (!row) return false;
    if (event.key === "Enter") { if (control) actions.follow(row, column); else actions.open(row, { isFocused: true }); return true; }
    if (event.key === "F2") { actions.edit(row, column); return true; }
    if (event.key === " ") { this.toggleMark(row); if (event.shiftKey) grid.moveTo({ row: focus.row + 1, column: focus.column }); return true; }
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) { actions.cellMenu(row, column, placeOf(grid.cellAt(focus.row, focus.column))); return true; }
    if (!control && !event.altKey && event.key.length === 1 && event.key !== "/" && event.key !== "?") return actions.type(row, column, event.key);
    return false;
  }

  toggleMark(row) {
    const { marked } = this.grid;
    if (!marked.delete(row.key)) marked.add(row.key);
    this.grid.actions.focused(this.grid.focus);
    this.grid.later();
  }

  /** The row and the column of an event, or `null`. */
  placeOfEvent(event) {
    const line = event.target.closest(".line");
    if (!line || line.row < 0) return null;
    const cell = event.target.closest("[role=gridcell]");
    return { row: line.row, column: cell ? [...line.children].indexOf(cell) - 1 : this.grid.focus.column };
  }

  pointed(event) {
    const place = this.placeOfEvent(event);
    if (!place || event.button !== 0 || event.target.closest("input")) return;
    const { grid } = this;
    if (event.ctrlKey || event.metaKey) {
      if (event.target.closest("a")) return;
      grid.moveTo(place, { reveal: false });
      const row = grid.source.row(place.row);
      if (row) this.toggleMark(row);
      return;
    }
    if (event.target.closest("a") && !event.shiftKey) return;
    grid.moveTo(place, { extend: event.shiftKey, reveal: false });
    const row = grid.source.row(place.row);
    if (row && !event.shiftKey) grid.actions.open(row, { isFocused: false });
    this.follow(event);
  }

  /** Extends the selection while the pointer moves. */
  follow(event) {
    const { grid } = this, element = grid.element;
    const move = (next) => {
      const place = this.placeOfEvent({ target: document.elementFromPoint(next.clientX, next.clientY) ?? element });
      if (place && (place.row !== grid.focus.row || place.column !== grid.focus.column)) grid.moveTo(place, { extend: true });
    };
    const end = () => { element.removeEventListener("pointermove", move); removeEventListener("pointerup", end); };
    element.addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    if (document.activeElement !== element) element.focus({ preventScroll: true });
    event.preventDefault();
  }

  doubleClicked(event) {
    const place = this.placeOfEvent(event);
    const row = place && this.grid.source.row(place.row);
    if (row) this.grid.actions.edit(row, this.grid.columns[place.column]);
  }

  menu(event) {
    const place = this.placeOfEvent(event);
    const row = place && this.grid.source.row(place.row);
    if (!row) return;
    event.preventDefault();
    if (!this.isSelected(place)) this.grid.moveTo(place, { reveal: false });
    this.grid.actions.cellMenu(row, this.grid.columns[place.column], event);
  }

  isSelected({ row, column }) {
    const { top, bottom, left, right } = this.grid.selection();
    return row >= top && row <= bottom && column >= left && column <= right;
  }
}

/** The place below an element, for a menu. */
export function placeOf(element) {
  const box = element?.getBoundingClientRect() ?? { left: 100, bottom: 100 };
  return { clientX: box.left, clientY: box.bottom };
}
