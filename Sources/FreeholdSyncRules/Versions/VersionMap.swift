import FreeholdEngine
import FreeholdSyncCore

/// The names of one version for the stored classes and properties, prepared for lookups.
final class VersionMap: Sendable {
    let number: UInt64
    let classes: [ClassMap]
    private let byName: [SyncString: Int]
    private let byStored: [SyncString: Int]
    /// A Boolean value that indicates whether the version shows all stored data under its own name and in its stored
    /// form.
    let isPlain: Bool
    let identity: RunningHash
    let shown: UInt32
    let conditions: UInt32

    init(_ version: SchemaVersion, _ stored: StoredTables) {
        number = version.number
        let tables = version.tables.filter { version.classes[$0.name] != nil }
        let indices = Dictionary(
            tables.enumerated().map { (SyncString($1.name), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        classes = tables.map { ClassMap($0, version, stored, indices) }
        byName = indices
        byStored = Dictionary(
            classes.enumerated().map { ($1.stored, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        isPlain =
            classes.count == stored.classes.count
            && classes.allSatisfy { found in
                found.isPlain && found.properties.count == stored[found.stored.string]?.properties.count
            }
        (identity, shown, conditions) = Self.hashes(classes)
    }

    /// Creates a map for names only.
    init(_ classes: [ClassMap], names: [SyncString: Int]) {
        (number, self.classes, byName) = (0, classes, names)
        byStored = Dictionary(classes.enumerated().map { ($1.stored, $0) }, uniquingKeysWith: { first, _ in first })
        (isPlain, identity, shown, conditions) = (false, .empty, 0, 0)
    }

    func named(_ name: SyncString) -> ClassMap? { byName[name].map { classes[$0] } }
    func stored(_ name: SyncString) -> ClassMap? { byStored[name].map { classes[$0] } }

    /// Returns the class of the embedded objects of a property. Returns `nil` if it has none.
    func embedded(_ property: PropertyMap?) -> ClassMap? {
        guard let target = property?.target, classes[target].isEmbedded else { return nil }
        return classes[target]
    }

    private static func hashes(_ classes: [ClassMap]) -> (RunningHash, shown: UInt32, conditions: UInt32) {
        var (all, other, asked) = (RunningHash.empty, RunningHash.empty, RunningHash.empty)
        func number(_ hash: RunningHash) -> UInt32 {
            hash == .empty ? 0 : max(UInt32(truncatingIfNeeded: hash.low), 1)
        }
        func bytes(_ text: SyncString) -> [UInt8] { Array(text.string.utf8) }
        for found in classes.sorted(by: { $0.stored < $1.stored }) {
            all = all.appending(bytes(found.stored)).appending(bytes(found.name))
            if found.stored != found.name { other = other.appending(bytes(found.stored)).appending(bytes(found.name)) }
            for property in found.properties.sorted(by: { $0.stored < $1.stored }) {
                let names = all.appending(bytes(property.stored)).appending(bytes(property.name))
                all = names.appending(Array("\(property.numbers?.type.rawValue ?? 255) \(property.isNullable)".utf8))
                var isOther = property.stored != property.name
                var fill: [UInt8] = []
                if let value = property.fill {
                    fill = Array("\(value)".utf8)
                    all = all.appending(fill)
                    isOther = isOther || property.addsFill
                }
                if property.fill != nil || property.numbers?.isNarrow == true {
                    asked = asked.appending(bytes(found.stored)).appending(bytes(property.stored)).appending(fill)
                    asked = asked.appending([property.numbers == nil ? 0 : 1])
                }
                guard isOther else { continue }
                other = other.appending(bytes(found.stored)).appending(bytes(property.stored))
                other = other.appending(bytes(property.name)).appending(property.addsFill ? fill : [])
            }
        }
        return (all, number(other), number(asked))
    }
}

/// A class of a version.
struct ClassMap: Sendable {
    let name: SyncString
    let stored: SyncString
    let isEmbedded: Bool
    let properties: [PropertyMap]
    private let byName: [SyncString: Int]
    private let byStored: [SyncString: Int]
    /// The properties with a fill.
    let filled: [PropertyMap]
    /// A Boolean value that indicates whether the class shows each property of the version under its own name and in
    /// its stored form.
    let isPlain: Bool

    init(_ table: TableSpec, _ version: SchemaVersion, _ tables: StoredTables, _ indices: [SyncString: Int]) {
        let stored = version.classes[table.name] ?? table.name
        let known = tables[stored]
        let properties = table.columns.compactMap { column -> PropertyMap? in
            guard let name = version.stored(table.name, column.name), let property = known?[name] else { return nil }
            return PropertyMap(
                column,
                stored: name,
                isKey: column.name == table.primaryKey,
                isNullable: property.column.isOptional || property.versions < known?.versions ?? 0,
                types: property.types,
                fill: version.fills[table.name]?[column.name],
                target: column.target.flatMap { indices[SyncString($0)] }
            )
        }
        self.init(
            SyncString(table.name),
            stored: SyncString(stored),
            isEmbedded: table.isEmbedded,
            properties,
            names: properties.enumerated().map { ($1.name, $0) }
        )
    }

    init(
        _ name: SyncString,
        stored: SyncString,
        isEmbedded: Bool,
        _ properties: [PropertyMap],
        names: [(SyncString, Int)]
    ) {
        (self.name, self.stored, self.isEmbedded, self.properties) = (name, stored, isEmbedded, properties)
        byName = Dictionary(names, uniquingKeysWith: { first, _ in first })
        byStored = Dictionary(
            properties.enumerated().map { ($1.stored, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        filled = properties.filter(\.addsFill)
        isPlain = stored == name && properties.allSatisfy(\.isPlain)
    }

    func named(_ name: SyncString) -> PropertyMap? { byName[name].map { properties[$0] } }
    func stored(_ name: SyncString) -> PropertyMap? { byStored[name].map { properties[$0] } }
}

/// A property of a version.
struct PropertyMap: Sendable {
    let name: SyncString
    let stored: SyncString
    let type: ColumnType
    let collection: CollectionKind
    /// The index of the class to which the property links, or whose objects it embeds.
    let target: Int?
    /// A Boolean value that indicates whether the version requires a value, although null or nothing can be stored.
    let isNullable: Bool
    /// The value that is shown in the place of null or a missing value, for a single value or an element. `nil` if
    /// there is no such value.
    let fill: SyncValue?
    /// A Boolean value that indicates whether the fill differs from the value that the app itself shows for a missing
    /// one.
    let addsFill: Bool
    /// The conversion of numbers, if other versions have other types of numbers.
    let numbers: NumberLens?

    init(
        _ column: ColumnSpec,
        stored: String,
        isKey: Bool,
        isNullable: Bool,
        types: Set<ColumnType>,
        fill: SyncValue?,
        target: Int?
    ) {
        (name, self.stored) = (SyncString(column.name), SyncString(stored))
        (type, collection, self.target) = (column.type, column.collection, target)
        let isRequired = !column.isOptional && column.type != .link && column.type != .mixed && !isKey
        self.isNullable = isRequired && isNullable
        let zero = SyncValue.zero(column.type)
        self.fill = self.isNullable || isRequired && fill != nil ? fill ?? zero : nil
        addsFill = isRequired && column.collection == .none && fill != nil && fill != zero
        numbers = types.count > 1 ? NumberLens(type: column.type) : nil
    }

    var isPlain: Bool { name == stored && fill == nil && numbers == nil }

    /// Returns the value that is shown in the place of null. Returns `nil` if null is shown.
    ///
    /// - Parameter isElement: A Boolean value that indicates whether the value is an element of the property's
    ///   collection.
    func fill(isElement: Bool) -> SyncValue? { isElement == (collection != .none) ? fill : nil }

    /// A Boolean value that indicates whether null can be an element of the stored set, although the version's set
    /// can't contain it.
    var hidesNull: Bool { collection == .set && isNullable }
}
