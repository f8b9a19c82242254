// The fields of an object as a tree: values, elements of collections, embedded objects and mixed values.
import { add, fill, h, icon } from "./dom.js";
import { app } from "./app.js";
import { count, exactMoment, moment, plain } from "./format.js";
import { toClass } from "./address.js";
import { kindIcon, isLinkList, propertyOf, typeText } from "./model.js";
import { iconButton, menu, noteError } from "./ui.js";
import { bytesView, longText } from "./bytes.js";
import { editorFor, valueDialog } from "./celleditor.js";
import { edits } from "./edits.js";
import { placeOf } from "./gridkeys.js";
import { placeMap, pointOf } from "./places.js";
import { propertyName, shown, textNodes } from "./values.js";

const PAGE = 100, DEEPEST = 24;

/** The rows of the fields of an object or an embedded object. `open` has the paths that are expanded. */
export function fieldRows({ className, key, fields, open = new Set(), changed, depth = 0, prefix = "" }) {
  const rows = fields.map(([name, value]) => {
    const property = propertyOf(className, name) ?? { name, type: "mixed" };
    return fieldRow({ className, key, path: [name], name, property, value, open, depth, id: `${prefix}${name}`, isChanged: changed?.has(name) });
  });
  const point = pointOf(className, fields);
  return point ? [...rows, placeMap([point])] : rows;
}

function fieldRow(place) {
  const { property, name, depth, value, id, isChanged } = place;
  const waiting = depth === 0 || place.path.length === 1 ? edits.entryOf({ className: place.className, key: place.key, property: name }) : undefined;
  const isEdited = waiting?.edit.set && place.path.length === 1;
  const line = h("div.field", { class: [isEdited && "edited", isChanged && "changed"].filter(Boolean).join(" ") || null, style: { "padding-left": `${14 + Math.min(depth, DEEPEST) * 13}px` } },
    h("div.k", null, propertyName({ name: typeof name === "number" ? String(name) : name }, kindIcon(property))),
    h("div.v", null, isEdited ? [h("span.old", null, shown(waiting.old ?? value, property, "field")), h("span", { "aria-hidden": "true" }, "→"), h("span.new", null, shown(waiting.new, property, "field"))] : fieldValue(place)),
    editButton({ ...place, value: isEdited ? waiting.new : value }, waiting));
  const below = h("div");
  const expand = expandable(place, below);
  if (expand) {
    const toggle = h("button.toggle", { type: "button", "aria-expanded": false, "aria-label": `Show ${plain(String(name))}`, onclick: () => { const next = toggle.getAttribute("aria-expanded") !== "true"; toggle.setAttribute("aria-expanded", next); if (next) { line.dataset.open = id; expand(); } else { delete line.dataset.open; fill(below); } } }, icon("right"));
    line.firstChild.prepend(toggle);
    if (place.open.has(id) || (depth === 0 && opensItself(place))) { toggle.setAttribute("aria-expanded", true); line.dataset.open = id; expand(); }
  }
  return [line, below];
}

const opensItself = ({ value, property }) => (property.type === "data" && !property.collection && value !== null && ["png", "jpeg", "gif", "webp"].includes(value.kind) && value.bytes <= 1_048_576) || Boolean(value?.of && !property.collection);

function fieldValue({ property, value, depth }) {
  if (value?.of && !property.collection) return h("span.chip", null, textNodes(value.of));
  const type = property.type === "mixed" || depth > 0 ? null : h("span.type", { title: plain(typeText(property)) }, property.collection || property.type === "decimal128" || property.type === "float" ? plain(typeText(property)) : null);
  const date = property.type === "date" && !property.collection && value ? h("span.dim", { title: exactMoment(value) }, `${moment(value, "UTC")} UTC`) : null;
  return [shown(value, property, "field"), address(property, value), date, type];
}

/** Values that are web addresses open at a click with a modifier. */
function address(property, value) {
  if (property.type !== "string" || typeof value !== "string" || !/^https?:\/\/[^\s]+$/.test(value)) return null;
  return h("a.web", { href: value, rel: "noopener noreferrer", target: "_blank", title: `${plain(value)}\nOpens at a click with Ctrl or ⌘`, onclick: (event) => { if (!event.ctrlKey && !event.metaKey) event.preventDefault(); } }, icon("link"), h("span.unseen", null, `Open ${plain(value)} at a click with Ctrl`));
}

/** The function that fills the lines below a field, or `null` if the value has no parts. */
function expandable(place, below) {
  const { property, value } = place;
  if (value === null || value === undefined) return null;
  if (property.collection) return value.count ? () => elements(place, below) : app.canWrite ? () => elements(place, below) : null;
  if (property.type === "mixed" && (value.is === "list" || value.is === "map")) return value.value?.count ? () => elements({ ...place, value: value.value, property: { ...property, collection: value.is } }, below) : null;
  if (value.of) return () => embeddedFields(place, below);
  const inner = property.type === "mixed" ? value.value : value, type = property.type === "mixed" ? value.is : property.type;
  if (type === "data" && inner?.bytes) return () => fill(below, bytesView({ ...place, value: inner }));
  if (type === "string" && typeof inner === "object" && inner) return () => fill(below, longText({ ...place, value: inner }));
  return null;
}

