// The frame of every screen: the rail, the list of classes, the trail, the indicator of commits and the status line.
import { fill, h, icon, s } from "./dom.js";
import { app, remember, toggleTheme } from "./app.js";
import { address, go, parsed, toClass, trail } from "./address.js";
import { bytes, count, plain, since, times, zoneName } from "./format.js";
import { hueOf, model } from "./model.js";
import { textNodes } from "./values.js";
import { choice, dialog, iconButton, pairs } from "./ui.js";
import { showKeys } from "./commands.js";
import { showPalette } from "./palette.js";

const SCREENS = [["data", "Data"], ["schema", "Schema"], ["history", "History"], ["file", "File"], ["transfer", "Transfer"]];
const BARS = 24;

/** Creates the frame, and keeps its parts up to date. */
export class Shell {
  constructor() {
    this.rail = h("nav.rail", { "aria-label": "Screens" });
    this.classList = h("div.list");
    this.findField = h("input.input", { type: "search", placeholder: "Find a class", "aria-label": "Find a class", oninput: () => this.drawClasses(), onkeydown: (event) => this.findKeys(event) });
    this.fileBox = h("div.file");
    this.side = h("aside.side", { "aria-label": "Classes" }, this.fileBox, h("div.find", null, icon("search"), this.findField, h("kbd", { "aria-hidden": "true" }, "/")), this.classList);
    this.trailBox = h("nav.trail", { "aria-label": "Trail" });
    this.bars = s("svg", { viewBox: "0 0 74 18", "aria-hidden": "true" });
    this.liveText = h("span.num");
    this.liveAge = h("span.dim.num");
    this.liveBox = h("div.live", { title: "Commits of all processes" }, h("span.dot"), this.bars, this.liveText, this.liveAge);
    this.top = h("header.top", null, this.trailBox, h("span.grow"),
      h("button.jump", { type: "button", onclick: () => showPalette() }, icon("search"), h("span.grow", null, "Search or run…"), h("kbd", null, "⌘K")), this.liveBox);
    this.statusParts = h("span.across");
    this.zone = h("button", { type: "button", title: "Time zone", onclick: () => this.chooseZone() });
    this.status = h("footer.status", { "aria-label": "Status" }, this.statusParts, h("span.grow"), this.zone, h("span.between"), h("button", { type: "button", onclick: () => showKeys() }, "Keys ?"));
    this.rates = [];
    this.ticks = new Map();
    setInterval(() => this.drawAge(), 1000);
  }

  /** Puts a screen into the frame. */
  show(screen, main) {
    main.classList.add("body");
    main.id = "main";
    this.screen = screen;
    const skip = h("a.skip", { href: "#main", onclick: (event) => { event.preventDefault(); (main.querySelector("[tabindex='0'], button, a[href], input") ?? main).focus(); } }, "Skip to the content");
    fill(document.getElementById("app"), skip, this.rail, this.side, this.top, main, this.status);
    this.refresh();
  }

  refresh() {
    this.drawRail();
    this.drawFile();
    this.drawClasses();
    this.drawTrail();
    this.drawLive();
    this.zone.textContent = zoneName();
  }

  drawRail() {
    fill(this.rail, h("img", { src: new URL("../mark.svg", import.meta.url).pathname, alt: "Freehold Studio", width: 28, height: 28 }),
      SCREENS.map(([name, label]) => h("a", { href: address(name), "aria-current": name === this.screen ? "page" : null }, icon(name === "transfer" ? "move" : name), label)),
      h("span.grow"), h("button", { type: "button", "aria-label": "Light or dark", title: "Light or dark", onclick: toggleTheme }, icon("theme")));
  }

  drawFile() {
    const { file } = app;
    if (!file) return fill(this.fileBox);
    const marks = [file.flags.encrypted && "encrypted", file.kind === "realm" && "Realm file", file.flags.synced && "synced"].filter(Boolean);
    fill(this.fileBox, h("div.across", null, h("h1.cut.grow", { title: plain(file.name) }, textNodes(file.name)), app.canWrite ? h("span.pill.warn", { title: "Started with --write" }, "can write") : h("span.pill", { title: "Started without --write" }, "read only")),
      h("div.across", null, h("div.where.cut.grow", { title: plain(file.folder ?? "") }, [plain(file.folder ?? ""), bytes(file.size), ...marks].filter(Boolean).join(" · ")),
        app.welcome.files.length + app.welcome.recent.length > 1 || app.welcome.files.length === 0 ? iconButton("Other files", "file", () => app.showStart()) : null));
  }

  countSpan(entry) {
    const span = h("span.count.num", null, entry.kind === "asymmetric" ? "only sent" : count(entry.count));
    this.countSpans.set(entry.class, span);
    return span;
  }

