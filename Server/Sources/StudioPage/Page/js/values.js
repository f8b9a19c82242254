// Values as elements: in a cell of the table, in a field of an object, and in a difference.
import { h, icon } from "./dom.js";
import { bytes, count, exactMoment, grouped, moment, pieces, plain } from "./format.js";
import { toObject } from "./address.js";
import { hueOf, classNamed, propertyOf, typeName } from "./model.js";

/** A text in which characters that can't be seen are escapes. */
export function textNodes(text) {
  return pieces(text).map(([part, isEscape]) => (isEscape ? h("span.escape", null, part) : part));
}

export const nothing = () => h("span.null", null, "null");

/** The lines of a text, in which control characters are escapes. */
export const reportView = (text) => h("pre.json", null, text.split("\n").map((line, index) => [index ? "\n" : null, textNodes(line)]));

/** The text by which links name an object. An object that waits to be created has a name (`as`) and no key. */
export const linkLabel = (value) => (value.as === undefined ? value.title ?? `#${value.key}` : `new: ${value.title ?? value.to}`);

/** A link to an object, in the hue of its class. */
export function linkTo(value, { focusable = true } = {}) {
  const label = linkLabel(value);
  if (value.as !== undefined) return h("span.to", { class: hueOf(value.to) }, h("span.plot", { class: classNamed(value.to)?.kind }), h("span.cut", null, textNodes(label)));
  return h("a.to", { class: hueOf(value.to), href: toObject(value.to, value.key), "data-label": label, tabindex: focusable ? null : -1, title: `${value.to} · ${plain(label)}` },
    h("span.plot", { class: classNamed(value.to)?.kind }), h("span.cut", null, textNodes(label)));
}

/** The mark of a value of which only a part is shown. */
const cutMark = (whole) => h("span.cutoff", { title: `The value is cut. Its length is ${count(whole)} bytes.` }, `… ${bytes(whole)}`);

/** A value of a property as nodes. `size` is `cell`, `field` or `inline`. */
export function shown(value, property, size = "cell") {
  if (value === null || value === undefined) return [nothing()];
  if (property.collection && value.head) return collection(value, property, size);
  return single(value, property, size);
}

/** A value in a cell of the table: a string if it is plain text, which is drawn faster, or nodes. */
export function cellContent(value, property) {
  if (value === null || value === undefined || property.collection) return shown(value, property, "cell");
  switch (property.type) {
    case "int": return grouped(value);
    case "double": case "float": case "decimal128": return String(value);
    case "date": return moment(value);
    case "objectId": return `${value.slice(0, 4)}…${value.slice(-8)}`;
    case "uuid": return value;
    case "string": return typeof value === "string" && value !== "" && plain(value) === value ? value : shown(value, property, "cell");
    default: return shown(value, property, "cell");
  }
}

/** The exact value for a tooltip. */
export function exactText(value, property) {
  if (property.type === "date" && !property.collection && value) return exactMoment(value);
  return brief(value, property, 600);
}

function single(value, property, size) {
  switch (property.type) {
    case "bool": return [value ? h("span.yes", null, "✓ true") : h("span.no", null, "– false")];
    case "int": return [h("span.num", null, value)];
    case "double": case "float": case "decimal128": return [h("span.num", null, String(value))];
    case "date": return [h("span.num", { title: exactMoment(value) }, moment(value))];
    case "objectId": case "uuid": return [h("code.cut", null, value)];
    case "string": return string(value, size);
    case "data": return [h("span.chip", null, value.kind === "binary" ? "Data" : value.kind.toUpperCase(), h("span.dim", null, bytes(value.bytes)))];
    case "link": return [value.of ? embedded(value) : linkTo(value, { focusable: size !== "cell" })];
    case "mixed": return mixed(value, size);
    default: return [h("code", null, JSON.stringify(value))];
  }
}

function string(value, size) {
  if (typeof value === "object") return [h("span.cut", null, textNodes(value.text)), cutMark(value.length)];
  if (value === "" ) return [h("span.null", null, "empty text")];
  return [h(size === "cell" ? "span" : "span.text", null, textNodes(value))];
}

function embedded(value) {
  const text = value.fields.map(([name, field]) => `${plain(name)}: ${brief(field, propertyOf(value.of, name) ?? { type: "mixed" })}`).join(", ");
  return h("span.chip", { class: hueOf(value.of), title: text }, h("span.plot.embedded"), h("span.cut", null, text || value.of, value.more ? ", …" : ""));
}

function mixed(value, size) {
  if (value.is === "null" || value.value === null) return [nothing()];
  if (value.is === "list" || value.is === "map") return collection(value.value, { type: "mixed", collection: value.is }, size);
  return [single(value.value, { type: value.is }, size), h("span.type", null, typeName(value.is === "link" ? "Object" : value.is))];
}

function collection(value, property, size) {
  if (value.count === 0) return [h("span.null", null, "empty")];
  const element = { ...property, collection: null };
  const word = property.collection === "map" ? (value.count === 1 ? "key" : "keys") : "";
  const head = value.head.slice(0, size === "cell" ? 3 : 8);
  const parts = head.map((item) => (property.collection === "map"
    ? h("span.tag", null, textNodes(item[0]), ": ", brief(item[1], element))
    : element.type === "link" && item?.to ? linkTo(item, { focusable: size !== "cell" }) : h("span.tag", null, brief(item, element))));
  return [h("span.chip", null, [count(value.count), word].filter(Boolean).join(" ")), parts, value.count > head.length ? h("span.dim", null, "…") : null];
}

/** A value as a short text. */
export function brief(value, property, limit = 60) {
  const text = briefText(value, property);
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

function briefText(value, property) {
  if (value === null || value === undefined) return "null";
  if (property.collection && value.head) return property.collection === "map" ? `map of ${value.count}` : `[${value.head.map((item) => brief(item, { ...property, collection: null }, 20)).join(", ")}${value.count > value.head.length ? ", …" : ""}]`;
  switch (property.type) {
    case "date": return moment(value);
    case "string": return plain(typeof value === "object" ? `${value.text}…` : value);
    case "data": return `${value.kind} ${bytes(value.bytes)}`;
    case "link": return value.of ? `{${value.fields.map(([name, field]) => `${plain(name)}: ${brief(field, propertyOf(value.of, name) ?? { type: "mixed" }, 20)}`).join(", ")}}` : plain(linkLabel(value));
    case "mixed":
      if (value.is === undefined) return JSON.stringify(value);
      return briefText(value.value, value.is === "list" || value.is === "map" ? { type: "mixed", collection: value.is } : { type: value.is });
    default: return String(value);
  }
}

/** The text with which editing of a value begins, or `null` if the value can't be edited as one text. */
export function editText(value, property) {
  if (property.collection) return null;
  if (value === null) return "";
  switch (property.type) {
    case "string": return typeof value === "object" ? null : value;
    case "date": return `${moment(value, "UTC").replace(" ", "T")}Z`;
    case "link": return value.of ? null : value.title ?? "";
    case "data": return null;
    case "mixed": return value.is === "list" || value.is === "map" || value.is === "link" || value.is === "data" ? null : editText(value.value, { type: value.is });
    default: return String(value);
  }
}

/** The heading of a class: its square and its name. */
export const classBadge = (name) => h("span.to", { class: hueOf(name) }, h("span.plot", { class: classNamed(name)?.kind }), h("span.cut", null, textNodes(name)));

/** The icon and the name of a property. */
export const propertyName = (property, iconName) => [iconName ? icon(iconName) : null, h("span.cut", { title: plain(property.name) }, textNodes(property.name))];
