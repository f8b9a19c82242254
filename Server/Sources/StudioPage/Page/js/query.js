// The query line: several lines with colours, completion and errors at their place.
import { fill, h, icon } from "./dom.js";
import { app } from "./app.js";
import { plain } from "./format.js";
import { hueOf } from "./model.js";
import { textNodes } from "./values.js";
import { announce } from "./ui.js";

const WORD_ICONS = { property: "data", class: "schema", keyword: "words", operator: "right", function: "play", value: "ok" };

/** A field for a query of one class. `onRun(text, isTyped)` runs it. */
export class QueryLine {
  constructor({ onRun }) {
    this.onRun = onRun;
    this.colours = h("pre", { "aria-hidden": "true" });
    this.field = h("textarea", {
      rows: 1, spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "Query", "aria-autocomplete": "list", placeholder: "A condition, such as age > 17 SORT(name ASC)",
      oninput: () => this.typed(), onkeydown: (event) => this.key(event), onblur: () => setTimeout(() => this.hideWords(), 150), onclick: () => this.hideWords(),
    });
    this.from = h("span.from");
    this.problem = h("div.problem", { role: "alert", id: "query-problem", hidden: true });
    this.words = h("div.complete", { role: "listbox", id: "query-words", "aria-label": "Completions", hidden: true });
    this.runButton = h("button.button.small.primary", { type: "button", onclick: () => this.run() }, icon("play"), "Run", h("span", { "aria-hidden": "true" }, "⌃⏎"));
    this.element = h("div.editor", null, this.from, h("div.code", null, this.colours, this.field, this.words), this.runButton);
    this.serial = 0;
  }

  /** Shows the query of a place. Text that the user is typing stays. */
  show({ className, query }) {
    if (this.className === className && this.field.value === query) return;
    this.className = className;
    this.element.setAttribute("class", `editor ${hueOf(className)}`);
    fill(this.from, textNodes(className));
    this.field.value = query;
    this.hideWords();
    this.colour();
  }

  get text() { return this.field.value; }

