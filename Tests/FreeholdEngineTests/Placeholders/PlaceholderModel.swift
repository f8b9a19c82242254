import Foundation

@testable import FreeholdEngine

/// A simple model of the shown and the stored content of a database with placeholders: objects by class and primary
/// key, and links as such pairs, whether their target objects exist or not.
struct PlaceholderModel {
    struct Name: Hashable, Comparable {
        let table: String
        let id: Int64

        static func < (a: Name, b: Name) -> Bool { (a.table, a.id) < (b.table, b.id) }
    }

    indirect enum Item: Hashable {
        case null
        case int(Int64)
        case link(Name)
        case list([Item])
        case dictionary([String: Item])
    }

    enum Content: Equatable {
        case single(Item)
        case list([Item])
        case set(Set<Item>)
        case dictionary([String: Item])
    }

    var objects: [Name: [String: Content]] = [:]

    static let specs: [TableSpec] = ["A", "B"].map { name in
        let other = name == "A" ? "B" : "A"
        return TableSpec(
            name,
            columns: [
                ColumnSpec("id", name == "A" ? .int : .string),
                ColumnSpec("n", .int, indexed: true),
                ColumnSpec("one", .link, target: other),
                ColumnSpec("self", .link, target: name),
                ColumnSpec("list", .link, collection: .list, target: other),
                ColumnSpec("set", .link, collection: .set, target: "A"),
                ColumnSpec("map", .link, collection: .dictionary, target: other),
                ColumnSpec("any", .mixed),
                ColumnSpec("anys", .mixed, collection: .list),
                ColumnSpec("anySet", .mixed, collection: .set),
                ColumnSpec("anyMap", .mixed, collection: .dictionary),
            ],
            primaryKey: "id"
        )
    }

    static func primaryKey(_ name: Name) -> Value { name.table == "A" ? .int(name.id) : .string("k\(name.id)") }

    static func name(_ table: Table, _ primaryKey: Value) -> Name {
        switch primaryKey {
        case .int(let id): Name(table: table.name, id: id)
        case .string(let text): Name(table: table.name, id: Int64(text.dropFirst())!)
        default: fatalError()
        }
    }

    mutating func create(_ name: Name) {
        objects[name] = [
            "n": .single(.int(0)), "one": .single(.null), "self": .single(.null), "list": .list([]), "set": .set([]),
            "map": .dictionary([:]), "any": .single(.null), "anys": .list([]), "anySet": .set([]),
            "anyMap": .dictionary([:]),
        ]
    }

    func isHidden(_ item: Item) -> Bool { if case .link(let name) = item { objects[name] == nil } else { false } }

    /// Returns null for each link without a target.
    func shown(_ item: Item) -> Item {
        switch item {
        case .link(let name): objects[name] == nil ? .null : item
        case .list(let items): .list(items.map(shown))
        case .dictionary(let entries): .dictionary(entries.mapValues(shown))
        default: item
        }
    }

    func shown(_ content: Content) -> Content {
        switch content {
        case .single(let item): .single(shown(item))
        case .list(let items): .list(items.filter { !isHidden($0) }.map(shown))
        case .set(let items): .set(items.filter { !isHidden($0) })
        case .dictionary(let entries): .dictionary(entries.filter { !isHidden($0.value) }.mapValues(shown))
        }
    }

    // MARK: Edits of lists as they are shown

    /// The positions among all elements of those that are shown.
    func places(_ items: [Item]) -> [Int] { items.indices.filter { !isHidden(items[$0]) } }

    func insert(_ new: [Item], at i: Int, in items: [Item]) -> [Item] {
        let places = places(items)
        var out = items
        out.insert(contentsOf: new, at: i == places.count ? items.count : places[i])
        return out
    }

    func remove(_ range: Range<Int>, from items: [Item]) -> [Item] {
        let gone = Set(places(items)[range])
        return items.indices.filter { !gone.contains($0) }.map { items[$0] }
    }

    // MARK: Deletion

    /// Deletes an object and the links to it: to-one links and entries of dictionaries become null, lists and sets lose
    /// them, and in mixed values they become null.
    mutating func delete(_ name: Name) {
        objects[name] = nil
        for (object, contents) in objects {
            for (property, content) in contents {
                switch content {
                case .single(let item): objects[object]![property] = .single(without(item, name))
                case .list(let items) where property == "list":
                    objects[object]![property] = .list(items.filter { $0 != .link(name) })
                case .list(let items): objects[object]![property] = .list(items.map { without($0, name) })
                case .set(let items): objects[object]![property] = .set(items.filter { $0 != .link(name) })
                case .dictionary(let entries):
                    objects[object]![property] = .dictionary(entries.mapValues { without($0, name) })
                }
            }
        }
    }

    private func without(_ item: Item, _ name: Name) -> Item {
        switch item {
        case .link(name): .null
        case .list(let items): .list(items.map { without($0, name) })
        case .dictionary(let entries): .dictionary(entries.mapValues { without($0, name) })
        default: item
        }
    }
}

extension DataView {
    /// Returns the stored or the shown content of every object.
    func placeholderModel(isStored: Bool) -> [PlaceholderModel.Name: [String: PlaceholderModel.Content]] {
        typealias Item = PlaceholderModel.Item
        func name(_ table: Table, _ key: ObjectKey) -> Item {
            let value =
                key.isPlaceholder
                ? primaryKey(ofPlaceholder: key, in: table) ?? .null : self.value(table.primaryKey!, key)
            return .link(PlaceholderModel.name(table, value))
        }
        func item(_ value: Value, _ column: Column) -> Item {
            switch value {
            case .null: .null
            case .int(let number): .int(number)
            case .link(let key): name(schema.table(id: column.targetTableID!)!, key)
            case .objectLink(let link): name(schema.table(id: link.tableID)!, link.key)
            case .list(let list): .list(list.values.map { item($0, column) })
            case .dictionary(let dictionary):
                .dictionary(
                    Dictionary(uniqueKeysWithValues: dictionary.entries.map { ($0.key, item($0.value, column)) })
                )
            default: fatalError("\(value)")
            }
        }
        var out: [PlaceholderModel.Name: [String: PlaceholderModel.Content]] = [:]
        for table in schema.tables {
            for key in keys(table) {
                guard case .link(let object) = name(table, key) else { continue }
                var contents: [String: PlaceholderModel.Content] = [:]
                for column in table.columns.dropFirst() {
                    switch column.collection {
                    case .none:
                        contents[column.name] = .single(
                            item(isStored ? storedValue(column, key) : value(column, key), column)
                        )
                    case .list:
                        let values = isStored ? storedListValues(column, key) : listValues(column, key)
                        contents[column.name] = .list(values.map { item($0, column) })
                    case .set:
                        let values = isStored ? storedSetValues(column, key) : listValues(column, key)
                        contents[column.name] = .set(Set(values.map { item($0, column) }))
                    case .dictionary:
                        let entries = isStored ? storedDictionaryEntries(column, key) : dictionaryEntries(column, key)
                        contents[column.name] = .dictionary(
                            Dictionary(uniqueKeysWithValues: entries.map { ($0.key, item($0.value, column)) })
                        )
                    }
                }
                out[object] = contents
            }
        }
        return out
    }
}
