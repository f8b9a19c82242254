// Refused writes, merged conflicts and client resets: the last 1,000 of each.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go } from "./address.js";
import { clock, count, plain } from "./format.js";
import { tabList } from "./ui.js";
import { filterField, pager, table } from "./server.js";

const LIMIT = 100;
const time = { label: "Time", cell: (row) => clock(row.at).slice(0, 19) };
const user = { label: "User", cell: (row) => h("a", { href: address("users", [row.user], { app: row.app }) }, plain(row.user)) };
const place = [{ label: "App", cell: (row) => plain(row.app) }, { label: "Object", cell: (row) => `${plain(row.class)} ${plain(row.key)}` }, { label: "Field", cell: (row) => plain(row.field ?? "–") }];
const KINDS = {
  refusals: { label: "Refused writes", empty: "No write was refused since the server started.", columns: [time, user, ...place,
    { label: "Write", cell: (row) => row.kind }, { label: "Reason", cell: (row) => h("span.pill.bad", null, row.reason) },
    { label: "Rule", cell: (row) => [row.role ? `role ${plain(row.role)}` : null, row.rule ? h("code.block", null, plain(row.rule)) : null] }, { label: "Device", right: true, cell: (row) => `f${row.file}` }] },
  conflicts: { label: "Merged conflicts", empty: "No two devices have written one field at the same time since the server started.", columns: [time, user, ...place,
    { label: "Device", right: true, cell: (row) => `f${row.file}` }, { label: "Other device", right: true, cell: (row) => `f${row.otherFile}` },
    { label: "Outcome", cell: (row) => (row.outcome === "replaced" ? "this user's value is stored" : "the other value is stored") }] },
  resets: { label: "Client resets", empty: "No client was reset since the server started.", columns: [time, user, { label: "App", cell: (row) => plain(row.app) }, { label: "Device", right: true, cell: (row) => (row.file ? `f${row.file}` : "–") }, { label: "Cause", cell: (row) => plain(row.reason) }] },
};

export class RefusalsScreen {
  constructor() {
    this.kind = "refusals";
    this.text = "";
    this.tabs = tabList(Object.entries(KINDS).map(([name, entry]) => [name, entry.label]), { chosen: this.kind, label: "Kinds", onChoose: (name) => go(address("refusals", name === "refusals" ? [] : [name], { app: this.app, user: this.user })) });
    this.filter = filterField("Class, key, field or reason", (text) => { this.text = text; this.restart(); });
    this.note = h("span.dim", { role: "status" });
    this.list = h("div", { role: "tabpanel" });
    this.pages = h("div");
    this.element = h("div.page", null, this.tabs, h("div.across.wrap", null, this.filter, this.note), h("section.sheet", null, this.list), this.pages);
  }

  update({ parts, options }) {
    this.kind = KINDS[parts[0]] ? parts[0] : "refusals";
    this.app = options.get("app");
    this.user = options.get("user");
    this.tabs.choose(this.kind);
    this.restart();
  }

  restart() { this.before = null; this.read().catch(() => {}); }
  /** Newer entries are shown at once on the first part only. */
  tick() { return this.before ? null : this.read(); }

  async read() {
    const { kind, before, text } = this;
    const { entries, more, kept } = await app.ask(kind, { app: this.app, user: this.user, text, before, limit: LIMIT });
    if (kind !== this.kind || before !== this.before || text !== this.text) return;
    this.note.textContent = `${count(kept)} kept, the newest first`;
    fill(this.list, table(KINDS[kind].columns, entries, { label: KINDS[kind].label, empty: KINDS[kind].empty }));
    fill(this.pages, pager({ hasEarlier: Boolean(before), hasLater: more, onFirst: () => this.restart(), onNext: () => { this.before = entries.at(-1).number; this.read().catch(() => {}); } }));
  }
}
