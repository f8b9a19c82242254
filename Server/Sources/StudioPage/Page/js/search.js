// The search in a result: a condition on all texts of the class is added to the query.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { go, trail } from "./address.js";
import { classNamed } from "./model.js";
import { iconButton, note, noteError } from "./ui.js";

const WORDS = /^(?:and|or|not|any|all|none|some|in|like|between|contains|beginswith|endswith|matches|text|sort|distinct|limit|offset|true|false|null|nil|self|truepredicate|falsepredicate|subquery|asc|desc|geowithin|distance)$/i;
const MOST = 12;

/** Shows the field of the search, or moves the focus there. */
export function searchText(screen) {
  const { searchBox } = screen;
  if (!searchBox.hidden) return searchBox.querySelector("input").focus();
  const names = classNamed(screen.className).properties.filter((property) => property.type === "string" && !property.collection && /^[A-Za-z_]\w*$/.test(property.name) && !WORDS.test(property.name)).map((property) => property.name).slice(0, MOST);
  if (!names.length) return note("The class has no property whose text can be searched.");
  const before = screen.query.text;
  const close = () => { searchBox.hidden = true; fill(searchBox); screen.grid.element.focus(); };
  const field = h("input.input.grow", { type: "search", "aria-label": "Search in the result", placeholder: `Text in ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}`, onkeydown: async (event) => {
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); return close(); }
    if (event.key !== "Enter") return undefined;
    event.preventDefault();
    try {
      const query = await withSearch({ className: screen.className, before, names, text: field.value });
      close();
      return go(screen.addressWith({ query }), { trail: trail() });
    } catch (error) { return noteError(error); }
  } });
  searchBox.hidden = false;
  fill(searchBox, field, iconButton("Close the search", "close", close));
  field.focus();
  return undefined;
}

/** The query with a condition on the texts. */
async function withSearch({ className, before, names, text }) {
  if (!text) return before || null;
  const quoted = JSON.stringify(text).replace(/\u2028/g, "\\u2028").replace(/\u2029/g, "\\u2029");
  return withCondition({ className, before, condition: names.map((name) => `${name} CONTAINS[c] ${quoted}`).join(" OR ") });
}

/** A query with one more condition, which is put before SORT, DISTINCT and LIMIT. */
export async function withCondition({ className, before, condition }) {
  if (!before.trim()) return condition;
  const { tokens } = await app.ask("parse", { class: className, text: before });
  const end = tokens.find(([from, to, kind]) => kind === "keyword" && /^(?:SORT|DISTINCT|LIMIT|OFFSET)$/i.test(before.slice(from, to).trim()))?.[0] ?? before.length;
  const [first, rest] = [before.slice(0, end).trim(), before.slice(end).trim()];
  return [first && !/^TRUEPREDICATE$/i.test(first) ? `(${first}) AND (${condition})` : `(${condition})`, rest].filter(Boolean).join(" ");
}
