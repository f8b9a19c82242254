internal import FreeholdEngine
internal import FreeholdRealmWire
internal import FreeholdSyncCore
internal import FreeholdSyncRules

/// The classes of a schema version in the forms of the two protocols.
struct RealmSchema: Sendable {
    let tables: [FreeholdEngine.TableSpec]
    let wire: WireSchema
    let claim: SchemaClaim

    /// - Throws: `RealmSchemaFault` if the classes have no form on the wire.
    init(_ tables: [FreeholdEngine.TableSpec], version: UInt64) throws(RealmSchemaFault) {
        var wire = WireSchema()
        do throws(ApplyError) {
            for table in tables { try wire.add(FreeholdRealmWire.TableSpec(table)) }
            for table in tables {
                for column in table.columns where column.name != table.primaryKey {
                    try wire.add(FreeholdRealmWire.ColumnSpec(column, of: table))
                }
            }
        } catch { throw RealmSchemaFault(error.reason) }
        self.init(tables: tables, wire: wire, claim: try Self.claim(tables, version))
    }

    private init(tables: [FreeholdEngine.TableSpec], wire: WireSchema, claim: SchemaClaim) {
        (self.tables, self.wire, self.claim) = (tables, wire, claim)
    }

    private static func claim(
        _ tables: [FreeholdEngine.TableSpec],
        _ version: UInt64
    ) throws(RealmSchemaFault) -> SchemaClaim {
        guard !tables.isEmpty else { return SchemaClaim(version: version, hash: .empty) }
        do throws(RuleError) { return try SchemaClaim(tables, version: version) } catch {
            throw RealmSchemaFault("\(error)")
        }
    }

    /// The instructions that create the classes and fields which a client doesn't have.
    func instructions(missingIn known: WireSchema) -> [Instruction] {
        var all: [Instruction] = []
        let names = wire.tables.keys.sorted()
        for name in names where known[name] == nil { all.append(.addTable(wire.tables[name]!.spec)) }
        for name in names {
            for column in wire.tables[name]!.columns where known[name]?[column.field] == nil {
                all.append(.addColumn(column))
            }
        }
        return all
    }

    /// Returns the classes together with those that a client's instructions add.
    ///
    /// - Throws: `RealmSchemaFault` if they contradict the present ones.
    func adding(_ instructions: [Instruction], version: UInt64) throws(RealmSchemaFault) -> RealmSchema {
        var (tables, wire) = (tables, wire)
        do throws(ApplyError) {
            for case .addTable(let spec) in instructions {
                let isNew = wire[spec.name] == nil
                try wire.add(spec)
                if isNew { tables.append(try FreeholdEngine.TableSpec(spec)) }
            }
            for case .addColumn(let column) in instructions {
                let isNew = wire[column.table]?[column.field] == nil
                try wire.add(column)
                guard isNew, let table = column.table.sync,
                    let index = tables.firstIndex(where: { $0.name == table.string })
                else { continue }
                tables[index].columns.append(try FreeholdEngine.ColumnSpec(column))
            }
        } catch { throw RealmSchemaFault(error.reason) }
        return RealmSchema(tables: tables, wire: wire, claim: try Self.claim(tables, version))
    }
}

/// Classes that can't be served.
struct RealmSchemaFault: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

extension FreeholdRealmWire.TableSpec {
    fileprivate init(_ table: FreeholdEngine.TableSpec) {
        let key = table.columns.first { $0.name == table.primaryKey }
        self.init(
            name: WireText(table.name),
            kind: table.isEmbedded ? .embedded : table.isAsymmetric ? .asymmetric : .topLevel,
            primaryKey: key.map {
                .init(field: WireText($0.name), kind: ColumnKind($0.type), isNullable: $0.isOptional)
            }
        )
    }
}

extension FreeholdRealmWire.ColumnSpec {
    fileprivate init(_ column: FreeholdEngine.ColumnSpec, of table: FreeholdEngine.TableSpec) {
        let collection: FreeholdRealmWire.CollectionKind =
            switch column.collection {
            case .none: .single
            case .list: .list
            case .set: .set
            case .dictionary: .dictionary
            }
        // A link is nullable, except in lists and sets.
        let isNullable =
            column.type == .mixed
            || (column.type == .link ? collection == .single || collection == .dictionary : column.isOptional)
        self.init(
            table: WireText(table.name),
            field: WireText(column.name),
            kind: ColumnKind(column.type),
            isNullable: isNullable,
            collection: collection,
            target: column.type == .link ? WireText(column.target ?? "") : nil
        )
    }
}

extension ColumnKind {
    fileprivate init(_ type: ColumnType) {
        switch type {
        case .bool: self = .bool
        case .int: self = .int
        case .float: self = .float
        case .double: self = .double
        case .string: self = .string
        case .data: self = .data
        case .timestamp: self = .date
        case .decimal128: self = .decimal
        case .objectId: self = .objectID
        case .uuid: self = .uuid
        case .mixed: self = .mixed
        case .link: self = .link
        }
    }

    fileprivate var type: ColumnType {
        switch self {
        case .mixed: .mixed
        case .int: .int
        case .bool: .bool
        case .string: .string
        case .data: .data
        case .date: .timestamp
        case .float: .float
        case .double: .double
        case .decimal: .decimal128
        case .link: .link
        case .objectID: .objectId
        case .uuid: .uuid
        }
    }
}

extension FreeholdEngine.TableSpec {
    fileprivate init(_ spec: FreeholdRealmWire.TableSpec) throws(ApplyError) {
        guard let name = spec.name.sync else { throw ApplyError(.stopsSession, "The name of a class isn't UTF-8") }
        var columns: [FreeholdEngine.ColumnSpec] = []
        if let key = spec.primaryKey {
            guard let field = key.field.sync else {
                throw ApplyError(.stopsSession, "The name of a field isn't UTF-8")
            }
            columns.append(FreeholdEngine.ColumnSpec(field.string, key.kind.type, optional: key.isNullable))
        }
        self.init(
            name.string,
            columns: columns,
            primaryKey: columns.first?.name,
            isEmbedded: spec.kind == .embedded,
            isAsymmetric: spec.kind == .asymmetric
        )
    }
}

extension FreeholdEngine.ColumnSpec {
    fileprivate init(_ column: FreeholdRealmWire.ColumnSpec) throws(ApplyError) {
        guard let field = column.field.sync else { throw ApplyError(.stopsSession, "The name of a field isn't UTF-8") }
        let collection: FreeholdEngine.CollectionKind =
            switch column.collection {
            case .single: .none
            case .list: .list
            case .set: .set
            case .dictionary: .dictionary
            }
        let target = column.target.flatMap { $0.isEmpty ? nil : $0.sync?.string }
        let isOptional =
            column.kind == .link ? collection == .none || collection == .dictionary : column.isNullable
        self.init(field.string, column.kind.type, optional: isOptional, collection: collection, target: target)
    }
}
