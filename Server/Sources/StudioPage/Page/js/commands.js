// The commands of the palette, and the list of keys.
import { h } from "./dom.js";
import { app, toggleTheme } from "./app.js";
import { address, go, toClass } from "./address.js";
import { model } from "./model.js";
import { dialog } from "./ui.js";

/** The commands that are available on a screen. */
export function commands(screen) {
  const to = (label, parts, note) => ({ label, note, iconName: "right", action: () => go(address(...parts)) });
  const first = model.classes.find((entry) => entry.kind === "object")?.class;
  return [
    ...(screen?.commands?.() ?? []),
    first ? { label: "Data", iconName: "data", action: () => go(toClass(first)) } : null,
    to("Schema", ["schema"]), to("History", ["history"]), to("File: bytes, readers, verify", ["file"]),
    to("Export…", ["transfer", ["export"]], "⌘E"), app.canWrite ? to("Import…", ["transfer", ["import"]]) : null, to("Compare with another file…", ["transfer", ["compare"]]), to("Back up this file…", ["transfer", ["backup"]]),
    app.file?.kind === "realm" ? to("Convert this Realm file…", ["transfer", ["realm"]]) : null,
    app.canWrite && !app.file.flags.synced ? to("Change the schema…", ["schema", [], { change: "1" }]) : null,
    { label: "Light or dark", iconName: "theme", action: toggleTheme },
    { label: "Keys", note: "?", iconName: "more", action: showKeys },
    { label: "Other files", iconName: "file", action: () => app.showStart() },
  ].filter(Boolean);
}

const GROUPS = [
  ["Everywhere", [
    [["⌘K"], "search and run commands"], [["/"], "find a class"], [["?"], "show the keys"], [["⌥←", "⌥→"], "follow the trail back and forward"],
    [["⌘E"], "export"], [["⌘S"], "review and write the edits"], [["⌘Z"], "undo the last edit"], [["F6"], "move to the next part of the screen"], [["Esc"], "close, or leave a field"],
  ]],
  ["Query", [[["⌃⏎"], "run the query"], [["⌃Space"], "complete a word"], [["↑", "↓", "⏎"], "choose a completion"], [["⌘F"], "search in the result"]]],
  ["Table", [
    [["↑", "↓", "←", "→"], "move"], [["⌃Home", "⌃End"], "first and last row"], [["PgUp", "PgDn"], "move by a page"], [["↑"], "in the first row: the headings"], [["⏎"], "open the object; sort, on a heading"],
    [["⇧⏎"], "on a heading: add a sort key"], [["⌘⏎"], "follow a link"], [["Space"], "mark the object"], [["⇧"], "with movement: extend the selection"], [["⌘A"], "select all cells"], [["⌘C"], "copy the selected cells"],
    [["⇧F10"], "menu of the cell or heading"], [["F2"], "edit the cell; typing edits, too"], [["Del"], "delete the marked objects"],
  ]],
];

let open = null;

/** Shows the list of keys. */
export function showKeys() {
  if (open?.open) return;
  open = dialog("Keys", h("div.keys", null, GROUPS.map(([title, keys]) => [h("h3", null, title), keys.map(([names, text]) => h("div", null, h("span", null, names.map((name) => h("kbd", null, name))), h("span", null, text)))]),
    h("p.dim", null, "⌘ is Ctrl except on a Mac.")), { width: 720 });
}
