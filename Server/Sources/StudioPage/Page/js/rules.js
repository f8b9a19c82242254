// The rules and the schema of an app, with a dry run before each push, and the versions of the schema with their clients.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go } from "./address.js";
import { clock, count, plain } from "./format.js";
import { button, dialog, note } from "./ui.js";
import { commandLine, commandText, folder } from "./command.js";
import { reportView } from "./values.js";
import { appChoice, appOf, table } from "./server.js";

export class RulesScreen {
  constructor() {
    this.choice = h("span");
    this.problem = h("p.error", { role: "alert", hidden: true });
    this.content = h("div.down");
    this.element = h("div.page", null, h("div.across", null, this.choice), this.problem, this.content);
  }

  update(place) {
    this.place = place;
    this.app = appOf(place);
    fill(this.choice, appChoice(place, (value) => go(address("rules", [], { app: value }))));
    this.read();
  }

  appsKnown() { this.update(this.place); }

  async read() {
    const name = this.app;
    if (!name) return void fill(this.content, h("p.empty", null, "Choose an app."));
    try {
      const [rules, schema, declared] = await Promise.all([app.ask("rules", { app: name }), app.ask("schema", { app: name }), app.ask("declared", { app: name }).catch(() => null)]);
      if (name !== this.app) return;
      this.problem.hidden = true;
      fill(this.content, this.rulesSheet(rules), declared ? this.declaredSheet(declared) : null, this.schemaSheet(schema));
    } catch (error) {
      if (error.code === "closed") return;
      this.problem.textContent = plain(error.message);
      this.problem.hidden = false;
    }
  }

  /** A text that is checked on the server before it is pushed. */
  editor({ name, label, text, check, push, command }) {
    const field = h("textarea.input", { rows: 14, "aria-label": label, spellcheck: "false", value: text, readonly: !app.welcome.write, oninput: () => { send.disabled = true; fill(result); } });
    const result = h("div", { role: "status", "aria-label": `Result of ${label}` });
    const show = async (work) => { try { fill(result, await work()); } catch (error) { send.disabled = true; fill(result, h("p.error", null, plain(error.message))); } };
    const dry = button("Dry run", () => show(async () => { const { lines, isGood } = await check(field.value); send.disabled = !isGood || !app.welcome.write; return lines; }));
    const send = button("Push…", () => dialog(`Push ${label.toLowerCase()}`, [h("p", null, `The app ${plain(name)} uses them within a second.`), h("p.dim", null, "The same as a command, with the text in a file:"), commandLine(command)], { actions: [["Cancel", "quiet", () => null], ["Push", "primary", async () => { await push(field.value); note(`${label}: pushed.`); this.read(); }]] }), { kind: "primary", disabled: true });
    return [field, h("div.across", null, dry, send), result];
  }

  // A dialog can be open while the page goes on to another app, so each change names the app of its sheet.
  rulesSheet({ rules, problems }) {
    const name = this.app;
    const lines = (list) => (list.length ? h("ul", null, list.map((text) => h("li.error", null, plain(text)))) : h("p.insert", null, "All roles fit the schema."));
    return h("section.sheet", null, h("header", null, h("h2", null, "Rules"), rules ? null : h("span.pill.warn", null, "none: the access of the app decides")), problems.length ? lines(problems) : null, this.editor({
      name, label: "Rules", text: rules ?? "{}", command: commandText("rules", "push", folder(), name, "rules.json"),
      check: async (text) => { const answer = await app.ask("pushRules", { app: name, dry: true, body: text }); return { lines: lines(answer.problems), isGood: answer.problems.length === 0 }; },
      push: async (text) => { const answer = await app.ask("pushRules", { app: name, body: text }); if (!answer.pushed) throw new Error(answer.problems.join("\n")); },
    }));
  }

