// The frame of every screen: the rail, the list of classes, the trail, the indicator of commits and the status line.
import { fill, h, icon, s } from "./dom.js";
import { app, remember, toggleTheme } from "./app.js";
import { address } from "./address.js";
import { bytes, count, plain, since, times, zoneName } from "./format.js";
import { ClassList } from "./classlist.js";
import { showStatus, showTrail } from "./trail.js";
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
    this.classes = new ClassList();
    this.fileBox = h("div.file");
    this.side = h("aside.side", { "aria-label": "Classes" }, this.fileBox, this.classes.find, this.classes.list);
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
    setInterval(() => this.drawAge(), 1000);
  }

  /** The field that finds a class. */
  get findField() { return this.classes.field; }

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

  drawClasses() { this.classes.draw(); }

  /** Marks classes that have just changed, and shows their new counts. */
  classesChanged(push) { this.classes.changed(push); }

  /** Shows the steps that led to this place. `label` names the place itself. */
  drawTrail(label = this.label ?? "") {
    this.label = label;
    showTrail(this.trailBox, label);
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
  setStatus(parts) { showStatus(this.statusParts, parts); }

  chooseZone() {
    const names = ["UTC", Intl.DateTimeFormat().resolvedOptions().timeZone, ...(Intl.supportedValuesOf?.("timeZone") ?? [])];
    const list = choice([...new Set(names)].map((name) => [name, name]), { value: zoneName() });
    dialog("Time zone", [h("p.soft", null, "Dates are shown in this time zone. The tooltip of a date shows UTC."), pairs([["Time zone", list]])], {
      width: 420,
      actions: [["Cancel", "quiet", () => null], ["Use", "primary", () => { times.zone = list.value; remember((state) => { state.zone = list.value; }); app.redraw(); }]],
    });
  }
}

