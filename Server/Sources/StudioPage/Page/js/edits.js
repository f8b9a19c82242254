// Edits that wait in the program: staging, review with a dry run, writing, conflicts and undo.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { count, plain, plural } from "./format.js";
import { propertyOf } from "./model.js";
import { announce, button, confirm, dialog, note, noteError } from "./ui.js";
import { commandLine, documentCommand } from "./command.js";
import { differenceList } from "./difference.js";
import { brief, classBadge, shown, textNodes } from "./values.js";

const identity = ({ className, key, property }) => JSON.stringify([className, key, property]);

/** The edits that wait, as the program has them. `waiting` has the last 1,000 of them, and `count` is the number of all. */
class Edits {
  constructor() {
    this.waiting = [];
    this.count = 0;
    this.cells = new Map();
    this.rows = new Map();
    this.written = [];
    this.listeners = new Set();
  }

  onChange(listener) { this.listeners.add(listener); return () => this.listeners.delete(listener); }

  take({ waiting, count: all }) {
    this.waiting = waiting;
    this.count = all;
    this.cells = new Map();
    this.rows = new Map();
    for (const entry of waiting) {
      if (entry.key !== undefined && entry.property !== undefined) this.cells.set(identity({ className: entry.class, key: entry.key, property: entry.property }), entry);
      for (const key of entry.edit.delete?.keys ?? []) this.rows.set(JSON.stringify([entry.edit.delete.class, key]), "deleted");
    }
    this.listeners.forEach((listener) => listener());
  }

  has(place) { return this.cells.has(identity(place)) || this.rows.has(JSON.stringify([place.className, place.key])); }
  entryOf(place) { return this.cells.get(identity(place)); }

  /** The new value of a cell, or `undefined` if no edit of it waits. */
  valueOf(place) {
    const entry = this.cells.get(identity(place));
    return entry?.edit.set ? entry.new : undefined;
  }

  /** Sends edits to the program. With `fails`, an error is thrown and not shown. */
  async stage(edits, { fails = false } = {}) {
    try {
      this.take(await app.ask("stage", { edits }));
      announce(`${plural(this.count, "edit")} waiting`);
      return true;
    } catch (error) {
      if (fails) throw error;
      noteError(error);
      return false;
    }
  }

  /** Discards the edits with the numbers, or all. */
  discard(numbers) { return this.drop(numbers ? { edits: numbers } : {}); }

  async drop(parameters) {
    try { this.take(await app.ask("discard", parameters)); } catch (error) { noteError(error); }
  }

  /** Discards the edits that were staged last together. If none waits, takes back the last write of this page. */
  async undo() {
    if (!app.canWrite) return;
    if (this.count) return this.drop({ last: true });
    const version = this.written.pop();
    if (version === undefined) return note("There is nothing to undo.");
    await this.undoVersion(version);
  }

  async undoVersion(version) {
    try {
      const answer = await app.ask("undo", { version });
      this.written = this.written.filter((other) => other !== version);
      note(`Version ${count(version)} was taken back in version ${count(answer.version)}.${answer.renumbered ? ` ${plural(answer.renumbered, "object")} without a primary key ${answer.renumbered === 1 ? "is a new object" : "are new objects"}.` : ""}`);
      return answer;
    } catch (error) {
      if (error.code === "conflict") conflictDialog(error.conflicts ?? [], "Another commit has changed these values. The write can't be taken back.");
      else noteError(error);
      return null;
    }
  }

  /** Shows the difference that the edits make, from a dry run, and writes them. */
  async review() {
    if (!this.count) return note("No edit waits.");
    let answer;
    try { answer = await app.ask("check"); } catch (error) {
      if (error.code !== "busy") return noteError(error);
      if (await confirm("The app is writing", "Another process is writing to the file, so the edits weren't checked.", { action: "Again" })) return this.review();
      return undefined;
    }
    return reviewDialog(answer);
  }

  async write(parameters) {
    let answer;
    try { answer = await app.ask("write", parameters); } catch (error) {
      // A server may have written some of the documents. Their edits don't wait any more.
      this.take(await app.ask("waiting").catch(() => this));
      throw error;
    }
    if (app.has("undo")) this.written.push(answer.version);
    this.take({ waiting: [], count: 0 });
    note([`Version ${count(answer.version)} was written: ${plural(answer.objects, "object")}.`, app.has("undo") ? [" ", button("Undo", () => this.undoVersion(answer.version), { kind: "small" })] : null]);
    announce(`Version ${answer.version} was written`);
    return answer;
  }
}

export const edits = new Edits();

