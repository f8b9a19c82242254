// The most frequent values of a property in the result.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { go, trail } from "./address.js";
import { count, plain } from "./format.js";
import { propertyOf } from "./model.js";
import { iconButton, noteError } from "./ui.js";
import { shown, textNodes } from "./values.js";

/** The list of values above the table. */
export class Facets {
  constructor(screen) {
    this.screen = screen;
    this.element = h("section.facets", { hidden: true, "aria-label": "Frequent values", tabindex: 0 });
  }

  /** Shows the values of a property, or nothing if it is `null`. */
  async show(property) {
    this.element.hidden = !property;
    const { cursor, className } = this.screen, wanted = property ? `${cursor} ${property}` : null;
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (!property) return;
    fill(this.element, h("p.dim", null, "Counting…"));
    try {
      const answer = await app.ask("facets", { cursor, property });
      if (wanted === this.wanted) this.draw({ answer, property, className });
    } catch (error) {
      if (wanted !== this.wanted || error.code === "cancelled") return;
      fill(this.element, h("p.error", null, error.message), iconButton("Close the values", "close", () => this.screen.option("values", null)));
      if (error.code === "closed") noteError(error);
    }
  }

  draw({ answer, property, className }) {
    const type = propertyOf(className, property) ?? { type: "mixed" }, most = Math.max(1, ...answer.values.map((entry) => entry.count)), element = { ...type, collection: null };
    fill(this.element,
      h("header.across", null, h("h2", null, textNodes(property)), h("span.dim", null, `${count(answer.values.length)} values${answer.rest ? `, ${count(answer.rest)} objects with other values` : ""} · ${count(answer.examined)} of ${count(answer.of)} objects examined`), h("span.grow"), iconButton("Close the values", "close", () => this.screen.option("values", null))),
      h("ul.values", null, answer.values.map((entry) => h("li", null, h("button.item", { type: "button", title: plain(entry.query), onclick: () => go(this.screen.addressWith({ query: entry.query, values: null }), { trail: trail() }) },
        h("span.bar", { style: { "inline-size": `${Math.max(2, (entry.count / most) * 100)}px` } }), h("span.cut.across", null, withoutLinks(shown(entry.value, element, "inline"))), h("span.count.num", null, count(entry.count)))))));
  }
}

/** The same nodes without links, because they are inside of a button. */
function withoutLinks(nodes) {
  return [nodes].flat(Infinity).map((node) => (node instanceof HTMLAnchorElement ? h("span", { class: node.getAttribute("class") }, [...node.childNodes]) : node));
}
