import ArgumentParser
import Foundation
import Freehold
import Synchronization

/// A session with a file. It executes lines from any source.
final class Shell {
    private let path: String
    private let configuration: Realm.Configuration
    private let writes: Bool
    /// A Boolean value that indicates whether the session is on a terminal.
    let isInteractive: Bool
    /// A realm that keeps the file open without holding a version.
    private let keeper: Realm

    private var format = RowFormat.table
    private var columns: String?
    private var explains = false
    private var output: DraftFile?
    /// The number of nested files that are being read.
    private var depth = 0
    private static let deepest = 16

    /// The result of a line.
    enum Outcome: Equatable { case goesOn, quits }

    init(_ realm: Realm, path: String, writes: Bool, isInteractive: Bool) {
        self.path = path
        self.writes = writes
        self.isInteractive = isInteractive
        configuration = realm.configuration
        keeper = realm
        keeper.invalidate()
    }

    /// The classes at the newest version.
    var schema: Schema {
        keeper.refresh()
        defer { keeper.invalidate() }
        return keeper.storedSchema
    }

    // MARK: Lines

    /// - Throws: `Failure` and the library's errors. The session can continue.
    func perform(_ line: String) throws -> Outcome {
        let line = ShellWords.trimmed(Substring(line))
        if line.isEmpty || line.hasPrefix("#") { return .goesOn }
        if line.hasPrefix(".") { return try performDot(line) }
        let (word, rest) = try ShellWords.first(of: line)
        switch word {
        case "query": try query(parsed(QueryOptions.self, try ShellWords.words(of: rest)))
        case "set": try edit(parsed(SetEdit.self, try ShellWords.words(of: rest)))
        case "create": try edit(parsed(CreateEdit.self, try Self.createWords(rest)))
        case "delete": try edit(parsed(DeleteEdit.self, try Self.deleteWords(rest)))
        default:
            // The remaining line is the query, with all of its quotation marks.
            try query(parsed(QueryOptions.self, ["--", word] + (rest.isEmpty ? [] : [String(rest)])))
        }
        return .goesOn
    }

    /// Returns the words of `create`. JSON needs no quotation marks: `create Person {"name": "Ada"}`.
    private static func createWords(_ rest: Substring) throws -> [String] {
        var rest = rest
        let flags = takeFlags(["--dry-run", "--json", "--ignore-unknown"], &rest)
        guard let start = rest.firstIndex(where: { "{['\"=".contains($0) }), "{[".contains(rest[start]) else {
            return try ShellWords.words(of: rest) + flags
        }
        return try flags + ShellWords.words(of: rest[..<start]) + ["--", String(rest[start...])]
    }

    /// Removes flags at the end of a text, and returns them.
    private static func takeFlags(_ names: [String], _ text: inout Substring) -> [String] {
        var flags: [String] = []
        while let flag = names.first(where: { text == $0 || text.hasSuffix(" " + $0) }) {
            flags.append(flag)
            text = ShellWords.trimmed(text.dropLast(flag.count))
        }
        return flags
    }

    /// Returns the words of `delete`. The query needs no quotation marks: `delete Person age < 18 --dry-run`.
    private static func deleteWords(_ rest: Substring) throws -> [String] {
        let (className, query) = try ShellWords.first(of: rest)
        var text = query
        let flags = takeFlags(["--dry-run", "--yes", "--json"], &text)
        // A line with options before the query, or with quotation marks, consists of words.
        if className.hasPrefix("-") || text.hasPrefix("-") || text.hasPrefix("'") || text.hasPrefix("\"") {
            return try ShellWords.words(of: rest)
        }
        return flags + ["--", className] + (text.isEmpty ? [] : [String(text)])
    }

    private func parsed<A: ParsableArguments>(_ type: A.Type, _ words: [String]) throws -> A {
        do {
            return try A.parse(words)
        } catch {
            if error is Failure { throw error }
            if A.exitCode(for: error).isSuccess { throw Failure(.usage, A.fullMessage(for: error)) }
            throw Failure(.usage, A.message(for: error))
        }
    }

    // MARK: Work on the file

    /// Runs a block at the newest version on a thread of the library. On a terminal, Ctrl-C ends it.
    private func read<R: Sendable>(_ body: @escaping @Sendable (Realm) throws -> R) throws -> R {
        let configuration = configuration
        return try wait {
            try await Realm.read(configuration) { realm in try realm.withInterruptibleQueries { try body(realm) } }
        }
    }

