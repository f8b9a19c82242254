// The backups of the server's folder: their list, and the making of one. The program makes them like the command `backup`.
import { fill, h } from "./dom.js";
import { app } from "./app.js";
import { bytes, clock, count, plain } from "./format.js";
import { button, dialog, note, noteError } from "./ui.js";
import { commandLine, commandText, folder } from "./command.js";
import { table } from "./server.js";

export class BackupsScreen {
  constructor() {
    this.note = h("span.dim", { role: "status" });
    this.problem = h("p.error", { role: "alert", hidden: true });
    this.about = h("p.soft");
    this.list = h("div");
    this.make = button("Back up…", () => this.ask(), { kind: "primary", disabled: true });
    this.element = h("div.page", null, h("div.across", null, this.make, this.note), this.problem, this.about, h("section.sheet", null, this.list));
  }

  update() { this.read(); }

  async read() {
    const place = app.welcome.server.backups;
    if (!place) {
      this.about.textContent = "Studio was started without --backups FOLDER, so it knows no backups. The command makes one:";
      return void fill(this.list, commandLine(commandText("backup", folder(), "TARGET")));
    }
    try {
      const answer = await app.ask("backups");
      this.problem.hidden = true;
      this.make.disabled = !app.welcome.write || answer.making;
      this.note.textContent = answer.making ? "A backup is being made." : `${count(answer.count)} in ${plain(answer.folder)}`;
      this.about.textContent = answer.documents ? "A backup is a copy of the server's folder. Create a server from it by the command 'restore'." : "The documents, accounts and rules are in PostgreSQL: back up the database with its own tools. These copies have the settings and secrets.";
      fill(this.list, table([
        { label: "Backup", cell: (entry) => plain(entry.name) }, { label: "Made", cell: (entry) => clock(entry.at).slice(0, 19) }, { label: "Files", right: true, cell: (entry) => `${count(entry.files)}${entry.whole ? "" : "+"}` },
        { label: "Size", right: true, cell: (entry) => `${bytes(entry.bytes)}${entry.whole ? "" : "+"}` }, { label: "A server is made from it by", cell: (entry) => h("code.block", null, plain(commandText("restore", `${answer.folder}/${entry.name}`, "NEW-FOLDER"))) },
      ], answer.backups, { label: "Backups", empty: "The folder has no backup." }));
    } catch (error) {
      if (error.code === "closed") return;
      this.problem.textContent = plain(error.message);
      this.problem.hidden = false;
    }
  }

  /** Shows the command, and makes the backup. */
  async ask() {
    let dry;
    try { dry = await app.ask("makeBackup", { dry: true }); } catch (error) { return noteError(error); }
    return dialog("Back up the server", [h("p", null, "The files are copied while the server runs. Each file is copied as it is at one moment."), h("p.dim", null, "The same as a command:"), commandLine(commandText("backup", folder(), dry.path))], { width: 640, actions: [["Cancel", "quiet", () => null], ["Back up", "primary", async () => {
      const done = await app.ask("makeBackup");
      note(`${count(done.files)} files are in ${plain(done.name)}.`);
      this.read();
    }]] });
  }
}
