// Export, import, comparison with another file, backup, and the conversion of Realm files.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { address, go, toClass } from "./address.js";
import { bytes, count, plain, plural } from "./format.js";
import { model } from "./model.js";
import { button, choice, download, note, noteError, pairs } from "./ui.js";
import { differenceList } from "./difference.js";
import { exportForm } from "./export.js";
import { ImportSteps, send } from "./import.js";
import { classBadge, reportView, textNodes } from "./values.js";

const PARTS = [["export", "Export"], ["import", "Import"], ["compare", "Compare"], ["backup", "Back up"], ["realm", "Convert"]];

/** The screen for data that leaves or enters the file. */
export class TransferScreen {
  constructor(shell) {
    this.shell = shell;
    this.tabs = h("nav.parts", { "aria-label": "Transfer" });
    this.body = h("div.down");
    this.element = h("main", { tabindex: -1, "aria-label": "Transfer" }, h("div.page", { tabindex: 0, role: "region", "aria-label": "Transfer" }, this.tabs, this.body));
  }

  close() {}

  update(place) {
    const parts = PARTS.filter(([name]) => (name === "realm" ? app.file.kind === "realm" : name !== "import" || app.canWrite || app.file.kind !== "realm"));
    const part = parts.some(([name]) => name === place.parts[0]) ? place.parts[0] : "export";
    fill(this.tabs, parts.map(([name, label]) => h("a.button", { href: address("transfer", [name]), "aria-current": name === part ? "page" : null }, label)));
    this.shell.drawTrail(PARTS.find(([name]) => name === part)[1]);
    this.shell.setStatus([]);
    if (part !== this.part) { this.part = part; this[part](place); }
  }

  sheet(title, ...content) { fill(this.body, h("section.sheet", { "aria-label": title }, h("header", null, h("h2", null, title)), h("div.down", null, content))); }

  export() {
    const form = exportForm({ classNames: model.classes.filter((entry) => entry.kind === "object").map((entry) => entry.class) });
    const run = button("Export", async () => { run.disabled = true; try { download(await form.request()); } catch (error) { noteError(error); } run.disabled = false; }, { kind: "primary" });
    this.sheet("Export", h("p.soft", null, "The result of a query is exported on the screen Data, with ⌘E."), form.element, h("div.across", null, run));
  }

  import(place) {
    if (!app.canWrite) return this.sheet("Import", h("p", null, app.file.kind === "realm" ? "Realm files are read-only." : "Studio was started without --write, so it can't import."));
    const steps = new ImportSteps({ className: place.parts[1], onDone: ({ className }) => go(toClass(className)) });
    return this.sheet("Import", steps.element);
  }

  compare() {
    const others = [...app.welcome.files, ...app.welcome.recent].filter((entry, index, list) => entry.file !== app.file.file && entry.kind === "freehold" && list.findIndex((other) => other.file === entry.file) === index);
    const result = h("div.down"), list = choice(others.map((entry) => [entry.file, `${plain(entry.name)} — ${plain(entry.folder ?? "")}`])), file = h("input", { type: "file" });
    const show = async (work) => { fill(result, h("p.dim", null, "Comparing…")); try { this.difference(result, await work()); } catch (error) { fill(result, h("p.error", null, error.message)); } };
    this.sheet("Compare with another file", h("p.soft", null, "The differences lead from this file (left) to the other one (right). Objects are compared by their primary keys."),
      others.length ? h("div.across", null, pairs([["File", list]]), button("Compare", () => show(() => app.ask("diff", { file: list.value })), { kind: "primary" })) : h("p.dim", null, "No other file is known."),
      pairs([["A backup or a copy", file]]), h("div.across", null, button("Upload and compare", () => { if (!file.files[0]) return note("Choose a file first."); return show(async () => { return app.ask("diff", { import: await send(await app.ask("import", { format: "file" }), file.files[0]) }); }); })), result);
  }

  difference(box, { classes }) {
    const changed = classes.filter((entry) => entry.only || entry.added || entry.removed || entry.changed || entry.properties?.length);
    fill(box, h("p", { role: "status" }, changed.length ? `${plural(changed.length, "class", "classes")} differ.` : "The files have the same objects."),
      changed.map((entry) => [h("div.across", null, classBadge(entry.class), entry.only ? h("span.pill.warn", null, entry.only === "left" ? "only in this file" : "only in the other file") : null, h("span.insert", null, `+${count(entry.added)}`), h("span.modify", null, `~${count(entry.changed)}`), h("span.delete", null, `−${count(entry.removed)}`)),
        (entry.properties ?? []).map((property) => h("p.soft", null, textNodes(property.property), property.only === "left" ? " is only in this file." : " is only in the other file.")),
        differenceList(entry.objects.map((object) => ({ class: entry.class, ...object })), { sides: ["left", "right"] }), entry.added + entry.removed + entry.changed > entry.objects.length ? h("p.dim", null, `${count(entry.added + entry.removed + entry.changed - entry.objects.length)} more objects aren't shown.`) : null]));
  }

  backup() {
    const result = h("p.dim", { role: "status" });
    const run = button("Back up", async () => {
      run.disabled = true;
      result.textContent = "Copying…";
      try { const answer = await app.ask("backup"); download(answer); result.textContent = `${answer.name}: ${bytes(answer.bytes)}`; } catch (error) { result.textContent = error.message; }
      run.disabled = false;
    }, { kind: "primary" });
    this.sheet("Back up", h("p.soft", null, "The copy contains one version of the file, and other processes can write meanwhile."), h("div.across", null, run), result);
  }

  realm() {
    const result = h("div.down", { role: "status" });
    const show = async (isDry) => {
      fill(result, h("p.dim", null, isDry ? "Checking…" : "Converting…"));
      try {
        const answer = await app.ask("importRealm", { dry: isDry });
        if (!isDry) download(answer);
        fill(result, isDry ? [reportView(answer.report ?? ""), h("p.insert", null, "The file can be converted.")] : h("p", null, `${plain(answer.name)} was made.`));
      } catch (error) { fill(result, h("p.error", null, error.message)); }
    };
    this.sheet("Convert this Realm file", h("p.soft", null, "Studio makes a Freehold file with the same objects. The Realm file isn't changed. The dry run reads the whole file first."), h("div.across", null, button("Dry run", () => show(true)), button("Convert…", () => show(false), { kind: "primary" })), result);
  }
}
