// The start of the page: the key, the connection, the file, and the screen that the address names.
import { fill, h } from "./dom.js";
import { app, applyTheme, takeState } from "./app.js";
import { address, go, onAddress, parsed, scope, trail } from "./address.js";
import { Session, forgetKey, takeKey } from "./session.js";
import { button, installNotes, noteError } from "./ui.js";
import { commands, showKeys } from "./commands.js";
import { setClasses } from "./model.js";
import { Shell } from "./shell.js";
import { showPalette } from "./palette.js";
import { startScreen, unlockScreen } from "./start.js";
import { DataScreen } from "./data.js";
import { edits } from "./edits.js";

const SCREENS = {
  data: async () => DataScreen,
  schema: async () => (await import("./schema.js")).SchemaScreen,
  history: async () => (await import("./commits.js")).HistoryScreen,
  file: async () => (await import("./file.js")).FileScreen,
  transfer: async () => (await import("./transfer.js")).TransferScreen,
};
const shell = new Shell();
/** The page of a sync server, if the program shows one. */
let server = null;
let screen = null, screenName = null, opened = null, shows = 0;

const whole = (...children) => { screen?.close(); screen = null; screenName = null; fill(document.getElementById("app"), h("main.body.alone", { id: "main", tabindex: -1 }, children)); };
const message = (title, text, ...more) => whole(h("div.empty", null, h("h1", null, title), h("p", null, text), more));

/** Shows the screen of the address. */
async function show() {
  if (server) return server.show();
  if (!app.file) return;
  const serial = ++shows;
  const place = parsed();
  if (scope.file && place.options.get("file") && place.options.get("file") !== scope.file) return void openFile(place.options.get("file"));
  applyTheme(place.options.get("theme"));
  const name = SCREENS[place.screen] ? place.screen : "data";
  if (name !== screenName || !screen) {
    const Screen = await SCREENS[name]();
    if (serial !== shows) return;
    screen?.close();
    screen = new Screen(shell);
    screenName = name;
    shell.show(name, screen.element);
  }
  screen.update(place);
  shell.refresh();
  if (place.options.has("palette")) showPalette(place.options.get("palette"));
}

async function openFile(file, key) {
  const entry = [...app.welcome.files, ...app.welcome.recent].find((other) => other.file === file);
  try {
    app.file = await app.ask("openFile", { file, key });
  } catch (error) {
    app.file = null;
    if (error.code === "closed") return;
    if (error.code === "key") return whole(unlockScreen({ entry, error: key ? error : null, onKey: (value) => openFile(file, value) }));
    return message(entry?.name ?? "The file can't be opened", error.message, button("Other files", showStart));
  }
  opened = { file, key };
  edits.take({ waiting: [], count: 0 });
  app.isOpen = true;
  app.notLive = null;
  const [, stored] = await Promise.all([loadClasses(), app.ask("recall").catch(() => ({ state: {} }))]);
  takeState(stored.state ?? {});
  const many = app.welcome.files.length + app.welcome.recent.length > 1;
  scope.file = many ? file : null;
  screen?.close();
  screen = null;
  show();
  performance.mark("freehold-file");
}

async function loadClasses() {
  setClasses(await app.ask("classes"));
}

function showStart() {
  app.file = null;
  opened = null;
  scope.file = null;
  whole(startScreen({ onOpen: (file) => { go(address("data")); openFile(file); } }));
}

app.redraw = () => { screen?.close(); screen = null; show(); };
app.showStart = () => { app.ask("closeFile").catch(() => {}); history.pushState(null, "", "#/"); showStart(); };
app.reloadClasses = loadClasses;
app.commands = () => commands(screen);
app.here = () => (shell.label ? [{ label: shell.label, address: location.hash }] : []);
app.setLabel = (label) => shell.drawTrail(label);

/** @param state "open", "refused", "ended" if the program has ended, or "closed" if the connection was lost. */
function stateChanged(state, value) {
  if (state === "open") {
    app.welcome = value;
    app.isOpen = true;
    if (value.server) return void showServer();
    listen();
    const wanted = parsed().options.get("file") ?? opened?.file, only = value.files.length === 1 && !value.recent.some((entry) => entry.file === wanted) ? value.files[0].file : wanted;
    if (only) openFile(only, opened?.file === only ? opened.key : undefined);
    else if (value.files.length) openFile(value.files[0].file);
    else showStart();
  } else if (state === "refused") {
    forgetKey();
    message("Freehold Studio", value.code === "key" ? "This address isn't valid any more. Open the address that the program printed at its last start." : value.message);
  } else if (app.isOpen || !app.welcome) {
    app.isOpen = false;
    shell.drawLive();
    document.body.classList.add("ended");
    banner(BANNERS[state]);
  }
  if (state === "open") banner(null);
}

