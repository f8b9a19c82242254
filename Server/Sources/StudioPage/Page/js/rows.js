// The rows of a cursor that the page keeps. The visible rows are requested first, then rows in the direction of the movement.
const LIMIT = 400;      // rows of one request
const AHEAD = 120;      // rows that are fetched before they are visible
const KEPT = 3000;      // rows that are kept

/** Requests, keeps and refreshes the rows of one cursor. */
export class Rows {
  constructor({ session, cursor, count, isWhole = true, known = count, onChange, onError, onGone }) {
    Object.assign(this, { session, cursor, count, isWhole, known, onChange, onError });
    this.rows = new Map();
    this.marks = new Map();    // object key → Map of column → moment and version of the change
    this.generation = 0;
    this.version = 0;
    this.visible = [0, 0];
    this.asked = null;
    const stops = [session.on("changed", (push) => { if (push.cursor === cursor) this.changed(push); }), session.on("gone", (push) => { if (push.cursor === cursor) onGone?.(push.error); })];
    this.stop = () => stops.forEach((stop) => stop());
  }

  /** Notes how many rows are known, and whether these are all. */
  learn({ count, whole = true, known = count }) {
    if (count !== undefined) Object.assign(this, { isWhole: whole, known });
  }

  get(index) {
    return this.rows.get(index);
  }

  /** States which rows are on the screen. */
  show(from, to) {
    const direction = from < this.visible[0] ? -1 : 1;
    this.visible = [Math.max(0, from), Math.min(this.count, to)];
    this.direction = direction;
    this.request();
  }

  isMissing(index) {
    const row = this.rows.get(index);
    return !row || row.generation !== this.generation;
  }

  missing(from, to) {
    let first = Math.max(0, from), last = Math.min(this.count, to);
    while (first < last && !this.isMissing(first)) first++;
    while (last > first && !this.isMissing(last - 1)) last--;
    return first < last ? [first, Math.min(last, first + LIMIT)] : null;
  }

  async request() {
    if (this.asked || this.closed) return;
    const [from, to] = this.visible;
    const wanted = this.missing(from, to);
    const ahead = wanted ? null : this.direction < 0 ? this.missing(from - AHEAD, from) : this.missing(to, to + AHEAD);
    const range = wanted ? [Math.max(0, from), Math.max(to, wanted[1])] : ahead;
    if (!range) return;
    this.asked = range;
    const generation = this.generation;
    try {
      const answer = await this.session.ask("rows", { cursor: this.cursor, from: range[0], to: Math.min(range[1], range[0] + 500), window: wanted ? undefined : false });
      if (this.closed) return;
      if (generation === this.generation) this.take(answer.from ?? range[0], answer.rows, false);
      if (answer.count !== undefined && answer.count !== this.count) this.count = answer.count;
      this.learn(answer);
      if (!answer.rows.length && wanted) this.count = Math.min(this.count, range[0]);
      this.onChange();
    } catch (error) {
      if (!this.closed && error.code !== "cancelled" && error.code !== "closed") this.onError?.(error);
      this.asked = null;
      return;
    }
    this.asked = null;
    this.request();
  }

  /** Stores rows. An object whose cells are the same stays, so that its line isn't drawn again. */
  take(from, rows, compares) {
    const now = performance.now();
    rows.forEach(([key, cells], offset) => {
      const kept = this.rows.get(from + offset), old = kept?.key === key ? kept : compares ? this.byKey(key) : undefined;
      const changed = old ? cells.flatMap((cell, column) => (isSame(cell, old.cells[column]) ? [] : [column])) : null;
      if (compares && changed) changed.forEach((column) => this.mark(key, column, now));
      if (changed?.length === 0) this.rows.set(from + offset, Object.assign(old, { generation: this.generation }));
      else this.rows.set(from + offset, { key, cells, generation: this.generation });
    });
    this.trim();
  }

  byKey(key) {
    for (let index = this.visible[0]; index < this.visible[1]; index++) if (this.rows.get(index)?.key === key) return this.rows.get(index);
    return undefined;
  }

  mark(key, column, now) {
    if (!this.marks.has(key)) this.marks.set(key, new Map());
    this.marks.get(key).set(column, { at: now, version: this.version });
  }

  trim() {
    if (this.rows.size <= KEPT) return;
    const middle = (this.visible[0] + this.visible[1]) / 2;
    for (const index of this.rows.keys()) if (Math.abs(index - middle) > KEPT / 3) this.rows.delete(index);
  }

  changed(push) {
    const now = performance.now();
    this.count = push.count;
    this.learn(push);
    this.version = push.version;
    for (const [key, columns] of push.cells ?? []) for (const column of columns) this.mark(key, column, now);
    if (push.moved && push.movedFrom > 0 && !push.elsewhere) this.forget(push.movedFrom);
    else if (push.moved || push.elsewhere) this.generation++;
    if (push.rows) this.take(push.from, push.rows, true);
    else if (!push.moved && push.cells?.length) this.generation++;
    for (const index of this.rows.keys()) if (index >= this.count) this.rows.delete(index);
    this.onChange(push);
    this.session.send("seen", { cursor: this.cursor, version: push.version });
    this.request();
  }

  /** Requests the rows from an index on again before they are used. They stay on the screen until then. */
  forget(from) {
    for (const [index, row] of this.rows) if (index >= from) row.generation = -1;
  }

  /** The columns of an object that changed a moment ago. */
  fresh(key, now) {
    const marks = this.marks.get(key);
    if (!marks) return null;
    for (const [column, { at }] of marks) if (now - at > 4000) marks.delete(column);
    if (!marks.size) this.marks.delete(key);
    return marks.size ? marks : null;
  }

  close() {
    this.closed = true;
    this.stop();
    this.session.ask("close", { cursor: this.cursor }).catch(() => {});
  }
}

const isSame = (a, b) => a === b || (typeof a === "object" && typeof b === "object" && JSON.stringify(a) === JSON.stringify(b));
