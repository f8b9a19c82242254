// The address of each state of the page: #/screen/part/part?name=value. Names are percent-encoded.

/** The screen, the parts and the options of an address. */
export function parsed(hash = location.hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decoded);
  return { screen: parts[0] ?? "", parts: parts.slice(1), options: new URLSearchParams(query ?? "") };
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** The options that all addresses have: the file if the program has several, or the app and the stream of a server whose documents are shown. */
export const scope = { file: null, app: null, stream: null };

/** The address of a place. Options that are `null` or empty are left out. */
export function address(screen, parts = [], options = {}) {
  const query = new URLSearchParams(Object.entries({ ...scope, ...options }).filter(([, value]) => value !== null && value !== undefined && value !== ""));
  const text = query.toString();
  return `#/${[screen, ...parts].map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

/** The address of a class, or of one of its objects. */
export const toClass = (name, options) => address("data", [name], options);
export const toObject = (name, key, options) => address("data", [name], { ...options, object: key });

const listeners = new Set();

/** Calls a function after each change of the address. */
export function onAddress(listener) {
  listeners.add(listener);
}

const changed = () => listeners.forEach((listener) => listener());
addEventListener("popstate", changed);

/** The steps that led to this place: `[{ label, address }]`. */
export const trail = () => history.state?.trail ?? [];

/** Opens an address as a new entry of the browser's history, with the steps that led there. */
export function go(to, { trail: steps = [] } = {}) {
  if (to === location.hash) return changed();
  history.pushState({ trail: steps }, "", to);
  changed();
}

/** Replaces the address without a new entry, such as while the user types. */
export function stay(to, { quiet = true } = {}) {
  if (to !== location.hash) history.replaceState(history.state, "", to);
  if (!quiet) changed();
}
