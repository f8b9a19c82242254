internal import FreeholdEngine
internal import FreeholdSyncCore

/// The columns that objects need and the file hasn't: made of their values, in development mode.
///
/// A property gets the type of the first value that tells one: nulls and empty collections tell none, and need no column. A list, set or
/// dictionary whose elements differ in type becomes one of mixed values. Single values, and elements other than links, may be null. What
/// comes later and doesn't fit stays beside the row: no column ever changes its type.
struct SchemaGrowth {
    static let greatestTableCount = 1_000
    static let greatestColumnCount = 1_000

    fileprivate struct Draft {
        let name: String
        let isEmbedded: Bool
        var key: ColumnSpec?
        /// What the file and the growth have together.
        var columns: [SyncString: ColumnSpec]
        var new: [ColumnSpec] = []
        var isNew = false
    }

    private let tables: StoreTables
    private let schema: DatabaseSchema
    private var drafts: [SyncString: Draft] = [:]
    private var count: Int

    init(_ tables: StoreTables, _ schema: DatabaseSchema) {
        (self.tables, self.schema) = (tables, schema)
        count = schema.tables.count
    }

    /// What the file lacks; tables of the file with their new columns only.
    var specs: [TableSpec] {
        drafts.values.filter { $0.isNew || !$0.new.isEmpty }
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

    /// Whether the class has a table, or gets one.
    private mutating func hasTable(_ className: SyncString, _ type: ColumnType) -> Bool {
        if let draft = drafts[className] { return draft.key != nil }
        if let table = tables[className] {
            guard let key = table.key else { return false }
            let spec = ColumnSpec(key.name, key.type, optional: key.isOptional)
            drafts[className] = Draft(table, key: spec)
            return true
        }
        guard isFree(className) else { return false }
        count += 1
        var draft = Draft(name: className.string, isEmbedded: false, key: ColumnSpec("_id", type), columns: [:])
        draft.isNew = true
        drafts[className] = draft
        return true
    }

    private func isFree(_ name: SyncString) -> Bool {
        guard count < Self.greatestTableCount, Self.isName(name) else { return false }
        // The engine takes texts for one name that differ in how a letter is composed.
        return schema.table(named: name.string) == nil && !drafts.values.contains { $0.name == name.string }
    }

    static func isName(_ name: SyncString) -> Bool {
        1...200 ~= name.string.utf8.count && !name.string.utf8.contains(0)
    }

    /// The table of the objects that a property embeds.
    private mutating func embeddedTable(_ owner: SyncString, _ property: SyncString) -> SyncString? {
        for number in 1...20 {
            let name = SyncString("\(owner)_\(property)" + (number == 1 ? "" : "_\(number)"))
            guard isFree(name) else { continue }
            count += 1
            var draft = Draft(name: name.string, isEmbedded: true, key: nil, columns: [:])
            draft.isNew = true
            drafts[name] = draft
            return name
        }
        return nil
    }

    // MARK: Columns

    private mutating func add(_ contents: [SyncString: MergedContent], to table: SyncString) {
        for (name, content) in contents {
            if let column = drafts[table]?.columns[name] {
                visit(content, column)
                continue
            }
            guard let draft = drafts[table], draft.columns.count < Self.greatestColumnCount, Self.isName(name),
                name != "_id", !draft.columns.values.contains(where: { $0.name == name.string }),
                let column = column(name, content, in: table)
            else { continue }
            drafts[table]?.columns[name] = column
            drafts[table]?.new.append(column)
        }
    }

    /// What is inside of a value whose column is there.
    private mutating func visit(_ content: MergedContent, _ column: ColumnSpec) {
        if case .value(let value) = content, column.type != .mixed, value.storesNoLink { return }
        let target = column.target.map { SyncString($0) }
        var isOwned = false
        if let target {
            if drafts[target] == nil, let table = tables[target] { drafts[target] = Draft(table, key: nil) }
            isOwned = drafts[target]?.isEmbedded == true
        }
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

extension SchemaGrowth.Draft {
    init(_ table: ClassTable, key: ColumnSpec?) {
        let key = key ?? table.key.map { ColumnSpec($0.name, $0.type, optional: $0.isOptional) }
        self.init(name: table.table.name, isEmbedded: table.key == nil, key: key, columns: table.specs)
    }
}

extension ClassTable {
    fileprivate var specs: [SyncString: ColumnSpec] {
        columns.mapValues { column in
            ColumnSpec(
                column.name,
                column.type,
                optional: column.isOptional,
                collection: column.collection,
                target: column.targetTableID.flatMap { targets[$0] }
            )
        }
    }
}

extension MergedContent {
    /// Visits what a column would hold: a single value itself, of collections each element.
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