async function embeddedFields({ value, open, depth, id }, below) {
  const show = (fields) => fill(below, fieldRows({ className: value.of, key: value.key, fields, open, depth: depth + 1, prefix: `${id}/` }));
  if (!value.more) return show(value.fields);
  try { return show((await app.ask("object", { class: value.of, key: value.key })).fields); } catch (error) { return noteError(error); }
}

/** Shows the elements of a collection in pages. */
function elements(place, below) {
  const { property, value, depth, open, id } = place, element = { ...property, collection: null, name: property.name, primaryKey: false, index: null };
  const list = h("div"), isMap = property.collection === "map";
  const head = isLinkList(property) && place.path.length === 1 ? h("div.entry", null, h("a.button.small", { href: toClass(property.target, { of: [place.className, place.key, property.name].map(encodeURIComponent).join("/") }) }, "Show as a table")) : null;
  fill(below, head, list);
  const line = (item, index) => {
    const at = isMap ? item[0] : index, entry = isMap ? item[1] : item;
    const inner = { ...place, path: [...place.path, at], name: at, property: element, value: entry, depth: depth + 1, id: `${id}/${at}`, open, isChanged: false, parent: place };
    return fieldRow(inner);
  };
  const more = async (from) => {
    try {
      const answer = await app.ask("part", { class: place.className, key: place.key, path: place.path, from, to: from + PAGE });
      list.querySelector(".more")?.remove();
      add(list, answer.elements.map((item, index) => line(item, from + index)));
      button(from + answer.elements.length, answer.count);
    } catch (error) { noteError(error); }
  };
  const button = (end, all) => { if (end < all) add(list, h("div.entry.more", null, h("button.button.small", { type: "button", onclick: () => more(end) }, `${count(all - end)} more`))); };
  add(list, value.head.map(line));
  button(value.head.length, value.count);
  if (app.canWrite && place.path.length === 1) add(below, h("div.entry", null, h("button.button.small", { type: "button", onclick: () => insertElement(place, element) }, icon("plus"), isMap ? "Add a key" : "Add an element")));
}

/** The button that edits a field, or the menu of an element. */
function editButton(place, waiting) {
  const { property, value, parent } = place;
  if (!app.canWrite || property.primaryKey || property.inverses) return null;
  if (waiting) return iconButton("Discard this edit", "close", () => edits.discard([waiting.n]));
  if (parent) return parent.path.length === 1 ? iconButton(`Edit the element ${plain(String(place.name))}`, "more", (event) => elementMenu(place, event)) : null;
  if (property.collection || property.owns || property.type === "inverse") return null;
  return iconButton(`Edit ${plain(property.name)}`, "edit", () => valueDialog({ className: place.className, key: place.key, property, value }));
}

const target = ({ className, key, property, at }) => ({ class: className, key, property: property.name, at });

function elementMenu(place, event) {
  const { parent, property, name } = place, at = name, isList = parent.property.collection === "list", where = target({ className: place.className, key: place.key, property: parent.property, at });
  const stage = (edit) => edits.stage([edit]);
  menu([
    !property.owns && parent.property.collection !== "set" && { label: "Edit…", iconName: "edit", action: () => valueDialog({ className: place.className, key: place.key, property, value: place.value, title: `${plain(property.name)}[${plain(String(at))}]`, send: (change) => edits.stage([{ replace: { ...where, ...change } }], { fails: true }) }) },
    { label: "Remove", iconName: "bin", action: () => stage({ remove: where }) },
    isList && at > 0 && { label: "Move up", action: () => stage({ move: { class: place.className, key: place.key, property: property.name, from: at, to: at - 1 } }) },
    isList && at < parent.value.count - 1 && { label: "Move down", action: () => stage({ move: { class: place.className, key: place.key, property: property.name, from: at, to: at + 1 } }) },
    isList && !property.owns && { label: "Insert before…", iconName: "plus", action: () => insertElement(parent, property, at) },
  ], placeOf(event.currentTarget));
}

function insertElement(place, element, at = place.value.count) {
  if (!editorFor(element, undefined)) return;
  if (place.property.collection === "map") return mapEntry(place, element);
  const where = target({ className: place.className, key: place.key, property: place.property, at });
  valueDialog({ className: place.className, key: place.key, property: element, value: undefined, title: `New element of ${plain(place.property.name)}`, send: (change) => edits.stage([{ insert: { ...where, ...change } }], { fails: true }) });
}

function mapEntry(place, element) {
  const key = h("input.input", { "aria-label": "Key", autocomplete: "off" });
  const shownDialog = valueDialog({ className: place.className, key: place.key, property: element, value: undefined, title: `New key of ${plain(place.property.name)}`, send: (change) => {
    if (!key.value) throw new Error("The key is empty.");
    return edits.stage([{ insert: { ...target({ className: place.className, key: place.key, property: place.property, at: key.value }), ...change } }], { fails: true });
  } });
  shownDialog?.querySelector(".content").prepend(h("label.down", null, "Key", key));
  key.focus();
}

