/// The commands of the shell itself, in addition to queries and edits.
enum DotCommand: String, CaseIterable {
    case classes, schema, count, format, columns, explain, read, output, print, info, help, quit

    /// The arguments after the name.
    var arguments: String {
        switch self {
        case .classes, .info, .quit: ""
        case .schema: "[CLASS]"
        case .count: "[CLASS [QUERY]]"
        case .format: "[\(RowFormat.allCases.map(\.rawValue).joined(separator: "|"))]"
        case .columns: "[NAMES|all]"
        case .explain: "[on|off|CLASS QUERY]"
        case .read: "FILE"
        case .output: "[FILE [--force]]"
        case .print: "TEXT"
        case .help: "[COMMAND]"
        }
    }

    var help: String {
        switch self {
        case .classes: "the classes, with their counts, keys and indexes"
        case .schema: "the properties of all classes, or of one"
        case .count: "how many objects there are, or a query finds"
        case .format: "how objects are written from now on"
        case .columns: "what is shown of them: name,country.name"
        case .explain: "how a query runs; of every one with 'on'"
        case .read: "carries out the lines of a file"
        case .output: "where output goes from now on; without a name to the terminal again"
        case .print: "writes a line of text"
        case .info: "the file's size, version and readers"
        case .help: "this, or what 'query', 'set', 'create' and 'delete' take"
        case .quit: "ends the shell, as Ctrl-D does"
        }
    }

    /// - Throws: `Failure` for other names.
    init(named name: String) throws {
        let word = String(name.dropFirst())
        if let found = DotCommand(rawValue: word == "exit" ? "quit" : word) {
            self = found
            return
        }
        let names = Self.allCases.map(\.rawValue)
        let hint = Suggestions.text(for: word, among: names, "There are")
        throw Failure(.usage, "there is no command '\(TerminalText.escaped(name))'. \(hint)")
    }

    /// All commands, in two columns.
    static var table: String {
        let heads = allCases.map { ".\($0.rawValue) \($0.arguments)".trimmingSuffix }
        let width = heads.map(\.count).max() ?? 0
        return zip(allCases, heads).map { command, head in
            "  \(head)\(String(repeating: " ", count: width - head.count))  \(command.help)"
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmingSuffix: String { hasSuffix(" ") ? String(dropLast()) : self }
}
