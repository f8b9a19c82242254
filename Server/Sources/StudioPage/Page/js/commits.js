// The history: the latest commits, and the difference of one of them.
import { fill, h, s } from "./dom.js";
import { app } from "./app.js";
import { address, go, toObject } from "./address.js";
import { clock, count, plain, plural, since } from "./format.js";
import { classNamed, hueOf, model } from "./model.js";
import { button, choice, note, noteError, toClipboard } from "./ui.js";
import { edits } from "./edits.js";
import { propertyRow } from "./difference.js";
import { classBadge, textNodes } from "./values.js";

const PAGE = 100, BARS = 90;

/** The screen of the history. */
export class HistoryScreen {
  constructor(shell) {
    this.shell = shell;
    this.strip = s("svg", { viewBox: `0 0 ${BARS * 4} 56`, preserveAspectRatio: "none", role: "img", "aria-label": "Objects changed by each of the latest commits" });
    this.list = h("div.commitlist", { role: "listbox", tabindex: 0, "aria-label": "Commits", onkeydown: (event) => this.pressed(event) });
    this.classFilter = choice([["", "All classes"], ...model.classes.map((entry) => [entry.class, plain(entry.class)])], { onChange: () => this.draw(), "aria-label": "Class" });
    this.originFilter = choice([["", "All origins"], ["studio", "Studio"], ["local", "Local programs"], ["applied", "Appliers, such as sync"], ["undo", "Can be undone"]], { onChange: () => this.draw(), "aria-label": "Origin" });
    this.more = h("div.entry", { hidden: true }, button("Older commits", () => this.load(true), { kind: "small" }));
    this.detail = h("section.diff", { "aria-label": "Commit", tabindex: 0 });
    this.element = h("main", { tabindex: -1, "aria-label": "History" }, h("section.commits", { "aria-label": "Commits" }, h("div.strip", null, this.strip), h("div.filters", null, this.classFilter, this.originFilter), this.list, this.more), this.detail);
    this.commits = [];
    this.load(false);
  }

  close() { this.isClosed = true; clearTimeout(this.timer); }

  update(place) {
    this.version = place.parts[0] ? Number(place.parts[0]) : null;
    this.shell.drawTrail(this.version ? `Version ${count(this.version)}` : "History");
    this.draw();
    if (this.version) this.show(this.version);
    else if (this.commits.length) this.show(this.commits[0].version);
  }

  committed() {
    if (this.timer) return;
    this.timer = setTimeout(() => { this.timer = 0; if (!this.isClosed) this.load(false); }, 700);
  }

  async load(isOlder) {
    try {
      const before = isOlder ? this.commits.at(-1)?.version : undefined;
      const answer = await app.ask("commits", { limit: PAGE, ...(before ? { before } : {}) });
      if (this.isClosed) return;
      const known = new Map(this.commits.map((commit) => [commit.version, commit]));
      for (const commit of answer.commits) known.set(commit.version, commit);
      this.commits = [...known.values()].sort((a, b) => b.version - a.version).slice(0, 2000);
      this.oldest = answer.oldest;
      this.more.hidden = !this.commits.length || (answer.more === undefined ? this.commits.at(-1).version <= answer.oldest : !answer.more && (isOlder || this.commits.length <= PAGE));
      this.draw();
      this.shell.setStatus([`commits are known since version ${count(answer.oldest)}`, app.file.flags.journal ? "the file has a journal" : null]);
      if (!this.version && this.commits.length && !this.shownVersion) this.show(this.commits[0].version);
    } catch (error) { noteError(error); }
  }

  matches(commit) {
    const className = this.classFilter.value, origin = this.originFilter.value;
    if (className && !commit.classes.some((entry) => entry.class === className)) return false;
    if (origin === "studio") return commit.mine || commit.origin === "studio";
    if (origin === "undo") return commit.undo;
    if (origin === "applied") return typeof commit.origin === "number";
    return !origin || String(commit.origin) === origin;
  }

