// What a user sees of a class: objects with hidden fields, and the reasons for what the user doesn't see.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go } from "./address.js";
import { plain } from "./format.js";
import { button, choice, noteError } from "./ui.js";
import { appChoice, appOf, filterField, pager, table } from "./server.js";
import { commandLine, commandText, folder } from "./command.js";
import { shortValue } from "./extended.js";

const LIMIT = 50, COLUMNS = 6;

export class SightScreen {
  constructor() {
    this.choice = h("span");
    this.classes = h("span");
    this.user = filterField("The user's id", () => this.restart());
    this.stream = filterField("Stream, if the app has several", () => this.restart());
    this.problem = h("p.error", { role: "alert", hidden: true });
    this.rules = h("div");
    this.other = h("textarea.input", { rows: 10, "aria-label": "Other rules", spellcheck: "false", placeholder: "A document of all rules" });
    this.tries = h("input", { type: "checkbox", onchange: () => this.restart() });
    this.trial = h("details.sheet", { ontoggle: () => this.fillRules() }, h("summary", null, "Try other rules"), this.other, h("div.across", null, h("label.choice", null, this.tries, "Use these rules here"), button("Show", () => this.restart()), h("span.dim", null, "They aren't stored.")));
    this.list = h("div");
    this.pages = h("div");
    this.element = h("div.page", null, h("div.across.wrap", null, this.choice, this.user, this.classes, this.stream), this.problem, this.trial, this.rules, h("section.sheet", null, this.list), this.pages);
  }

  async update(place) {
    this.place = place;
    const name = appOf(place);
    fill(this.choice, appChoice(place, (value) => go(address("sight", [], { app: value, user: this.user.value }))));
    if (place.options.get("user")) this.user.value = place.options.get("user");
    if (name !== this.app || !this.tables) {
      this.app = name;
      this.tables = null;
      if (!name) return void fill(this.list, h("p.empty", null, "Choose an app."));
      try { this.tables = (await app.ask("classes", { app: name })).classes.filter((entry) => entry.kind !== "embedded"); } catch (error) { return this.fail(error); }
      if (name !== this.app) return;
    }
    this.class = place.parts[0] ?? this.tables[0]?.name ?? null;
    fill(this.classes, choice(this.tables.map((entry) => [entry.name, plain(entry.name)]), { value: this.class ?? "", "aria-label": "Class", onChange: (value) => go(address("sight", [value], { app: this.app, user: this.user.value })) }));
    this.restart();
  }

  appsKnown() { this.update(this.place); }

  fail(error) {
    if (error.code === "closed") return;
    this.problem.textContent = plain(error.message);
    this.problem.hidden = false;
  }

  restart() { this.after = null; this.read(); }

  /** Begins with the rules of the app. */
  fillRules() {
    if (!this.trial.open || this.other.value || !this.app) return;
    app.ask("rules", { app: this.app }).then((answer) => { this.other.value ||= answer.rules ?? "{}"; }).catch(noteError);
  }

  async read() {
    const user = this.user.value.trim();
    if (!this.class || !user) return void fill(this.list, h("p.empty", null, this.class ? "Type the id of a user." : "The app has no classes."));
    const serial = (this.serial = {});
    try {
      const isTrial = this.tries.checked;
      const answer = await app.ask(isTrial ? "trySight" : "sight", { ...(isTrial ? { body: this.other.value } : {}), app: this.app, class: this.class, user, stream: this.stream.value.trim() || undefined, after: this.after ?? undefined, limit: LIMIT });
      if (serial !== this.serial) return;
      this.problem.hidden = true;
      const names = [...new Set(answer.objects.flatMap((entry) => Object.keys(entry.document)))].filter((name) => name !== "_id").slice(0, COLUMNS);
      const conditions = answer.subscriptions.filter((query) => query.class === this.class);
      fill(this.rules, h("section.sheet", null, h("header", null, h("h2", null, "Rights and subscriptions"), isTrial ? h("span.pill.warn", null, "with the other rules") : null), h("pre.swift", { tabindex: 0 }, plain(answer.rules).replaceAll("\\n", "\n")), h("p.soft", null, conditions.length ? `Subscribed now: ${conditions.map((query) => plain(query.condition)).join(" · ")}` : "The user has no live session that subscribes to this class."), h("p.dim", null, "The rights as a command:"), commandLine(commandText("rules", "check", folder(), this.app, "--user", user, "--class", this.class))));
      fill(this.list, table([
        { label: "Seen", cell: (row) => h("span.pill", { class: row.visible ? (row.subscribed ? "good" : "info") : "bad" }, isTrial ? (row.visible ? "would be seen" : "wouldn't be seen") : row.visible ? (row.subscribed ? "on the device" : "may be read") : "not seen") },
        { label: "_id", cell: (row) => h("a", { href: address("data", [this.class], { app: this.app, stream: this.stream.value.trim(), object: row.key }) }, shortValue(row.document._id)) },
        ...names.map((name) => ({ label: plain(name), cell: (row) => (row.hidden.includes(name) ? h("span.hatched", { title: `The user doesn't see ${name}` }, "hidden") : shortValue(row.document[name])) })),
        { label: "Reasons", cell: (row) => (row.reasons ?? []).map((reason) => h("div.soft", null, plain(reason))) },
      ], answer.objects, { label: `What ${user} sees of ${this.class}`, empty: "The class has no objects in this stream.", row: (row) => (row.visible ? null : { class: "unseenrow" }) }));
      fill(this.pages, pager({ hasEarlier: Boolean(this.after), hasLater: Boolean(answer.next), onFirst: () => this.restart(), onNext: () => { this.after = answer.next; this.read(); } }));
    } catch (error) { this.fail(error); }
  }
}
