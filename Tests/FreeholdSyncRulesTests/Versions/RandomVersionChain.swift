import FreeholdEngine

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules

/// Random classes and random pushes. The chain records the identity of classes and properties: each has a number that
/// stays the same under all names of the versions.
struct RandomVersionChain {
    struct Property {
        let id: Int
        var name: String
        var type: ColumnType
        var isOptional = false
        var collection = CollectionKind.none
        /// The number of the target class.
        var target: Int?

        var isSinglePlain: Bool { collection == .none && type != .link }
        var isRequired: Bool { !isOptional && type != .link }
    }

    struct Class {
        let id: Int
        var name: String
        let isEmbedded: Bool
        var properties: [Property]
    }

    var random: SeededRandom
    private(set) var versions: SchemaVersions
    /// The classes of each version.
    private(set) var history: [[Class]]
    /// The values that each version shows for missing ones, by the numbers of properties.
    private(set) var fills: [[Int: Int64]] = [[:]]
    private var lastID = 0

    init(random: SeededRandom) {
        self.random = random
        (versions, history) = (SchemaVersions(unchecked: []), [])
        var classes: [Class] = []
        for index in 0..<2 { classes.append(newClass("C\(index)", isEmbedded: false)) }
        classes.append(newClass("E", isEmbedded: true))
        for index in classes.indices {
            for _ in 0..<5 { classes[index].properties.append(newProperty(in: classes[index], classes)) }
        }
        history = [classes]
        versions = SchemaVersions(unchecked: Self.tables(classes))
    }

    private mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    private mutating func newClass(_ name: String, isEmbedded: Bool) -> Class {
        Class(id: newID(), name: name, isEmbedded: isEmbedded, properties: [])
    }

    private mutating func newProperty(in owner: Class, _ classes: [Class]) -> Property {
        let id = newID()
        var property = Property(
            id: id,
            name: "p\(id)",
            type: random.pick([.int, .int, .double, .float, .string, .bool])
        )
        property.isOptional = random.chance(40)
        property.collection = random.chance(55) ? .none : random.pick([.list, .set, .dictionary])
        guard random.chance(30), property.collection != .set else { return property }
        let targets = classes.filter { !$0.isEmbedded || !owner.isEmbedded }
        property.target = random.pick(targets).id
        (property.type, property.isOptional) = (.link, property.collection != .list)
        return property
    }

    static func tables(_ classes: [Class]) -> [TableSpec] {
        classes.map { found in
            let columns = found.properties.map { property in
                ColumnSpec(
                    property.name,
                    property.type,
                    optional: property.isOptional,
                    collection: property.collection,
                    target: property.target.flatMap { id in classes.first { $0.id == id }?.name }
                )
            }
            return found.isEmbedded
                ? TableSpec(found.name, columns: columns, isEmbedded: true)
                : TableSpec(found.name, columns: [ColumnSpec("_id", .int)] + columns, primaryKey: "_id")
        }
    }

    // MARK: Pushes

    mutating func push() throws {
        var classes = history[history.count - 1]
        var transition = SchemaTransition()
        var (new, given): ([Int: Int64], [Int: Int64]) = (fills[fills.count - 1], [:])
        var old: [(class: String, property: Property, fill: Int64)] = []
        for index in classes.indices {
            let oldName = classes[index].name
            if random.chance(30) {
                classes[index].name = "C\(newID())"
                transition.classes[oldName] = classes[index].name
            }
            var kept: [Property] = []
            for property in classes[index].properties {
                var changed = property
                switch random.chance(35) ? Int.random(in: 0..<4, using: &random) : 4 {
                case 0 where classes[index].properties.count > 2:
                    if property.isSinglePlain, property.isRequired, let fill = fill(of: property) {
                        old.append((oldName, property, fill))
                    }
                    continue
                case 1:
                    changed.name = "p\(newID())"
                    transition.properties[classes[index].name, default: [:]][property.name] = changed.name
                case 2 where property.type != .link:
                    changed.isOptional.toggle()
                    if changed.isOptional, property.isSinglePlain, let fill = fill(of: property) {
                        old.append((oldName, property, fill))
                    }
                    if !changed.isOptional, changed.isSinglePlain, let fill = fill(of: changed) {
                        given[changed.id] = fill
                    }
                case 3 where property.collection != .set: changed.type = otherType(of: property)
                default: break
                }
                kept.append(changed)
            }
            classes[index].properties = kept
        }
        for index in classes.indices {
            for _ in 0..<2 where random.chance(40) {
                let property = back(to: classes[index], classes) ?? newProperty(in: classes[index], classes)
                classes[index].properties.append(property)
                if property.isSinglePlain, property.isRequired, let fill = fill(of: property) {
                    given[property.id] = fill
                }
            }
        }
        if random.chance(20) {
            var found = newClass("C\(newID())", isEmbedded: false)
            for _ in 0..<3 { found.properties.append(newProperty(in: found, classes)) }
            classes.append(found)
        }
        for found in classes {
            for property in found.properties where given[property.id] != nil {
                transition.fills[found.name, default: [:]][property.name] = Self.value(
                    given[property.id]!,
                    property.type
                )
            }
        }
        for (className, property, fill) in old {
            transition.oldFills[className, default: [:]][property.name] = Self.value(fill, property.type)
        }

        // The fills of apps. Apps of the new version are shown the given value, or the one that the last version
        // showed. Other apps are shown the given value if none was given before.
        let required = Set(classes.flatMap(\.properties).filter { $0.isSinglePlain && $0.isRequired }.map(\.id))
        new = new.filter { required.contains($0.key) }.merging(given) { $1 }
        for (_, property, fill) in old {
            for index in history.indices where fills[index][property.id] == nil {
                let known = history[index].flatMap(\.properties).first { $0.id == property.id }
                if known?.isRequired == true { fills[index][property.id] = fill }
            }
        }
        fills.append(new)
        history.append(classes)
        versions = try versions.pushing(Self.tables(classes), as: versions.newest.number + 2, transition).versions
    }

