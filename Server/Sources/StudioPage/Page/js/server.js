// The page of a sync server: its frame, the polling of the screens, and what all of its screens share.
import { fill, h, icon } from "./dom.js";
import { app, toggleTheme } from "./app.js";
import { address, parsed, scope } from "./address.js";
import { count, plain, since, times } from "./format.js";
import { button, choice } from "./ui.js";
import { ClassList } from "./classlist.js";
import { showStatus, showTrail } from "./trail.js";
import { OverviewScreen } from "./overview.js";

const SCREENS = {
  overview: { label: "Overview", icon: "file", load: async () => OverviewScreen },
  sessions: { label: "Sessions", icon: "link", load: async () => (await import("./sessions.js")).SessionsScreen },
  refusals: { label: "Refused", icon: "close", load: async () => (await import("./refusals.js")).RefusalsScreen },
  logs: { label: "Logs", icon: "index", load: async () => (await import("./logs.js")).LogsScreen },
  users: { label: "Users", icon: "key", load: async () => (await import("./users.js")).UsersScreen },
  data: { label: "Data", icon: "data", load: async () => (await import("./documents.js")).DocumentsScreen },
  sight: { label: "Sees", icon: "search", load: async () => (await import("./sight.js")).SightScreen },
  backups: { label: "Backups", icon: "export", load: async () => (await import("./backups.js")).BackupsScreen },
  rules: { label: "Rules", icon: "schema", load: async () => (await import("./rules.js")).RulesScreen },
};
const SECOND = 1000;

/** The apps of the last overview. */
export const known = { apps: [], overview: null };

/** The app that an address names, or the only one. */
export const appOf = (place) => place.options.get("app") ?? (known.apps.length === 1 ? known.apps[0].app : null);