  draw() {
    const chosen = this.version ?? this.shownVersion, shown = this.commits.filter((commit) => this.matches(commit)), top = this.list.scrollTop;
    this.drawStrip(shown, chosen);
    fill(this.list, shown.map((commit) => h("div.commit", { role: "option", id: `commit${commit.version}`, "aria-selected": commit.version === chosen, onclick: () => go(address("history", [String(commit.version)])) },
      h("span.v", null, count(commit.version)), h("span.what.cut", null, commit.schema ? "schema" : commit.classes.map((entry, index) => [index ? " · " : null, textNodes(entry.class)]), commit.classes.length || commit.schema ? null : "no objects"), sums(commit),
      h("span.who.cut", null, [originText(commit), commit.at ?? commit.seen ? `${since(commit.at ?? commit.seen)} ago` : null].filter(Boolean).join(" · ")))));
    if (!shown.length) fill(this.list, h("div.empty", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, this.commits.length ? "No commit matches." : "No commit is known."));
    this.list.scrollTop = top;
    if (chosen && document.getElementById(`commit${chosen}`)) this.list.setAttribute("aria-activedescendant", `commit${chosen}`); else this.list.removeAttribute("aria-activedescendant");
  }

  drawStrip(shown, chosen) {
    const bars = shown.slice(0, BARS).reverse(), sizes = bars.map((commit) => commit.classes.reduce((sum, entry) => sum + entry.inserted + entry.deleted + entry.modified, 0)), most = Math.log(Math.max(2, ...sizes) + 1);
    fill(this.strip, bars.map((commit, index) => { const height = 3 + (Math.log(sizes[index] + 1) / most) * 46; return s("rect", { class: commit.version === chosen ? "chosen" : null, onclick: () => go(address("history", [String(commit.version)])), x: (BARS - bars.length + index) * 4, y: 54 - height, width: 3, height, rx: 1 }, s("title", null, `version ${commit.version}: ${sizes[index]} objects`)); }));
  }

  pressed(event) {
    const shown = this.commits.filter((commit) => this.matches(commit)), at = shown.findIndex((commit) => commit.version === (this.version ?? this.shownVersion));
    const target = { ArrowDown: at + 1, ArrowUp: Math.max(0, at - 1), Home: 0, End: shown.length - 1, PageDown: Math.min(shown.length - 1, at + 10), PageUp: Math.max(0, at - 10) }[event.key];
    if (target === undefined || !shown[target]) return;
    event.preventDefault();
    go(address("history", [String(shown[target].version)]));
    document.getElementById(`commit${shown[target].version}`)?.scrollIntoView({ block: "nearest" });
  }

  async show(version) {
    const isNew = this.shownVersion !== version;
    this.shownVersion = version;
    if (isNew) this.draw();
    try {
      const detail = await app.ask("commit", { version });
      if (this.shownVersion !== version || this.isClosed) return;
      this.drawDetail(version, detail);
    } catch (error) {
      if (this.shownVersion === version && error.code !== "closed") fill(this.detail, h("p.empty", null, error.message));
    }
  }

  drawDetail(version, detail) {
    const commit = this.commits.find((other) => other.version === version), number = detail.classes.reduce((sum, entry) => sum + entry.insertedCount + entry.deletedCount + new Set(entry.modified.flatMap((change) => change.keys.map((object) => object.key))).size, 0);
    fill(this.detail,
      h("div.across.wrap", null, h("h2", null, `Version ${count(version)}`), h("span.pill", null, originText(commit ?? detail)), h("span.dim", null, [momentOf(commit, detail), plural(number, "object")].filter(Boolean).join(" · ")), h("span.grow"),
        commit?.undo && app.canWrite ? button("Undo this", () => this.undo(version), { kind: "small" }) : null, button("Copy as JSON", async () => { if (await toClipboard(JSON.stringify(detail, null, 2))) note("Copied."); }, { kind: "small", iconName: "copy" })),
      detail.classes.map((entry) => this.changes(entry, detail.values)), detail.classes.length ? null : h("p.soft", null, "The commit changed no objects."),
      detail.values ? null : h("p.across", null, h("span.pill.info", null, "values"), h("span.soft", null, "Old and new values are known for the last 100 writes of this page. For other commits, the changed objects and properties are known.")));
  }

