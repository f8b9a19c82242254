// The commands of a server that do the same as actions of the page.
import { h } from "./dom.js";
import { app } from "./app.js";
import { scope } from "./address.js";
import { plain } from "./format.js";
import { iconButton, toClipboard } from "./ui.js";

/** A command for a terminal, with each part quoted if necessary. */
export function commandText(...parts) {
  return ["freehold-server", ...parts].map((part) => (/^[A-Za-z0-9@%+=:,./_-]+$/.test(part) ? part : `'${String(part).replaceAll("'", "'\\''")}'`)).join(" ");
}

/** The command that does the same as an action of the page. */
export function commandLine(text) {
  return h("div.command", null, h("code", null, plain(text)), iconButton("Copy the command", "copy", () => toClipboard(text)));
}

export const folder = () => app.welcome.server.folder;

/** The command for a change of documents of the app that is shown. */
export function documentCommand([name, ...rest]) {
  return commandText("document", name, folder(), scope.app, ...rest, ...(scope.stream ? ["--stream", scope.stream] : []));
}
