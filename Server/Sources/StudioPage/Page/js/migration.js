// Changes of the schema: a plan with its cost first, then the migration.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { count, plain, plural } from "./format.js";
import { classNamed, model, typeName } from "./model.js";
import { button, choice, dialog, iconButton, note, pairs } from "./ui.js";

const TYPES = ["string", "int", "double", "float", "bool", "date", "data", "decimal128", "objectId", "uuid", "mixed", "link"];

/** Shows the dialog that collects steps, shows their plan and runs them. */
export function changeDialog(chosen, onClose) {
  const steps = [], list = h("ol.steps"), plan = h("div.down", { "aria-live": "polite" }), form = h("div.down");
  let isPlanned = false;
  const draw = () => {
    fill(list, steps.map((step, index) => h("li", null, describe(step), iconButton(`Remove step ${index + 1}`, "close", () => { steps.splice(index, 1); isPlanned = false; fill(plan); draw(); }))));
    if (!steps.length) fill(list, h("li.dim", null, "No step."));
  };
  const kind = choice([["add", "Add a property"], ["rename", "Rename a property"], ["remove", "Remove a property"], ["index", "Change an index"], ["addClass", "Add a class"], ["renameClass", "Rename a class"], ["removeClass", "Remove a class"]], { onChange: () => drawForm() });
  let read = () => null;
  const drawForm = () => { const made = FORMS[kind.value](chosen); read = made.read; fill(form, made.element); };
  const preview = async () => {
    if (!steps.length) throw new Error("Add a step first.");
    const answer = await app.ask("migrate", { steps, dry: true });
    isPlanned = true;
    fill(plan, h("h3", null, "Plan"), h("ul", null, answer.plan.map((entry) => h("li", null, plain(entry.text), entry.objects ? h("span.dim", null, ` · ${plural(entry.objects, "object")}`) : null))));
  };
  draw();
  drawForm();
  dialog("Change the schema", [h("p.soft", null, "Other processes must use classes that fit the new schema. The plan is shown before anything is written."), pairs([["Step", kind]]), form, h("div.across", null, h("span.grow"), button("Add the step", () => { try { const step = read(); if (step) { steps.push(step); isPlanned = false; fill(plan); draw(); } } catch (error) { note(error.message, { isBad: true }); } }, { kind: "small", iconName: "plus" })), h("h3", null, "Steps"), list, plan], {
    width: 620, onClose,
    actions: [["Cancel", "quiet", () => null], ["Show the plan", "", async () => { await preview(); return false; }], ["Migrate", "primary", async () => {
      if (!isPlanned) { await preview(); return false; }
      const answer = await app.ask("migrate", { steps, dry: false });
      note(`The schema was changed${answer.version ? ` in version ${count(answer.version)}` : ""}.`);
      await app.reloadClasses();
      app.redraw();
      return true;
    }]],
  });
}

const classes = (chosen) => choice(model.classes.map((entry) => [entry.class, plain(entry.class)]), { value: chosen });
const named = (field) => { const text = field.value.trim(); if (!text) throw new Error("The name is empty."); return text; };

/** A class and one of its properties. */
function classAndProperty(chosen) {
  const property = h("select.input"), list = classes(chosen);
  const update = () => { const entry = classNamed(list.value); fill(property, entry.properties.filter((other) => !other.primaryKey && !other.inverses).map((other) => h("option", { value: other.name }, plain(other.name)))); };
  list.addEventListener("change", update);
  update();
  return { list, property };
}

function typeFields() {
  const type = choice(TYPES.map((name) => [name, name === "link" ? "Link" : typeName(name)])), target = classes(), collection = choice([["", "one value"], ["list", "List"], ["set", "Set"], ["map", "Map"]]), optional = h("input", { type: "checkbox" });
  const update = () => { target.disabled = type.value !== "link"; };
  type.addEventListener("change", update);
  update();
  return { rows: [["Type", type], ["Class of the link", target], ["Collection", collection], ["Optional", optional]], read: (name) => { const entry = type.value === "link" ? classNamed(target.value) : null; return { name, type: type.value, optional: type.value === "mixed" ? true : entry ? !collection.value : optional.checked, collection: collection.value || null, ...(entry ? { target: target.value, ...(entry.kind === "embedded" ? { owns: true } : {}) } : {}) }; } };
}

const FORMS = {
  add: (chosen) => {
    const list = classes(chosen), name = h("input.input"), types = typeFields(), index = choice([["", "none"], ["values", "values"], ["fullText", "full text"]]);
    return { element: pairs([["Class", list], ["Name", name], ...types.rows, ["Index", index]]), read: () => ({ add: { class: list.value, property: { ...types.read(named(name)), index: index.value || null } } }) };
  },
  rename: (chosen) => { const { list, property } = classAndProperty(chosen), name = h("input.input"); return { element: pairs([["Class", list], ["Property", property], ["New name", name]]), read: () => ({ rename: { class: list.value, property: property.value, to: named(name) } }) }; },
  remove: (chosen) => { const { list, property } = classAndProperty(chosen); return { element: [pairs([["Class", list], ["Property", property]]), h("p.error", null, "The values of the property are deleted. Studio can't take this back.")], read: () => ({ remove: { class: list.value, property: property.value } }) }; },
  index: (chosen) => { const { list, property } = classAndProperty(chosen), index = choice([["values", "values"], ["fullText", "full text"], ["places", "places"], ["", "none"]]); return { element: pairs([["Class", list], ["Property", property], ["Index", index]]), read: () => ({ index: { class: list.value, property: property.value, kind: index.value || null } }) }; },
  addClass: () => {
    const name = h("input.input"), kind = choice([["object", "objects"], ["embedded", "embedded"]]), key = h("input.input"), type = choice(["objectId", "string", "int", "uuid"].map((entry) => [entry, typeName(entry)]));
    return { element: [pairs([["Name", name], ["Kind", kind], ["First property", key], ["Type", type]]), h("p.dim", null, "The first property of a class of objects is its primary key.")], read: () => ({ addClass: { class: named(name), kind: kind.value, properties: [{ name: named(key), type: type.value, optional: false, collection: null, ...(kind.value === "object" ? { primaryKey: true } : {}) }] } }) };
  },
  renameClass: (chosen) => { const list = classes(chosen), name = h("input.input"); return { element: pairs([["Class", list], ["New name", name]]), read: () => ({ renameClass: { class: list.value, to: named(name) } }) }; },
  removeClass: (chosen) => { const list = classes(chosen); return { element: [pairs([["Class", list]]), h("p.error", null, "All objects of the class are deleted. Studio can't take this back.")], read: () => ({ removeClass: { class: list.value } }) }; },
};

function describe(step) {
  const [kind, value] = Object.entries(step)[0], place = `${plain(value.class)}${typeof value.property === "string" ? `.${plain(value.property)}` : ""}`;
  const texts = { add: () => `Add ${plain(value.class)}.${plain(value.property.name)}: ${value.property.type}`, rename: () => `Rename ${place} to ${plain(value.to)}`, remove: () => `Remove ${place}`, index: () => `${value.kind ? `Index of ${value.kind === "fullText" ? "full text" : value.kind}` : "No index"} for ${place}`, addClass: () => `Add the class ${place}`, renameClass: () => `Rename ${place} to ${plain(value.to)}`, removeClass: () => `Remove the class ${place}` };
  return texts[kind]();
}