  typed() {
    this.colour();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onRun(this.text, true), 120);
    const before = this.text.slice(0, this.field.selectionStart);
    if (/[\p{L}\p{N}_.@]$/u.test(before)) this.complete();
    else this.hideWords();
  }

  run() {
    clearTimeout(this.timer);
    this.hideWords();
    this.onRun(this.text, false);
  }

  /** Requests the colours of the text and its error. */
  async colour() {
    const text = this.text, serial = ++this.serial;
    if (this.tokens) this.draw(text, []);
    else fill(this.colours, `${text}\n`);
    this.resize();
    if (!text.trim()) { this.draw(text, []); return this.showProblem(null); }
    try {
      const { tokens, error } = await app.ask("parse", { class: this.className, text });
      if (serial !== this.serial) return;
      this.draw(text, tokens, error);
      this.showProblem(error);
    } catch { /* The text stays without colours. */ }
  }

  draw(text, tokens, error) {
    this.tokens = tokens;
    const parts = [];
    let end = 0;
    const bad = error && error.at !== undefined ? [Math.min(error.at, Math.max(0, text.length - 1)), Math.max(error.at + 1, wordEnd(text, error.at))] : null;
    const push = (from, to, kind) => {
      if (from >= to) return;
      if (bad && from < bad[1] && to > bad[0]) {
        push2(from, Math.max(from, bad[0]), kind);
        push2(Math.max(from, bad[0]), Math.min(to, bad[1]), "error");
        push2(Math.min(to, bad[1]), to, kind);
      } else push2(from, to, kind);
    };
    const push2 = (from, to, kind) => { if (from < to) parts.push(kind ? h("span", { class: `t-${kind}` }, text.slice(from, to)) : text.slice(from, to)); };
    for (const [from, to, kind] of tokens) {
      push(end, from, null);
      push(Math.max(from, end), to, kind);
      end = Math.max(end, to);
    }
    push(end, text.length, null);
    if (bad && bad[0] >= text.length - 1 && error.at >= text.length) parts.push(h("span.t-error", null, " "));
    fill(this.colours, parts, "\n");
  }

  resize() {
    this.field.rows = Math.min(8, this.text.split("\n").length);
  }

  showProblem(error) {
    this.problem.hidden = !error;
    this.field.setAttribute("aria-invalid", Boolean(error));
    if (!error) { this.field.removeAttribute("aria-describedby"); return fill(this.problem); }
    this.field.setAttribute("aria-describedby", "query-problem");
    const meant = (error.meant ?? []).slice(0, 5);
    fill(this.problem, h("span", null, textNodes(error.message)), meant.length ? [h("span.dim", null, "Similar:"), meant.map((word) => h("button.button.small", { type: "button", onclick: () => this.replaceWord(error.at, word) }, textNodes(word)))] : null);
  }

  replaceWord(at, word) {
    const end = wordEnd(this.text, at);
    this.field.setRangeText(word, at, end, "end");
    this.field.focus();
    this.typed();
  }

  async complete() {
    const at = this.field.selectionStart, text = this.text, serial = (this.asked = (this.asked ?? 0) + 1);
    try {
      const answer = await app.ask("complete", { class: this.className, text, at });
      if (serial !== this.asked || text !== this.text || document.activeElement !== this.field) return;
      const typed = text.slice(answer.from, at);
      const words = answer.words.filter((entry) => entry.word !== typed).slice(0, 60);
      if (!words.length) return this.hideWords();
      this.range = [answer.from, answer.to];
      this.found = words;
      this.showWords(typed);
    } catch { this.hideWords(); }
  }

  showWords(typed) {
    const place = this.caretPlace(this.range[0]);
    this.words.hidden = false;
    this.words.style.setProperty("left", `${Math.max(0, Math.min(place.left, this.element.clientWidth - 420))}px`);
    this.words.style.setProperty("top", `${place.bottom + 6}px`);
    this.noteLine = h("p");
    fill(this.words, this.found.map((entry, index) => h("div", { role: "option", id: `word${index}`, "aria-selected": "false", onpointerdown: (event) => { event.preventDefault(); this.take(index); } },
      icon(WORD_ICONS[entry.kind] ?? "more"), h("code", null, entry.shown === undefined && entry.word.startsWith(typed) ? [h("b", null, textNodes(typed)), textNodes(entry.word.slice(typed.length))] : textNodes(entry.shown ?? entry.word)), h("span.type", null, textNodes(entry.type ?? entry.kind)))), h("div.foot", { "aria-hidden": "true" }, this.noteLine));
    this.field.setAttribute("aria-controls", "query-words");
    this.choose(0);
  }

  choose(index) {
    this.chosen = (index + this.found.length) % this.found.length;
    for (const line of this.words.querySelectorAll("[role=option]")) line.setAttribute("aria-selected", line.id === `word${this.chosen}`);
    this.field.setAttribute("aria-activedescendant", `word${this.chosen}`);
    const { note } = this.found[this.chosen];
    fill(this.noteLine, textNodes(note ?? ""));
    this.noteLine.hidden = !note;
    this.words.querySelector(`#word${this.chosen}`).scrollIntoView({ block: "nearest" });
  }

  take(index) {
    const { word, kind } = this.found[index];
    this.field.setRangeText(word, this.range[0], Math.max(this.range[1], this.field.selectionStart), "end");
    this.hideWords();
    this.colour();
    this.field.focus();
    announce(`${plain(word)}, ${kind}`);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.onRun(this.text, true), 120);
  }

  hideWords() {
    this.words.hidden = true;
    this.found = null;
    this.asked = (this.asked ?? 0) + 1;
    this.field.removeAttribute("aria-activedescendant");
    this.field.removeAttribute("aria-controls");
  }

  /** The place of a character within the field. */
  caretPlace(at) {
    const walker = document.createTreeWalker(this.colours, NodeFilter.SHOW_TEXT);
    let left = at, node = walker.nextNode();
    while (node && node.length < left) { left -= node.length; node = walker.nextNode(); }
    const box = this.colours.getBoundingClientRect();
    if (!node) return { left: 0, bottom: box.height };
    const range = document.createRange();
    range.setStart(node, left);
    range.setEnd(node, left);
    const place = range.getClientRects()[0] ?? box;
    return { left: place.left - box.left, bottom: place.bottom - box.top };
  }

  key(event) {
    const control = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && control) this.run();
    else if (event.key === " " && event.ctrlKey) this.complete();
    else if (this.found) {
      if (event.key === "ArrowDown") this.choose(this.chosen + 1);
      else if (event.key === "ArrowUp") this.choose(this.chosen - 1);
      else if (event.key === "Enter" || event.key === "Tab") this.take(this.chosen);
      else if (event.key === "Escape") this.hideWords();
      else return;
    } else if (event.key === "Enter" && !event.shiftKey && !this.text.includes("\n")) this.run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function wordEnd(text, at) {
  const rest = /^[\p{L}\p{N}_@]+/u.exec(text.slice(at));
  return at + (rest ? rest[0].length : 1);
}
