import FreeholdEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// The oracle of versions: the stored content in plain dictionaries, by the numbers that a chain assigns to classes and
/// properties. It uses no lens and no stored names.
struct PlainWorld {
    indirect enum Content: Hashable {
        case value(SyncValue)
        case link(Int, PrimaryKey)
        case list([Content])
        case set(Set<SyncValue>)
        case dictionary([SyncString: Content])
        case embedded([Int: Content])
    }

    struct Key: Hashable {
        let classID: Int
        let key: PrimaryKey
    }

    private(set) var objects: [Key: [Int: Content]] = [:]

    typealias Class = RandomVersionChain.Class
    typealias Property = RandomVersionChain.Property

    // MARK: Writing

    /// Does what an app did, in the names of its version.
    mutating func apply(_ change: Change, _ classes: [Class], fills: [Int: Int64]) {
        let owner = classes.first { $0.name == change.object.className.string }!
        let key = Key(classID: owner.id, key: change.object.key)
        switch change {
        case .create(_, let fields): objects[key] = stored(fields, owner, classes)
        case .delete: objects[key] = nil
        default:
            guard var fields = objects[key], let place = change.place else { return }
            edit(&fields, place.path[...], owner, classes, change, fills)
            objects[key] = fields
        }
    }

    private func stored(_ fields: [NewField], _ owner: Class, _ classes: [Class]) -> [Int: Content] {
        var new: [Int: Content] = [:]
        for field in fields {
            let property = owner.properties.first { $0.name == field.name.string }!
            switch field.content {
            case .value(let value): new[property.id] = stored(value, property, classes)
            case .list(_, let values): new[property.id] = .list(values.map { stored($0, property, classes) })
            case .set(let values): new[property.id] = .set(Set(values))
            case .dictionary(let value):
                let entries = value.entries.map { ($0.key, stored($0.value, property, classes)) }
                new[property.id] = .dictionary(Dictionary(uniqueKeysWithValues: entries))
            }
        }
        return new
    }

    private func stored(_ value: SyncValue, _ property: Property, _ classes: [Class]) -> Content {
        switch value {
        case .link(let name): .link(classes.first { $0.name == name.className.string }!.id, name.key)
        case .embedded(let embedded):
            .embedded(stored(embedded.fields, classes.first { $0.id == property.target }!, classes))
        default: .value(value)
        }
    }

    private func edit(
        _ fields: inout [Int: Content],
        _ path: ArraySlice<Place.Step>,
        _ owner: Class,
        _ classes: [Class],
        _ change: Change,
        _ fills: [Int: Int64]
    ) {
        guard case .property(let name)? = path.first else { return }
        let property = owner.properties.first { $0.name == name.string }!
        let zero = property.isSinglePlain ? fills[property.id] ?? 0 : 0
        var content: Content? = fields[property.id]
        edit(&content, path.dropFirst(), property, classes, change, fills, zero)
        fields[property.id] = content
    }

    private func edit(
        _ content: inout Content?,
        _ path: ArraySlice<Place.Step>,
        _ property: Property,
        _ classes: [Class],
        _ change: Change,
        _ fills: [Int: Int64],
        _ zero: Int64
    ) {
        switch (path.first, content) {
        case (.element(.confirmed(let index))?, .list(var elements)?):
            var element: Content? = elements[index]
            edit(&element, path.dropFirst(), property, classes, change, fills, zero)
            elements[index] = element ?? .value(.null)
            content = .list(elements)
        case (.entry(let key)?, _):
            var entries: [SyncString: Content] = [:]
            if case .dictionary(let old)? = content { entries = old }
            var entry = entries[key]
            edit(&entry, path.dropFirst(), property, classes, change, fills, zero)
            entries[key] = entry
            content = .dictionary(entries)
        case (.instance?, .embedded(var inner)?):
            edit(&inner, path.dropFirst(), classes.first { $0.id == property.target }!, classes, change, fills)
            content = .embedded(inner)
        case (nil, _): write(&content, property, classes, change, zero)
        default: break
        }
    }

    private func write(
        _ content: inout Content?,
        _ property: Property,
        _ classes: [Class],
        _ change: Change,
        _ zero: Int64
    ) {
        switch change {
        case .set(_, let value, _): content = stored(value, property, classes)
        case .increment(_, 0): break
        case .increment(_, let number):
            switch content {
            case .value(.int(let old))?: content = .value(.int(old + number))
            case .value(.double(let old))?: content = .value(.double(old + Double(number)))
            case .value(.null)?, nil: if property.isRequired { content = .value(.int(zero + number)) }
            default: break
            }
        case .removeEntry: content = nil
        case .insert(_, let gap, _, let values):
            var elements: [Content] = []
            if case .list(let old)? = content { elements = old }
            var index = 0
            if case .confirmed(let after)? = gap.after { index = after + 1 }
            elements.insert(contentsOf: values.map { stored($0, property, classes) }, at: index)
            content = .list(elements)
        case .remove(_, let references):
            guard case .list(var elements)? = content, case .confirmed(let index)? = references.first else { return }
            elements.remove(at: index)
            content = .list(elements)
        case .insertIntoSet(_, let values), .removeFromSet(_, let values):
            var elements: Set<SyncValue> = []
            if case .set(let old)? = content { elements = old }
            if case .insertIntoSet = change { elements.formUnion(values) } else { elements.subtract(values) }
            content = .set(elements)
        case .clearSet:
            guard case .set(let elements)? = content else { return }
            content = .set(property.isRequired ? elements.filter { $0 == .null } : [])
        default: break
        }
    }

