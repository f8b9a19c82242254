// The documents of an app: lists with queries, and one document with its edits. Reads and writes ignore the rights of users.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go } from "./address.js";
import { plain, plural } from "./format.js";
import { button, choice, dialog, note } from "./ui.js";
import { appChoice, appOf, commandLine, commandText, filterField, folder, pager, table } from "./server.js";

const LIMIT = 50, COLUMNS = 8, CUT = 80;

/**
 * A value of canonical Extended JSON with plain numbers, as far as these are exact and keep their type. A large integer, and a double without a
 * fraction, stay as they are.
 */
export function plainNumbers(value) {
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (value === null || typeof value !== "object") return value;
  const keys = Object.keys(value);
  if (keys.length === 1) {
    const [name] = keys, text = value[name];
    if (name === "$numberInt" || (name === "$numberLong" && Number.isSafeInteger(Number(text)))) return Number(text);
    if (name === "$numberDouble" && Number.isFinite(Number(text)) && !Number.isInteger(Number(text))) return Number(text);
    if (name.startsWith("$")) return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainNumbers(inner)]));
}

/** A value of Extended JSON as a short text. */
export function shortValue(value) {
  if (value === undefined) return "";
  if (value === null) return "null";
  if (typeof value !== "object") return plain(String(value));
  const keys = Object.keys(value);
  const inner = keys.length === 1 && keys[0].startsWith("$") ? value[keys[0]] : undefined;
  if (keys[0] === "$date" && inner?.$numberLong) {
    const date = new Date(Number(inner.$numberLong));
    return Number.isNaN(date.getTime()) ? plain(inner.$numberLong) : date.toISOString();
  }
  const text = inner !== undefined && typeof inner !== "object" ? String(inner) : JSON.stringify(value);
  return plain(text.length > CUT ? `${text.slice(0, CUT)}…` : text);
}

/** The key of a document in the form that requests name it. */
export function keyText(id) {
  if (typeof id === "number") return String(id);
  if (id?.$oid) return id.$oid;
  if (id?.$uuid) return id.$uuid;
  if (id?.$numberLong) return id.$numberLong;
  return JSON.stringify(id);
}

