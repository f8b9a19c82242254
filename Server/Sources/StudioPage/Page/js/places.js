// Places on a drawn map: a graticule, a scale and points. No tiles are loaded.
import { h, s } from "./dom.js";
import { classNamed } from "./model.js";
import { plain } from "./format.js";

const WIDE = 320, HIGH = 150;

/** The coordinates of an object, if its class has the shape of a GeoJSON point: `type` and `coordinates`. */
export function pointOf(className, fields) {
  const entry = classNamed(className);
  if (!entry?.properties.some((property) => property.name === "coordinates" && property.collection === "list" && property.type === "double")) return null;
  const value = fields.find(([name]) => name === "coordinates")?.[1], [longitude, latitude] = value?.head ?? [];
  return isPlace(longitude, latitude) ? { longitude, latitude, isChosen: true } : null;
}

const isPlace = (longitude, latitude) => typeof longitude === "number" && typeof latitude === "number" && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90;

/** An equirectangular projection around the middle of the points. */
export class Projection {
  constructor(points, { width, height }) {
    const longitudes = points.map((point) => point.longitude), latitudes = points.map((point) => point.latitude), range = (values) => [Math.min(...values), Math.max(...values)];
    const [west, east] = range(longitudes), [south, north] = range(latitudes);
    this.middle = { x: (west + east) / 2, y: (south + north) / 2 };
    this.narrow = Math.max(0.05, Math.cos((this.middle.y * Math.PI) / 180));
    this.span = Math.min(420, Math.max(0.04, (east - west) * 1.3, ((north - south) * 1.3 * width) / height / this.narrow));
    this.scale = width / this.span;
    this.width = width;
    this.height = height;
  }

  x(longitude) { return this.width / 2 + (longitude - this.middle.x) * this.scale; }
  y(latitude) { return this.height / 2 - ((latitude - this.middle.y) * this.scale) / this.narrow; }
  placeAt(x, y) { return { longitude: Math.max(-180, Math.min(180, this.middle.x + (x - this.width / 2) / this.scale)), latitude: Math.max(-90, Math.min(90, this.middle.y - ((y - this.height / 2) * this.narrow) / this.scale)) }; }
}

/** The lines of longitudes and latitudes, and the scale. */
export function graticule(projection) {
  const { width, height, middle, span, narrow } = projection, step = roundStep((span * 110) / width), tall = (span * height * narrow) / width, lines = [];
  for (let longitude = Math.ceil((middle.x - span / 2) / step) * step; longitude < middle.x + span / 2; longitude += step) lines.push(s("path.graticule", { d: `M${projection.x(longitude).toFixed(1)} 0V${height}` }), s("text.tiny", { x: projection.x(longitude) + 3, y: height - 4 }, degrees(longitude, ["E", "W"], step)));
  for (let latitude = Math.ceil((middle.y - tall / 2) / step) * step; latitude < middle.y + tall / 2; latitude += step) lines.push(s("path.graticule", { d: `M0 ${projection.y(latitude).toFixed(1)}H${width}` }), s("text.tiny", { x: 3, y: projection.y(latitude) - 3 }, degrees(latitude, ["N", "S"], step)));
  const whole = span * 111.32 * narrow, bar = roundStep(whole / 5), pixels = (bar / whole) * width;
  lines.push(s("path.scale", { d: `M${width - pixels - 12} 14v5h${pixels}v-5` }), s("text.tiny", { x: width - pixels / 2 - 12, y: 13, "text-anchor": "middle" }, bar < 1 ? `${Math.round(bar * 1000)} m` : `${bar} km`));
  return lines;
}

/** A map that contains the given points. */
export function placeMap(points) {
  const projection = new Projection(points, { width: WIDE, height: HIGH });
  const label = points.map((point) => `${degrees(point.latitude, ["N", "S"], 1e-4)} ${degrees(point.longitude, ["E", "W"], 1e-4)}`).slice(0, 3).join("; ");
  return h("figure.place", null, s("svg.map", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `Map: ${label}` }, graticule(projection),
    points.map((point) => s("circle", { class: point.isChosen ? "point chosen" : "point", cx: projection.x(point.longitude), cy: projection.y(point.latitude), r: point.isChosen ? 5.5 : 3 }))),
    h("figcaption.dim", null, plain(label)));
}

function roundStep(value) {
  const power = 10 ** Math.floor(Math.log10(value)), lead = value / power;
  return Number(((lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power).toPrecision(3));
}

function degrees(value, [positive, negative], step) {
  return `${Math.abs(value).toFixed(Math.max(0, -Math.floor(Math.log10(step))))}° ${value < 0 ? negative : positive}`;
}
