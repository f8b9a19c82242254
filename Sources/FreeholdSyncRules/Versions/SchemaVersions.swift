public import FreeholdEngine
public import FreeholdSyncCore

/// The versions of an app's schema that are in use at once, as lenses on one store (sync-design.md, section 11).
///
/// ```swift
/// var versions = try SchemaVersions(tables)
/// let push = try versions.pushing(newTables, as: 2, SchemaTransition(classes: ["Dog": "Hound"]))
/// versions = push.versions                   // old apps and new ones sync from now on
/// ```
/// A class or property is stored under the name by which it came first, whatever versions call it later. So no push rewrites a document,
/// and what one version removed is still there for the others.
public struct SchemaVersions: Hashable, Sendable {
    /// By rising numbers; one at least.
    public internal(set) var versions: [SchemaVersion]

    /// One version, in which everything is stored under its own name.
    ///
    /// - Throws: `RuleError` for classes that can't be synced; see ``SchemaCheck``.
    public init(_ tables: [TableSpec], number: UInt64 = 0, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        try SchemaCheck.check(tables, limits: limits)
        self.init(unchecked: tables, number: number)
    }

    init(unchecked tables: [TableSpec], number: UInt64 = 0) {
        versions = [SchemaVersion(number: number, own: tables)]
    }

    init(_ versions: [SchemaVersion]) { self.versions = versions }

    public var newest: SchemaVersion { versions[versions.count - 1] }

    /// There is one version only, for all apps, in which everything is stored under its own name and shown as it is.
    public var isPlain: Bool { versions.count == 1 && newest.number == 0 && newest.isOwn }

    /// The version that serves apps of a `schemaVersion`.
    public func version(for claim: UInt64) -> SchemaVersion { versions[index(for: claim)] }

    func index(for claim: UInt64) -> Int { versions.lastIndex { $0.number <= claim } ?? 0 }

    /// How apps of a `schemaVersion` see what is stored. Nil if they see all of it as it is.
    ///
    /// - Complexity: O(size of all versions). Keep it: it is asked at each bind.
    public func lens(for claim: UInt64) -> SchemaLens? { SchemaLens(self, for: claim) }

    /// All that is stored, in stored names: what any version has.
    ///
    /// The type of a property is the widest that a version gives it; values of the others can be stored, too. It is optional if it can be null
    /// or missing for any version.
    ///
    /// - Complexity: O(size of all versions).
    public var storage: [TableSpec] { StoredTables(self).tables }

    /// What is stored, as conditions in stored names see it: numbers of properties that have several types are compared as they are.
    ///
    /// - Complexity: O(size of all versions).
    public var conditionSchema: ConditionSchema {
        let stored = StoredTables(self)
        var tables = stored.tables
        for (index, found) in stored.classes.enumerated() {
            for (place, property) in found.properties.enumerated() where property.types.count > 1 {
                tables[index].columns[place].type = .mixed
            }
        }
        return ConditionSchema(tables)
    }
}

/// What all versions have together.
struct StoredTables {
    struct Property {
        /// As the widest version declares it, in stored names.
        var column: ColumnSpec
        /// The types that versions give it.
        var types: Set<ColumnType>
        var versions: Int
    }

    struct Class {
        let name: String
        let isEmbedded: Bool
        let isAsymmetric: Bool
        let primaryKey: String?
        var properties: [Property] = []
        var indices: [SyncString: Int] = [:]
        /// How many versions have the class.
        var versions = 0
    }

    private(set) var classes: [Class] = []
    private var indices: [SyncString: Int] = [:]

    init(_ versions: SchemaVersions) {
        for version in versions.versions {
            for table in version.tables {
                guard let stored = version.classes[table.name] else { continue }
                let index = indices[SyncString(stored)] ?? classes.count
                if index == classes.count {
                    indices[SyncString(stored)] = index
                    classes.append(
                        Class(
                            name: stored,
                            isEmbedded: table.isEmbedded,
                            isAsymmetric: table.isAsymmetric,
                            primaryKey: table.primaryKey
                        )
                    )
                }
                classes[index].versions += 1
                for column in table.columns { classes[index].add(column, version, table.name) }
            }
        }
    }

    subscript(name: String) -> Class? { indices[SyncString(name)].map { classes[$0] } }

    var tables: [TableSpec] {
        classes.map { found in
            TableSpec(
                found.name,
                columns: found.properties.map { property in
                    var column = property.column
                    let isSingle = column.collection == .none && column.name != found.primaryKey
                    if isSingle, property.versions < found.versions { column.isOptional = true }
                    return column.synced
                },
                primaryKey: found.primaryKey,
                isEmbedded: found.isEmbedded,
                isAsymmetric: found.isAsymmetric
            )
        }
    }
}

extension StoredTables.Class {
    fileprivate mutating func add(_ column: ColumnSpec, _ version: SchemaVersion, _ className: String) {
        guard let stored = version.stored(className, column.name) else { return }
        let target = column.target.flatMap { version.classes[$0] }
        guard let index = indices[SyncString(stored)] else {
            indices[SyncString(stored)] = properties.count
            let own = ColumnSpec(
                stored,
                column.type,
                optional: column.isOptional,
                collection: column.collection,
                target: target
            )
            properties.append(.init(column: own, types: [column.type], versions: 1))
            return
        }
        properties[index].versions += 1
        properties[index].types.insert(column.type)
        properties[index].column.isOptional = properties[index].column.isOptional || column.isOptional
        properties[index].column.type = NumberLens.widest(properties[index].types) ?? properties[index].column.type
    }

    subscript(property: String) -> StoredTables.Property? { indices[SyncString(property)].map { properties[$0] } }
}
