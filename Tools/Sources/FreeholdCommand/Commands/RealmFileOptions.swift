import ArgumentParser
import Foundation
import Freehold
import FreeholdImport

/// The options of 'import' for a file that Realm wrote.
struct RealmFileOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Makes the file of one that Realm wrote.", valueName: "path"), completion: .file())
    var fromRealm: String?
    @Option(
        help: ArgumentHelp(
            "The Realm file's key: a file of 64 bytes, or of their 128 hexadecimal digits.",
            valueName: "path"
        ),
        completion: .file()
    )
    var realmKeyFile: String?
    @Flag(help: "With --from-realm or --infer: reads everything, reports, and makes nothing.") var dryRun = false
    @Flag(help: "The report of a Realm file, or the schema of a dry inference, as JSON.") var json = false

    func check(hasOthers: Bool, infers: Bool) throws {
        if fromRealm == nil, realmKeyFile != nil {
            throw ValidationError("--realm-key-file goes with --from-realm.")
        }
        if fromRealm == nil, !infers, dryRun || json {
            throw ValidationError("--dry-run and --json go with --from-realm or --infer.")
        }
        if infers, json, !dryRun {
            throw ValidationError("--json prints the schema of --infer with --dry-run only.")
        }
        if fromRealm != nil, hasOthers {
            throw ValidationError(
                "--from-realm takes a whole file: neither a class nor --schema nor --input goes with it."
            )
        }
    }

    /// - Parameter target: The configuration of the new file, with its key.
    func run(_ source: String, _ target: Realm.Configuration) throws {
        try FileOptions.requireFile(source)
        let url = URL(fileURLWithPath: source)
        let key = try realmKeyFile.map { try KeyOptions.read($0) }
        let report: RealmImportReport
        if dryRun {
            report = try Realm.checkRealmFile(at: url, key: key, progress: show)
        } else {
            let path = target.fileURL!
            let drafts = Drafts.begin("\(path.deletingLastPathComponent().path)/.\(path.lastPathComponent).", .open)
            defer { drafts.end() }
            report = try Realm.importRealmFile(at: url, to: target, key: key, progress: show)
        }
        Progress.clear()
        if json {
            try StandardOutput.shared.write(try report.json())
            return try StandardOutput.shared.line("")
        }
        for line in report.description.split(separator: "\n") {
            try StandardOutput.shared.line(TerminalText.escaped(String(line)))
        }
    }

    private func show(_ progress: RealmImportProgress) {
        Progress.show(
            "\(TerminalText.escaped(progress.className)): \(Units.grouped(progress.objects)) of "
                + "\(Units.grouped(progress.total)) objects"
        )
    }
}

/// The output of 'info' and 'schema' for a file that Realm wrote.
struct RealmFileOutput {
    let path: String
    let summary: RealmFileSummary

    /// Returns nil if the file isn't a Realm file. An encrypted file can be recognised only with its key.
    init?(_ file: FileOptions) throws {
        path = file.file
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        let head = try? handle.read(upToCount: 20)
        try? handle.close()
        guard let head, head.count == 20 else { return nil }
        let url = URL(fileURLWithPath: path)
        let mark = [UInt8](head.suffix(4))
        if mark == Array("T-DB".utf8) {
            summary = try Realm.inspectRealmFile(at: url)
        } else if mark != Self.ownMark, let key = try file.key.key(),
            let summary = try? Realm.inspectRealmFile(at: url, key: key)
        {
            self.summary = summary
        } else {
            return nil
        }
    }

    /// The bytes that Freehold's files have at this position.
    private static let ownMark: [UInt8] = [0xde, 0xc0, 0xef, 0xbe]

    func writeInfo(asJSON: Bool) throws {
        let output = StandardOutput.shared
        if asJSON {
            try output.write(try summary.json())
            return try output.line("")
        }
        let kind = (summary.isEncrypted ? ", encrypted" : "") + (summary.isSynchronized ? ", synchronized" : "")
        try output.line("File            \(TerminalText.escaped(path))")
        try output.line("Written by      Realm, format \(summary.formatVersion)\(kind)")
        try output.line("Size            \(Units.bytes(summary.bytes)) (\(Units.grouped(summary.bytes)) bytes)")
        try output.line("Schema version  \(summary.schemaVersion.map { "\($0)" } ?? "none")")
        if let unsent = summary.unsentChanges { try output.line("Unsent changes  \(Units.grouped(unsent))") }
        try output.line("Classes         \(summary.classes.count)\(summary.classes.isEmpty ? "" : "\n")")
        if !summary.classes.isEmpty {
            var table = TextTable(["Class", "Objects", "Primary key"], isNumber: [false, true, false])
            for item in summary.classes {
                let kind = item.kind == "topLevel" ? "" : " (\(item.kind))"
                try table.add([item.name + kind, Units.grouped(item.objects), item.primaryKey ?? ""])
            }
            try table.finish()
        }
        try output.line(
            "\n'freehold import NEW --from-realm \(TerminalText.escaped(path))' makes a Freehold file of it."
        )
    }
}