/** The frame of the page, and the screen that the address names. */
export class ServerPage {
  constructor() {
    this.rail = h("nav.rail", { "aria-label": "Screens" });
    this.apps = h("div.list");
    this.where = h("div.file");
    this.classes = new ClassList();
    this.side = h("aside.side", { "aria-label": "Apps" }, this.where, this.apps, this.classes.find, this.classes.list);
    this.title = h("h1.title");
    this.trailBox = h("nav.trail", { "aria-label": "Trail" });
    this.position = h("span.across");
    this.state = h("span");
    this.live = h("div.live", { role: "status" }, h("span.dot"), this.state);
    this.top = h("header.top", null, this.title, this.trailBox, h("span.grow"), this.live);
    this.body = h("main.body", { id: "main", tabindex: -1 });
    this.status = h("span.across");
    this.bar = h("footer.status", null, this.status, this.position, h("span.grow"), h("button", { type: "button", onclick: toggleTheme }, "Theme"));
    times.zone = app.welcome.timeZone ?? null;
    fill(document.getElementById("app"), h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); this.body.focus(); } }, "Skip to the content"), this.rail, this.side, this.top, this.body, this.bar);
    this.enterData(false);
    this.screen = null;
    this.shows = 0;
    app.here = () => (this.label ? [{ label: this.label, address: location.hash }] : []);
    app.setLabel = (label) => this.drawTrail(label);
    app.redraw = () => this.show();
    this.timer = setInterval(() => this.tick(), SECOND);
    document.addEventListener("visibilitychange", () => this.tick());
    this.tick();
  }

  /** Shows the screen of the address. */
  async show() {
    const place = parsed(), name = SCREENS[place.screen] ? place.screen : "overview", serial = ++this.shows;
    if (name !== this.name) {
      const Screen = await SCREENS[name].load();
      if (serial !== this.shows) return;
      this.screen?.close?.();
      this.screen = new Screen(this);
      this.name = name;
      fill(this.body, this.screen.element);
    }
    this.place = place;
    // The links of the screen of data lead to the same app and stream.
    scope.app = name === "data" ? place.options.get("app") : null;
    scope.stream = name === "data" ? place.options.get("stream") : null;
    if (name !== "data") this.enterData(false);
    this.screen.update(place);
    this.title.textContent = SCREENS[name].label;
    document.title = `${SCREENS[name].label} — ${plain(app.welcome.server.name)} — Freehold Studio`;
    this.draw();
  }

  get findField() { return this.classes.field; }
  drawClasses() { this.classes.draw(); }
  setStatus(parts) { showStatus(this.position, parts); }

  /** Shows the steps that led to this place. */
  drawTrail(label = this.label ?? "") {
    this.label = label;
    showTrail(this.trailBox, label);
  }

  /** Shows or hides what only the screen of data has. */
  enterData(isShown = true) {
    this.classes.find.hidden = this.classes.list.hidden = !isShown;
    this.apps.classList.toggle("short", isShown);
    if (isShown) return this.drawClasses();
    this.label = null;
    fill(this.trailBox);
    fill(this.position);
    return undefined;
  }

  draw() {
    const app_ = this.place?.options.get("app") ?? null;
    fill(this.rail, h("img", { src: new URL("../mark.svg", import.meta.url).pathname, alt: "" }), Object.entries(SCREENS).map(([name, entry]) => h("a", { href: address(name, [], { app: app_, stream: null }), "aria-current": name === this.name ? "page" : null }, icon(entry.icon), entry.label)));
    fill(this.where, h("h1", null, plain(app.welcome.server.name)), h("div.where", null, plain(app.welcome.server.folder)), app.welcome.write ? null : h("span.pill", null, icon("lock"), "read only"));
    const item = (label, value, number) => h("a.item", { href: address(this.name, [], { app: value, stream: null }), "aria-current": value === app_ ? "true" : null }, h("span.cut", null, plain(label)), number === null ? null : h("span.count", null, count(number)));
    fill(this.apps, h("h2.caps", null, "Apps"), item("All apps", null, null), known.apps.map((entry) => item(entry.app, entry.app, entry.sessions)));
  }

  /** Reads the overview, and lets the screen read what it shows. A hidden page reads nothing. */
  async tick() {
    if (document.hidden || this.isReading || !app.isOpen) return;
    this.isReading = true;
    try {
      const overview = await app.ask("overview");
      const isNew = known.apps.length !== overview.apps.length || known.apps.some((entry, index) => entry.app !== overview.apps[index].app || entry.sessions !== overview.apps[index].sessions);
      known.overview = overview;
      known.apps = overview.apps;
      this.setState(overview.draining ? "ending" : overview.ready ? "running" : "the store fails", overview.ready);
      fill(this.status, `${count(overview.connections)} connections, ${count(overview.sessions)} sessions, started ${since(overview.started)} ago`);
      if (isNew) this.draw();
      if (!this.hasApps) { this.hasApps = true; this.screen?.appsKnown?.(); }
      this.screen?.overview?.(overview);
      await this.screen?.tick?.();
    } catch (error) {
      if (error.code !== "closed") this.setState(error.message, false);
    }
    this.isReading = false;
  }

  setState(text, isGood) {
    if (this.state.textContent !== plain(text)) this.state.textContent = plain(text);
    this.live.classList.toggle("off", !isGood);
  }
}

/** A choice of an app that keeps the other options of the address. */
export function appChoice(place, onChange) {
  return choice(known.apps.map((entry) => [entry.app, entry.app]), { value: appOf(place) ?? "", onChange, "aria-label": "App" });
}

/** A text field that reports its text a moment after the user typed it. */
export function filterField(label, onChange) {
  let timer = 0;
  const field = h("input.input", { type: "search", placeholder: label, "aria-label": label, oninput: () => { clearTimeout(timer); timer = setTimeout(() => onChange(field.value.trim()), 250); } });
  return field;
}

/** A plain table. Columns are `{ label, right, cell(row) }`. */
export function table(columns, rows, { label, empty, row: attributes } = {}) {
  if (!rows.length) return h("p.empty", null, empty ?? "Nothing is listed.");
  return h("table.plain", { "aria-label": label }, h("thead", null, h("tr", null, columns.map((column) => h("th", { scope: "col", class: column.right ? "right" : null }, column.label)))),
    h("tbody", null, rows.map((row) => h("tr", attributes?.(row) ?? null, columns.map((column) => h("td", { class: column.right ? "right" : null }, column.cell(row)))))));
}

/** The buttons of a list in parts. */
export function pager({ hasEarlier, hasLater, onFirst, onNext }) {
  return h("div.across", null, button("First", onFirst, { disabled: !hasEarlier }), button("Next", onNext, { disabled: !hasLater }));
}
