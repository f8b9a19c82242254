// The users of an app: find, disable, end log-ins, custom data, password.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go } from "./address.js";
import { clock, count, plain } from "./format.js";
import { button, dialog, note, noteError } from "./ui.js";
import { commandLine, commandText, folder } from "./command.js";
import { appChoice, appOf, filterField, pager, table } from "./server.js";

const LIMIT = 50;
const ways = (user) => user.identities.map((identity) => (identity.provider === "local-userpass" ? `${identity.name}${identity.confirmed ? "" : " (not confirmed)"}` : identity.provider)).join(", ");

export class UsersScreen {
  constructor(page) {
    this.page = page;
    this.text = "";
    this.filter = filterField("Email address or id", (text) => { this.text = text; this.restart(); });
    this.choice = h("span");
    this.problem = h("p.error", { role: "alert", hidden: true });
    this.list = h("div");
    this.pages = h("div");
    this.detail = h("div");
    this.element = h("div.page", null, h("div.across.wrap", null, this.choice, this.filter), this.problem, this.detail, h("section.sheet", null, this.list), this.pages);
  }

  update(place) {
    this.place = place;
    this.app = appOf(place);
    this.user = place.parts[0] ?? null;
    fill(this.choice, appChoice(place, (value) => go(address("users", [], { app: value }))));
    this.restart();
  }

  appsKnown() { this.update(this.place); }
  restart() { this.after = null; this.read(); }

  async read() {
    if (!this.app) return void fill(this.list, h("p.empty", null, "Choose an app."));
    const { text, after, user } = this;
    try {
      const { users, more } = await app.ask("users", { app: this.app, text, after, limit: LIMIT });
      if (text !== this.text || after !== this.after) return;
      fill(this.list, table([
        { label: "User", cell: (row) => h("a", { href: address("users", [row.id], { app: this.app }) }, plain(row.id)) },
        { label: "Logs in with", cell: (row) => plain(ways(row)) }, { label: "State", cell: (row) => h("span.pill", { class: row.disabled ? "bad" : "good" }, row.disabled ? "disabled" : "enabled") },
        { label: "Sessions", right: true, cell: (row) => count(row.sessions) }, { label: "Created", cell: (row) => clock(row.created).slice(0, 16) },
      ], users, { label: "Users", empty: text ? "No user has this name or id." : "The app has no users." }));
      fill(this.pages, pager({ hasEarlier: Boolean(after), hasLater: more, onFirst: () => this.restart(), onNext: () => { this.after = users.at(-1).id; this.read(); } }));
      this.problem.hidden = true;
      if (user) await this.show(user); else fill(this.detail);
    } catch (error) { this.fail(error); }
  }

  fail(error) {
    if (error.code === "closed") return;
    this.problem.textContent = plain(error.message);
    this.problem.hidden = false;
  }

  async show(id) {
    const user = await app.ask("user", { app: this.app, user: id });
    if (id !== this.user) return;
    const change = (title, name, command, { danger, extra = {}, text } = {}) => button(title, () => this.change({ title, name, command, danger, extra, text, user }), { kind: danger ? "danger" : "", disabled: !app.welcome.write });
    const command = (...parts) => commandText("user", parts[0], folder(), id, ...parts.slice(1));
    fill(this.detail, h("section.sheet", { "aria-label": "User" }, h("header", null, h("h2", null, plain(user.id)), h("span.pill", { class: user.disabled ? "bad" : "good" }, user.disabled ? "disabled" : "enabled"), h("span.grow"), h("a", { href: address("sessions", [], { app: this.app, user: id }) }, "Sessions"), h("a", { href: address("sight", [], { app: this.app, user: id }) }, "What the user sees"), h("a", { href: address("refusals", [], { app: this.app, user: id }) }, "Refused writes"), h("a", { href: address("logs", [], { app: this.app, user: id }) }, "Logs")),
      h("dl.facts2", null, h("dt", null, "Logs in with"), h("dd", null, plain(ways(user) || "–")), h("dt", null, "Created"), h("dd", null, clock(user.created)), h("dt", null, "Custom data"), h("dd", null, h("code", null, plain(user.data)))),
      h("div.across.wrap", null,
        user.disabled ? change("Enable", "enableUser", command("enable"), { text: "The user can log in again." }) : change("Disable", "disableUser", command("disable"), { danger: true, text: "All log-ins of the user end, and new ones are refused." }),
        change("End log-ins", "logOutUser", command("log-out"), { danger: true, text: "All log-ins of the user end, with their connections. The user can log in again." }),
        button("Custom data…", () => this.setData(user), { disabled: !app.welcome.write }),
        user.identities.some((identity) => identity.provider === "local-userpass") ? button("Password…", () => this.setPassword(user), { disabled: !app.welcome.write }) : null,
        change("Delete", "deleteUser", command("delete"), { danger: true, text: "The user is deleted. The user's documents are kept." })),
      app.welcome.write ? null : h("p.dim", null, "Start Studio with --write to change users.")));
  }

  done(text) {
    note(text);
    this.restart();
  }

  change({ title, name, command, danger, text, user }) {
    dialog(`${title}: ${plain(user.id)}`, [h("p", null, text), h("p.dim", null, "The same as a command:"), commandLine(command)], {
      actions: [["Cancel", "quiet", () => null], [title, danger ? "danger" : "primary", async () => {
        await app.ask(name, { app: this.app, user: user.id });
        if (name === "deleteUser") go(address("users", [], { app: this.app })); else this.done(`${title}: done.`);
      }]],
    });
  }

  setData(user) {
    const field = h("textarea.input", { rows: 8, "aria-label": "Custom data", spellcheck: "false", value: user.data }), line = h("div");
    const draw = () => fill(line, commandLine(commandText("user", "set-data", folder(), user.id, field.value)));
    field.addEventListener("input", draw);
    draw();
    dialog("Custom data", [h("p.soft", null, "A JSON object, which rules can read. The user's views change within a second."), field, line], { actions: [["Cancel", "quiet", () => null], ["Replace", "primary", async () => { await app.ask("setUserData", { app: this.app, user: user.id, data: field.value }); this.done("The custom data was replaced."); }]] });
  }

  setPassword(user) {
    const field = h("input.input", { type: "password", autocomplete: "new-password", "aria-label": "New password" });
    dialog("New password", [h("p.soft", null, "All log-ins of the user end. The password has at least six characters."), field, h("p.dim", null, "The same as a command, which reads the password from its input:"), commandLine(commandText("user", "set-password", folder(), user.id))], {
      actions: [["Cancel", "quiet", () => null], ["Set", "primary", async () => { await app.ask("setUserPassword", { app: this.app, user: user.id, body: JSON.stringify({ password: field.value }) }); field.value = ""; this.done("The password was set."); }]],
    }).finished.catch(noteError);
  }
}
