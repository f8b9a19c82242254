import FreeholdEngine
import FreeholdSyncRules

@testable import FreeholdSyncCore

/// Two versions of the schema of `Thing`, whose apps sync at the same time. Plain dictionaries describe the names of the new version and the
/// values that each app is shown. The server has a lens.
enum SimulatedVersions {
    static let number: UInt64 = 3

    /// The new names of renamed properties.
    private static let names: [SyncString: SyncString] = [
        "f": "first", "list": "elements", "home": "house", "street": "road", "rooms": "chambers", "map": "table",
        "friends": "mates",
    ]
    private static let oldNames = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })
    private static let removed: SyncString = "g"

    private static func tables(isNew: Bool) -> [TableSpec] {
        let thing = isNew ? "Item" : "Thing"
        func name(_ old: SyncString) -> String { isNew ? (names[old] ?? old).string : old.string }
        let address = [
            ColumnSpec(name("street"), .int, optional: true),
            ColumnSpec(name("rooms"), .int, optional: true, collection: .list),
        ]
        var columns = [
            ColumnSpec("_id", .int), ColumnSpec(name("f"), .int, optional: true),
            ColumnSpec("mail", .int, optional: true),
            isNew ? ColumnSpec("count", .double, optional: true) : ColumnSpec("count", .int),
            ColumnSpec("mixed", .mixed), ColumnSpec("set", .mixed, collection: .set),
            ColumnSpec(name("list"), .int, optional: true, collection: .list),
            ColumnSpec(name("map"), .int, optional: true, collection: .dictionary),
            ColumnSpec(name("home"), .link, target: "Address"),
            ColumnSpec("homes", .link, collection: .dictionary, target: "Address"),
            ColumnSpec("places", .link, collection: .list, target: "Address"),
            ColumnSpec("best", .link, target: thing),
            ColumnSpec(name("friends"), .link, collection: .list, target: thing),
        ]
        if !isNew { columns.append(ColumnSpec(removed.string, .int, optional: true)) }
        return [
            TableSpec(thing, columns: columns, primaryKey: "_id"),
            TableSpec("Address", columns: address, isEmbedded: true),
        ]
    }

    static let versions: SchemaVersions = {
        let old = ["f", "list", "home", "map", "friends"] as [SyncString]
        func pairs(_ names: [SyncString]) -> [String: String] {
            Dictionary(uniqueKeysWithValues: names.map { ($0.string, Self.names[$0]!.string) })
        }
        let transition = SchemaTransition(
            classes: ["Thing": "Item"],
            properties: ["Item": pairs(old), "Address": pairs(["street", "rooms"])]
        )
        return try! SchemaVersions(tables(isNew: false)).pushing(tables(isNew: true), as: number, transition).versions
    }()

    static let lenses = [0, number].map { versions.lens(for: $0) }

    static func judge(_ claim: SchemaClaim) -> SchemaJudgement {
        SchemaJudgement(.accepted, lens: lenses[claim.version >= number ? 1 : 0])
    }

    // MARK: Apps

    static func queries(_ index: Int, isNew: Bool) -> [ClassQuery] {
        let condition = (["TRUEPREDICATE", "mail == 1", "count == 0"] as [SyncString])[index]
        return [ClassQuery(className: isNew ? "Item" : "Thing", condition: condition)]
    }

    /// Returns the objects of a new app in the form of an old one.
    static func old(_ objects: [ObjectName: [SyncString: MergedContent]]) -> [ObjectName: [SyncString: MergedContent]] {
        let words = Words(names: oldNames, classes: ["Item": "Thing"])
        return Dictionary(uniqueKeysWithValues: objects.map { (words.name($0.key), words.fields($0.value)) })
    }

    /// Returns the edits of an old app in the form of a new one.
    static func new(_ edits: [LocalEdit], _ random: inout SeededRandom) -> [LocalEdit] {
        let words = Words(names: names, classes: ["Thing": "Item"])
        return edits.compactMap { edit in
            if edit.place?.path.first == .property(removed) { return nil }
            // An app adds to integers only.
            if case .increment(let place, _) = edit, place.path == [.property("count")] { return nil }
            guard case .set(let place, .value(.int(let number)), let origin) = edit, place.path == [.property("count")]
            else {
                return words.edit(edit)
            }
            let half = [0, 0.5, -0.5].randomElement(using: &random)!
            let value: SyncValue = random.chance(15) ? .null : .double(Double(number) + half)
            return words.edit(.set(place, .value(value), origin))
        }
    }

    // MARK: What is shown

    /// Returns the objects that an app must have of the stored ones, with their versions.
    static func expected(
        _ contents: [ObjectName: MergedObject],
        _ queries: [ClassQuery],
        _ role: SimulatedRole,
        isNew: Bool
    ) -> [ObjectName: (fields: [SyncString: MergedContent], version: StreamVersion)] {
        var all: [ObjectName: (fields: [SyncString: MergedContent], version: StreamVersion)] = [:]
        let words = Words(names: isNew ? names : [:], classes: isNew ? ["Thing": "Item"] : [:])
        for (name, object) in contents where object.isAlive && name.className == "Thing" {
            guard role.canRead(object.contents) else { continue }
            let shown = object.contents.filter { !role.hiddenFields.contains($0.key) && (!isNew || $0.key != removed) }
            var fields = words.fields(shown)
            fields["count"] = count(fields["count"], isNew: isNew)
            let isFound = queries.contains { query in
                switch query.condition {
                case "mail == 1": fields["mail"] == .value(.int(1))
                case "count == 0": fields["count"] == .value(.int(0)) || fields["count"] == .value(.double(0))
                default: true
                }
            }
            if isFound { all[words.name(name)] = (fields, object.version(role.mask(of: "Thing"))) }
        }
        return all
    }

    private static func count(_ stored: MergedContent?, isNew: Bool) -> MergedContent {
        switch stored {
        case .value(.int(let number))?: .value(isNew ? .double(Double(number)) : .int(number))
        case .value(.double(let number))?: .value(isNew ? .double(number) : .int(Int64(number)))
        default: .value(isNew ? .null : .int(0))
        }
    }

    /// Other names for things.
    private struct Words {
        let names: [SyncString: SyncString]
        let classes: [SyncString: SyncString]

        func name(_ name: ObjectName) -> ObjectName { ObjectName(classes[name.className] ?? name.className, name.key) }
        func property(_ name: SyncString) -> SyncString { names[name] ?? name }

        func fields(_ fields: [SyncString: MergedContent]) -> [SyncString: MergedContent] {
            Dictionary(uniqueKeysWithValues: fields.map { (property($0.key), content($0.value)) })
        }

        func content(_ content: MergedContent) -> MergedContent {
            switch content {
            case .value(let value): .value(self.value(value))
            case .embedded(let inner): .embedded(fields(inner))
            case .list(let elements): .list(elements.map(self.content))
            case .set: content
            case .dictionary(let entries): .dictionary(entries.mapValues(self.content))
            }
        }

        func value(_ value: SyncValue) -> SyncValue {
            switch value {
            case .link(let name): .link(self.name(name))
            case .list(let values): .list(values.map(self.value))
            case .dictionary(let dictionary):
                .dictionary(SyncDictionary(dictionary.entries.map { (key: $0.key, value: self.value($0.value)) }))
            default: value
            }
        }

        func place(_ place: LocalPlace) -> LocalPlace {
            LocalPlace(
                name(place.object),
                place.path.map { step in
                    if case .property(let name) = step { .property(property(name)) } else { step }
                }
            )
        }

        func edit(_ edit: LocalEdit) -> LocalEdit {
            switch edit {
            case .create(let name, let fields, let defaults):
                return .create(self.name(name), self.fields(fields), defaults: Set(defaults.map(property)))
            case .delete(let name, .cascade(let cause)): return .delete(self.name(name), .cascade(of: self.name(cause)))
            case .delete(let name, .edit): return .delete(self.name(name), .edit)
            case .set(let place, let content, let origin): return .set(self.place(place), self.content(content), origin)
            case .increment(let place, let number): return .increment(self.place(place), number)
            case .insert(let place, let index, let new):
                return .insert(self.place(place), at: index, new.map(content))
            case .remove(let place, let index, let count): return .remove(self.place(place), at: index, count: count)
            case .move(let place, let from, let to): return .move(self.place(place), from: from, to: to)
            case .clearList(let place, let hidden): return .clearList(self.place(place), hidden: hidden)
            case .assignList(let place, let hidden, let index, let new):
                return .assignList(self.place(place), hidden: hidden, at: index, new.map(content))
            case .assignSet(let place, let hidden, let values):
                return .assignSet(self.place(place), hidden: hidden, values)
            case .assignDictionary(let place, let hidden, let entries):
                return .assignDictionary(self.place(place), hidden: hidden, entries.mapValues(content))
            case .insertIntoSet(let place, let values): return .insertIntoSet(self.place(place), values)
            case .removeFromSet(let place, let values): return .removeFromSet(self.place(place), values)
            case .clearSet(let place, let hidden): return .clearSet(self.place(place), hidden: hidden)
            case .removeEntry(let place): return .removeEntry(self.place(place))
            case .clearDictionary(let place, let hidden): return .clearDictionary(self.place(place), hidden: hidden)
            }
        }
    }
}

extension SimulatedWorld {
    /// The schema version of a client's app. A client that is added at the end has the version of the first one.
    func schemaVersion(_ index: Int) -> UInt64 {
        profile.hasVersions && index % 2 == 1 && index < profile.clients ? SimulatedVersions.number : 0
    }

    /// A query set of a client.
    func queries(_ set: Int, _ index: Int) -> [ClassQuery] {
        guard profile.hasVersions else { return checks.queries(set) }
        return SimulatedVersions.queries(set, isNew: schemaVersion(index) > 0)
    }
}
