// The object beside the table: its fields, the objects that link to it, its history and its JSON.
import { add, fill, h, icon, keepFocus } from "./dom.js";
import { app } from "./app.js";
import { address, parsed, stay, toClass, toObject } from "./address.js";
import { clock, count, plain } from "./format.js";
import { classNamed, hueOf } from "./model.js";
import { iconButton, menu, note, noteError, tabList, toClipboard } from "./ui.js";
import { edits } from "./edits.js";
import { fieldRows } from "./fields.js";
import { placeOf } from "./gridkeys.js";
import { saveCode } from "./bytes.js";
import { classBadge, linkTo, reportView, textNodes } from "./values.js";

const PAGE = 100, HISTORY = 60;

/** The pane of one object, which follows its changes. */
export class ObjectPane {
  constructor({ onClose, screen }) {
    this.onClose = onClose;
    this.screen = screen;
    this.header = h("header");
    this.tabs = tabList([["fields", "Fields"], ["linked", "Linked from"], ...(app.has("history") ? [["history", "History"]] : []), ["json", "JSON"]], { chosen: "fields", label: "Parts of the object", onChoose: (tab) => this.choose(tab) });
    this.body = h("div.fields", { role: "tabpanel", "aria-label": "Fields", tabindex: 0 });
    this.element = h("aside.inspector", { "aria-label": "Object", hidden: true }, this.header, this.tabs, this.body);
    this.stops = [app.on("object", (push) => this.pushed(push)), edits.onChange(() => this.drawTab())];
  }

  close() { this.stops.forEach((stop) => stop()); }

  focus() { this.tabs.querySelector("[aria-selected=true]")?.focus(); }

  /** Shows the object that the address names, or nothing. */
  show(place) {
    const key = place.options.get("object"), className = place.options.get("class") ?? place.parts[0];
    this.element.hidden = !key;
    if (!key) { this.wanted = null; this.label = null; return; }
    const tab = place.options.get("tab") ?? "fields", wanted = `${className}/${key}`;
    if (wanted === this.wanted) { if (tab !== this.tab) { this.tab = tab; this.drawTab(true); } return; }
    Object.assign(this, { wanted, className, key: app.keyOf(key), tab, label: `${className} #${key}`, value: null });
    this.load();
  }

  async load() {
    const { wanted } = this;
    try {
      const value = await app.ask("object", { class: this.className, key: this.key, follow: true });
      if (wanted !== this.wanted) return;
      this.value = value;
      this.label = value.title ?? `${this.className} #${this.key}`;
      app.setLabel(this.label);
      this.draw();
    } catch (error) {
      if (wanted !== this.wanted || error.code === "closed" || error.code === "cancelled") return;
      fill(this.header, h("div.across", null, classBadge(this.className), h("span.grow"), iconButton("Close the object", "close", this.onClose)));
      fill(this.body, h("p.empty", null, error.code === "notFound" ? "The object doesn't exist." : error.message));
    }
  }

  pushed(push) {
    if (push.class !== this.className || push.key !== this.key) return;
    if (push.gone) return fill(this.body, h("p.empty", null, "The object was deleted."));
    this.changedFields = new Set(push.fields);
    return this.load();
  }

  draw() {
    const { value } = this, primary = classNamed(this.className)?.key, identity = primary ? value.fields.find(([name]) => name === primary)?.[1] : null;
    const isDeleted = edits.rows.has(JSON.stringify([this.className, this.key]));
    fill(this.header,
      h("div.across", null, h("a", { class: "plainlink", href: toClass(this.className) }, classBadge(this.className)), h("span.grow"),
        iconButton("Copy the object", "copy", (event) => this.copyMenu(event)), app.canWrite ? iconButton(isDeleted ? "Keep the object" : "Delete the object", "bin", () => this.remove()) : null, iconButton("Close the object", "close", this.onClose)),
      h("h2.name", null, textNodes(value.title ?? `${this.className} #${this.key}`)),
      h("code.dim.cut", null, primary ? textNodes(`${primary} ${typeof identity === "object" && identity !== null ? JSON.stringify(identity) : identity}`) : `object key ${this.key}`),
      value.owner ? h("p", null, "part of ", linkTo({ to: value.owner.class, key: value.owner.key, title: value.owner.title }), h("span.dim", null, `.${plain(value.owner.property)}`)) : null,
      isDeleted ? h("p.error", null, "The deletion of this object is staged.") : null);
    this.drawTab();
  }

  choose(tab) {
    stay(address("data", parsed().parts, { ...Object.fromEntries(parsed().options), tab: tab === "fields" ? null : tab }));
    this.tab = tab;
    this.drawTab(true);
  }

  drawTab(isNew = false) {
    if (!this.value || this.element.hidden) return;
    const { links } = this.value, isCounted = links.every((link) => link.count !== null);
    this.tabs.choose(this.tab, { linked: isCounted ? `Linked from ${count(links.reduce((sum, link) => sum + link.count, 0))}` : "Linked from" });
    this.body.setAttribute("aria-label", this.tab);
    if (isNew) this.body.scrollTop = 0;
    if (this.tab === "linked") this.drawLinks();
    else if (this.tab === "history" && app.has("history")) this.drawHistory();
    else if (this.tab === "json") this.drawJSON();
    else this.drawFields();
  }

  drawFields() {
    const top = this.body.scrollTop, open = new Set([...this.body.querySelectorAll("[data-open]")].map((line) => line.dataset.open));
    keepFocus(this.body, () => fill(this.body, fieldRows({ className: this.className, key: this.key, fields: this.value.fields, open, changed: this.changedFields }), h("h3", null, "Linked from"), this.linkCounts()));
    this.body.scrollTop = top;
    this.changedFields = null;
  }

