import FreeholdBSON
import FreeholdEngine

extension DocumentSession {
    /// Handles `parse`: returns the colours of a query's text, and its error.
    func parse(_ request: StudioRequest) throws -> StudioJSON {
        let classes = try shown().classes
        let query = try TableQuery(request, textIn: "text")
        return QueryColours.json(query, in: classes.view, classes.facts)
    }

    func complete(_ request: StudioRequest) throws -> StudioJSON {
        let (name, text, at) = (try request.text("class"), try request.text("text"), try request.number("at"))
        return try QueryCompletion(facts: try shown().classes.facts).words(text, at: at, in: name)
    }

    /// Handles `condition`: returns the condition for the value of a cell.
    func condition(_ request: StudioRequest) async throws -> StudioJSON {
        let classes = try shown().classes
        let table = try classes.facts.table(try request.text("class"))
        let column = try classes.facts.column(try request.text("property"), of: table)
        let (place, document) = try await object(DocumentPlace(try request.text("key"), in: table))
        let value = place.adding(DocumentClasses.field(column)).value(in: document)
        let isNegated = try request.flag("not")
        guard let text = DocumentCondition.text(value, column, classes, isNegated: isNegated) else {
            throw StudioError(.invalid, "The query language has no condition for this value.")
        }
        return ["query": .string(text)]
    }

    private static let mostCopied = (rows: 10_000, bytes: 4 << 20)

    /// Handles `copy`: returns rows as text.
    func copy(_ request: StudioRequest) async throws -> StudioJSON {
        let open = try opened(request)
        let classes = try shown().classes
        let table = open.cursor.query.table
        guard let format = RowFormat(rawValue: try request.text("format")), DocumentCopy.formats.contains(format) else {
            throw StudioError(.invalid, "Documents are copied as text, html, json, csv or markdown.")
        }
        var columns = open.columns
        if let names = try request.optionalTexts("columns") {
            columns = try names.map { name throws(StudioError) in try classes.facts.column(name, of: table) }
        }
        guard let ranges = try request.ranges() else { throw StudioError(.invalid, "A copy has ranges of rows.") }
        guard ranges.reduce(0, { $0 + $1.count }) <= Self.mostCopied.rows else {
            throw StudioError(.tooLarge, "At most 10,000 rows can be copied.")
        }
        var copy = DocumentCopy(format, columns)
        var rows = 0
        for range in ranges {
            // A part at a time, so that the documents of all rows aren't in memory together.
            for start in stride(from: range.lowerBound, to: range.upperBound, by: DocumentCursor.partLength) {
                let part = start..<min(range.upperBound, start + DocumentCursor.partLength)
                for document in try await open.cursor.documents(part) {
                    copy.add(document)
                    rows += 1
                    guard copy.text.utf8.count <= Self.mostCopied.bytes else {
                        throw StudioError(.tooLarge, "At most 4 MiB can be copied.")
                    }
                }
            }
        }
        copy.end()
        return ["text": .string(copy.text), "rows": .int(rows)]
    }
}

/// Rows of documents as text.
struct DocumentCopy {
    static let formats: [RowFormat] = [.text, .html, .json, .csv, .markdown]

    private let format: RowFormat
    private let columns: [Column]
    private(set) var text = ""
    private var isFirst = true

    init(_ format: RowFormat, _ columns: [Column]) {
        (self.format, self.columns) = (format, columns)
        if format == .json { text = "[" } else { text = format.head(columns.map(\.name)) }
    }

    mutating func add(_ document: BSONDocument) {
        let fields = columns.map { (key: $0.name, value: document[DocumentClasses.field($0)] ?? .null) }
        if format == .json {
            text += (isFirst ? "\n" : ",\n") + ((try? BSONDocument(fields).extendedJSON()) ?? "{}")
        } else {
            text += format.line(fields.map { DocumentWriter.text($0.value) })
        }
        isFirst = false
    }

    mutating func end() { text += format == .json ? "\n]\n" : format.tail }
}
