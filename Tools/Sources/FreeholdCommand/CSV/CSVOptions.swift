import ArgumentParser
import Foundation

/// The options for reading CSV.
struct CSVOptions: ParsableArguments {
    @Option(
        help: "Between the fields of CSV: a character, or \\t. By default a comma, or what the first line has instead."
    )
    var delimiter: String?
    @Flag(help: "The CSV has no header: --columns names its columns, or --infer calls them column1, column2.")
    var noHeader = false
    @Option(
        help: ArgumentHelp(
            "The properties of the CSV's columns, rather than the header's names: id,name,,age passes over the third.",
            valueName: "names"
        )
    ) var columns: String?
    @Flag(help: "Takes fields as empty that a record of CSV lacks at its end.") var pad = false

    func validate() throws {
        if delimiter != nil, separator == nil {
            throw ValidationError("--delimiter is one character of ASCII, or \\t.")
        }
        let names = (names ?? []).compactMap { $0 }
        if columns != nil, names.isEmpty { throw ValidationError("--columns names no column.") }
        if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
            throw ValidationError("--columns names '\(twice)' twice.")
        }
    }

    /// A Boolean value that indicates whether an option that only CSV supports is given.
    var isGiven: Bool { (delimiter ?? ",") != "," || noHeader || columns != nil || pad }

    /// The character of `--delimiter`. A tab may have the notation of other programs.
    var separator: UInt8? {
        guard let delimiter else { return nil }
        let text = delimiter == "\\t" ? "\t" : delimiter
        return text.utf8.count == 1 && !["\"", "\n", "\r"].contains(text) ? text.utf8.first : nil
    }

    /// Finds the delimiter in the options or in the first line of the text.
    ///
    /// - Parameter reports: A Boolean value that indicates whether a delimiter other than a comma is reported.
    /// - Returns: The layout, and the text from its beginning.
    func layout(of read: @escaping () throws -> Data, reports: Bool) throws -> (CSVLayout, () throws -> Data) {
        var layout = CSVLayout(delimiter: separator ?? CSVDelimiter.usual, hasHeader: !noHeader, names: names)
        layout.pads = pad
        // A single column without a header is text that may contain semicolons.
        guard delimiter == nil, !noHeader || (names?.count ?? 0) > 1 else { return (layout, read) }
        let (line, text) = try CSVDelimiter.firstLine(of: read)
        let found = CSVDelimiter.find(in: line)
        layout.delimiter = found.delimiter
        if reports, let note = found.note { StandardError.write("\(note)\n") }
        return (layout, text)
    }

    var names: [String?]? {
        columns?.split(separator: ",", omittingEmptySubsequences: false).map {
            let name = $0.trimmingPrefix { $0 == " " }
            return name.isEmpty ? nil : String(name)
        }
    }
}
