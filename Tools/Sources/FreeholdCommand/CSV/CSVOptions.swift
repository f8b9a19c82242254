import ArgumentParser

/// How CSV is read.
struct CSVOptions: ParsableArguments {
    @Option(help: "Between the fields of CSV: a character, or \\t.") var delimiter = ","
    @Flag(help: "The CSV has no header: --columns names its columns, or --infer calls them column1, column2.")
    var noHeader = false
    @Option(
        help: ArgumentHelp(
            "The properties of the CSV's columns, rather than the header's names: id,name,,age passes over the third.",
            valueName: "names"
        )
    ) var columns: String?

    func validate() throws {
        guard separator != nil else { throw ValidationError("--delimiter is one character of ASCII, or \\t.") }
        let names = (names ?? []).compactMap { $0 }
        if columns != nil, names.isEmpty { throw ValidationError("--columns names no column.") }
        if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
            throw ValidationError("--columns names '\(twice)' twice.")
        }
    }

    /// Whether something is given that only CSV has.
    var isGiven: Bool { delimiter != "," || noHeader || columns != nil }

    /// A tab may be written as other programs write it.
    var separator: UInt8? {
        let text = delimiter == "\\t" ? "\t" : delimiter
        return text.utf8.count == 1 && !["\"", "\n", "\r"].contains(text) ? text.utf8.first : nil
    }

    var names: [String?]? {
        columns?.split(separator: ",", omittingEmptySubsequences: false).map {
            let name = $0.trimmingPrefix { $0 == " " }
            return name.isEmpty ? nil : String(name)
        }
    }
}
