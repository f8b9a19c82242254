import ArgumentParser
import Foundation
import Freehold
import FreeholdSync

/// The command that shows the data of sync in a file.
struct SyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Prints the state of a file's sync, and the changes that aren't uploaded or were lost.",
        discussion: """
            Nothing is changed, and a process that syncs the file isn't held up. A file that doesn't sync is refused (65).

            EXAMPLES:
              freehold sync status app.realm
              freehold sync status app.realm --json | jq .unsentCommits
              freehold sync pending app.realm | jq -c 'select(.class == "Dog")'
              freehold sync lost app.realm
            """,
        subcommands: [SyncStatusCommand.self, SyncPendingCommand.self, SyncLostCommand.self]
    )
}

extension FileOptions {
    func inspectSync() throws -> SyncInspection {
        do {
            return try SyncInspection(of: try open())
        } catch let error as SyncFileError {
            throw Failure(error.code == .notSynced ? .data : .failure, "\(file): \(error.reason)")
        }
    }

    /// Writes lines when they are available.
    fileprivate func writeLines(_ each: (SyncInspection, (String) throws -> Void) throws -> Void) throws {
        do {
            try each(inspectSync()) { try StandardOutput.shared.line($0) }
        } catch let error as SyncFileError {
            throw Failure(.failure, "\(file): \(error.reason)")
        }
    }
}

struct SyncPendingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "Writes what the server hasn't answered, a change a line, as JSON.",
        discussion: """
            A line tells its state (recorded: nobody has numbered it yet; waiting; sent: the server may have it), the \
            number and time of its commit, the change, its class, key and path, and values in relaxed Extended JSON. A link is \
            {"$link": {"class": …, "key": …}}.
            """
    )

    @OptionGroup var file: FileOptions

    func run() throws { try file.writeLines { try $0.forEachPending($1) } }
}

struct SyncLostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lost",
        abstract: "Writes what the server refused, or was given up, a change a line, as JSON.",
        discussion: """
            A line tells what happened (lost: refused with its reason, discarded in a reset, misplaced), and the change as \
            'freehold sync pending' does. It stays in the file until the app takes it.
            """
    )

    @OptionGroup var file: FileOptions

    func run() throws { try file.writeLines { try $0.forEachLost($1) } }
}

struct SyncStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Prints the file's user, the state of its sync, its queries, and the last error."
    )

    @OptionGroup var file: FileOptions
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let inspection = try file.inspectSync()
        let status: SyncInspection.Status
        do { status = try inspection.status() } catch let error as SyncFileError {
            throw Failure(.failure, "\(file.file): \(error.reason)")
        }
        if json { return try Self.writeJSON(status) }
        try writeText(status)
    }

    private static func writeJSON(_ status: SyncInspection.Status) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        try StandardOutput.shared.write(try encoder.encode(status))
        try StandardOutput.shared.line("")
    }

    private func writeText(_ status: SyncInspection.Status) throws {
        func line(_ name: String, text: String) throws {
            let space = String(repeating: " ", count: max(16 - name.count, 1))
            try StandardOutput.shared.line(name + space + TerminalText.escaped(text))
        }
        func counted(_ count: some BinaryInteger, _ noun: String) -> String {
            "\(Units.grouped(Int(clamping: count))) \(noun)\(count == 1 ? "" : "s")"
        }
        try line("File", text: file.file)
        try line("App", text: status.app ?? "unknown")
        try line("User", text: status.user ?? "unknown")
        if let server = status.server { try line("Server", text: server) }
        try line("Number", text: status.file.map { "\($0)" } ?? "none yet: the file was never connected")
        try line(
            "Has",
            text: status.version.map { "version \($0) of the history \(status.epoch ?? "0")" }
                ?? "nothing yet"
        )
        try line("Synced", text: status.isSyncing ? "by a process, now" : "by no process at the moment")
        if status.isReset { try line("Reset", text: "the server has another history, whose state the file waits for") }
        if let objects = status.bootstrapObjects {
            try line("Bootstrap", text: "\(counted(objects, "object")) of about \(status.bootstrapExpected ?? 0)")
        }
        try line("Not uploaded", text: uploads(status, counted))
        if status.unconfirmedCommits > 0 {
            try line(
                "Unconfirmed",
                text: "\(counted(status.unconfirmedCommits, "commit")) that the download will bring back"
            )
        }
        try line(
            "Lost",
            text: status.lost == 0 ? "nothing" : "\(counted(status.lost, "edit")): see 'freehold sync lost'"
        )
        if let error = status.lastError {
            try line("Last error", text: "\(error.message) (\(error.code), \(error.time.formatted(.iso8601)))")
        }
        try writeQueries(status)
    }

    private func uploads(
        _ status: SyncInspection.Status,
        _ counted: (UInt64, String) -> String
    ) -> String {
        var parts: [String] = []
        if status.unsentCommits > 0 {
            parts.append(
                counted(status.unsentCommits, "commit")
                    + (status.sentCommits > 0 ? ", of which \(status.sentCommits) may have been sent" : "")
            )
        }
        if status.recordedCommits > 0 {
            parts.append(counted(UInt64(status.recordedCommits), "commit") + " without a number yet")
        }
        return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
    }

    private func writeQueries(_ status: SyncInspection.Status) throws {
        let rows: [(name: String, state: String, className: String, condition: String)]
        if let set = status.querySets.last {
            let names = Dictionary(
                status.subscriptions.map { ($0.className + " " + $0.condition, $0.name ?? "") },
                uniquingKeysWith: { first, _ in first }
            )
            rows = set.queries.map { query in
                let name = names[query.className + " " + query.condition] ?? ""
                return (name, query.error ?? set.state, query.className, query.condition)
            }
        } else {
            rows = status.subscriptions.map { ($0.name ?? "", "not sent yet", $0.className, $0.condition) }
        }
        if rows.isEmpty { return try StandardOutput.shared.line("Subscriptions   none") }
        try StandardOutput.shared.line("")
        var table = TextTable(["Subscription", "State", "Class", "Condition"], isNumber: [false, false, false, false])
        for row in rows { try table.add([row.name, row.state, row.className, row.condition]) }
        try table.finish()
    }
}