    // MARK: Showing

    indirect enum Shown: Hashable {
        case value(SyncValue)
        case list([Shown])
        case set(Set<SyncValue>)
        case dictionary([SyncString: Shown])
        case embedded([SyncString: Shown])
    }

    func shown(_ classes: [Class], fills: [Int: Int64]) -> [ObjectName: [SyncString: Shown]] {
        var all: [ObjectName: [SyncString: Shown]] = [:]
        for (key, fields) in objects {
            guard let owner = classes.first(where: { $0.id == key.classID }) else { continue }
            all[ObjectName(SyncString(owner.name), key.key)] = shown(fields, owner, classes, fills)
        }
        return all
    }

    private func shown(_ fields: [Int: Content], _ owner: Class, _ classes: [Class], _ fills: [Int: Int64])
        -> [SyncString: Shown]
    {
        var all: [SyncString: Shown] = [:]
        for property in owner.properties {
            all[SyncString(property.name)] = Self.shown(fields[property.id], property, classes, fills, isElement: false)
        }
        return all
    }

    private static func shown(
        _ content: Content?,
        _ property: Property,
        _ classes: [Class],
        _ fills: [Int: Int64],
        isElement: Bool
    ) -> Shown {
        switch content {
        case nil where property.collection != .none && !isElement: empty(property.collection)
        case nil, .value(.null)?: .value(nothing(property, fills, isElement: isElement))
        case .value(let value)?: .value(number(value, property.type))
        case .link(let id, let key)?:
            .value(.link(ObjectName(SyncString(classes.first { $0.id == id }!.name), key)))
        case .list(let elements)?: .list(elements.map { shown($0, property, classes, fills, isElement: true) })
        case .set(let values)?: .set(property.isRequired ? values.filter { $0 != .null } : values)
        case .dictionary(let entries)?:
            .dictionary(entries.mapValues { shown($0, property, classes, fills, isElement: true) })
        case .embedded(let inner)?:
            .embedded(PlainWorld().shown(inner, classes.first { $0.id == property.target }!, classes, fills))
        }
    }

    static func empty(_ collection: CollectionKind) -> Shown {
        switch collection {
        case .list: .list([])
        case .set: .set([])
        case .dictionary: .dictionary([:])
        case .none: .value(.null)
        }
    }

    static func nothing(_ property: Property, _ fills: [Int: Int64], isElement: Bool) -> SyncValue {
        guard property.isRequired else { return .null }
        if let fill = fills[property.id], !isElement { return RandomVersionChain.value(fill, property.type) }
        switch property.type {
        case .bool: return .bool(false)
        case .string: return ""
        case .uuid: return .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        default: return RandomVersionChain.value(0, property.type)
        }
    }

    /// Returns the number in an app's type. The numbers of tests are small.
    private static func number(_ value: SyncValue, _ type: ColumnType) -> SyncValue {
        let number: Double
        switch value {
        case .int(let value): number = Double(value)
        case .double(let value): number = value
        case .float(let value): number = Double(value)
        default: return value
        }
        return switch type {
        case .int: .int(Int64(number))
        case .float: .float(Float(number))
        default: .double(number)
        }
    }
}

extension PlainWorld {
    /// Returns the content of a client, with the values that its app shows for missing ones.
    static func held(_ fields: [ConfirmedField], _ owner: Class, _ classes: [Class]) -> [SyncString: Shown] {
        var all: [SyncString: Shown] = [:]
        for property in owner.properties {
            all[SyncString(property.name)] =
                property.collection == .none
                ? .value(nothing(property, [:], isElement: true)) : empty(property.collection)
        }
        for field in fields {
            let property = owner.properties.first { $0.name == field.name.string }
            all[field.name] = property.map { held(field.content, $0, classes) } ?? .value("unknown")
        }
        return all
    }

    private static func held(_ content: ConfirmedContent, _ property: Property, _ classes: [Class]) -> Shown {
        switch content {
        case .value(let value): .value(value)
        case .embedded(let instance):
            .embedded(held(instance.fields, classes.first { $0.id == property.target }!, classes))
        case .list(let runs): .list(runs.flatMap(\.elements).map { held($0, property, classes) })
        case .set(let values): .set(Set(values))
        case .dictionary(let entries):
            .dictionary(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, held($0.content, property, classes)) }))
        }
    }
}
