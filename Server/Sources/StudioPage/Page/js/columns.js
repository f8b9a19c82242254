// The columns of a class: which ones are shown, their order and their widths.
import { h } from "./dom.js";
import { app, remember } from "./app.js";
import { plain } from "./format.js";
import { classNamed, isNumber, kindIcon, typeText } from "./model.js";
import { dialog } from "./ui.js";
import { brief, textNodes } from "./values.js";

const WIDTHS = { bool: 92, int: 132, double: 124, float: 124, decimal128: 132, date: 178, objectId: 138, uuid: 180, string: 190, data: 118, link: 170, mixed: 150 };
const AT_FIRST = 40, MOST = 120;

const stored = (className) => app.state.columns?.[className] ?? {};

/** The names of the properties that are shown, in their order. Classes with many properties show the first ones. */
export function shownColumns(className) {
  const entry = classNamed(className), { order = [], hidden } = stored(className);
  const names = entry.properties.filter((property) => property.type !== "inverse" && !property.inverses).map((property) => property.name);
  const sorted = [...order.filter((name) => names.includes(name)), ...names.filter((name) => !order.includes(name))];
  const visible = hidden ? sorted.filter((name) => !hidden.includes(name)) : sorted.slice(0, AT_FIRST);
  const key = entry.key;
  return key && visible.includes(key) ? [key, ...visible.filter((name) => name !== key)].slice(0, MOST) : visible.slice(0, MOST);
}

/** The columns of the table, for the properties that a cursor returns. */
export function gridColumns({ className, names, sort }) {
  const entry = classNamed(className), { widths = {} } = stored(className);
  return names.map((name, cell) => {
    const property = entry.properties.find((other) => other.name === name) ?? { name, type: "string" };
    const position = sort.findIndex(([path]) => path === name);
    return {
      name, cell, property, title: plain(name), typeText: plain(typeText(property)), icon: kindIcon(property), right: isNumber(property), mono: !property.collection && (property.type === "objectId" || property.type === "uuid"), pinned: cell === 0 && name === entry.key,
      width: widths[name] ?? (property.collection ? 190 : WIDTHS[property.type] ?? 150), sortable: !property.collection && !["data", "mixed", "link"].includes(property.type),
      sorted: position < 0 ? null : { descending: sort[position][1] === "desc", position: sort.length > 1 ? position + 1 : 0 },
    };
  });
}

/** Widens columns without a stored width to the texts of the first rows. */
export function fitColumns({ className, columns, rows }) {
  const { widths = {} } = stored(className);
  for (const column of columns) {
    if (widths[column.name]) continue;
    const longest = Math.max(...rows.map((row) => brief(row.cells[column.cell], column.property, 44).length), 0), links = column.property.type === "link" ? 24 : 0;
    const heading = 40 + (column.title.length + column.typeText.length) * 7;
    column.width = Math.round(Math.max(Math.min(heading, 220), Math.min(340, longest * (column.property.type === "objectId" ? 4.6 : column.right ? 8.6 : 7.4) + 30 + links + (column.property.collection ? 60 : 0)), 64));
  }
}

function change(className, action) {
  remember((state) => {
    state.columns ??= {};
    state.columns[className] = { ...state.columns[className] };
    action(state.columns[className]);
  });
}

export const storeWidth = (className, { name, width }) => change(className, (entry) => { entry.widths = { ...entry.widths, [name]: Math.round(width) }; });

export function hideColumn(className, name) {
  const all = classNamed(className).properties.map((property) => property.name), visible = shownColumns(className);
  change(className, (entry) => { entry.hidden = all.filter((other) => !visible.includes(other) || other === name); });
}

/** Moves a column by one place. */
export function moveColumn(className, name, step) {
  const order = shownColumns(className), at = order.indexOf(name), to = at + step;
  if (to < 0 || to >= order.length) return;
  order.splice(at, 1);
  order.splice(to, 0, name);
  change(className, (entry) => { entry.order = order; });
}

/** Shows the list of properties with their check boxes. */
export function chooseColumns(className, onChange) {
  const entry = classNamed(className), visible = new Set(shownColumns(className));
  const properties = entry.properties.filter((property) => !property.inverses);
  const filter = h("input.input", { type: "search", "aria-label": "Find a property", placeholder: "Find a property", oninput: () => { for (const line of list.children) line.hidden = !line.dataset.name.toLowerCase().includes(filter.value.toLowerCase()); } });
  const list = h("div.choices", { role: "group", "aria-label": "Columns" }, properties.map((property) => h("label.choice", { "data-name": property.name }, h("input", { type: "checkbox", checked: visible.has(property.name), onchange: (event) => (event.target.checked ? visible.add(property.name) : visible.delete(property.name)) }), h("span.cut", null, textNodes(property.name)), h("span.type", null, plain(typeText(property))))));
  const all = (isOn) => { for (const box of list.querySelectorAll("input")) { box.checked = isOn; box.dispatchEvent(new Event("change")); } };
  dialog("Columns", [filter, h("div.across", null, h("button.button.small", { type: "button", onclick: () => all(true) }, "All"), h("button.button.small", { type: "button", onclick: () => all(false) }, "None"), h("span.dim", null, `At most ${MOST} columns are shown.`)), list], {
    width: 460,
    actions: [["Cancel", "quiet", () => null], ["Show", "primary", () => {
      if (!visible.size) throw new Error("At least one column is needed.");
      change(className, (stateEntry) => { stateEntry.hidden = properties.map((property) => property.name).filter((name) => !visible.has(name)); });
      onChange();
    }]],
  });
}
