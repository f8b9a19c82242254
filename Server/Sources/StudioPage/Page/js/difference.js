// Differences of objects: the property, the old value and the new value.
import { h } from "./dom.js";
import { plain, plural } from "./format.js";
import { propertyOf } from "./model.js";
import { toObject } from "./address.js";
import { brief, classBadge, nothing, shown, textNodes } from "./values.js";

const SIGNS = { created: ["+", "insert"], added: ["+", "insert"], deleted: ["−", "delete"], removed: ["−", "delete"], cascade: ["−", "delete"], changed: ["~", "modify"] };
const NAMES = { created: "created", added: "added", deleted: "deleted", removed: "removed", cascade: "deleted by a rule", changed: "changed" };

/** A list of changed objects. `sides` names the properties of the two values. */
export function differenceList(difference, { sides = ["old", "new"] } = {}) {
  return difference.map((object) => {
    const [sign, kind] = SIGNS[object.kind] ?? SIGNS.changed, properties = object.properties ?? [];
    if (object.count !== undefined && object.key === undefined) return h("p.soft", null, classBadge(object.class), ` ${plural(object.count, "object")} ${NAMES[object.kind] ?? object.kind}`);
    return h("article.change", { class: kind },
      h("header", null, h("b", { class: kind, "aria-hidden": "true" }, sign), classBadge(object.class), h("span.cut.bold", null, object.key === undefined || object.key === null ? textNodes(object.title ?? "") : h("a", { href: toObject(object.class, object.key) }, textNodes(object.title ?? `#${object.key}`))),
        h("span.pill", null, NAMES[object.kind] ?? object.kind), h("span.grow"), properties.length ? h("span.dim", null, plural(properties.length, "property", "properties")) : null),
      properties.map((entry) => propertyRow({ className: object.class, name: entry.name, was: entry[sides[0]], is: entry[sides[1]], isElement: entry.element })));
  });
}

/** A property with its old value and its new value, or with those of one element. The parts that differ are marked. */
export function propertyRow({ className, name, was, is, isElement = false }) {
  const found = propertyOf(className, name) ?? { type: "mixed" }, property = isElement ? { ...found, collection: null } : found;
  const [old, now] = isText(was) && isText(is) ? markedTexts(asText(was, property), asText(is, property)) : [value(was, property), value(is, property)];
  return h("div.property", null, h("span.soft.cut", { title: plain(name) }, textNodes(name)), h("span.was", null, h("span.unseen", null, "before: "), old), h("span.is", null, h("span.unseen", null, "after: "), now));
}

const isText = (value) => typeof value === "string" || typeof value === "number";
const asText = (value, property) => brief(value, property, 4000);
const value = (entry, property) => (entry === undefined ? h("span.null", null, "–") : entry === null ? nothing() : shown(entry, property, "inline"));

/** Two texts with the middle that differs as marks. */
function markedTexts(was, is) {
  let start = 0, end = 0;
  while (start < was.length && start < is.length && was[start] === is[start]) start++;
  while (end < was.length - start && end < is.length - start && was[was.length - 1 - end] === is[is.length - 1 - end]) end++;
  const part = (text) => { const middle = text.slice(start, text.length - end); return [textNodes(text.slice(0, start)), middle ? h("mark", null, textNodes(middle)) : null, end ? textNodes(text.slice(text.length - end)) : null]; };
  return [part(was), part(is)];
}
