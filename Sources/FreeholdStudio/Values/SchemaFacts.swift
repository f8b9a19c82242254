import FreeholdEngine

/// Facts about the classes of a file that are determined once for each schema.
final class SchemaFacts: Sendable {
    let schema: DatabaseSchema
    let revision: UInt64
    /// The columns with the titles of objects, by the id of the table.
    private let titles: [Int: Column]
    /// The columns that link to a table's objects, in the form for reading backlinks, by the id of the table.
    private let incoming: [Int: [Column]]

    private static let titleNames = ["name", "title", "label", "subject"]

    /// - Parameter chosen: The properties that the user chose for titles, by class.
    init(_ view: Snapshot, chosen: [String: String] = [:]) {
        schema = view.schema
        revision = view.schemaRevision
        var titles: [Int: Column] = [:]
        var incoming: [Int: [Column]] = [:]
        let mixed = view.schema.tables.flatMap { $0.columns.filter { $0.type == .mixed } }
        for table in view.schema.tables {
            titles[table.id] = Self.titleColumn(table, chosen[table.name])
            incoming[table.id] =
                view.schema.linkColumns(to: table).filter { !$0.isHidden }
                + (table.isEmbedded ? [] : mixed.map { $0.asBacklinkColumn(to: table) })
        }
        self.titles = titles
        self.incoming = incoming
    }

    private static func titleColumn(_ table: Table, _ chosen: String?) -> Column? {
        let single = table.columns.filter { $0.collection == .none && $0.type != .link && $0.type != .data }
        if let chosen, let column = single.first(where: { $0.name == chosen }) { return column }
        for name in titleNames {
            if let column = single.first(where: { $0.name.lowercased() == name && $0.type == .string }) {
                return column
            }
        }
        return nil
    }

    func titleColumn(_ table: Table) -> Column? { titles[table.id] }
    func incoming(_ table: Table) -> [Column] { incoming[table.id] ?? [] }

    /// Returns the class with a name.
    ///
    /// - Throws: `StudioError` with the code `notFound` and similar names.
    func table(_ name: String) throws(StudioError) -> Table {
        if let table = schema.table(named: name) { return table }
        var error = StudioError(.notFound, "The file has no class '\(name)'.")
        error.meant = NearNames.of(name, schema.tables.map(\.name))
        throw error
    }

    /// Returns the property of a class with a name.
    func column(_ name: String, of table: Table) throws(StudioError) -> Column {
        if let column = table.column(named: name) { return column }
        var error = StudioError(.notFound, "Class '\(table.name)' has no property '\(name)'.")
        error.meant = NearNames.of(name, table.columns.map(\.name))
        throw error
    }

    /// Returns the title of an object, or `nil` if its class has no property for titles, or the value is null or empty.
    func title(_ table: Table, _ key: ObjectKey, in view: DataView) -> String? {
        guard let column = titles[table.id] else { return nil }
        guard column.type == .string else {
            let value = view.value(column, key)
            return value.isNull ? nil : ValueText.plain(value)
        }
        return view.withBytes(column, key, in: 0..<ValueLimits.title * 4) { bytes, length in
            guard let bytes, length > 0 else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            guard length > bytes.count || text.unicodeScalars.count > ValueLimits.title else { return text }
            return String(String.UnicodeScalarView(text.unicodeScalars.prefix(ValueLimits.title))) + "…"
        }
    }

    /// The colour of a class: a hue that depends on its name only, so that it is the same in each session.
    static func hue(_ name: String) -> Int {
        var hash: UInt32 = 2_166_136_261
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash % 360)
    }
}
