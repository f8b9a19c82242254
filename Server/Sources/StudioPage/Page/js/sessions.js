// The live sessions of a server, ordered by their cost.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address } from "./address.js";
import { bytes, count, plain } from "./format.js";
import { choice } from "./ui.js";
import { filterField, pager, table } from "./server.js";

const LIMIT = 100;
const ORDERS = [["bytes", "Memory first"], ["lag", "Furthest behind first"], ["subscriptions", "Most subscriptions first"], ["user", "By user"], ["connection", "Oldest first"]];

export class SessionsScreen {
  constructor(page) {
    this.page = page;
    this.offset = 0;
    this.text = "";
    this.order = choice(ORDERS, { value: "bytes", onChange: () => this.restart(), "aria-label": "Order" });
    this.filter = filterField("User, SDK or stream", (text) => { this.text = text; this.restart(); });
    this.note = h("span.dim", { role: "status" });
    this.list = h("div");
    this.pages = h("div");
    this.element = h("div.page", null, h("div.across.wrap", null, this.filter, this.order, this.note), h("section.sheet", null, this.list), this.pages);
  }

  update(place) {
    this.app = place.options.get("app");
    this.user = place.options.get("user");
    this.restart();
  }

  restart() { this.offset = 0; this.read().catch(() => {}); }
  tick() { return this.read(); }

  async read() {
    const wanted = { app: this.app, user: this.user, text: this.text, order: this.order.value, offset: this.offset, limit: LIMIT };
    const { sessions, count: number, all } = await app.ask("sessions", wanted);
    if (this.offset !== wanted.offset || this.text !== wanted.text) return;
    this.note.textContent = `${count(number)} of ${count(all)} sessions${this.user ? ` of the user ${plain(this.user)}` : ""}`;
    fill(this.list, table([
      { label: "User", cell: (row) => h("a", { href: address("users", [row.user], { app: row.app }) }, plain(row.user)) },
      { label: "App", cell: (row) => plain(row.app) }, { label: "Stream", cell: (row) => plain(row.stream ?? "–") },
      { label: "Device", right: true, cell: (row) => `f${row.file}` }, { label: "SDK", cell: (row) => plain(row.agent || "–") },
      { label: "State", cell: (row) => h("span.pill", { class: row.state === "live" ? "good" : "warn" }, row.state) },
      { label: "Behind", right: true, cell: (row) => (row.lag === null ? "–" : count(row.lag)) }, { label: "Subscriptions", right: true, cell: (row) => count(row.subscriptions) },
      { label: "Waiting commits", right: true, cell: (row) => count(row.waiting) }, { label: "Schema", right: true, cell: (row) => row.schemaVersion }, { label: "Memory", right: true, cell: (row) => bytes(row.bytes) },
    ], sessions, { label: "Sessions", empty: "No session is open." }));
    fill(this.pages, pager({ hasEarlier: this.offset > 0, hasLater: this.offset + LIMIT < number, onFirst: () => this.restart(), onNext: () => { this.offset += LIMIT; this.read().catch(() => {}); } }));
  }
}