/** Shows the page of a sync server, and continues it after the connection was lost. */
async function showServer() {
  banner(null);
  document.body.classList.remove("ended");
  if (!server) {
    const { ServerPage } = await import("./server.js");
    server = new ServerPage();
  }
  server.show();
}

const BANNERS = {
  ended: "The program has ended, and the page shows the last state. Start the program again, and open the address that it prints. Each start has a new key.",
  closed: "The connection to the program was lost, and the page shows the last state. It connects again as soon as the program answers. If the program has ended, start it again, and open the address that it prints.",
};
let ended = null;
function banner(text) {
  ended?.remove();
  ended = text ? h("div.banner.bad.ended", { role: "alert" }, text) : null;
  if (ended) document.body.append(ended);
}

let isListening = false;
function listen() {
  if (isListening) return;
  isListening = true;
  app.on("classes", (push) => {
    if (push.schema) loadClasses().then(() => { shell.refresh(); screen?.schemaChanged?.(); }).catch(noteError);
    else shell.classesChanged(push);
    screen?.classesChanged?.(push);
  });
  app.on("commits", (push) => { shell.committed(push); screen?.committed?.(push); });
  app.on("live", (push) => { app.notLive = push.live ? null : push.reason ?? "This file isn't followed."; shell.drawLive(); });
  document.addEventListener("visibilitychange", () => app.ask(document.hidden ? "pause" : "resume").catch(() => {}));
}

/** Follows a link of the page, and keeps the steps that led there. */
function clicked(event) {
  const link = event.target.closest?.("a[href^='#/']");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const isStep = link.classList.contains("to") && link.dataset.label !== undefined;
  go(link.getAttribute("href"), { trail: isStep ? [...trail(), ...app.here()] : [] });
}

const PARTS = [".side input", "[role=grid]", ".editor textarea", ".inspector [role=tab]", "main"];

function pressed(event) {
  const control = event.ctrlKey || event.metaKey, inDialog = document.querySelector("dialog[open]"), isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  const key = event.key.toLowerCase();
  let handled = true;
  if (server) {
    if (app.file && !inDialog && pressedOnServer({ key, event, control, isTyping })) event.preventDefault();
    return;
  }
  if (!app.file) return;
  if (control && key === "k" && !event.shiftKey && inDialog?.classList.contains("palette")) inDialog.close();
  else if (inDialog && !(control && key === "k")) return;
  else if (control && key === "k" && !event.shiftKey) showPalette();
  else if (event.key === "/" && !isTyping && !control) shell.findField.focus();
  else if (event.key === "?" && !isTyping && !control) showKeys();
  else if (event.key === "F6") nextPart(event.shiftKey ? -1 : 1);
  else if (control && key === "e" && screen.exports) screen.exports();
  else if (control && key === "e") go(address("transfer"));
  else handled = Boolean(screen?.key?.({ key, event, control, isTyping }));
  if (handled) event.preventDefault();
}

/** The keys of the screen of data of a server. */
function pressedOnServer({ key, event, control, isTyping }) {
  if (event.key === "/" && !isTyping && !control) server.findField.focus();
  else if (event.key === "?" && !isTyping && !control) showKeys();
  else if (event.key === "F6") nextPart(event.shiftKey ? -1 : 1);
  else return Boolean(server.screen?.key?.({ key, event, control, isTyping }));
  return true;
}

function nextPart(step) {
  const parts = PARTS.map((selector) => document.querySelector(selector)).filter((element) => element?.offsetParent);
  const at = parts.findIndex((element) => element === document.activeElement || (element.contains(document.activeElement) && element.id !== "main"));
  parts[(at + step + parts.length) % parts.length]?.focus();
}

async function start() {
  installNotes();
  applyTheme(parsed().options.get("theme"));
  onAddress(show);
  addEventListener("hashchange", () => { if (location.hash.startsWith("#key=")) location.reload(); });
  document.addEventListener("click", clicked);
  addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => { if (edits.count) event.preventDefault(); });
  const key = await takeKey();
  if (!key) return message("Freehold Studio", "The address has no key. Open the address that the program printed.");
  app.session = new Session({ key, onState: stateChanged });
}

start();
