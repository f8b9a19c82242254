// Dialogs, menus, notes and the live region.
import { add, fill, h, icon } from "./dom.js";

/** A button with a text, and perhaps an icon and a key. */
export function button(label, action, { kind = "", iconName, key, ...attributes } = {}) {
  return h("button.button", { type: "button", class: kind, onclick: action, ...attributes }, iconName && icon(iconName), label, key && h("kbd", null, key));
}

/** A button that shows an icon only. */
export function iconButton(label, iconName, action, attributes = {}) {
  return h("button.button.small.quiet.only", { type: "button", "aria-label": label, title: label, onclick: action, ...attributes }, icon(iconName));
}

/**
 * Shows a dialog until it is closed. `actions` are `[label, kind, action]`; an action that returns `false` leaves the dialog open.
 * The returned element has a method `finish(result)`, and a promise `finished`.
 */
export function dialog(title, content, { actions = [], width = 560, onClose } = {}) {
  const error = h("p.error", { role: "alert", hidden: true });
  const footer = h("div.dialogfoot", null, error, h("span.grow"));
  const element = h("dialog", { "aria-label": title, style: { width: `${width}px` } },
    h("form", { method: "dialog", onsubmit: (event) => { event.preventDefault(); element.querySelector(".dialogfoot .primary, .dialogfoot .danger")?.click(); } },
      h("div.dialoghead", null, h("h2", null, title), h("span.grow"), iconButton("Close", "close", () => element.close())),
      h("div.content", { tabindex: -1 }, content), footer));
  let result = null;
  element.finish = (value) => { result = value; element.close(); };
  element.fail = (message) => { error.textContent = message; error.hidden = !message; };
  element.finished = new Promise((resolve) => element.addEventListener("close", () => { element.remove(); onClose?.(); resolve(result); }));
  for (const [label, kind, action] of actions) {
    footer.append(button(label, async (event) => {
      element.fail("");
      event.currentTarget.disabled = true;
      const control = event.currentTarget;
      try {
        const value = await action(element);
        if (value !== false) element.finish(value ?? true);
      } catch (problem) { element.fail(problem.message); }
      control.disabled = false;
    }, { kind }));
  }
  if (!actions.length) footer.hidden = true;
  document.body.append(element);
  element.showModal();
  (element.querySelector(".content input:not([type=file]), .content select, .content textarea, .content button") ?? element.querySelector(".dialogfoot .primary, .dialogfoot .danger"))?.focus();
  return element;
}

/** Asks for a confirmation. With `typed`, the user has to type this text. */
export function confirm(title, text, { action = "Continue", kind = "primary", typed } = {}) {
  const field = typed ? h("input.input", { "aria-label": `Type ${typed} to continue`, autocomplete: "off" }) : null;
  return dialog(title, [h("p", null, text), field && h("label.down", null, `Type ${typed} to continue.`, field)], {
    actions: [["Cancel", "quiet", () => null], [action, kind, () => { if (field && field.value.trim() !== String(typed)) throw new Error("The text is different."); return true; }]],
  }).finished;
}

