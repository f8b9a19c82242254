// Values of Extended JSON as short texts.
import { plain } from "./format.js";

const CUT = 80;

/** A value of Extended JSON as a short text. */
export function shortValue(value) {
  if (value === undefined) return "";
  if (value === null) return "null";
  if (typeof value !== "object") return plain(String(value));
  const keys = Object.keys(value);
  const inner = keys.length === 1 && keys[0].startsWith("$") ? value[keys[0]] : undefined;
  if (keys[0] === "$date" && inner?.$numberLong) {
    const date = new Date(Number(inner.$numberLong));
    return Number.isNaN(date.getTime()) ? plain(inner.$numberLong) : date.toISOString();
  }
  const text = inner !== undefined && typeof inner !== "object" ? String(inner) : JSON.stringify(value);
  return plain(text.length > CUT ? `${text.slice(0, CUT)}…` : text);
}
