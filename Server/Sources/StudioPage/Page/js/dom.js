// The only module that creates elements. Names and values become text nodes and attributes, never markup.
const SVG = "http://www.w3.org/2000/svg";

/** Creates an element from its tag and classes, such as `h("button.item", { onclick }, "text")`. */
export function h(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  return filled(document.createElement(tag || "div"), { classes, attributes, children });
}

/** Like `h`, for SVG. */
export function s(kind, attributes, ...children) {
  const [tag, ...classes] = kind.split(".");
  return filled(document.createElementNS(SVG, tag), { classes, attributes, children });
}

function filled(element, { classes, attributes, children }) {
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(attributes ?? {})) apply(element, name, value);
  add(element, children);
  return element;
}

function apply(element, name, value) {
  if (value === null || value === undefined) return;
  if (name.startsWith("aria-")) return element.setAttribute(name, String(value));
  if (value === false) return;
  if (name === "class") return element.setAttribute("class", [element.getAttribute("class"), value].filter(Boolean).join(" "));
  // The policy forbids style attributes. Properties that are set by a script are allowed.
  if (name === "style") return Object.entries(value).forEach(([key, text]) => element.style.setProperty(key, text));
  if (name.startsWith("on")) return element.addEventListener(name.slice(2), value);
  if (name === "value" && "value" in element && element.localName !== "li" && element.localName !== "button") { element.value = value; return; }
  if (name === "checked") { element.checked = Boolean(value); return; }
  element.setAttribute(name, value === true ? "" : String(value));
}

/** Adds children: elements, texts, and nested arrays of them. `null`, `undefined` and `false` are left out. */
export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

/** Runs work that creates the children of a container again. The focus stays at the same place in it. */
export function keepFocus(container, work) {
  const active = document.activeElement, path = [];
  if (active !== container && container.contains(active)) for (let element = active; element !== container; element = element.parentElement) path.unshift([...element.parentElement.children].indexOf(element));
  work();
  if (!path.length) return;
  const element = path.reduce((parent, index) => parent?.children[index], container);
  element?.focus({ preventScroll: true });
}

const SHAPES = {
  data: "M3 4h14v12H3zM3 8h14M8 8v8",
  schema: "M3 3h5v5H3zM12 12h5v5h-5zM8 5.5h6.5V12",
  history: "M10 5v5l3 2M3.5 10a6.5 6.5 0 1 0 2-4.7M3 3v3h3",
  file: "M3 3h6v6H3zM11 3h6v3h-6zM11 8h6v9h-6zM3 11h6v6H3z",
  move: "M4 7h11M12 4l3 3-3 3M16 13H5M8 10l-3 3 3 3",
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5 17 17",
  key: "M7 12a3.5 3.5 0 1 1 0-.01M10.4 12H17v3M14 12v2.5",
  index: "M4 5h12M4 10h8M4 15h5",
  link: "M8 12l4-4M7 9 5.6 10.4a2.8 2.8 0 0 0 4 4L11 13M13 11l1.4-1.4a2.8 2.8 0 0 0-4-4L9 7",
  copy: "M7 7h9v9H7zM4 13V4h9",
  theme: "M16 11.5A6.5 6.5 0 0 1 8.5 4a6.5 6.5 0 1 0 7.5 7.5z",
  more: "M5 10h.01M10 10h.01M15 10h.01",
  down: "M6 8l4 4 4-4",
  right: "M8 6l4 4-4 4",
  play: "M7 5l8 5-8 5z",
  words: "M4 16 8.5 4h1L14 16M5.6 12h6.8M15 9l2 7",
  place: "M10 17s5.5-5 5.5-9a5.5 5.5 0 0 0-11 0c0 4 5.5 9 5.5 9zM10 8h.01",
  lock: "M5 9h10v7H5zM7 9V7a3 3 0 0 1 6 0v2",
  plus: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5 5 15",
  pin: "M7 3h6l-1 5 3 3H5l3-3zM10 11v6",
  star: "M10 3l2.1 4.6 5 .6-3.7 3.4 1 5L10 14.100l-4.400 2.500 1-5L2.900 8.200l5-.6z",
  edit: "M4 16l1-4 8-8 3 3-8 8zM11 6l3 3",
  bin: "M4 6h12M8 6V4h4v2M6 6l1 10h6l1-10",
  export: "M10 3v9M6.5 6.5 10 3l3.500 3.500M4 13v4h12v-4",
  import: "M10 3v9M6.500 8.500 10 12l3.500-3.500M4 13v4h12v-4",
  ok: "M4 10.500l4 4 8-9",
};

/** A picture of lines in a square of 20 units. */
export function icon(name) {
  return s("svg.icon", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: SHAPES[name] ?? SHAPES.more }));
}

/** Calls a function at most once for each frame. */
export function eachFrame(work) {
  let asked = 0;
  return () => {
    if (asked) return;
    asked = requestAnimationFrame(() => { asked = 0; work(); });
  };
}

/** Adds a listener and returns the function that removes it. */
export function listen(target, kind, action, options) {
  target.addEventListener(kind, action, options);
  return () => target.removeEventListener(kind, action, options);
}
