// The classes of the open file, and the words for their types.
const HUES = 7;
export const model = { classes: [], byName: new Map(), version: 0 };

/** Takes the answer to `classes`. A class keeps its hue, which follows from its place in the list. */
export function setClasses({ classes, version }) {
  model.classes = classes;
  model.version = version;
  model.byName = new Map(classes.map((entry, index) => [entry.class, Object.assign(entry, { hueClass: `hue-${index % HUES}` })]));
}

export const classNamed = (name) => model.byName.get(name);
export const hueOf = (name) => model.byName.get(name)?.hueClass ?? "hue-0";
export const propertyOf = (className, name) => classNamed(className)?.properties.find((property) => property.name === name);

const TYPES = {
  bool: "Bool", int: "Int", double: "Double", float: "Float", decimal128: "Decimal128", date: "Date", objectId: "ObjectId", uuid: "UUID",
  string: "String", data: "Data", mixed: "Any",
};

/** The type of a property as Swift writes it, such as `List<Person>` or `Int?`. */
export function typeText(property) {
  const element = property.type === "link" ? property.target ?? "Object" : TYPES[property.type] ?? property.type;
  const inner = element + (property.optional || property.type === "mixed" ? "?" : "");
  switch (property.collection) {
    case "list": return `List<${inner}>`;
    case "set": return `Set<${inner}>`;
    case "map": return `Map<${inner}>`;
    default: return inner;
  }
}

export const typeName = (type) => TYPES[type] ?? type;

/** The icon of a property: its key, its index or its link. */
export function kindIcon(property) {
  if (property.primaryKey) return "key";
  if (property.index === "fullText") return "words";
  if (property.index === "places") return "place";
  if (property.index) return "index";
  return null;
}

export const isNumber = (property) => !property.collection && ["int", "double", "float", "decimal128"].includes(property.type);
export const isLinkList = (property) => property.type === "link" && (property.collection === "list" || property.collection === "set") && !property.owns;
