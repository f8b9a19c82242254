// The log of a server as it is written, with filters.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address } from "./address.js";
import { clock, count, plain } from "./format.js";
import { button, choice } from "./ui.js";
import { filterField } from "./server.js";

const MOST = 1000, WAIT = 20;
const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];
const COLOURS = { warning: "warn", error: "bad", critical: "bad", notice: "info" };

export class LogsScreen {
  constructor() {
    this.level = choice(LEVELS.map((name) => [name, `${name} and above`]), { value: "trace", onChange: () => this.restart(), "aria-label": "Level" });
    this.text = filterField("A word", () => this.restart());
    this.user = filterField("A user's id", () => this.restart());
    this.connection = filterField("A connection's number", () => this.restart());
    this.hold = button("Hold", () => { this.isHeld = !this.isHeld; this.hold.setAttribute("aria-pressed", this.isHeld); if (!this.isHeld) this.restart(); }, { "aria-pressed": "false" });
    this.note = h("span.dim", { role: "status" });
    this.lines = h("ol.loglines", { "aria-label": "Lines of the log", tabindex: 0 });
    this.element = h("div.page", null, h("div.across.wrap", null, this.level, this.text, this.user, this.connection, this.hold, this.note), h("section.sheet", null, this.lines));
  }

  update({ options }) {
    this.app = options.get("app");
    if (options.get("user")) this.user.value = options.get("user");
    this.restart();
  }

  close() { this.serial = null; }

  restart() {
    this.serial = {};
    fill(this.lines);
    this.follow(this.serial).catch(() => {});
  }

  /** Reads the newest lines, and then each further line when it is written. */
  async follow(serial) {
    let after = null;
    while (serial === this.serial && !this.isHeld) {
      if (document.hidden) { await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); }); continue; }
      const asked = performance.now();
      try {
        const answer = await app.ask("logs", { after, wait: after === null ? 0 : WAIT, level: this.level.value, app: this.app, user: this.user.value.trim(), connection: this.connection.value.trim(), text: this.text.value.trim(), limit: 200 });
        if (serial !== this.serial || this.isHeld) return;
        after = answer.next;
        this.add(answer);
        // A server that ends answers at once.
        if (!answer.lines.length && performance.now() - asked < 500) await new Promise((resolve) => { setTimeout(resolve, 500); });
      } catch (error) {
        if (error.code === "closed") return;
        this.note.textContent = plain(error.message);
        await new Promise((resolve) => { setTimeout(resolve, 1000); });
      }
    }
  }

  add({ lines, lost }) {
    const isAtEnd = this.lines.scrollHeight - this.lines.scrollTop - this.lines.clientHeight < 40;
    if (lost) this.lines.append(h("li.dim", null, `${count(lost)} lines are no longer kept.`));
    for (const line of lines) {
      this.lines.append(h("li", null, h("span.dim", null, clock(line.at).slice(11, 23)), h("span.pill", { class: COLOURS[line.level] }, line.level), h("span.bold", null, plain(line.message)),
        Object.entries(line.values).map(([name, value]) => h("span.soft", null, `${plain(name)}=`, name === "user" ? h("a", { href: address("users", [value], { app: line.values.app }) }, plain(value)) : plain(value)))));
    }
    while (this.lines.childElementCount > MOST) this.lines.firstElementChild.remove();
    if (isAtEnd) this.lines.scrollTop = this.lines.scrollHeight;
    this.note.textContent = this.lines.childElementCount ? `${count(this.lines.childElementCount)} lines` : "No line fits the filters.";
  }
}
