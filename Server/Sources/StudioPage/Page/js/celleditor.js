// Editing of one value: a field over the cell, or a dialog for values that need one.
import { h } from "./dom.js";
import { app } from "./app.js";
import { bytes, plain } from "./format.js";
import { typeName, typeText } from "./model.js";
import { choice, dialog, note, noteError, pairs } from "./ui.js";
import { edits } from "./edits.js";
import { editText, linkLabel, textNodes } from "./values.js";

const MIXED = ["null", "bool", "int", "double", "float", "string", "date", "decimal128", "objectId", "uuid", "link"];
const MOST_DATA = 2_900_000; // bytes that fit into one message as base64

/** Starts editing a cell of the table. `typed` is the first character that the user has typed. */
export function editCell({ screen, row, column, typed }) {
  const { property } = column, { className } = screen;
  if (property.primaryKey) return note("A primary key can't be edited.");
  if (property.collection || (property.type === "link" && property.owns)) { screen.select(row, { isFocused: true }); return note("Edit collections and embedded objects in the object."); }
  const waiting = edits.valueOf({ className, key: row.key, property: column.name }), value = waiting === undefined ? row.cells[column.cell] : waiting;
  const place = { className, key: row.key, property };
  const text = editText(value, property);
  if (text === null || property.type === "link" || property.type === "mixed" || (typeof text === "string" && text.includes("\n"))) return valueDialog({ ...place, value });
  const cell = screen.grid.cellAt(screen.grid.focus.row, screen.grid.focus.column);
  if (!cell) return undefined;
  return fieldOver({ cell, box: screen.table, text: typed ?? text, isTyped: typed !== undefined, place, value, grid: screen.grid });
}

function fieldOver({ cell, box, text, isTyped, place, value, grid }) {
  const outer = box.getBoundingClientRect(), inner = cell.getBoundingClientRect(), { property } = place;
  const label = `${plain(property.name)}, ${typeText(property)}`;
  const field = property.type === "bool"
    ? choice([["true", "true"], ["false", "false"], ...(property.optional ? [["", "null"]] : [])], { value: value === null ? "" : String(value), "aria-label": label })
    : h("input.input", { value: text, "aria-label": label, autocomplete: "off", spellcheck: "false" });
  field.classList.add("celleditor");
  for (const [name, size] of [["left", inner.left - outer.left], ["top", inner.top - outer.top], ["width", Math.max(inner.width, 120)], ["height", inner.height]]) field.style.setProperty(name, `${size}px`);
  let isDone = false;
  const end = () => { if (isDone) return; isDone = true; field.remove(); grid.element.focus({ preventScroll: true }); };
  const save = async (step) => {
    const changed = field.value !== text || isTyped;
    if (changed) {
      try { await edits.stage([textEdit(place, field.value)], { fails: true }); } catch (error) { field.setAttribute("aria-invalid", true); field.title = error.message; noteError(error); field.focus(); return; }
    }
    end();
    if (step) grid.moveTo({ row: grid.focus.row + step[0], column: grid.focus.column + step[1] });
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") save([event.shiftKey ? -1 : 1, 0]);
    else if (event.key === "Tab") save([0, event.shiftKey ? -1 : 1]);
    else if (event.key === "Escape") end();
    else { event.stopPropagation(); return; }
    event.preventDefault();
    event.stopPropagation();
  });
  field.addEventListener("blur", () => { if (!isDone && document.hasFocus()) save(null); });
  box.append(field);
  field.focus();
  if (!isTyped) field.select?.();
}

/** The edit of a value that the user has typed. An empty text of an optional property is null, except for strings. */
export function textEdit({ className, key, property }, text) {
  const isNull = text === "" && property.optional && property.type !== "string";
  return { set: { class: className, key, property: property.name, ...(isNull ? { value: null } : { text }) } };
}

/** Edits a value in a dialog: long texts, links, data and mixed values. `send` receives the value or the text. */
export function valueDialog({ className, key, property, value, title, send }) {
  const stage = send ?? ((change) => edits.stage([{ set: { class: className, key, property: property.name, ...change } }], { fails: true }));
  const editor = editorFor(property, value);
  if (!editor) return note("A value of this type can't be edited here.");
  const actions = [["Cancel", "quiet", () => null]];
  if (property.optional || property.type === "mixed" || (property.type === "link" && !property.collection)) actions.push(["Null", "", async () => { await stage({ value: property.type === "mixed" ? { is: "null", value: null } : null }); }]);
  actions.push(["Stage", "primary", async () => { await stage(await editor.read()); }]);
  const shownDialog = dialog(title ?? plain(property.name), [h("p.dim", null, `${plain(className)}.${plain(property.name)}: ${plain(typeText(property))}`), editor.element], { width: 540, actions });
  editor.element.querySelector("input, textarea, select")?.focus();
  return shownDialog;
}

/** The control for a type: `{ element, read() }`, in which `read` returns `{ text }` or `{ value }`. */
export function editorFor(property, value) {
  if (property.type === "link") return property.owns ? null : linkEditor(property.target, value);
  if (property.type === "data") return dataEditor();
  if (property.type === "mixed") return mixedEditor(value);
  if (property.type === "bool") {
    const list = choice([["true", "true"], ["false", "false"]], { value: String(value ?? true), "aria-label": "Value" });
    return { element: h("div", null, list), read: () => ({ value: list.value === "true" }) };
  }
  const text = value === undefined ? "" : editText(value, { ...property, collection: null });
  if (text === null) return null;
  const field = property.type === "string" ? h("textarea.input", { rows: 5, value: text, "aria-label": "Value", spellcheck: "false" }) : h("input.input", { value: text, "aria-label": "Value", autocomplete: "off" });
  const help = property.type === "date" ? h("p.dim", null, "ISO 8601, such as 2026-11-27T21:40:00.169Z") : null;
  return { element: h("div.down", null, field, help), read: () => ({ text: field.value }) };
}