function reviewDialog(answer) {
  const hasConflicts = answer.conflicts.length > 0, isBlocked = answer.errors.length > 0;
  const typed = answer.confirm ? h("input.input", { "aria-label": "Number of objects", autocomplete: "off" }) : null;
  const content = [
    h("p.soft", null, isBlocked ? "The dry run failed. Nothing was written." : hasConflicts ? "Another process has changed values since these edits began." : `The dry run succeeded. It changes ${plural(answer.objects, "object")}.`, app.file.flags.synced ? " The edits are uploaded like those of any program." : ""),
    answer.errors.map((error) => h("p.error", null, textNodes(error.message))),
    hasConflicts ? [h("h3", null, "Conflicts"), conflictTable(answer.conflicts)] : null,
    differenceList(answer.difference), answer.objects > shownObjects(answer.difference) ? h("p.dim", null, `${count(answer.objects - shownObjects(answer.difference))} more objects aren't shown.`) : null,
    commandList(answer.commands),
    answer.undo === false && app.has("undo") ? h("p.modify", null, "This write can't be undone afterwards: its old values are too large.") : null,
    typed ? h("label.down", null, `The edits affect ${count(answer.confirm)} objects. Type this number to write them.`, typed) : null,
  ];
  const write = async (overwrite) => {
    if (typed && typed.value.replace(/\D/g, "") !== String(answer.confirm)) throw new Error("The number is different.");
    await edits.write({ ...(answer.confirm ? { confirm: answer.confirm } : {}), ...(overwrite ? { overwrite: true } : {}) });
  };
  dialog(`${plural(edits.count, "edit")}`, content, { width: 820, actions: [
    ["Discard all", "quiet", async () => { await edits.discard(); }],
    ["Cancel", "", () => null],
    isBlocked ? null : hasConflicts ? ["Write over the conflicts", "danger", () => write(true)] : ["Write", "primary", () => write(false)],
  ].filter(Boolean) });
}

const COMMANDS = 20;

/** The commands that do the same as the edits. The program reports them for a server. */
function commandList(commands) {
  if (!commands?.length) return null;
  return [h("p.dim", null, "The same as commands:"), commands.slice(0, COMMANDS).map((parts) => commandLine(documentCommand(parts))), commands.length > COMMANDS ? h("p.dim", null, `${plural(commands.length - COMMANDS, "more command")} of this kind.`) : null];
}

const shownObjects = (difference) => difference.reduce((sum, entry) => sum + (entry.count ?? 1), 0);

function conflictTable(conflicts) {
  return h("table.plain", null, h("thead", null, h("tr", null, ["Object", "Property", "Before the edit", "Edit", "Now"].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", null, conflicts.map((conflict) => { const found = propertyOf(conflict.class, conflict.property) ?? { type: "mixed" }, property = conflict.element ? { ...found, collection: null } : found; return h("tr", null, h("td", null, classBadge(conflict.class), ` #${conflict.key}`), h("td", null, plain(conflict.property ?? "")), [conflict.old, conflict.new, conflict.current].map((value) => h("td", null, shown(value, property, "inline")))); })));
}

export const conflictDialog = (conflicts, text) => dialog("Conflicts", [h("p", null, text), conflictTable(conflicts)], { width: 760 });

/** The bar below the table that shows how many edits wait. */
export class WaitingBar {
  constructor() {
    this.element = h("div.write", { role: "region", "aria-label": "Edits", hidden: true });
    this.stop = edits.onChange(() => this.draw());
    this.draw();
  }

  close() { this.stop(); }

  draw() {
    const { waiting, count: all } = edits;
    this.element.hidden = !all;
    if (!all) return;
    fill(this.element, h("b", null, `${plural(all, "edit")} not written`), h("span.cut.grow", null, waiting.slice(-2).map(describe).join(" · ")),
      button("Discard", () => edits.discard(), { kind: "small quiet" }), button("Review…", () => edits.review(), { kind: "small primary", key: "⌘S" }));
  }
}

/** An edit as a short text. */
function describe(entry) {
  const { edit } = entry, place = `${plain(entry.title ?? entry.class ?? "")}${entry.property ? `.${plain(entry.property)}` : ""}`;
  if (edit.set) return `${place} = ${brief(entry.new, propertyOf(entry.class, entry.property) ?? { type: "mixed" }, 30)}`;
  if (edit.create) return `new ${plain(edit.create.class)}`;
  if (edit.delete) return `delete ${plural(edit.delete.keys.length, "object")} of ${plain(edit.delete.class)}`;
  if (edit.deleteAll) return "delete all results";
  if (edit.setAll) return `${plain(edit.setAll.property)} of all results`;
  return `${Object.keys(edit)[0]} in ${place}`;
}

