internal import FreeholdEngine
internal import FreeholdSyncCore

/// The columns that objects need and that the file doesn't have. In development mode they are created from the values.
///
/// A property has the type of its first value with a type. Nulls and empty collections have no type and need no column.
/// A list, set or dictionary with elements of different types becomes one of mixed values. Single values, and elements
/// other than links, may be null. Later values that don't fit are stored outside of the column, because a column never
/// changes its type.
///
/// The numbers of tables and columns are limited, because the cost of each change of the schema grows with them. A
/// class or property beyond the limits isn't refused: its objects and values are stored outside of the columns.
struct SchemaGrowth {
    static let greatestTableCount = 1_000
    /// The maximum number of columns of one table.
    static let greatestColumnCount = 1_000
    /// The maximum number of columns of all tables together.
    static let greatestTotalColumnCount = 1 << 15

    /// A table that needs columns for the fields of objects.
    fileprivate final class Draft {
        let name: String
        let isEmbedded: Bool
        let key: ColumnSpec?
        /// The table of the file, or `nil` if the table is new.
        let table: ClassTable?
        private(set) var new: [ColumnSpec] = []
        /// The indices of names in `new`.
        private var places: [SyncString: Int] = [:]
        private var names: Set<String> = []

        init(_ name: String, isEmbedded: Bool, key: ColumnSpec?, table: ClassTable? = nil) {
            (self.name, self.isEmbedded, self.key, self.table) = (name, isEmbedded, key, table)
        }

        var isChanged: Bool { table == nil || !new.isEmpty }

        /// The number of columns in the file and of new ones.
        var columnCount: Int { (table?.columns.count ?? 0) + new.count }

        /// - Complexity: O(1)
        func column(_ name: SyncString) -> ColumnSpec? {
            if let place = places[name] { return new[place] }
            return table?.spec(name)
        }

        /// Returns whether a column has this name for the engine, which treats texts as equal if they only differ in
        /// the composition of letters.
        func hasName(_ name: String) -> Bool { names.contains(name) || table?.names.contains(name) ?? false }

        func add(_ name: SyncString, _ column: ColumnSpec) {
            places[name] = new.count
            names.insert(column.name)
            new.append(column)
        }
    }

    private let tables: StoreTables
    private let schema: DatabaseSchema
    private var drafts: [SyncString: Draft] = [:]
    /// The names of new tables.
    private var names: Set<String> = []
    /// The number of tables, and the number of columns of all tables.
    private var count: (tables: Int, columns: Int)

    init(_ tables: StoreTables, _ schema: DatabaseSchema) {
        (self.tables, self.schema) = (tables, schema)
        count = (schema.tables.count, tables.columnCount)
    }

    /// The tables that the file doesn't have, and tables of the file with their new columns only.
    var specs: [TableSpec] {
        drafts.values.filter(\.isChanged)
            .sorted { SyncString($0.name) < SyncString($1.name) }
            .map { draft in
                TableSpec(
                    draft.name,
                    columns: (draft.key.map { [$0] } ?? []) + draft.new,
                    primaryKey: draft.key?.name,
                    isEmbedded: draft.isEmbedded
                )
            }
    }

    mutating func add(_ name: ObjectName, _ contents: [SyncString: MergedContent]) {
        guard let type = name.key.type, hasTable(name.className, type) else { return }
        add(contents, to: name.className)
    }

    // MARK: Tables

    /// Returns the draft of a table in the file.
    private mutating func draft(_ name: SyncString) -> Draft? {
        if let draft = drafts[name] { return draft }
        guard let table = tables[name] else { return nil }
        let key = table.key.map { ColumnSpec($0.name, $0.type, optional: $0.isOptional) }
        let draft = Draft(table.table.name, isEmbedded: table.key == nil, key: key, table: table)
        drafts[name] = draft
        return draft
    }

    /// Returns whether the class has a table or receives one.
    private mutating func hasTable(_ className: SyncString, _ type: ColumnType) -> Bool {
        if let draft = draft(className) { return draft.key != nil }
        guard isFree(className) else { return false }
        make(Draft(className.string, isEmbedded: false, key: ColumnSpec("_id", type)), className)
        return true
    }

    private mutating func make(_ draft: Draft, _ name: SyncString) {
        count.tables += 1
        count.columns += 1
        names.insert(draft.name)
        drafts[name] = draft
    }

    private func isFree(_ name: SyncString) -> Bool {
        guard count.tables < Self.greatestTableCount, count.columns < Self.greatestTotalColumnCount, Self.isName(name)
        else { return false }
        // The engine treats texts as equal if they only differ in the composition of letters.
        return schema.table(named: name.string) == nil && !names.contains(name.string)
    }

    static func isName(_ name: SyncString) -> Bool {
        1...200 ~= name.string.utf8.count && !name.string.utf8.contains(0)
    }