  drawClasses() {
    this.countSpans = new Map();
    const wanted = this.findField.value.trim().toLowerCase(), { screen, parts } = parsed();
    const matches = (text) => !wanted || text.toLowerCase().includes(wanted);
    const classes = model.classes.filter((entry) => matches(entry.class));
    const item = (entry) => h("a.item", { class: entry.hueClass, href: screen === "schema" ? address("schema", [entry.class]) : toClass(entry.class), "aria-current": parts[0] === entry.class && (screen === "data" || screen === "schema") ? "page" : null, title: plain(entry.class) },
      h("span.plot", { class: entry.kind }), h("span.cut", null, textNodes(entry.class)), this.tick(entry.class), this.countSpan(entry));
    const query = (entry, action) => h("div.item.row", null, h("a", { href: toClass(entry.class, { query: entry.query }), class: hueOf(entry.class), title: `${plain(entry.class)}: ${plain(entry.query)}` }, icon("search"), h("span.cut", null, textNodes(entry.name ?? entry.query))), action);
    const section = (title, items) => (items.length ? [h("h2.caps", null, title), items] : []);
    const saved = (app.state.saved ?? []).filter((entry) => matches(entry.name + entry.query)), earlier = (app.state.earlier ?? []).filter((entry) => matches(entry.query)).slice(0, 8);
    fill(this.classList, section("Classes", classes.filter((entry) => entry.kind !== "embedded").map(item)), section("Embedded", classes.filter((entry) => entry.kind === "embedded").map(item)),
      section("Saved queries", saved.map((entry) => query(entry, iconButton(`Delete the saved query ${plain(entry.name)}`, "close", () => { remember((state) => { state.saved = state.saved.filter((other) => other !== entry); }); this.drawClasses(); })))),
      section("Earlier queries", earlier.map((entry) => query(entry))));
    if (!classes.length && wanted) fill(this.classList, h("p.empty", null, "No class has this name."));
  }

  tick(name) {
    if (!this.ticks.has(name)) this.ticks.set(name, h("span.tick", { "aria-hidden": "true" }));
    return this.ticks.get(name);
  }

  /** Marks classes that have just changed, and shows their new counts. */
  classesChanged(push) {
    for (const [name, number] of push.counts) if (model.byName.has(name)) model.byName.get(name).count = number;
    for (const name of push.changed ?? []) {
      const tick = this.tick(name);
      tick.classList.remove("now");
      void tick.offsetWidth;
      tick.classList.add("now");
      tick.parentElement?.setAttribute("data-changed", "");
      clearTimeout(tick.timer);
      tick.timer = setTimeout(() => tick.classList.remove("now"), 7000);
    }
    for (const [name, number] of push.counts) {
      const span = this.countSpans?.get(name);
      if (span && model.byName.get(name)?.kind !== "asymmetric") span.textContent = count(number);
    }
  }

  findKeys(event) {
    if (event.key === "Enter" || event.key === "ArrowDown") {
      event.preventDefault();
      const first = this.classList.querySelector("a.item");
      if (event.key === "Enter") first?.click(); else first?.focus();
    }
    if (event.key === "Escape") { event.target.value = ""; this.drawClasses(); event.target.blur(); }
  }

  /** Shows the steps that led to this place. `label` names the place itself. */
  drawTrail(label = this.label ?? "") {
    this.label = label;
    const steps = trail().slice(-5);
    fill(this.trailBox, steps.map((step, index) => [h("a", { href: step.address, onclick: (event) => { event.preventDefault(); event.stopPropagation(); go(step.address, { trail: trail().slice(0, trail().length - steps.length + index) }); } }, plain(step.label)), h("span.between", { "aria-hidden": "true" }, "›")]),
      h("a", { href: location.hash || "#", "aria-current": "location" }, plain(label)));
    document.title = [label && plain(label), app.file && plain(app.file.name), "Freehold Studio"].filter(Boolean).join(" — ");
  }

  committed(push) {
    this.newest = push.newest;
    this.at = push.at;
    this.rates = [...this.rates, push.rate].slice(-BARS);
    this.drawLive();
  }

  drawLive() {
    const { file } = app, isLive = app.isOpen && file?.flags.live && !app.notLive;
    this.liveBox.classList.toggle("off", !isLive);
    this.liveBox.title = isLive ? "Commits of all processes" : app.notLive ?? file?.notLive ?? (app.isOpen ? "This file isn't followed" : "The program has ended");
    this.liveText.textContent = file ? (isLive ? `v ${count(this.newest ?? file.version)}` : app.isOpen ? "not live" : "ended") : "";
    const most = Math.max(1, ...this.rates);
    fill(this.bars, this.rates.map((rate, index) => { const height = 2 + (rate / most) * 15; return s("rect", { x: (BARS - this.rates.length + index) * 3.1, y: 18 - height, width: 2.2, height, rx: 0.8 }); }));
    this.drawAge();
  }

  drawAge() {
    const at = this.at ?? app.file?.lastCommit;
    this.liveAge.textContent = at && app.isOpen ? since(at) : "";
  }

  /** Shows texts in the status line. */
  setStatus(parts) {
    fill(this.statusParts, parts.filter(Boolean).map((part, index) => [index ? h("span.between") : null, h("span", null, part)]));
  }

  chooseZone() {
    const names = ["UTC", Intl.DateTimeFormat().resolvedOptions().timeZone, ...(Intl.supportedValuesOf?.("timeZone") ?? [])];
    const list = choice([...new Set(names)].map((name) => [name, name]), { value: zoneName() });
    dialog("Time zone", [h("p.soft", null, "Dates are shown in this time zone. The tooltip of a date shows UTC."), pairs([["Time zone", list]])], {
      width: 420,
      actions: [["Cancel", "quiet", () => null], ["Use", "primary", () => { times.zone = list.value; remember((state) => { state.zone = list.value; }); app.redraw(); }]],
    });
  }
}

