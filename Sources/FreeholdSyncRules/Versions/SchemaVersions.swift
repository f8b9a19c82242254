public import FreeholdEngine
public import FreeholdSyncCore

/// The versions of an app's schema that are in use at the same time. Each is a lens on one store (sync-design.md,
/// section 11).
///
/// ```swift
/// var versions = try SchemaVersions(tables)
/// let push = try versions.pushing(newTables, as: 2, SchemaTransition(classes: ["Dog": "Hound"]))
/// versions = push.versions                   // old apps and new ones sync from now on
/// ```
/// A class or property is stored under its first name, even if later versions rename it. A push therefore rewrites no
/// document, and data that one version removes is still present for the other versions.
public struct SchemaVersions: Hashable, Sendable {
    /// The versions by rising numbers. There is at least one.
    public internal(set) var versions: [SchemaVersion]

    /// Creates one version, in which everything is stored under its own name.
    ///
    /// - Throws: `RuleError` for classes that can't be synced. See ``SchemaCheck``.
    public init(_ tables: [TableSpec], number: UInt64 = 0, limits: RuleLimits = RuleLimits()) throws(RuleError) {
        try SchemaCheck.check(tables, limits: limits)
        self.init(unchecked: tables, number: number)
    }

    init(unchecked tables: [TableSpec], number: UInt64 = 0) {
        versions = [SchemaVersion(number: number, own: tables)]
    }

    init(_ versions: [SchemaVersion]) { self.versions = versions }

    public var newest: SchemaVersion { versions[versions.count - 1] }

    /// A Boolean value that indicates whether one version serves all apps, and everything is stored under its own name
    /// and shown in its stored form.
    public var isPlain: Bool { versions.count == 1 && newest.number == 0 && newest.isOwn }

    /// Returns the version that serves apps with a `schemaVersion`.
    public func version(for claim: UInt64) -> SchemaVersion { versions[index(for: claim)] }

    func index(for claim: UInt64) -> Int { versions.lastIndex { $0.number <= claim } ?? 0 }

    /// Returns the lens for apps with a `schemaVersion`. Returns `nil` if they see everything in its stored form.
    ///
    /// - Complexity: O(size of all versions). The caller should keep the lens, because each bind needs it.
    public func lens(for claim: UInt64) -> SchemaLens? { SchemaLens(self, for: claim) }

    /// The classes and properties of all versions, in stored names.
    ///
    /// The type of a property is the widest type in any version. Values of the other types can be stored, too. A
    /// property is optional if it can be null or missing for any version.
    ///
    /// - Complexity: O(size of all versions)
    public var storage: [TableSpec] { StoredTables(self).tables }

    /// The stored classes for conditions in stored names. Numbers of properties with several types are compared without
    /// conversion.
    ///
    /// - Complexity: O(size of all versions)
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

/// The classes and properties of all versions together.
struct StoredTables {
    struct Property {
        /// The property in stored names, with its widest declaration.
        var column: ColumnSpec
        /// The types of the property in all versions.
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
        /// The number of versions that have the class.
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