  changes(entry, values) {
    const valuesOf = (key) => (values ?? []).filter((value) => value.class === entry.class && value.key === key);
    const objects = new Map();
    for (const change of entry.modified) for (const object of change.keys) { if (!objects.has(object.key)) objects.set(object.key, { ...object, properties: [] }); objects.get(object.key).properties.push(change.property); }
    const card = ({ kind, sign, key, title, properties = [] }) => h("article.change", { class: kind }, h("header", null, h("b", { class: kind, "aria-hidden": "true" }, sign), classBadge(entry.class), h("span.cut.bold", null, kind === "delete" || !classNamed(entry.class) ? textNodes(title ?? `#${key}`) : h("a", { href: toObject(entry.class, key), class: hueOf(entry.class) }, textNodes(title ?? `#${key}`))), h("span.pill", null, { insert: "inserted", delete: "deleted", modify: "changed" }[kind]), h("span.grow"), properties.length ? h("span.dim", null, plural(properties.length, "property", "properties")) : null),
      valuesOf(key).length ? valuesOf(key).map((value) => propertyRow({ className: entry.class, name: value.property, was: value.old, is: value.new })) : properties.length ? h("div.names", null, properties.map((name) => h("span.tag", null, textNodes(name)))) : null);
    const rest = entry.insertedCount - entry.inserted.length + entry.deletedCount - entry.deleted.length;
    return [
      [...objects.values()].map((object) => card({ kind: "modify", sign: "~", ...object })), entry.inserted.map((object) => card({ kind: "insert", sign: "+", ...object })), entry.deleted.map((key) => card({ kind: "delete", sign: "−", key })),
      rest > 0 ? h("p.dim", null, `${count(rest)} more objects of ${plain(entry.class)} aren't shown.`) : null,
      entry.modified.filter((change) => change.count > change.keys.length).map((change) => h("p.dim", null, `${plain(change.property)}: ${count(change.count - change.keys.length)} more objects aren't shown.`)),
    ];
  }

  async undo(version) {
    const answer = await edits.undoVersion(version);
    if (answer) { await this.load(false); go(address("history", [String(answer.version)])); }
  }

  key({ key, control, isTyping }) {
    if (control && key === "z" && !isTyping) { edits.undo(); return true; }
    if (control && key === "s") { edits.review(); return true; }
    return false;
  }
}

const originText = (commit) => [commit.mine ? "Studio" : { local: "local program", studio: "Studio" }[commit.origin] ?? `applier ${plain(String(commit.origin))}`, commit.process ? `process ${commit.process}` : null].filter(Boolean).join(", ");

/** The time of a commit: the one in the file, or the time at which Studio saw it. */
function momentOf(commit, detail) {
  const at = commit?.at ?? detail.at;
  if (at) return clock(at);
  const seen = commit?.seen ?? detail.seen;
  return seen ? `seen at ${clock(seen)}` : null;
}

function sums(commit) {
  const total = (name) => commit.classes.reduce((sum, entry) => sum + (entry[name] ?? 0), 0), part = (number, sign, kind, word) => (number ? h("span", { class: kind, title: `${count(number)} ${word}` }, `${sign}${count(number)}`) : null);
  return h("span.sum", null, part(total("inserted"), "+", "insert", "inserted"), part(total("modified"), "~", "modify", "changed"), part(total("deleted"), "−", "delete", "deleted"));
}