/** A field that finds objects of a class by their keys and words. It also offers the objects that wait to be created. */
function linkEditor(target, value) {
  let chosen = value?.key !== undefined || value?.as !== undefined ? value : null;
  const current = h("p", { "aria-live": "polite" }, chosen ? `Now: ${plain(linkLabel(chosen))}` : "No object is chosen.");
  const results = h("div.results", { role: "group", "aria-label": "Objects" });
  const created = edits.waiting.filter((entry) => entry.edit.create?.as !== undefined && (!target || entry.class === target)).map((entry) => ({ to: entry.class, as: entry.edit.create.as, title: entry.title }));
  const item = (link, note) => h("button.item", { type: "button", onclick: () => { chosen = link; current.textContent = `Chosen: ${plain(linkLabel(link))}`; } }, h("span.cut", null, textNodes(linkLabel(link))), h("span.dim", null, plain(note)));
  const waitingItems = (text) => created.filter((link) => linkLabel(link).toLowerCase().includes(text.toLowerCase())).slice(0, 12).map((link) => item(link, "not written"));
  let serial = 0;
  const search = async () => {
    const mine = ++serial, text = field.value.trim();
    if (!text) return results.replaceChildren(...waitingItems(""));
    try {
      const answer = await app.ask("find", { text, ...(target ? { class: target } : {}) });
      if (mine !== serial) return undefined;
      const found = answer.results.filter((entry) => entry.kind === "object" && (!target || entry.class === target)).slice(0, 12);
      const waiting = waitingItems(text);
      results.replaceChildren(...waiting, ...found.map((entry) => item({ to: entry.class, key: entry.key, title: entry.title }, entry.note ?? entry.class)));
      if (!found.length && !waiting.length) results.replaceChildren(h("p.dim", null, "No object was found."));
    } catch (error) { noteError(error); }
    return undefined;
  };
  const field = h("input.input", { type: "search", "aria-label": `Find an object${target ? ` of ${plain(target)}` : ""}`, placeholder: "Primary key or words", oninput: search, autocomplete: "off" });
  results.replaceChildren(...waitingItems(""));
  return { element: h("div.down", null, current, field, results), read: () => { if (!chosen) throw new Error("Choose an object."); const to = chosen.to ?? target; return { value: chosen.as === undefined ? { to, key: chosen.key } : { to, as: chosen.as } }; } };
}

function dataEditor() {
  const file = h("input", { type: "file", "aria-label": "File with the bytes" });
  const hex = h("textarea.input", { rows: 3, "aria-label": "Bytes in hexadecimal", placeholder: "or hexadecimal digits", spellcheck: "false" });
  return { element: h("div.down", null, file, hex), read: async () => {
    const chosen = file.files[0];
    if (chosen && chosen.size > MOST_DATA) throw new Error(`The file has ${bytes(chosen.size)}. At most ${bytes(MOST_DATA)} can be set here.`);
    const data = chosen ? new Uint8Array(await chosen.arrayBuffer()) : hexBytes(hex.value);
    return { value: { data: base64(data) } };
  } };
}

function hexBytes(text) {
  const digits = text.replace(/\s+/g, "");
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new Error("These aren't pairs of hexadecimal digits.");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

function base64(data) {
  let text = "";
  for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(text);
}

function mixedEditor(value) {
  const box = h("div");
  let inner = null;
  const types = choice(MIXED.map((type) => [type, type === "link" ? "Link" : type === "null" ? "null" : typeName(type)]), { value: value && MIXED.includes(value.is) ? value.is : "string", onChange: () => draw() });
  const draw = () => {
    const type = types.value, same = value?.is === type;
    inner = type === "null" ? { element: h("span"), read: () => ({ value: null }) } : editorFor({ type, optional: false, target: null }, same ? value.value : undefined);
    box.replaceChildren(inner.element);
  };
  draw();
  return { element: h("div.down", null, pairs([["Type", types]]), box), read: async () => {
    const type = types.value;
    if (type === "null") return { value: { is: "null", value: null } };
    const result = await inner.read();
    return { value: { is: type, value: result.value !== undefined ? result.value : plainValue(type, result.text) } };
  } };
}

/** A typed text as the JSON of its type. */
export function plainValue(type, text) {
  if (type === "double" || type === "float") {
    if (/^-?(?:NaN|Infinity)$|^-0$/.test(text.trim())) return text.trim();
    if (!text.trim() || Number.isNaN(Number(text))) throw new Error("This isn't a number.");
    return Number(text);
  }
  if (type === "date") {
    const at = Date.parse(text);
    if (Number.isNaN(at)) throw new Error("This isn't a date.");
    const seconds = Math.floor(at / 1000), nanos = Number((/\.(\d+)/.exec(text)?.[1] ?? "").padEnd(9, "0").slice(0, 9));
    return [String(seconds), nanos];
  }
  return text;
}

