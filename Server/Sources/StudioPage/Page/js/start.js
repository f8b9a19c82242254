// The start page with recent files, and the page that asks for the key of an encrypted file.
import { h, icon } from "./dom.js";
import { app } from "./app.js";
import { clock, plain } from "./format.js";
import { button, iconButton, noteError } from "./ui.js";
import { textNodes } from "./values.js";

const KINDS = { freehold: "Freehold", realm: "Realm file", missing: "missing", other: "another format" };

/** The list of files that the program was started with, and of recent files. */
export function startScreen({ onOpen }) {
  const { files, recent, history } = app.welcome;
  const entry = (file, isRecent) => h("li", null,
    h("button.item", { type: "button", disabled: file.kind === "missing", onclick: () => onOpen(file.file) }, icon("file"), h("span.cut", null, textNodes(file.name)), h("span.dim.cut", null, plain(file.folder ?? "")), h("span.grow"),
      h("span.pill", { class: file.kind === "missing" || file.kind === "other" ? "warn" : null }, KINDS[file.kind] ?? file.kind), file.opened ? h("span.dim", null, clock(file.opened).slice(0, 16)) : null),
    isRecent ? iconButton(`Forget ${plain(file.name)}`, "close", (event) => { const line = event.currentTarget.closest("li"); app.ask("forget", { file: file.file }).then(() => line.remove()).catch(noteError); }) : null);
  const section = (title, list, isRecent) => (list.length ? [h("h2.caps", null, title), h("ul.files", null, list.map((file) => entry(file, isRecent)))] : null);
  return h("div.start", null, h("img", { src: new URL("../mark.svg", import.meta.url).pathname, alt: "", width: 44, height: 44 }), h("h1", null, "Freehold Studio"),
    section("Files", files), section("Recent files", recent, true),
    files.length || recent.length ? null : h("p.soft", null, "No file was opened before."),
    h("p.soft", null, "Start ", h("code", null, "freehold-studio FILE"), " to open another file. The page can't name files itself.", history === false ? " Recent files aren't stored." : ""));
}

/** Asks for the key of an encrypted file. */
export function unlockScreen({ entry, error, onKey }) {
  const field = h("input.input", { type: "password", id: "file-key", autocomplete: "off", spellcheck: "false", "aria-describedby": "file-key-help" });
  const problem = h("p.error", { role: "alert", hidden: !error }, error ? error.message : "");
  const fail = (text) => { problem.textContent = text; problem.hidden = false; };
  const file = h("input", { type: "file", id: "file-key-file", onchange: async () => {
    const chosen = file.files[0];
    if (!chosen) return;
    if (chosen.size > 4096) return fail("A key file has 64 bytes, or their 128 hexadecimal digits.");
    const data = new Uint8Array(await chosen.arrayBuffer());
    const text = new TextDecoder().decode(data).trim();
    onKey(/^[0-9a-fA-F]{128}$/.test(text) ? { hex: text } : { base64: btoa(String.fromCharCode(...data)) });
  } });
  const open = () => {
    const text = field.value.trim();
    if (/^[0-9a-fA-F]{128}$/.test(text)) return onKey({ hex: text });
    if (/^[A-Za-z0-9+/]{86}={0,2}$/.test(text)) return onKey({ base64: text.padEnd(88, "=") });
    return fail("A key is 128 hexadecimal digits, or 64 bytes as base64.");
  };
  return h("div.start", null, icon("lock"), h("h1", null, textNodes(entry?.name ?? "Encrypted file")), h("p.soft", null, "This file is encrypted. The key stays in the memory of the program."),
    h("form.down", { onsubmit: (event) => { event.preventDefault(); open(); } }, h("label", { for: "file-key" }, "Key"), field, h("p.dim", { id: "file-key-help" }, "128 hexadecimal digits, or base64"),
      h("label", { for: "file-key-file" }, "Or a key file"), file, problem, h("div.across", null, h("span.grow"), button("Open", open, { kind: "primary" }))));
}
