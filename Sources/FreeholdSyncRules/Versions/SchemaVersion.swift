public import FreeholdEngine
public import FreeholdSyncCore

/// An app's classes as apps of one version of the schema know them, and what they are called where they are stored.
public struct SchemaVersion: Sendable {
    /// The least version (`SchemaClaim.version`, an app's `schemaVersion`) of the apps that it is for. It serves those up to the next
    /// version's number; the first serves all below, too, and the newest all later ones.
    public let number: UInt64
    /// As these apps declare them.
    public internal(set) var tables: [TableSpec]
    /// The stored names of classes, by what these apps call them.
    public internal(set) var classes: [String: String]
    /// The stored names of properties, by what these apps call class and property.
    public internal(set) var properties: [String: [String: String]]
    /// What these apps are shown of a required property where null is stored, or nothing: by class and property. What isn't here is shown as
    /// the type's zero.
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

    /// Everything is stored under its own name.
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

    /// The version's name of a stored class.
    func name(ofStored stored: String) -> String? { classes.first { $0.value == stored }?.key }

    /// Whether everything is stored under its own name, and shown as it is.
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
