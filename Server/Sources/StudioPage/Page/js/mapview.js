// The places of the found objects on a drawn map, and conditions that the user draws: circles and polygons.
import { fill, h, s } from "./dom.js";
import { app } from "./app.js";
import { go, trail } from "./address.js";
import { count, plain } from "./format.js";
import { withCondition } from "./search.js";
import { button, dialog, iconButton, noteError, pairs } from "./ui.js";
import { Projection, graticule } from "./places.js";

const MOST = 2000, PART = 500, EARTH = 6378.1, HIGH = 280;

/** The map above the table. */
export class MapView {
  constructor(screen) {
    this.screen = screen;
    this.map = s("svg.map.large", { role: "img", onpointerdown: (event) => this.down(event) });
    this.title = h("h2");
    this.number = h("span.dim");
    this.circleButton = button("Circle", () => this.use("circle"), { kind: "small", "aria-pressed": false });
    this.polygonButton = button("Polygon", () => this.use("polygon"), { kind: "small", "aria-pressed": false });
    this.help = h("span.dim", { role: "status" });
    this.element = h("section.mapview", { hidden: true, "aria-label": "Places" }, h("header.across", null, this.title, this.number, this.help, h("span.grow"), this.circleButton, this.polygonButton, button("Numbers…", () => this.numbers(), { kind: "small" }), iconButton("Close the map", "close", () => screen.option("map", null))), this.map);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.element);
  }

  close() { this.observer.disconnect(); }

  /** Shows the places of the result, or nothing if the property is `null`. */
  async show(property) {
    const { className, place } = this.screen, wanted = property ? JSON.stringify([className, property, place.options.get("query"), this.screen.cursor]) : null;
    this.element.hidden = !property;
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    this.property = property;
    if (!property) return;
    fill(this.title, plain(property));
    try {
      const request = { class: className, columns: [property], table: "map" }, query = place.options.get("query");
      if (query) request.query = query;
      const opened = await app.ask("open", request), points = [];
      for (let from = 0; from < Math.min(MOST, opened.count); from += PART) {
        const { rows } = await app.ask("rows", { cursor: opened.cursor, from, to: Math.min(from + PART, MOST), window: false });
        for (const [key, [value]] of rows) { const [longitude, latitude] = value?.fields?.find(([name]) => name === "coordinates")?.[1]?.head ?? []; if (typeof longitude === "number" && typeof latitude === "number" && Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90) points.push({ key, longitude, latitude }); }
      }
      app.ask("close", { cursor: opened.cursor }).catch(() => {});
      if (wanted !== this.wanted) return;
      this.points = points;
      this.number.textContent = `${count(points.length)} places${opened.count > MOST ? ` of the first ${count(MOST)} objects` : ""}`;
      this.draw();
    } catch (error) { noteError(error); }
  }

  draw() {
    const width = this.element.clientWidth - 28;
    if (this.element.hidden || !this.points || width < 50) return;
    this.projection = new Projection(this.points.length ? this.points : [{ longitude: 0, latitude: 0 }], { width, height: HIGH });
    const { projection } = this, chosen = Number(this.screen.place.options.get("object"));
    this.map.setAttribute("viewBox", `0 0 ${width} ${HIGH}`);
    this.map.setAttribute("aria-label", `Map with ${this.points.length} places`);
    fill(this.map, graticule(projection), this.points.map((point) => s("circle", { class: point.key === chosen ? "point chosen" : "point", cx: projection.x(point.longitude).toFixed(1), cy: projection.y(point.latitude).toFixed(1), r: point.key === chosen ? 5.5 : 3, "data-key": point.key })), this.shape = s("g"));
  }

  use(tool) {
    this.tool = this.tool === tool ? null : tool;
    this.ring = [];
    this.circleButton.setAttribute("aria-pressed", this.tool === "circle");
    this.polygonButton.setAttribute("aria-pressed", this.tool === "polygon");
    this.help.textContent = { circle: "Drag from the middle of the circle.", polygon: "Click the corners. The first corner ends the polygon." }[this.tool] ?? "";
  }

  /** The place of an event on the map. */
  placeOf(event) {
    const box = this.map.getBoundingClientRect();
    return this.projection.placeAt(((event.clientX - box.left) / box.width) * this.projection.width, ((event.clientY - box.top) / box.height) * HIGH);
  }

  down(event) {
    if (!this.tool) {
      const key = event.target.dataset?.key;
      if (key !== undefined) this.screen.option("object", key);
      return;
    }
    event.preventDefault();
    if (this.tool === "polygon") return this.corner(this.placeOf(event));
    const middle = this.placeOf(event), { projection } = this, x = projection.x(middle.longitude), y = projection.y(middle.latitude);
    const radius = (next) => { const end = this.placeOf(next); return { kilometres: distance(middle, end), pixels: Math.hypot(projection.x(end.longitude) - x, projection.y(end.latitude) - y) }; };
    const move = (next) => fill(this.shape, s("circle.drawn", { cx: x, cy: y, r: radius(next).pixels }));
    const up = (next) => { removeEventListener("pointermove", move); removeEventListener("pointerup", up); const { kilometres } = radius(next); if (kilometres > 0) this.circle(middle, kilometres); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  }

  corner(next) {
    const { projection } = this, first = this.ring[0];
    if (this.ring.length > 2 && Math.hypot(projection.x(first.longitude) - projection.x(next.longitude), projection.y(first.latitude) - projection.y(next.latitude)) < 10) return this.polygon(this.ring);
    this.ring.push(next);
    fill(this.shape, s("path.drawn", { d: this.ring.map((point, index) => `${index ? "L" : "M"}${projection.x(point.longitude).toFixed(1)} ${projection.y(point.latitude).toFixed(1)}`).join("") }), this.ring.map((point) => s("circle.point", { cx: projection.x(point.longitude), cy: projection.y(point.latitude), r: 3 })));
    return undefined;
  }

  circle({ longitude, latitude }, kilometres) { return this.add(`geoCircle([${digits(longitude)}, ${digits(latitude)}], ${(kilometres / EARTH).toPrecision(6)})`); }

  polygon(ring) { return this.add(`geoPolygon({${[...ring, ring[0]].map((point) => `[${digits(point.longitude)}, ${digits(point.latitude)}]`).join(", ")}})`); }

  async add(shape) {
    this.use(null);
    const { screen } = this;
    try {
      if (!/^[A-Za-z_]\w*$/.test(this.property)) throw new Error("A property with such a name can't be written in a query.");
      go(screen.addressWith({ query: await withCondition({ className: screen.className, before: screen.query.text, condition: `${this.property} geoWithin ${shape}` }) }), { trail: trail() });
    } catch (error) { noteError(error); }
  }

  /** Asks for the numbers of a circle, as a way without a pointer. */
  numbers() {
    const middle = this.projection?.middle ?? { x: 0, y: 0 }, field = (value) => h("input.input", { value, inputmode: "decimal", required: true });
    const latitude = field(digits(middle.y)), longitude = field(digits(middle.x)), radius = field("1");
    dialog("Places in a circle", pairs([["Latitude", latitude], ["Longitude", longitude], ["Radius in km", radius]]), { width: 380, actions: [["Cancel", "quiet", () => null], ["Add the condition", "primary", async () => {
      const values = [latitude, longitude, radius].map((input) => Number(input.value));
      if (values.some((value) => !Number.isFinite(value)) || Math.abs(values[0]) > 90 || Math.abs(values[1]) > 180 || values[2] <= 0) throw new Error("These numbers aren't a place and a radius.");
      await this.circle({ latitude: values[0], longitude: values[1] }, values[2]);
    }]] });
  }
}

const digits = (value) => String(Number(value.toFixed(6)));

function distance(a, b) {
  const radians = Math.PI / 180, p = a.latitude * radians, q = b.latitude * radians, half = Math.sin((q - p) / 2) ** 2 + Math.cos(p) * Math.cos(q) * Math.sin(((b.longitude - a.longitude) * radians) / 2) ** 2;
  return 2 * EARTH * Math.asin(Math.sqrt(half));
}

