// The layout of the schema: classes in layers, and links that run in lanes between the cards.
export const CARD = 222, TITLE = 37, LINE = 23, MARGIN = 45, AIR = 30;
const LEAST = 78, MOST = 190;
export const tall = (entry) => TITLE + Math.max(1, entry.lines.length) * LINE + 8;

/**
 * Places the cards. `entries` are `{ name, lines, links: [{ line, to, isMany, isOwned }] }`.
 * Layers begin with the classes that have no incoming links. A link that closes a circle doesn't count.
 */
export function placed(entries, { width, height }) {
  const names = new Set(entries.map((entry) => entry.name)), level = levels(entries, names), columns = [];
  for (const entry of entries) (columns[level.get(entry.name)] ??= []).push(entry);
  const layers = split(columns.filter(Boolean), Math.max(height, 420)), place = new Map();
  const gap = Math.max(LEAST, Math.min(MOST, (width - MARGIN - 70 - layers.length * CARD) / Math.max(1, layers.length - 1))), left = (number) => MARGIN + number * (CARD + gap);
  layers.forEach((layer, number) => {
    if (number) layer.sort((a, b) => mean(a, entries, place) - mean(b, entries, place));
    const used = layer.reduce((sum, entry) => sum + tall(entry), 0), free = Math.max(AIR, (height - used) / (layer.length + 1));
    let y = Math.max(20, Math.min(free, 140));
    for (const entry of layer) {
      place.set(entry.name, { x: left(number), y, layer: number, height: tall(entry) });
      y += tall(entry) + Math.max(AIR, Math.min(free, 120));
    }
  });
  const lanes = layers.map((layer) => {
    const boxes = layer.map((entry) => place.get(entry.name)).sort((a, b) => a.y - b.y);
    return [boxes[0].y - 16, ...boxes.slice(1).map((box, index) => (boxes[index].y + boxes[index].height + box.y) / 2), boxes.at(-1).y + boxes.at(-1).height + 16];
  });
  const bottom = Math.max(...[...place.values()].map((box) => box.y + box.height));
  return { place, lanes, left, width: left(layers.length - 1) + CARD + 60, height: bottom + 70 };
}

/** The longest way from a class without incoming links. */
function levels(entries, names) {
  const level = new Map(entries.map((entry) => [entry.name, 0])), state = new Map(), edges = [];
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const visit = (entry) => {
    state.set(entry.name, 1);
    for (const { to } of entry.links) {
      if (!names.has(to) || to === entry.name || state.get(to) === 1) continue;
      edges.push([entry.name, to]);
      if (!state.has(to)) visit(byName.get(to));
    }
    state.set(entry.name, 2);
  };
  const incoming = new Set(entries.flatMap((entry) => entry.links.filter((link) => link.to !== entry.name).map((link) => link.to)));
  for (const entry of [...entries].sort((a, b) => incoming.has(a.name) - incoming.has(b.name))) if (!state.has(entry.name)) visit(entry);
  for (let round = 0; round < entries.length; round++) {
    let isChanged = false;
    for (const [from, to] of edges) if (level.get(to) < level.get(from) + 1) { level.set(to, level.get(from) + 1); isChanged = true; }
    if (!isChanged) break;
  }
  return level;
}

/** Splits layers that are much higher than the screen. */
function split(columns, height) {
  return columns.flatMap((layer) => {
    const parts = [[]];
    let used = 0;
    for (const entry of layer) {
      if (used && used + tall(entry) > height * 1.25) { parts.push([]); used = 0; }
      parts.at(-1).push(entry);
      used += tall(entry) + AIR;
    }
    return parts;
  });
}

function mean(entry, entries, place) {
  const values = entries.filter((other) => place.has(other.name)).flatMap((other) => other.links.filter((link) => link.to === entry.name).map((link) => place.get(other.name).y + TITLE + link.line * LINE));
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 1e6;
}

/** The paths of the links: `{ from, to, path, start, end, isMany, isOwned }`. */
export function routes(entries, { place, lanes, left }) {
  const taken = new Map(), result = [];
  for (const entry of entries) {
    for (const link of entry.links) {
      const a = place.get(entry.name), b = place.get(link.to);
      if (!a || !b) continue;
      const isBack = b.x <= a.x, side = isBack ? 1 : -1, slot = `${link.to} ${side}`;
      taken.set(slot, (taken.get(slot) ?? -1) + 1);
      const y1 = a.y + TITLE + link.line * LINE + LINE / 2 + 2, y2 = b.y + 19 + 11 * (taken.get(slot) % 4);
      const x2 = isBack ? b.x + CARD : b.x, isFar = b.layer - a.layer > 1 || a.layer - b.layer > 0;
      const x1 = b.x < a.x ? a.x : a.x + CARD;
      result.push({ from: entry.name, to: link.to, isMany: link.isMany, isOwned: link.isOwned, start: { x: x1, y: y1, direction: b.x < a.x ? -1 : 1 }, end: { x: x2, y: y2, direction: side }, path: isFar ? around({ a, b, x1, y1, x2, y2, lanes, left }) : direct({ a, b, x1, y1, x2, y2 }) });
    }
  }
  return result;
}

function direct({ a, b, x1, y1, x2, y2 }) {
  if (a.x === b.x) { const out = a === b ? 46 : 74; return `M${x1} ${y1}C${x1 + out} ${y1} ${x1 + out} ${y2} ${x2 + 8} ${y2}`; }
  const bend = (x2 - x1) / 2;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 8} ${y2}`;
}

/** A path through the lanes of the layers between two cards. */
function around({ a, b, x1, y1, x2, y2, lanes, left: leftOf }) {
  const step = b.layer > a.layer ? 1 : -1, enter = step > 0 ? -6 : CARD + 6, leave = step > 0 ? CARD + 6 : -6;
  let path = `M${x1} ${y1}`, x = x1, y = y1;
  for (let layer = a.layer + step; layer !== b.layer; layer += step) {
    const wish = y1 + ((y2 - y1) * (layer - a.layer)) / (b.layer - a.layer), lane = lanes[layer].reduce((best, value) => (Math.abs(value - wish) < Math.abs(best - wish) ? value : best));
    const left = leftOf(layer), bend = (left + enter - x) / 2;
    path += `C${x + bend} ${y} ${left + enter - bend} ${lane} ${left + enter} ${lane}H${left + leave}`;
    x = left + leave;
    y = lane;
  }
  const end = step > 0 ? x2 - 8 : x2 + 8, bend = (end - x) / 2;
  return `${path}C${x + bend} ${y} ${end - bend} ${y2} ${end} ${y2}`;
}