    /// Returns the name of the table for the embedded objects of a property.
    private mutating func embeddedTable(_ owner: SyncString, _ property: SyncString) -> SyncString? {
        for number in 1...20 {
            let name = SyncString("\(owner)_\(property)" + (number == 1 ? "" : "_\(number)"))
            guard isFree(name) else { continue }
            make(Draft(name.string, isEmbedded: true, key: nil), name)
            return name
        }
        return nil
    }

    // MARK: Columns

    private mutating func add(_ contents: [SyncString: MergedContent], to table: SyncString) {
        guard let draft = draft(table) else { return }
        for (name, content) in contents {
            if let column = draft.column(name) {
                visit(content, column)
                continue
            }
            guard draft.columnCount < Self.greatestColumnCount, count.columns < Self.greatestTotalColumnCount,
                Self.isName(name), name != "_id", !draft.hasName(name.string),
                let column = column(name, content, in: table)
            else { continue }
            count.columns += 1
            draft.add(name, column)
        }
    }

    /// Adds columns for the inside of a value whose column exists.
    private mutating func visit(_ content: MergedContent, _ column: ColumnSpec) {
        if case .value(let value) = content, column.type != .mixed, value.storesNoLink { return }
        let target = column.target.map { SyncString($0) }
        var isOwned = false
        if let target { isOwned = draft(target)?.isEmbedded == true }
        content.forEachElement { element in
            switch element {
            case .embedded(let fields): if isOwned, let target { add(fields, to: target) }
            case .value(let value): visitLinks(value)
            default: break
            }
        }
    }

    private mutating func visitLinks(_ value: SyncValue) {
        switch value {
        case .link(let name): if let type = name.key.type { _ = hasTable(name.className, type) }
        case .list(let values): for value in values { visitLinks(value) }
        case .dictionary(let value): for entry in value.entries { visitLinks(entry.value) }
        default: break
        }
    }

    private mutating func column(_ name: SyncString, _ content: MergedContent, in table: SyncString) -> ColumnSpec? {
        var (types, targets, embedded) = (Set<ColumnType>(), Set<SyncString>(), false)
        var isMixed = false
        content.forEachElement { element in
            switch element {
            case .embedded: embedded = true
            case .value(.link(let link)):
                types.insert(.link)
                targets.insert(link.className)
                if let type = link.key.type, hasTable(link.className, type) { break }
                isMixed = true
            case .value(.list), .value(.dictionary):
                visitLinks(element.plain)
                isMixed = true
            case .value(let value): if let type = Value(scalar: value)?.type { types.insert(type) }
            default: break
            }
        }
        let collection: CollectionKind =
            switch content {
            case .value, .embedded: .none
            case .list: .list
            case .set: .set
            case .dictionary: .dictionary
            }
        if embedded {
            guard types.isEmpty, !isMixed, collection != .set, let target = embeddedTable(table, name) else {
                return nil
            }
            content.forEachElement { if case .embedded(let fields) = $0 { add(fields, to: target) } }
            return ColumnSpec(
                name.string,
                .link,
                optional: collection == .none || collection == .dictionary,
                collection: collection,
                target: target.string
            )
        }
        if types.count > 1 || targets.count > 1 || isMixed {
            return ColumnSpec(name.string, .mixed, collection: collection)
        }
        guard let type = types.first else { return nil }
        if type == .link {
            return ColumnSpec(
                name.string,
                .link,
                optional: collection == .none || collection == .dictionary,
                collection: collection,
                target: targets.first?.string
            )
        }
        return ColumnSpec(name.string, type, optional: true, collection: collection)
    }
}

extension ClassTable {
    /// Returns the column of a property in the form of a specification. Returns `nil` if it doesn't exist.
    fileprivate func spec(_ name: SyncString) -> ColumnSpec? {
        guard let column = columns[name] else { return nil }
        return ColumnSpec(
            column.name,
            column.type,
            optional: column.isOptional,
            collection: column.collection,
            target: column.targetTableID.flatMap { targets[$0] }
        )
    }
}

extension MergedContent {
    /// Calls a closure with the values that a column would store: a single value, or each element of a collection.
    func forEachElement(_ body: (MergedContent) -> Void) {
        switch self {
        case .value, .embedded: body(self)
        case .list(let elements): for element in elements { body(element) }
        case .set(let values): for value in values.values { body(.value(value)) }
        case .dictionary(let entries): for entry in entries.values { body(entry) }
        }
    }

    fileprivate var plain: SyncValue { if case .value(let value) = self { value } else { .null } }
}

extension SyncValue {
    fileprivate var storesNoLink: Bool {
        switch self {
        case .link, .list, .dictionary, .embedded: false
        default: true
        }
    }
}
