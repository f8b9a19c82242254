// The dialog that creates an object.
import { h } from "./dom.js";
import { plain } from "./format.js";
import { classNamed, typeText } from "./model.js";
import { dialog } from "./ui.js";
import { editorFor, plainValue } from "./celleditor.js";
import { edits } from "./edits.js";
import { textNodes } from "./values.js";

let created = 0;

/** Asks for the values of a new object. Properties without a value get their defaults. */
export function createDialog(className) {
  const entry = classNamed(className), editors = [];
  const fields = entry.properties.filter((property) => !property.inverses && !property.collection && !property.owns && property.type !== "data").map((property) => {
    const editor = editorFor(property, undefined), isOn = h("input", { type: "checkbox", checked: Boolean(property.primaryKey), disabled: Boolean(property.primaryKey), "aria-label": `Set ${plain(property.name)}` });
    const box = h("div.down", { hidden: !property.primaryKey }, editor.element);
    isOn.addEventListener("change", () => { box.hidden = !isOn.checked; box.querySelector("input, textarea, select")?.focus(); });
    editors.push({ property, editor, isOn });
    return h("fieldset", null, h("legend", null, h("label.choice", null, isOn, textNodes(property.name), h("span.type", null, plain(typeText(property))))), box);
  });
  dialog(`New object of ${plain(className)}`, [h("p.dim", null, "Check the properties that get a value. The others get their defaults. Collections are filled after the object is written."), fields], {
    width: 560,
    actions: [["Cancel", "quiet", () => null], ["Stage", "primary", async () => {
      const values = {};
      for (const { property, editor, isOn } of editors) {
        if (!isOn.checked) continue;
        const { value, text } = await editor.read();
        values[property.name] = value === undefined ? typedValue(property, text) : value;
      }
      // Other edits link to the object by this name.
      await edits.stage([{ create: { class: className, values, as: `new${++created}` } }], { fails: true });
    }]],
  });
}

/** A typed text as a value. An empty text of an optional property is null, except for strings. */
function typedValue(property, text) {
  return text === "" && property.optional && property.type !== "string" ? null : plainValue(property.type, text);
}
