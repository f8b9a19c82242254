// How a query ran: bands as high as the logarithm of the number of objects at each step.
import { eachFrame, fill, h, s } from "./dom.js";
import { count, duration, plain } from "./format.js";

const WORDS = {
  scan: "each object examined", index: "index", backlinks: "links followed back", fullText: "full-text index", places: "index of places", objects: "objects by key", intersection: "objects in both",
  union: "objects in either", check: "condition checked", indexOrder: "order of the index", sort: "sorted", distinct: "distinct values", limit: "limit", offset: "offset", filter: "condition checked",
};
const WIDE = 188, HIGH = 132;

/** A picture of the plan, and the same as a table for screen readers. */
export class Plan {
  constructor() {
    this.picture = s("svg", { "aria-hidden": "true" });
    this.table = h("div.unseen");
    this.hints = h("div.hints");
    this.element = h("section.plan", { "aria-label": "Plan of the query", tabindex: 0 }, this.picture, this.table, this.hints);
    this.later = eachFrame(() => this.draw());
    this.observer = new ResizeObserver(this.later);
    this.observer.observe(this.element);
  }

  close() { this.observer.disconnect(); }

  show(plan) {
    this.plan = plan;
    fill(this.table, h("table", null, h("caption", null, "Plan of the query"), h("tbody", null, h("tr", null, ["Step", "Subject", "Expected", "Examined", "Found", "Time"].map((text) => h("th", { scope: "col" }, text))),
      plan.steps.map((step) => h("tr", null, [WORDS[step.operation] ?? step.operation, plain(step.subject ?? ""), step.expected, step.examined, step.found, step.ms].map((value) => h("td", null, typeof value === "number" ? String(value) : value ?? "")))))));
    fill(this.hints, plan.hints.map((hint) => h("p", null, h("span.pill.info", null, "index"), " ", plain(hint.text))));
    this.later();
  }

  draw() {
    if (!this.plan || !this.element.isConnected) return;
    const { steps } = this.plan, width = Math.max(this.element.clientWidth - 28, steps.length * WIDE), gap = width / Math.max(1, steps.length), box = Math.min(136, gap - 44), middle = 62;
    const most = Math.max(10, ...steps.map((step) => step.found ?? 0)), high = (step) => 10 + (Math.log10((step.found ?? 0) + 1) / Math.log10(most + 1)) * 24;
    const slowest = steps.reduce((best, step) => ((step.ms ?? 0) > (best?.ms ?? 0) ? step : best), null);
    this.picture.style.setProperty("width", `${width}px`);
    this.picture.style.setProperty("height", `${HIGH}px`);
    fill(this.picture, steps.map((step, index) => this.step(step, { x: index * gap, box, gap, middle, half: high(step), next: steps[index + 1] ? high(steps[index + 1]) : null, isSlowest: step === slowest && steps.length > 1 })));
  }

  step(step, { x, box, gap, middle, half, next, isSlowest }) {
    const end = x + box, bend = x + (box + gap) / 2;
    const numbers = [step.expected !== null && step.expected !== undefined ? `${count(Math.round(step.expected))} expected` : null, step.examined !== null && step.examined !== undefined ? `${count(step.examined)} examined` : null].filter(Boolean).join(", ");
    return [
      next !== null && s("path.flow", { d: `M${end} ${middle - half}C${bend} ${middle - half} ${bend} ${middle - next} ${x + gap} ${middle - next}V${middle + next}C${bend} ${middle + next} ${bend} ${middle + half} ${end} ${middle + half}Z` }),
      s("rect.step", { class: isSlowest ? "slowest" : null, x: x + 0.5, y: middle - half, width: box, height: 2 * half, rx: 5 }),
      s("text.big", { x: x + 10, y: middle + 5 }, count(step.found ?? 0)),
      step.ms !== null && step.ms !== undefined && s("text.small", { x: end - 7, y: middle + 4, "text-anchor": "end" }, duration(step.ms)),
      s("text.title", { x: x + 1, y: 14 }, short(step.subject || WORDS[step.operation] || step.operation, gap)),
      s("text.small", { x: x + 1, y: 113 }, short(WORDS[step.operation] ?? step.operation, gap)),
      s("text.small.faint", { x: x + 1, y: 127 }, short(numbers, gap)),
      s("title", null, `${step.subject ?? ""} ${WORDS[step.operation] ?? step.operation}`),
    ];
  }
}

function short(text, width) {
  const shown = plain(text), room = Math.max(6, Math.floor(width / 6.4));
  return shown.length > room ? `${shown.slice(0, room - 1)}…` : shown;
}