/** Shows a menu at a place. Items are `{ label, action, note, iconName }`, or `null` for a line. */
export function menu(items, { clientX, clientY }) {
  const before = document.activeElement;
  const close = () => { element.remove(); removeEventListener("pointerdown", outside, true); removeEventListener("blur", close); };
  const outside = (event) => { if (!element.contains(event.target)) close(); };
  const element = h("div.menu", { role: "menu", onkeydown: (event) => keys(event) },
    items.filter((item) => item !== undefined && item !== false).map((item) => (item === null ? h("hr", { role: "separator" }) : h("button", {
      type: "button", role: "menuitem", tabindex: -1, onclick: () => { close(); before?.focus?.({ preventScroll: true }); item.action(); },
    }, item.iconName && icon(item.iconName), h("span.cut", null, item.label), item.note && h("span.dim", null, item.note)))));
  const keys = (event) => {
    const buttons = [...element.querySelectorAll("button")], at = buttons.indexOf(document.activeElement);
    const targets = { ArrowDown: at + 1, ArrowUp: at - 1 + buttons.length, Home: 0, End: buttons.length - 1 };
    if (event.key in targets) buttons[targets[event.key] % buttons.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") { close(); before?.focus?.({ preventScroll: true }); }
    else if (event.key.length === 1) buttons.slice(at + 1).concat(buttons).find((entry) => entry.textContent.toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  (before?.closest?.("dialog") ?? document.body).append(element);
  const box = element.getBoundingClientRect();
  element.style.setProperty("left", `${Math.max(4, Math.min(clientX, innerWidth - box.width - 8))}px`);
  element.style.setProperty("top", `${Math.max(4, Math.min(clientY, innerHeight - box.height - 8))}px`);
  element.querySelector("button")?.focus();
  addEventListener("pointerdown", outside, true);
  addEventListener("blur", close);
}

const notes = h("div.notes", { role: "region", "aria-label": "Messages" });
const spoken = h("div.unseen", { role: "status", "aria-live": "polite" });

/** Adds the region of notes and the live region to the page. */
export function installNotes() {
  document.body.append(notes, spoken);
}

/** Announces a result to screen readers. */
export function announce(text) {
  if (spoken.textContent !== text) spoken.textContent = text;
}

/** Shows a note for some seconds. */
export function note(text, { isBad = false } = {}) {
  const element = h("div.note", { class: isBad ? "bad" : null, role: isBad ? "alert" : "status" }, text);
  notes.append(element);
  setTimeout(() => element.remove(), isBad ? 12_000 : 5000);
}

/** Shows the error of a request, except if the request was cancelled or the connection was lost. */
export function noteError(error) {
  if (error.code !== "cancelled" && error.code !== "closed") note(error.message, { isBad: true });
}

/** A list of tabs and the panel below it. `tabs` are `[name, label]`; `show(name)` returns the contents. */
export function tabList(tabs, { chosen, onChoose, label }) {
  const list = h("div.tabs", { role: "tablist", "aria-label": label, onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = tabs.findIndex(([name]) => name === list.chosen), next = tabs[(at + step + tabs.length) % tabs.length][0];
    onChoose(next);
    list.querySelector("[aria-selected=true]")?.focus();
  } });
  list.choose = (name, labels = {}) => {
    const hadFocus = list.contains(document.activeElement);
    list.chosen = name;
    fill(list, tabs.map(([key, text]) => h("button", { type: "button", role: "tab", "aria-selected": key === name, tabindex: key === name ? 0 : -1, onclick: () => onChoose(key) }, labels[key] ?? text)));
    if (hadFocus) list.querySelector("[aria-selected=true]").focus();
  };
  list.choose(chosen);
  return list;
}

/** Copies text, and HTML if it is given. */
export async function toClipboard(text, html) {
  try {
    if (html && window.ClipboardItem) {
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": new Blob([text], { type: "text/plain" }), "text/html": new Blob([html], { type: "text/html" }) })]);
    } else await navigator.clipboard.writeText(text);
    return true;
  } catch {
    note("The browser doesn't allow the page to copy.", { isBad: true });
    return false;
  }
}

/** Starts a download of the file that a ticket names. */
export function download({ ticket, name }) {
  const link = h("a", { href: `/download/${encodeURIComponent(ticket)}`, download: name ?? "", hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Saves a text that the page has made. */
export function saveText(text, { name, type }) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Rows of a form: a label and its control. */
export function pairs(rows) {
  const element = h("div.pairs");
  let serial = pairs.serial ?? 0;
  for (const [label, control] of rows) {
    const id = `field${++serial}`;
    if (control instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName)) { control.id = id; add(element, [h("label", { for: id }, label), control]); } else add(element, [h("span.name", null, label), h("div", null, control)]);
  }
  pairs.serial = serial;
  return element;
}

/** A choice of one of several values: `[value, label]`. */
export function choice(options, { value, onChange, ...attributes } = {}) {
  const element = h("select.input", { onchange: () => onChange?.(element.value), ...attributes }, options.map(([key, label]) => h("option", { value: key }, label)));
  if (value !== undefined) element.value = value;
  return element;
}
