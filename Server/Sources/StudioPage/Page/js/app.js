// The state that all screens share: the session, the open file and what the program remembers for it.
import { times } from "./format.js";

export const app = {
  session: null, welcome: null, file: null, state: {}, isOpen: false,
  /** A Boolean value that indicates whether the page may edit. */
  get canWrite() { return Boolean(this.file?.flags?.write); },
  /** Whether the program can serve a part of the screens. A file has all of them. */
  has(feature) { return !this.file?.features || this.file.features.includes(feature); },
  /** The key of an object as messages have it. The keys of documents are texts. */
  keyOf(text) { return this.file?.kind === "server" ? text : Number(text); },
  ask(what, parameters, options) { return this.session.ask(what, parameters, options); },
  on(kind, listener) { return this.session.on(kind, listener); },
};

let saving = 0;

/** Takes the state of the page that the program has stored for this file. */
export function takeState(state) {
  app.state = { columns: {}, saved: [], earlier: [], titles: {}, ...state };
  times.zone = app.state.zone ?? app.file?.timeZone ?? app.welcome?.timeZone ?? null;
}

/** Changes the stored state, and sends it to the program a moment later. */
export function remember(change) {
  change(app.state);
  clearTimeout(saving);
  saving = setTimeout(() => rememberNow().catch(() => {}), 400);
}

/** Sends the stored state to the program. */
export function rememberNow() {
  clearTimeout(saving);
  return app.ask("remember", { state: app.state });
}

/** Adds a query to the earlier ones of the file. */
export function rememberQuery({ className, query, count }) {
  if (!query) return;
  remember((state) => {
    state.earlier = [{ class: className, query, count }, ...state.earlier.filter((entry) => entry.class !== className || entry.query !== query)].slice(0, 30);
  });
}

const THEME = "freehold-studio-theme";

/** Applies the theme of an address or the stored one. Without them the page follows the system. */
export function applyTheme(theme) {
  const chosen = theme ?? localStorage.getItem(THEME);
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}

/** Exchanges light and dark. */
export function toggleTheme() {
  const current = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  const next = current === "dark" ? "light" : "dark";
  localStorage.setItem(THEME, next);
  applyTheme(next);
}
