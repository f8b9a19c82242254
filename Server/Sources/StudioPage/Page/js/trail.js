// The steps that led to a place.
import { fill, h } from "./dom.js";
import { go, trail } from "./address.js";
import { plain } from "./format.js";

const MOST = 5;

/** Shows the last steps that led to this place, each one as a link back. `label` names the place itself. */
export function showTrail(box, label) {
  const all = trail(), steps = all.slice(-MOST);
  fill(box, steps.map((step, index) => [h("a", { href: step.address, onclick: (event) => { event.preventDefault(); event.stopPropagation(); go(step.address, { trail: all.slice(0, all.length - steps.length + index) }); } }, plain(step.label)), h("span.between", { "aria-hidden": "true" }, "›")]),
    h("a", { href: location.hash || "#", "aria-current": "location" }, plain(label)));
}

/** Shows texts in a status line. */
export function showStatus(box, parts) {
  fill(box, parts.filter(Boolean).map((part, index) => [index ? h("span.between") : null, h("span", null, part)]));
}
