// Areas in proportion to sizes, as equal-sided as possible (squarified).

/** Places items into a rectangle. Items are sorted by `size`, largest first; the result adds `x`, `y`, `width`, `height`. */
export function treemap(items, { x, y, width, height }) {
  const result = [];
  let rest = items.filter((item) => item.size > 0), box = { x, y, width, height };
  while (rest.length && box.width > 0.5 && box.height > 0.5) {
    const total = rest.reduce((sum, item) => sum + item.size, 0), side = Math.min(box.width, box.height), scale = (box.width * box.height) / total;
    let used = 1, sum = rest[0].size, worst = ratio({ largest: rest[0].size, smallest: rest[0].size, sum, scale, side });
    while (used < rest.length) {
      const next = sum + rest[used].size, value = ratio({ largest: rest[0].size, smallest: rest[used].size, sum: next, scale, side });
      if (value > worst) break;
      worst = value;
      sum = next;
      used++;
    }
    const thick = (sum * scale) / side, isTall = box.width >= box.height;
    let at = 0;
    for (const item of rest.slice(0, used)) {
      const length = (item.size / sum) * side;
      result.push(isTall ? { item, x: box.x, y: box.y + at, width: thick, height: length } : { item, x: box.x + at, y: box.y, width: length, height: thick });
      at += length;
    }
    box = isTall ? { x: box.x + thick, y: box.y, width: box.width - thick, height: box.height } : { x: box.x, y: box.y + thick, width: box.width, height: box.height - thick };
    rest = rest.slice(used);
  }
  return result;
}

/** The worst ratio of the sides of the areas in one row. */
function ratio({ largest, smallest, sum, scale, side }) {
  const area = (sum * scale) ** 2, square = side ** 2;
  return Math.max((square * largest * scale) / area, area / (square * smallest * scale));
}
