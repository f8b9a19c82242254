public import FreeholdEngine
public import FreeholdSyncCore

/// The classes of an app in one version of its schema, with their stored names.
public struct SchemaVersion: Sendable {
    /// The least `schemaVersion` (`SchemaClaim.version`) of the apps that the version serves. It serves the apps up to
    /// the number of the next version. The first version also serves all apps with lower numbers, and the newest
    /// version all apps with greater ones.
    public let number: UInt64
    /// The classes in the declaration of these apps.
    public internal(set) var tables: [TableSpec]
    /// The stored names of classes, by the names that these apps use.
    public internal(set) var classes: [String: String]
    /// The stored names of properties, by the names of class and property that these apps use.
    public internal(set) var properties: [String: [String: String]]
    /// The values that these apps are shown for null or a missing value of a required property, by class and property.
    /// A property without a fill is shown as the zero of its type.
    public internal(set) var fills: [String: [String: SyncValue]]

    init(
        number: UInt64,
        tables: [TableSpec],
        classes: [String: String],
        properties: [String: [String: String]],
        fills: [String: [String: SyncValue]] = [:]
    ) {
        (self.number, self.tables, self.classes) = (number, tables, classes)
        (self.properties, self.fills) = (properties, fills)
    }

    /// Creates a version in which everything is stored under its own name.
    init(number: UInt64, own tables: [TableSpec]) {
        let tables = tables.map(\.synced)
        let classes = Dictionary(tables.map { ($0.name, $0.name) }, uniquingKeysWith: { first, _ in first })
        let properties = tables.map { table in
            let names = table.columns.map { ($0.name, $0.name) }
            return (table.name, Dictionary(names, uniquingKeysWith: { first, _ in first }))
        }
        self.init(
            number: number,
            tables: tables,
            classes: classes,
            properties: Dictionary(properties, uniquingKeysWith: { first, _ in first })
        )
    }

    public func table(_ name: String) -> TableSpec? { tables.first { $0.name == name } }

    /// Returns the version's name of a stored class.
    func name(ofStored stored: String) -> String? { classes.first { $0.value == stored }?.key }

    /// A Boolean value that indicates whether everything is stored under its own name and shown in its stored form.
    var isOwn: Bool {
        fills.isEmpty && classes.allSatisfy { SyncString($0.key) == SyncString($0.value) }
            && properties.values.allSatisfy { $0.allSatisfy { SyncString($0.key) == SyncString($0.value) } }
    }

    func stored(_ className: String, _ property: String) -> String? { properties[className]?[property] }
}

extension SchemaVersion: Hashable {
    public static func == (a: SchemaVersion, b: SchemaVersion) -> Bool {
        a.number == b.number && a.tables == b.tables && a.classes == b.classes && a.properties == b.properties
            && a.fills == b.fills
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(classes)
        hasher.combine(properties)
    }
}
