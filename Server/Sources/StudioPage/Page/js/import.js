// The steps of an import: the file, a preview with the columns, a dry run, and one transaction.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { count, plain, plural } from "./format.js";
import { classNamed, model } from "./model.js";
import { announce, button, choice, note, pairs } from "./ui.js";
import { upload } from "./session.js";
import { textNodes } from "./values.js";

/** Sends a file to the program, and waits until the session has it. */
export async function send({ ticket, import: number }, file) {
  const arrived = new Promise((resolve) => { const stop = app.on("uploaded", (push) => { if (push.import === number) { stop(); resolve(); } }); });
  await upload(ticket, file);
  await arrived;
  return number;
}

/** The dialogue of an import. */
export class ImportSteps {
  constructor({ className, onDone }) {
    this.onDone = onDone;
    this.file = h("input", { type: "file", accept: ".csv,.json,.jsonl,.ndjson,.txt", onchange: () => this.guessFormat() });
    this.format = choice([["csv", "CSV"], ["json", "JSON"], ["jsonl", "JSON lines"]]);
    const classes = model.classes.filter((entry) => entry.kind === "object");
    this.classList = choice(classes.map((entry) => [entry.class, plain(entry.class)]), { value: className ?? classes[0]?.class });
    this.mode = choice([["add", "Add objects; an existing primary key is an error"], ["update", "Update objects with the same primary key"]]);
    this.preview = h("div.down");
    this.result = h("div.down", { role: "status" });
    this.element = h("div.down", null, pairs([["File", this.file], ["Format", this.format], ["Class", this.classList], ["Mode", this.mode]]), h("div.across", null, button("Preview", () => this.showPreview(), { kind: "primary" })), this.preview, this.result);
  }

  guessFormat() {
    const name = this.file.files[0]?.name.toLowerCase() ?? "";
    this.format.value = name.endsWith(".json") ? "json" : /\.(jsonl|ndjson)$/.test(name) ? "jsonl" : "csv";
    this.number = null;
  }

  fail(error) { fill(this.result, h("p.error", null, error.message)); }

  async showPreview() {
    const file = this.file.files[0];
    if (!file) return this.fail(new Error("Choose a file first."));
    fill(this.result);
    fill(this.preview, h("p.dim", null, "Reading…"));
    try {
      const number = await send(await app.ask("import", { format: this.format.value }), file);
      this.number = number;
      this.className = this.classList.value;
      this.draw(await app.ask("preview", { import: number, class: this.className }));
    } catch (error) { fill(this.preview); this.fail(error); }
  }

  draw(answer) {
    const properties = classNamed(this.className).properties.filter((property) => !property.inverses).map((property) => [property.name, plain(property.name)]);
    this.choices = answer.columns.map((column) => ({ name: column.name, list: choice([["", "not imported"], ...properties], { value: column.property ?? "", "aria-label": `Property for the column ${plain(column.name)}` }) }));
    const wrong = new Map(answer.errors.map((error) => [`${error.row} ${error.column ?? ""}`, error.message]));
    fill(this.preview, h("h3", null, `First ${plural(answer.rows.length, "line")}`),
      h("div.previewtable", { tabindex: 0, role: "region", "aria-label": "Preview" }, h("table.plain", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Line"), answer.columns.map((column, index) => h("th", { scope: "col" }, textNodes(column.name), h("span.type", null, ` ${plain(column.guess ?? "")}`), h("div", null, this.choices[index].list)))), ),
        h("tbody", null, answer.rows.map((row, line) => h("tr", null, h("th", { scope: "row" }, count(line + 1)), row.map((cell, index) => { const problem = wrong.get(`${line} ${answer.columns[index]?.name ?? ""}`); return h("td", { class: problem ? "bad" : null, title: problem }, textNodes(cell === null ? "null" : String(cell).slice(0, 120))); })))))),
      answer.errors.length ? h("div.down", null, h("p.error", null, plural(answer.errors.length, "error")), this.errorList(answer.errors)) : null,
      h("div.across", null, button("Dry run", () => this.check(), { kind: "primary" })));
    announce(`Preview of ${answer.rows.length} lines`);
  }

  errorList(errors) { return h("ul", null, errors.slice(0, 100).map((error) => h("li", null, error.row === undefined ? "" : `line ${count(error.row + 1)}${error.column ? `, ${plain(error.column)}` : ""}: `, plain(error.message)))); }

  request() {
    return { import: this.number, class: this.className, mode: this.mode.value, columns: Object.fromEntries(this.choices.map(({ name, list }) => [name, list.value || null])) };
  }

  async check() {
    fill(this.result, h("p.dim", null, "Running without writing…"));
    try {
      const answer = await app.ask("importCheck", this.request());
      fill(this.result, h("p", null, `${plural(answer.objects, "object")}: ${count(answer.created)} created, ${count(answer.updated)} updated.`), answer.errors.length ? [h("p.error", null, plural(answer.errors.length, "error")), this.errorList(answer.errors)] : h("div.across", null, h("p.insert", null, "The dry run succeeded."), h("span.grow"), button("Import", () => this.run(), { kind: "primary" })));
    } catch (error) { this.fail(error); }
  }

  async run() {
    fill(this.result, h("p.dim", null, "Importing…"));
    try {
      const answer = await app.ask("importRun", this.request());
      note(`Version ${count(answer.version)}: ${count(answer.created)} created, ${count(answer.updated)} updated.`);
      this.onDone({ className: this.className });
    } catch (error) { this.fail(error); }
  }
}