    private mutating func fill(of property: Property) -> Int64? {
        switch property.type {
        case .int, .double, .float: random.chance(50) ? .random(in: 1...9, using: &random) : nil
        default: nil
        }
    }

    static func value(_ number: Int64, _ type: ColumnType) -> SyncValue {
        switch type {
        case .double: .double(Double(number))
        case .float: .float(Float(number))
        default: .int(number)
        }
    }

    /// Wider, or back to what it was.
    private mutating func otherType(of property: Property) -> ColumnType {
        switch property.type {
        case .int, .float: return .double
        case .double:
            let before = history.flatMap { $0 }.flatMap(\.properties).filter { $0.id == property.id }.map(\.type)
            return before.first { $0 != .double } ?? .double
        default: return property.type
        }
    }

    /// Returns a property with a name that existed before: the old property if its name is free, otherwise a new one.
    private mutating func back(to owner: Class, _ classes: [Class]) -> Property? {
        guard random.chance(50) else { return nil }
        let names = Set(owner.properties.map(\.name))
        let ids = Set(owner.properties.map(\.id))
        let earlier = history.reversed().flatMap { version in version.first { $0.id == owner.id }?.properties ?? [] }
        let gone = earlier.filter { !names.contains($0.name) && (!ids.contains($0.id)) }
        guard var property = gone.randomElement(using: &random) else { return nil }
        // The last one of the name.
        property = gone.first { $0.name == property.name }!
        if let target = property.target, !classes.contains(where: { $0.id == target }) { return nil }
        guard random.chance(25) else { return property }
        let last = history.last?.first { $0.id == owner.id }?.properties.map(\.name) ?? []
        guard !last.contains(property.name) else { return property }
        // Another type makes it another property.
        return Property(id: newID(), name: property.name, type: .uuid, isOptional: true)
    }

    // MARK: Values

    /// A value that an app of the version writes.
    mutating func plain(_ type: ColumnType, isOptional: Bool) -> SyncValue {
        if isOptional, random.chance(25) { return .null }
        let number = Int64.random(in: -4...9, using: &random)
        switch type {
        case .int: return .int(number)
        case .double: return .double(Double(number) + random.pick([0, 0.5, 0.25]))
        case .float: return .float(Float(number) + random.pick([0, 0.5]))
        case .bool: return .bool(random.chance(50))
        case .string: return .string(SyncString("t\(number)"))
        default: return isOptional ? .null : .zero(type)
        }
    }

    /// The fields of a new object, as an app of a version writes them.
    mutating func fields(of table: TableSpec, in version: SchemaVersion) -> [NewField] {
        var number: OwnNumber = 100
        return fields(of: table, in: version, &number)
    }

    mutating func fields(of table: TableSpec, in version: SchemaVersion, _ number: inout OwnNumber) -> [NewField] {
        var fields: [NewField] = []
        for column in table.columns where column.name != "_id" {
            fields.append(NewField(SyncString(column.name), content(column, version, &number)))
        }
        return fields.sorted { $0.name < $1.name }
    }

    private mutating func content(_ column: ColumnSpec, _ version: SchemaVersion, _ number: inout OwnNumber)
        -> NewContent
    {
        let count = column.collection == .none ? 1 : Int.random(in: 0...3, using: &random)
        var values: [SyncValue] = []
        let first = number
        if column.collection == .list { number += OwnNumber(count) }
        for index in 0..<count {
            let own: OwnNumber? = column.collection == .list ? first + OwnNumber(index) : nil
            values.append(element(column, version, own, &number))
        }
        switch column.collection {
        case .none: return .value(values[0])
        case .list: return .list(first: first, values)
        case .set: return .set(values)
        case .dictionary:
            return .dictionary(SyncDictionary(values.enumerated().map { (SyncString("k\($0)"), $1) }))
        }
    }

    mutating func element(
        _ column: ColumnSpec,
        _ version: SchemaVersion,
        _ own: OwnNumber?,
        _ number: inout OwnNumber
    ) -> SyncValue {
        guard column.type == .link else { return plain(column.type, isOptional: column.isOptional) }
        if column.isOptional, random.chance(20) { return .null }
        guard let target = column.target.flatMap({ version.table($0) }) else { return .null }
        guard target.isEmbedded else {
            return .link(ObjectName(SyncString(target.name), .int(.random(in: 0..<4, using: &random))))
        }
        let mine = own ?? number
        if own == nil { number += 1 }
        return .embedded(EmbeddedValue(number: mine, fields: fields(of: target, in: version, &number)))
    }
}
