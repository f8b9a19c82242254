// The dialog that exports a result, a class or the whole file.
import { h } from "./dom.js";
import { app } from "./app.js";
import { plain } from "./format.js";
import { choice, dialog, download, pairs } from "./ui.js";

const FORMATS = [["csv", "CSV"], ["json", "JSON"], ["jsonl", "JSON lines"], ["markdown", "Markdown"], ["swift", "Swift literals"]];

/** Asks for the extent and the format, and starts the download. */
export function exportDialog({ className, cursor, columns, query }) {
  const form = exportForm({ className, cursor, columns, query });
  dialog("Export", form.element, { width: 480, actions: [["Cancel", "quiet", () => null], ["Export", "primary", async () => { download(await form.request()); }]] });
}

/** The controls of an export: `{ element, request() }`. */
export function exportForm({ className, cursor, columns, query, classNames }) {
  const extents = [cursor !== undefined ? ["cursor", `The result${query?.trim() ? ` of ${plain(query).slice(0, 40)}` : ` (${plain(className)})`}`] : null, className ? ["class", `The class ${plain(className)}`] : null, ...(classNames ?? []).map((name) => [`class:${name}`, `The class ${plain(name)}`]), ["all", "The whole file"]].filter(Boolean);
  const extent = choice(extents, { onChange: () => update() }), format = choice(FORMATS, { onChange: () => update() });
  const formulas = h("input", { type: "checkbox" });
  const formulaLine = h("div.down", null, h("label.choice", null, formulas, "Put a quotation mark before cells that begin a formula"), h("p.dim", null, "Spreadsheets run a cell that begins with = + - or @ as a formula. The mark prevents that and changes the text."));
  const update = () => {
    const isWhole = extent.value === "all";
    for (const option of format.options) option.disabled = isWhole && option.value !== "json";
    if (isWhole) format.value = "json";
    formulaLine.hidden = format.value !== "csv";
  };
  update();
  return {
    element: [pairs([["Objects", extent], ["Format", format]]), formulaLine],
    request: () => {
      const [kind, name] = extent.value.split(/:(.*)/s);
      const of = kind === "cursor" ? { cursor, columns } : kind === "all" ? { all: true } : { class: name ?? className };
      return app.ask("export", { ...of, format: format.value, ...(formulas.checked && format.value === "csv" ? { formulas: true } : {}) });
    },
  };
}
