// Bytes in hexadecimal, images, and texts that are too long for one answer.
import { add, fill, h } from "./dom.js";
import { app } from "./app.js";
import { bytes, count } from "./format.js";
import { noteError, saveText } from "./ui.js";
import { textNodes } from "./values.js";

const IMAGES = { png: "image/png", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };
const STEP = 1_048_576, MOST_IMAGE = 16 * STEP, HEX_STEP = 2048, TEXT_STEP = 65_536;

/** Bytes of a data value from a position. */
export async function readBytes({ className, key, path, from, to }) {
  const answer = await app.ask("part", { class: className, key, path, from, to });
  return Uint8Array.from(atob(answer.data), (character) => character.charCodeAt(0));
}

/** An image or the bytes of a value. */
export function bytesView({ className, key, path, value }) {
  const place = { className, key, path }, box = h("div.bytes"), mime = IMAGES[value.kind];
  const heading = h("div.across.entry", null, h("span.dim", null, `${value.kind} · ${count(value.bytes)} bytes`), h("span.grow"), h("button.button.small", { type: "button", onclick: () => save(place, value) }, "Save…"));
  if (mime && value.bytes <= MOST_IMAGE) showImage({ place, value, box, mime });
  else showHex({ place, value, box, from: 0 });
  const toggle = mime ? h("button.button.small", { type: "button", "aria-pressed": false, onclick: () => { const isHex = toggle.getAttribute("aria-pressed") !== "true"; toggle.setAttribute("aria-pressed", isHex); fill(box); if (isHex) showHex({ place, value, box, from: 0 }); else showImage({ place, value, box, mime }); } }, "Bytes") : null;
  if (toggle) heading.append(toggle);
  return [heading, box];
}

async function whole(place, value) {
  const parts = [];
  for (let from = 0; from < value.bytes; from += STEP) parts.push(await readBytes({ ...place, from, to: Math.min(value.bytes, from + STEP) }));
  return parts;
}

async function showImage({ place, value, box, mime }) {
  try {
    const url = URL.createObjectURL(new Blob(await whole(place, value), { type: mime }));
    const size = h("p.dim.entry");
    const image = h("img.photo", { src: url, alt: `${value.kind} image of ${bytes(value.bytes)}`, onload: () => { size.textContent = `${image.naturalWidth} × ${image.naturalHeight} pixels`; URL.revokeObjectURL(url); }, onerror: () => { URL.revokeObjectURL(url); fill(box, h("p.dim.entry", null, "The browser can't show this image.")); showHex({ place, value, box, from: 0 }); } });
    fill(box, image, size);
  } catch (error) { noteError(error); }
}

async function showHex({ place, value, box, from }) {
  try {
    const data = await readBytes({ ...place, from, to: Math.min(value.bytes, from + HEX_STEP) });
    box.querySelector(".more")?.remove();
    const lines = [];
    for (let at = 0; at < data.length; at += 8) lines.push(hexLine(data.subarray(at, at + 8), from + at));
    add(box, h("pre.hex", null, lines.join("\n")));
    const end = from + data.length;
    if (end < value.bytes && data.length) add(box, h("div.entry.more", null, h("button.button.small", { type: "button", onclick: () => showHex({ place, value, box, from: end }) }, `${count(value.bytes - end)} more bytes`)));
  } catch (error) { noteError(error); }
}

function hexLine(data, at) {
  const digits = Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join(" ").padEnd(23);
  const text = Array.from(data, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
  return `${at.toString(16).padStart(6, "0")}  ${digits}  ${text}`;
}

async function save(place, value) {
  try {
    saveText(await new Blob(await whole(place, value)).arrayBuffer(), { name: `${place.path.join("-").replace(/[^\w-]+/g, "_")}.${value.kind === "binary" ? "bin" : value.kind}`, type: "application/octet-stream" });
  } catch (error) { noteError(error); }
}

/** Saves a text as a file. */
export const saveCode = (text, name) => saveText(text, { name, type: "text/plain;charset=utf-8" });

/** A text that is read in parts. */
export function longText({ className, key, path, value }) {
  const text = h("pre.json"), box = h("div.bytes", null, h("p.dim.entry", null, `${count(value.length)} bytes of UTF-8`), text);
  const more = async (from) => {
    try {
      const answer = await app.ask("part", { class: className, key, path, from, to: from + TEXT_STEP });
      box.querySelector(".more")?.remove();
      add(text, answer.text.split("\n").map((line, index) => [index ? "\n" : null, textNodes(line)]));
      if (answer.to < answer.length && answer.to > from) add(box, h("div.entry.more", null, h("button.button.small", { type: "button", onclick: () => more(answer.to) }, `${count(answer.length - answer.to)} more bytes`)));
    } catch (error) { noteError(error); }
  };
  more(0);
  return box;
}