    private func wait<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let done = DispatchSemaphore(value: 0)
        let result = Answer<R>()
        let task = Task.detached {
            do { result.set(.success(try await body())) } catch { result.set(.failure(error)) }
            done.signal()
        }
        if isInteractive {
            Signals.interrupting({ task.cancel() }) { done.wait() }
        } else {
            done.wait()
        }
        // The cancellation has precedence over the result of the interrupted work.
        if task.isCancelled { throw CancellationError() }
        return try result.get()
    }

    private final class Answer<R: Sendable>: Sendable {
        private let value = Mutex<Result<R, any Error>?>(nil)

        func set(_ result: Result<R, any Error>) { value.withLock { $0 = result } }
        func get() throws -> R { try value.withLock { $0 }!.get() }
    }

    private func query(_ options: QueryOptions) throws {
        let (format, columns, explains) = (format, columns, explains)
        let count = try read { realm -> Int? in
            if explains, !options.explain, !options.aggregates.isGiven {
                var plan = options
                plan.explain = true
                plan.count = false
                try plan.run(in: realm, format)
            }
            return try options.run(in: realm, format, columns: columns)
        }
        try StandardOutput.shared.flush()
        if isInteractive, format == .table, let count, output == nil {
            TerminalOutput.write("\(Units.count(count, "row"))\n")
        }
    }

    private func edit(_ edit: some Edit) throws {
        guard writes else {
            throw Failure(
                .usage,
                "the file is open for reading: edits, and trials of them, need 'freehold shell --write'"
            )
        }
        let configuration = configuration
        let report = try wait { try await edit.perform(configuration) }
        Progress.clear()
        try StandardOutput.shared.write(report.lines)
        try StandardOutput.shared.flush()
        StandardError.write("\(report.summary)\n")
    }

    // MARK: The shell's own commands

    private func performDot(_ line: Substring) throws -> Outcome {
        let (name, rest) = try ShellWords.first(of: line)
        let command = try DotCommand(named: name)
        switch command {
        case .quit: return .quits
        case .help: try help(String(rest))
        case .print: try StandardOutput.shared.line(String(rest))
        case .classes: try read { try ClassTable.write($0) }
        case .schema: try writeSchema(String(rest))
        case .count: try count(rest)
        case .format: try setFormat(String(rest))
        case .columns:
            if rest.isEmpty {
                try StandardOutput.shared.line(columns ?? "all")
            } else {
                columns = rest == "all" ? nil : String(rest)
            }
        case .explain: try explain(rest)
        case .read: return try readFile(rest)
        case .output: try setOutput(rest)
        case .info:
            let path = path
            try read { try FileInfo($0, path: path).writeText() }
        }
        try StandardOutput.shared.flush()
        return .goesOn
    }

    private func help(_ name: String) throws {
        let text =
            switch name {
            case "query": QueryOptions.helpMessage()
            case "set": SetEdit.helpMessage()
            case "create": CreateEdit.helpMessage()
            case "delete": DeleteEdit.helpMessage()
            default: Self.help
            }
        try StandardOutput.shared.line(text)
    }

    static let help = """
        A line is a class and a query:
          Person
          Person age > 17 AND ANY dogs.name == "Rex" SORT(name ASC) LIMIT(5)
        or a command as on the command line, without the file ('.help set' tells more):
          query Person 'age > 17' --group-by home.city --count
          set Person 'name == "Ada"' age=37
          create Person {"name": "Bo"}
          delete Person name == "Bo"
        or one of
        \(DotCommand.table)
        A line that begins with # is a comment, and one that ends with \\ goes on in the next.
        """

    private func writeSchema(_ name: String) throws {
        try read { realm in
            let schema = realm.storedSchema
            try SchemaText.write(name.isEmpty ? schema : Schema([try schema.requireClass(name)]))
        }
    }

    private func count(_ rest: Substring) throws {
        if rest.isEmpty { return try read { try ClassTable.writeCounts($0) } }
        let (className, query) = try ShellWords.first(of: rest)
        var options = try parsed(QueryOptions.self, ["--", className] + (query.isEmpty ? [] : [String(query)]))
        options.count = true
        let (format, counted) = (format, options)
        try read { _ = try counted.run(in: $0, format) }
    }

    private func setFormat(_ name: String) throws {
        if name.isEmpty { return try StandardOutput.shared.line(format.rawValue) }
        guard let chosen = RowFormat(rawValue: name) else {
            let names = RowFormat.allCases.map(\.rawValue)
            throw Failure(
                .usage,
                "there is no format '\(name)'. " + Suggestions.text(for: name, among: names, "There are")
            )
        }
        format = chosen
    }

    private func explain(_ rest: Substring) throws {
        switch rest {
        case "": try StandardOutput.shared.line(explains ? "on" : "off")
        case "on", "off": explains = rest == "on"
        default:
            let (className, query) = try ShellWords.first(of: rest)
            var options = try parsed(QueryOptions.self, ["--", className] + (query.isEmpty ? [] : [String(query)]))
            options.explain = true
            let (format, explained) = (format, options)
            try read { _ = try explained.run(in: $0, format) }
        }
    }

    // MARK: Files

    private func readFile(_ rest: Substring) throws -> Outcome {
        let words = try ShellWords.words(of: rest)
        guard words.count == 1 else { throw Failure(.usage, ".read takes the name of one file") }
        guard depth < Self.deepest else { throw Failure(.usage, "files read each other, \(Self.deepest) deep") }
        try FileOptions.requireFile(words[0])
        guard let file = FileHandle(forReadingAtPath: words[0]) else {
            throw Failure(.noPermission, "\(words[0]): the file can't be read: \(String(cString: strerror(errno)))")
        }
        depth += 1
        defer {
            depth -= 1
            try? file.close()
        }
        var lines = ShellLines(file.fileDescriptor, words[0])
        while let line = try lines.line() {
            do {
                if try perform(line) == .quits { return .quits }
            } catch {
                guard let failure = Failure(error) else { throw error }
                throw Failure(failure.status, "\(words[0]), line \(lines.number): \(failure.message)")
            }
        }
        return .goesOn
    }

    private func setOutput(_ rest: Substring) throws {
        var words = try ShellWords.words(of: rest)
        let replaces = words.contains("--force")
        words.removeAll { $0 == "--force" }
        guard words.count <= 1 else { throw Failure(.usage, ".output takes the name of one file") }
        try endOutput()
        guard let path = words.first else { return }
        let file = try DraftFile(path, replaces: replaces)
        output = file
        try StandardOutput.shared.redirect { try file.write($0) }
    }

    /// Completes the file of the output.
    func endOutput() throws {
        guard let file = output else { return }
        output = nil
        do {
            try StandardOutput.shared.redirect(to: nil)
            try file.complete()
        } catch {
            file.discard()
            throw error
        }
    }

    /// Discards the file of the output.
    func discardOutput() {
        guard let file = output else { return }
        StandardOutput.shared.discard()
        try? StandardOutput.shared.redirect(to: nil)
        file.discard()
        output = nil
    }
}
