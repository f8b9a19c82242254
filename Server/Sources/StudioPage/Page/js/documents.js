// The documents of an app, on the screen that shows the objects of a file. The program reads the parts that the table shows, and keeps the edits.
import { fill, h } from "./dom.js";
import { app, takeState } from "./app.js";
import { address, go, parsed, scope } from "./address.js";
import { plain } from "./format.js";
import { noteError } from "./ui.js";
import { DataScreen } from "./data.js";
import { edits } from "./edits.js";
import { setClasses } from "./model.js";
import { appChoice, appOf, filterField } from "./server.js";

/** The screen of data: the choice of the app and the stream, and below it the table and the object. */
export class DocumentsScreen {
  constructor(page) {
    this.page = page;
    this.choice = h("span");
    this.stream = filterField("Stream, if the app has several", (text) => go(address("data", [], { app: this.app, stream: text || null })));
    this.message = h("p.empty", { role: "status" });
    this.box = h("div.databody");
    this.element = h("div.datapage", null, h("div.across.wrap", null, this.choice, this.stream, h("span.dim", null, "Reads and writes ignore the rights of users. Writes are merged with the work of devices, and the log names you.")), this.message, this.box);
  }

  close() {
    this.data?.close();
    this.data = null;
    this.isClosed = true;
    app.file = null;
  }

  async update(place) {
    this.place = place;
    const name = appOf(place), stream = place.options.get("stream"), wanted = JSON.stringify([name, stream]);
    fill(this.choice, appChoice(place, (value) => go(address("data", [], { app: value, stream: null }))));
    if (!name) return this.say("Choose an app.");
    if (!place.options.get("app")) { scope.app = name; return go(address("data", place.parts, { ...Object.fromEntries(place.options), app: name })); }
    if (wanted !== this.wanted) {
      if (document.activeElement !== this.stream) this.stream.value = stream ?? "";
      if (!(await this.open(name, stream, wanted))) return undefined;
    }
    if (this.isReady) this.show();
    return undefined;
  }

  /** Opens the documents of an app, and returns whether no other app was chosen meanwhile. */
  async open(name, stream, wanted) {
    Object.assign(this, { wanted, app: name, isReady: false });
    this.data?.close();
    this.data = null;
    fill(this.box);
    this.say("Reading the classes…");
    try {
      const answer = await app.ask("openData", { app: name, ...(stream ? { stream } : {}) });
      if (wanted !== this.wanted || this.isClosed) return false;
      app.file = answer.file;
      setClasses(answer);
      const [stored, waiting] = await Promise.all([app.ask("recall"), app.ask("waiting")]);
      if (wanted !== this.wanted || this.isClosed) return false;
      takeState(stored.state ?? {});
      edits.take(waiting);
    } catch (error) {
      if (wanted !== this.wanted || this.isClosed) return false;
      this.wanted = null;
      this.say(error.message);
      this.page.enterData(false);
      return false;
    }
    this.isReady = true;
    return true;
  }

  say(text) {
    this.message.textContent = plain(text ?? "");
    this.message.hidden = !text;
  }

  show() {
    this.say(null);
    if (!this.data) {
      this.data = new DataScreen(this.page, { element: "div" });
      this.data.element.classList.add("datascreen");
      fill(this.box, this.data.element);
    }
    this.data.update(parsed());
    this.page.enterData();
  }

  appsKnown() { this.update(this.place); }

  /** Reads the visible rows again if the stream has changed. */
  async tick() {
    if (!this.isReady) return;
    try { await app.ask("follow"); } catch (error) { if (error.code === "noFile") this.reopen(); else throw error; }
  }

  /** Opens the app again, after the connection to the program was lost. */
  reopen() {
    this.wanted = null;
    this.update(parsed()).catch(noteError);
  }

  key(event) { return this.data?.key(event) ?? false; }
}
