// The overview of a server: live figures with plots of the last 15 minutes, apps, the store, sinks.
import { fill, h, s } from "./dom.js";
import { app } from "./app.js";
import { address } from "./address.js";
import { bytes, clock, count, plain, plural } from "./format.js";
import { table } from "./server.js";

const MOST = 900, WIDE = 240, HIGH = 46;
const FIGURES = [["sessions", "Sessions", count], ["connections", "Connections", count], ["commits", "Commits a second", (number) => number.toFixed(number < 10 ? 1 : 0)], ["refusals", "Refused writes", count], ["conflicts", "Merged conflicts", count], ["resets", "Client resets", count], ["behind", "Sessions behind", count], ["memory", "Memory for users", bytes]];
/** The samples of the last 15 minutes. They stay while another screen is shown. */
const samples = [];

function sampled(overview) {
  const last = samples.at(-1);
  if (last && last.at === overview.at) return;
  const seconds = last ? Math.max(0.2, (overview.at - last.at) / 1000) : 1;
  samples.push({ at: overview.at, total: overview.commits, sessions: overview.sessions, connections: overview.connections, refusals: overview.refusals, conflicts: overview.conflicts, resets: overview.resets, behind: overview.behind, memory: overview.memory.bytes, commits: last ? Math.max(0, overview.commits - last.total) / seconds : 0 });
  if (samples.length > MOST) samples.shift();
}

const databaseFacts = (database) => [["Database", `${plain(database.name)}, PostgreSQL ${plain(database.version)}${database.readOnly ? ", read-only" : ""}`], ["Size with indexes", bytes(database.bytes)], ["Connections of all programs", `${count(database.connections)} of ${count(database.mostConnections)}`], ["Time of a statement", `${database.milliseconds.toFixed(1)} ms`]].map(([name, text]) => [h("dt", null, name), h("dd", null, text)]);

export class OverviewScreen {
  constructor() {
    this.tiles = new Map(FIGURES.map(([name, label]) => {
      const big = h("div.big.num", null, "–"), line = s("path.plotline"), element = h("div.tile", { "data-figure": name }, h("span.soft", null, label), big, s("svg.spark", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${label} in the last 15 minutes` }, line));
      return [name, { big, line, element }];
    }));
    this.banner = h("p.banner.bad", { role: "alert", hidden: true });
    this.apps = h("div");
    this.store = h("div");
    this.sinks = h("div");
    this.ticks = 0;
    this.element = h("div.page", null, this.banner, h("div.tiles", null, [...this.tiles.values()].map((tile) => tile.element)), h("section.sheet", null, h("header", null, h("h2", null, "Apps")), this.apps), h("section.sheet", null, h("header", null, h("h2", null, "Store")), this.store), h("section.sheet", null, h("header", null, h("h2", null, "Sinks")), this.sinks));
  }

  update() {}

  overview(overview) {
    sampled(overview);
    for (const [name, , text] of FIGURES) {
      const tile = this.tiles.get(name), values = samples.map((sample) => sample[name]), most = Math.max(1, ...values);
      tile.big.textContent = text(values.at(-1));
      tile.line.setAttribute("d", values.map((value, index) => `${index ? "L" : "M"}${((index / (MOST - 1)) * WIDE).toFixed(1)} ${(HIGH - 2 - (value / most) * (HIGH - 6)).toFixed(1)}`).join(""));
    }
    const { store } = overview;
    this.banner.hidden = store.blockedCount === 0 && !store.failure;
    this.banner.textContent = store.blockedCount ? `${plural(store.blockedCount, "stream")} can't be written: ${plain(store.blocked[0]?.reason ?? "")}` : plain(store.failure ?? "");
    fill(this.store, h("dl.facts2", null, h("dt", null, "Kind"), h("dd", null, { files: "files", memory: "memory: documents are lost at the end", postgresql: "PostgreSQL" }[store.kind]), store.database === null ? [h("dt", null, "Database"), h("dd", null, "its figures can't be read")] : store.database ? databaseFacts(store.database) : null, store.diskBytes ? [h("dt", null, "Disk of the folder"), h("dd", null, `${bytes(store.diskFreeBytes)} free of ${bytes(store.diskBytes)}`)] : null, h("dt", null, "Streams in memory"), h("dd", null, count(overview.streams)), h("dt", null, "Streams that can't be written"), h("dd", null, count(store.blockedCount))));
    fill(this.apps, table([
      { label: "App", cell: (entry) => h("a", { href: address("sessions", [], { app: entry.app }) }, plain(entry.app)) },
      { label: "Sessions", right: true, cell: (entry) => count(entry.sessions) },
      { label: "Users", right: true, cell: (entry) => count(entry.users) },
      { label: "Rights", cell: (entry) => (entry.rules ? "rules" : `no rules, access ${entry.access}`) },
      { label: "Schema", right: true, cell: (entry) => `version ${entry.schemaVersion}` },
      { label: "", cell: (entry) => (entry.development ? h("span.pill.warn", null, "development mode") : null) },
    ], overview.apps, { label: "Apps", empty: "The server has no app." }));
  }

  async tick() {
    if (this.ticks++ % 5) return;
    const { sinks } = await app.ask("sinks");
    fill(this.sinks, table([
      { label: "App", cell: (sink) => plain(sink.app) }, { label: "Class", cell: (sink) => plain(sink.class) }, { label: "To", cell: (sink) => sink.kind },
      { label: "Waiting", right: true, cell: (sink) => [count(sink.waiting), sink.holding ? h("span.pill.bad", null, "uploads wait") : null] },
      { label: "Delivered", right: true, cell: (sink) => count(sink.delivered) }, { label: "Given up", right: true, cell: (sink) => count(sink.givenUp) }, { label: "Failures", right: true, cell: (sink) => count(sink.failures) },
      { label: "Last error", cell: (sink) => (sink.lastError ? `${clock(sink.lastErrorAt)}: ${plain(sink.lastError)}` : "–") },
    ], sinks, { label: "Sinks", empty: "No class has a sink." }));
  }
}