  /** The classes and properties that clients have declared. A pending class can be pushed as a client declared it. */
  declaredSheet({ declared, documents, development }) {
    const owner = this.app, pending = declared.filter((entry) => !entry.adopted && !entry.differs).length;
    const accept = (name) => {
      const text = documents[name], body = JSON.stringify({ schema: [JSON.parse(text)] }), steps = h("div", { role: "status" }, h("p.dim", null, "The dry run…"));
      app.ask("pushSchema", { app: owner, dry: true, body }).then(({ problems, steps: lines }) => fill(steps, problems.length ? h("ul", null, problems.map((line) => h("li.error", null, plain(line)))) : h("ul", null, lines.map((line) => h("li", null, plain(line)))))).catch((error) => fill(steps, h("p.error", null, plain(error.message))));
      return dialog(`Accept ${plain(name)}`, [h("p", null, "The class is pushed as a client declared it. Clients that were refused can connect again."), steps, reportView(JSON.stringify(JSON.parse(text), null, 2)), h("p.dim", null, "The same as a command, with this text in a file:"), commandLine(commandText("schema", "push", folder(), owner, `${name}.json`))], { width: 680, actions: [["Cancel", "quiet", () => null], ["Accept", "primary", async () => {
        const answer = await app.ask("pushSchema", { app: owner, body });
        if (!answer.pushed) throw new Error(answer.problems.join("\n"));
        note(`${plain(name)}: pushed.`);
        this.read();
      }]] });
    };
    return h("section.sheet", { "aria-label": "Declared by clients" }, h("header", null, h("h2", null, "Declared by clients"), pending ? h("span.pill.warn", null, `${count(pending)} pending`) : null),
      pending && !development ? [h("p.soft", null, "Development mode accepts all new classes and properties. The command switches it on:"), commandLine(commandText("app", "set", folder(), owner, "--adopt-schemas", "on"))] : null,
      table([
        { label: "Class", cell: (entry) => plain(entry.class) }, { label: "Property", cell: (entry) => plain(entry.property ?? "–") }, { label: "Declared", cell: (entry) => h("code.block", null, plain(entry.text)) },
        { label: "", cell: (entry) => (entry.adopted ? h("span.pill.good", null, "adopted") : h("span.pill.bad", null, entry.differs ? "differs" : "pending")) }, { label: "Attempts", right: true, cell: (entry) => count(entry.count) }, { label: "Last", cell: (entry) => clock(entry.last).slice(0, 19) },
        { label: "", cell: (entry) => (!entry.adopted && !entry.differs && Object.hasOwn(documents, entry.class) ? button("Accept…", () => accept(entry.class), { kind: "small", disabled: !app.welcome.write, "aria-label": `Accept ${plain(entry.class)}` }) : null) },
      ], declared, { label: "Declared by clients", empty: "Since the server started, no client has declared a class or property that the schema didn't have." }));
  }

  schemaSheet({ versions, schema, development }) {
    const owner = this.app;
    const change = (isOn) => { const text = commandText("app", "set", folder(), owner, "--adopt-schemas", isOn ? "on" : "off"); return dialog("Development mode", [h("p", null, isOn ? "New classes and properties of clients are added to the schema." : "Clients with other classes and properties are refused."), h("p.dim", null, "The same as a command:"), commandLine(text)], { actions: [["Cancel", "quiet", () => null], [isOn ? "Switch on" : "Switch off", isOn ? "danger" : "primary", async () => { await app.ask("development", { app: owner, on: isOn }); note("Development mode was changed."); this.read(); }]] }); };
    return h("section.sheet", null, h("header", null, h("h2", null, "Schema"), development ? h("span.pill.warn", null, "development mode") : null, h("span.grow"), button(development ? "Switch development mode off…" : "Switch development mode on…", () => change(!development), { disabled: !app.welcome.write })),
      table([
        { label: "Version", cell: (version) => version.number }, { label: "Classes", cell: (version) => version.classes.map((name) => plain(name)).join(", ") }, { label: "Sessions", right: true, cell: (version) => count(version.sessions) },
        { label: "Clients", cell: (version) => Object.entries(version.agents).map(([name, number]) => `${plain(name || "unknown")} (${count(number)})`).join(", ") || "–" },
      ], versions, { label: "Versions of the schema" }),
      this.editor({
        name: owner, label: "Schema", text: schema, command: commandText("schema", "push", folder(), owner, "schemas.json"),
        check: async (text) => { const answer = await app.ask("pushSchema", { app: owner, dry: true, body: JSON.stringify({ schema: JSON.parse(text) }) }); return { lines: answer.problems.length ? h("ul", null, answer.problems.map((line) => h("li.error", null, plain(line)))) : answer.steps.length ? h("ul", null, answer.steps.map((line) => h("li", null, plain(line)))) : h("p.insert", null, "Nothing changes."), isGood: answer.problems.length === 0 }; },
        push: async (text) => { const answer = await app.ask("pushSchema", { app: owner, body: JSON.stringify({ schema: JSON.parse(text) }) }); if (!answer.pushed) throw new Error(answer.problems.join("\n")); },
      }));
  }
}