  linkCounts() {
    const { links } = this.value;
    if (!links.length) return h("p.back.dim", null, "No object links to this object.");
    return links.map((link) => h("button.back", { type: "button", onclick: () => { this.choose("linked"); this.openLinks = `${link.class}.${link.property}`; this.drawLinks(); } }, h("span.plot", { class: hueOf(link.class) }), h("span.cut", null, textNodes(link.class), h("span.dim", null, ".", textNodes(link.property))), h("span.n", null, linkCount(link)), icon("right")));
  }

  drawLinks() {
    fill(this.body, this.value.links.length ? null : h("p.empty", null, "No object links to this object."), this.value.links.map((link) => {
      const box = h("div.linked"), isOpen = this.openLinks === `${link.class}.${link.property}` || this.value.links.length === 1;
      const button = h("button.back", { type: "button", "aria-expanded": isOpen, onclick: () => { const next = button.getAttribute("aria-expanded") !== "true"; button.setAttribute("aria-expanded", next); if (next) this.linkedPage(link, box, 0); else fill(box); } }, h("span.plot", { class: hueOf(link.class) }), h("span.cut", null, textNodes(link.class), h("span.dim", null, ".", textNodes(link.property))), h("span.n", null, linkCount(link)), icon("down"));
      if (isOpen) this.linkedPage(link, box, 0);
      return [button, box];
    }));
  }

  async linkedPage(link, box, from) {
    try {
      const answer = await app.ask("linked", { class: this.className, key: this.key, by: { class: link.class, property: link.property }, from, to: from + PAGE });
      box.querySelector(".more")?.remove();
      add(box, answer.objects.map((object) => h("div.entry", null, linkTo(object), h("code.dim", null, `#${object.key}`))));
      const end = from + answer.objects.length;
      if (!end) add(box, h("p.dim.entry", null, "No object of this class links to this object."));
      if (end < answer.count && answer.objects.length) add(box, h("button.button.small.more", { type: "button", onclick: () => this.linkedPage(link, box, end) }, answer.whole === false ? "More" : `${count(answer.count - end)} more`));
    } catch (error) { noteError(error); }
  }

  /** Shows the latest commits that changed this object. */
  async drawHistory() {
    const { wanted } = this;
    fill(this.body, h("p.empty", null, "Reading the latest commits…"));
    try {
      const { commits, oldest } = await app.ask("commits", { limit: 200 });
      const own = commits.filter((commit) => commit.classes.some((entry) => entry.class === this.className)).slice(0, HISTORY), found = [];
      for (const commit of own) {
        const detail = await app.ask("commit", { version: commit.version });
        if (wanted !== this.wanted || this.tab !== "history") return;
        const change = changeOf(detail, this.className, this.key);
        if (change) found.push({ commit, ...change });
      }
      fill(this.body, found.length ? null : h("p.empty", null, "None of the latest commits changed this object."),
        found.map(({ commit, kind, properties }) => h("a.entry.across", { href: address("history", [String(commit.version)]) }, h("span.num", null, `v ${count(commit.version)}`), h("span.cut", null, kind === "modified" ? properties.map(plain).join(", ") : kind), h("span.grow"), h("span.dim", null, commit.at ?? commit.seen ? clock(commit.at ?? commit.seen) : plain(String(commit.origin))))),
        h("p.dim.entry", null, `${count(own.length)} commits of this class were read. Commits are known since version ${count(oldest)}.`));
    } catch (error) { noteError(error); fill(this.body, h("p.empty", null, error.message)); }
  }

  async drawJSON() {
    const { wanted } = this;
    try {
      const { json } = await app.ask("object", { class: this.className, key: this.key, json: true });
      if (wanted === this.wanted && this.tab === "json") fill(this.body, h("div.across.entry", null, h("span.grow"), h("button.button.small", { type: "button", onclick: () => toClipboard(json) }, icon("copy"), "Copy")), reportView(json));
    } catch (error) { fill(this.body, h("p.empty", null, error.message)); }
  }

  copyMenu(event) {
    const json = async () => (await app.ask("object", { class: this.className, key: this.key, json: true })).json;
    const copied = async (text) => { if (await toClipboard(await text)) note("Copied."); };
    menu([{ label: "Copy as JSON", action: () => copied(json()).catch(noteError) }, { label: "Save as JSON…", action: () => json().then((text) => saveCode(text, `${plain(this.className)}-${this.key}.json`)).catch(noteError) },
      { label: "Copy the title", action: () => copied(this.value.title ?? "") }, { label: "Copy the address", action: () => copied(`${location.origin}/${toObject(this.className, this.key)}`) },
      { label: "Open in a new tab", action: () => window.open(toObject(this.className, this.key), "_blank", "noopener") }], placeOf(event.currentTarget));
  }

  remove() {
    const entry = edits.waiting.find((waiting) => waiting.edit.delete?.class === this.className && waiting.edit.delete.keys.includes(this.key));
    if (entry) edits.discard([entry.n]).then(() => this.draw()); else edits.stage([{ delete: { class: this.className, keys: [this.key] } }]).then(() => this.draw());
  }
}

/** The number of links. A server finds them when they are opened. */
const linkCount = (link) => (link.count === null ? "find" : count(link.count));

function changeOf(detail, className, key) {
  const entry = detail.classes.find((other) => other.class === className);
  if (!entry) return null;
  if (entry.inserted.some((object) => object.key === key)) return { kind: "inserted" };
  if (entry.deleted.includes(key)) return { kind: "deleted" };
  const properties = entry.modified.filter((change) => change.keys.some((object) => object.key === key)).map((change) => change.property);
  return properties.length ? { kind: "modified", properties } : null;
}