export class DocumentsScreen {
  constructor() {
    this.query = "";
    this.choice = h("span");
    this.classes = h("span");
    this.stream = filterField("Stream, if the app has several", () => this.restart());
    this.field = h("input.input.query", { type: "search", placeholder: "A condition, such as age > 3", "aria-label": "Condition", spellcheck: "false", onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); this.restart(); } } });
    this.problem = h("p.error", { role: "alert", hidden: true });
    this.note = h("span.dim", { role: "status" });
    this.list = h("div");
    this.pages = h("div");
    this.detail = h("div");
    this.add = button("New document…", () => this.edit(null), { disabled: !app.welcome.write });
    this.element = h("div.page", null, h("div.across.wrap", null, this.choice, this.classes, this.stream, this.field, button("Run", () => this.restart()), this.add, this.note), this.problem, this.detail, h("section.sheet", null, this.list), this.pages);
  }

  async update(place) {
    this.place = place;
    const name = appOf(place);
    fill(this.choice, appChoice(place, (value) => go(address("documents", [], { app: value }))));
    if (name !== this.app || !this.tables) {
      this.app = name;
      this.tables = null;
      this.stream.value = place.options.get("stream") ?? "";
      if (!name) return void fill(this.list, h("p.empty", null, "Choose an app."));
      try { this.tables = (await app.ask("classes", { app: name })).classes.filter((entry) => entry.kind !== "embedded"); } catch (error) { return this.fail(error); }
      if (name !== this.app) return;
    }
    this.class = place.parts[0] ?? this.tables[0]?.name ?? null;
    this.key = place.parts[1] ?? null;
    fill(this.classes, choice(this.tables.map((entry) => [entry.name, plain(entry.name)]), { value: this.class ?? "", "aria-label": "Class", onChange: (value) => go(address("documents", [value], { app: this.app, stream: this.stream.value })) }));
    if (!this.class) return void fill(this.list, h("p.empty", null, "The app has no classes."));
    this.restart();
  }

  appsKnown() { this.update(this.place); }

  fail(error) {
    if (error.code === "closed") return;
    this.problem.textContent = plain(error.message);
    this.problem.hidden = false;
  }

  restart() { this.after = null; this.read(); }
  parameters(more = {}) { return { app: this.app, class: this.class, stream: this.stream.value.trim() || undefined, ...more }; }

  async read() {
    if (!this.class) return;
    const wanted = this.parameters({ query: this.field.value.trim() || undefined, after: this.after ?? undefined, limit: LIMIT }), serial = (this.serial = {});
    try {
      const { documents: found, next } = await app.ask("documents", wanted);
      if (serial !== this.serial) return;
      const documents = found.map(plainNumbers);
      const entry = this.tables.find((one) => one.name === this.class), names = (entry?.properties ?? []).map((property) => property.name).filter((name) => name !== "_id").slice(0, COLUMNS);
      this.problem.hidden = true;
      this.note.textContent = `${plural(documents.length, "document")}${next ? ", and more" : ""}`;
      fill(this.list, table([
        { label: "_id", cell: (row) => h("a", { href: address("documents", [this.class, keyText(row._id)], { app: this.app, stream: wanted.stream }) }, shortValue(row._id)) },
        ...names.map((name) => ({ label: plain(name), cell: (row) => shortValue(row[name]) })),
      ], documents, { label: `Documents of ${this.class}`, empty: wanted.query ? "No document fulfils the condition." : "The class has no documents in this stream." }));
      fill(this.pages, pager({ hasEarlier: Boolean(this.after), hasLater: Boolean(next), onFirst: () => this.restart(), onNext: () => { this.after = next; this.read(); } }));
      if (this.key) await this.show(); else fill(this.detail);
    } catch (error) { this.fail(error); }
  }

  async show() {
    const document = plainNumbers(await app.ask("document", this.parameters({ key: this.key })));
    const text = JSON.stringify(document, null, 2);
    fill(this.detail, h("section.sheet", { "aria-label": "Document" }, h("header", null, h("h2", null, `${plain(this.class)} ${shortValue(document._id)}`), h("span.grow"), button("Edit…", () => this.edit(document), { disabled: !app.welcome.write }), button("Delete…", () => this.remove(document), { disabled: !app.welcome.write, kind: "danger" })), h("pre.swift", { tabindex: 0 }, plain(text).replaceAll("\\n", "\n"))));
  }

  /** Shows the difference of a document before it is written. The write is merged with those of devices. */
  edit(document) {
    const { _id: id, ...rest } = document ?? { _id: null }, at = this.parameters();
    const field = h("textarea.input", { rows: 14, "aria-label": "Document", spellcheck: "false", value: JSON.stringify(document ? rest : { _id: "" }, null, 2) });
    const change = h("pre.swift", { "aria-label": "Change" }), line = h("div");
    const draw = () => {
      try {
        const body = this.operators(rest, JSON.parse(field.value), document);
        change.textContent = JSON.stringify(body, null, 2);
        fill(line, commandLine(this.command(at, ...(document ? ["update", keyText(id)] : ["insert"]), JSON.stringify(body))));
      } catch { change.textContent = "This isn't JSON."; fill(line); }
    };
    field.addEventListener("input", draw);
    draw();
    dialog(document ? `Edit ${shortValue(id)}` : `New document of ${plain(this.class)}`, [h("p.soft", null, "Extended JSON. The write is merged with the work of devices, and ignores the rights of users. The log names you."), field, h("h3", null, document ? "Change that is sent" : "Document that is sent"), change, h("p.dim", null, "The same as a command:"), line], {
      width: 720,
      actions: [["Cancel", "quiet", () => null], ["Write", "primary", async () => {
        const body = this.operators(rest, JSON.parse(field.value), document);
        if (document && !Object.keys(body).length) throw new Error("Nothing is changed.");
        const answer = await app.ask(document ? "updateDocument" : "insertDocument", { ...at, ...(document ? { key: keyText(id) } : {}), body: JSON.stringify(body) });
        if (answer.refused?.length) throw new Error(`The write was refused: ${answer.refused[0].reason}`);
        note("The document was written.");
        this.restart();
      }]],
    });
  }

  /** The command of a change of a class. The place is that of the dialog's beginning, since the page can go on behind the dialog. */
  command(at, name, ...rest) {
    return commandText("document", name, folder(), at.app, at.class, ...rest, ...(at.stream ? ["--stream", at.stream] : []));
  }

  /** The operators that change one document into another. */
  operators(before, after, isChange) {
    if (!isChange) return after;
    const set = Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value)));
    const unset = Object.fromEntries(Object.keys(before).filter((name) => !(name in after)).map((name) => [name, ""]));
    return { ...(Object.keys(set).length ? { $set: set } : {}), ...(Object.keys(unset).length ? { $unset: unset } : {}) };
  }

  remove(document) {
    const at = this.parameters();
    dialog(`Delete ${shortValue(document._id)}`, [h("p", null, "The document is deleted on the server and on all devices."), h("p.dim", null, "The same as a command:"), commandLine(this.command(at, "delete", keyText(document._id)))], {
      actions: [["Cancel", "quiet", () => null], ["Delete", "danger", async () => {
        await app.ask("deleteDocument", { ...at, key: keyText(document._id) });
        note("The document was deleted.");
        go(address("documents", [at.class], { app: at.app, stream: at.stream }));
      }]],
    });
  }
}
