// The palette: objects by key and words, classes, commands and earlier queries.
import { fill, h, icon } from "./dom.js";
import { app } from "./app.js";
import { go, toClass, toObject, trail } from "./address.js";
import { count } from "./format.js";
import { hueOf, model } from "./model.js";
import { textNodes } from "./values.js";
import { noteError } from "./ui.js";

let open = null;

/** Shows the palette. */
export function showPalette(text = "") {
  if (open?.isConnected) return;
  new Palette(text);
}

class Palette {
  constructor(text) {
    this.input = h("input", { type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "hits", "aria-autocomplete": "list", "aria-label": "Search or run a command", value: text, autocomplete: "off", spellcheck: "false", oninput: () => this.search(), onkeydown: (event) => this.key(event) });
    this.list = h("div.hits", { id: "hits", role: "listbox", "aria-label": "Results" });
    this.footer = h("span");
    this.element = h("dialog.palette", { "aria-label": "Search or run a command", onclick: (event) => { if (event.target === this.element) this.close(); } }, h("div.inside", null, this.input, this.list,
      h("div.dialogfoot", null, h("span", null, h("kbd", null, "↑"), " ", h("kbd", null, "↓"), " choose"), h("span", null, h("kbd", null, "⏎"), " open"), h("span.grow"), this.footer)));
    this.element.addEventListener("close", () => this.element.remove());
    open = this.element;
    document.body.append(this.element);
    this.element.showModal();
    this.input.focus();
    this.search();
  }

  close() { this.element.close(); }

  async search() {
    const text = this.input.value.trim(), serial = (this.serial = (this.serial ?? 0) + 1);
    this.draw({ text, objects: [] });
    if (!text || !app.file) return;
    const started = performance.now();
    try {
      const { results } = await app.ask("find", { text });
      if (serial !== this.serial) return;
      this.draw({ text, objects: results });
      this.footer.textContent = `${count(results.length)} found in ${Math.round(performance.now() - started)} ms`;
    } catch (error) { if (error.code !== "query") noteError(error); }
  }

  draw({ text, objects }) {
    const small = text.toLowerCase(), matches = (name) => name.toLowerCase().includes(small);
    const objectHits = objects.filter((result) => result.kind === "object").map((result) => ({ iconName: "data", hue: hueOf(result.class), label: result.title ?? `#${result.key}`, note: [result.class, result.note].filter(Boolean).join(" · "), to: toObject(result.class, result.key) }));
    const classHits = model.classes.filter((entry) => matches(entry.class)).slice(0, text ? 8 : 5).map((entry) => ({ iconName: "data", hue: entry.hueClass, label: entry.class, note: count(entry.count), to: toClass(entry.class) }));
    const earlier = [...(app.state.saved ?? []), ...(app.state.earlier ?? [])].filter((entry) => matches(entry.query + (entry.name ?? ""))).slice(0, 5).map((entry) => ({ iconName: "search", label: entry.name ?? entry.query, note: entry.class, to: toClass(entry.class, { query: entry.query }) }));
    const commands = (app.commands?.() ?? []).filter((command) => matches(command.label)).slice(0, text ? 12 : 8);
    this.hits = [];
    const section = (title, hits) => {
      if (!hits.length) return null;
      const lines = hits.map((hit) => { const index = this.hits.push(hit) - 1; return h("div.hit", { role: "option", id: `hit${index}`, "aria-selected": "false", class: hit.hue, onclick: (event) => this.run(index, event) }, hit.hue ? h("span.plot") : icon(hit.iconName ?? "right"), h("span.cut", null, textNodes(hit.label)), h("span.dim", null, textNodes(hit.note ?? ""))); });
      return h("div", { role: "group", "aria-label": title }, h("div.caps", { "aria-hidden": "true" }, title), lines);
    };
    const sections = [section("Objects", objectHits), section("Classes", classHits), section("Commands", commands), section("Queries", earlier)];
    fill(this.list, sections);
    if (!this.hits.length) fill(this.list, h("div.hit", { role: "option", "aria-selected": "false", "aria-disabled": "true" }, "Nothing was found."));
    this.choose(0);
  }

  choose(index) {
    if (!this.hits.length) return this.input.removeAttribute("aria-activedescendant");
    this.chosen = (index + this.hits.length) % this.hits.length;
    for (const line of this.list.querySelectorAll(".hit")) line.setAttribute("aria-selected", line.id === `hit${this.chosen}`);
    this.input.setAttribute("aria-activedescendant", `hit${this.chosen}`);
    document.getElementById(`hit${this.chosen}`)?.scrollIntoView({ block: "nearest" });
  }

  run(index, event) {
    const hit = this.hits[index];
    if (!hit) return;
    if (hit.to && (event.ctrlKey || event.metaKey)) { window.open(hit.to, "_blank", "noopener"); return; }
    this.close();
    if (hit.to) go(hit.to, { trail: [...trail(), ...(app.here?.() ?? [])] });
    else hit.action();
  }

  key(event) {
    if (event.key === "ArrowDown") this.choose(this.chosen + 1);
    else if (event.key === "ArrowUp") this.choose(this.chosen - 1);
    else if (event.key === "Enter") this.run(this.chosen, event);
    else return;
    event.preventDefault();
  }
}

