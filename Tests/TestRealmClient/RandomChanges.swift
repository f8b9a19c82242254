@testable import FreeholdRealmWire
import TestRandom

/// Random changes of an app on the objects of a client's file.
struct RandomChanges: Sendable {
    /// The keys of the objects that the changes create, by class.
    var keys: [(table: WireText, keys: [WireKey])]
    /// The fields that the changes don't touch.
    var omitted: Set<WireText> = []
    /// The greatest number of elements of a list.
    var greatestList = 6
    /// A Boolean value that indicates whether collections in mixed values are made.
    var hasNesting = true
    /// A Boolean value that indicates whether embedded objects are put into dictionaries.
    var hasEmbeddedEntries = true
    /// The percentage of collections among the values of mixed places.
    var nesting = 25
    /// The percentage of deletions among the changes.
    var deletions = 4
    /// The kinds of changes inside of objects. `nil` permits all kinds.
    var kinds: Set<LocalChange.Kind>?

    struct Place {
        var path: WirePath
        var column: ColumnSpec
        var value: WireValue
        var isField: Bool
    }

    /// Returns a change that the state permits, or `nil`.
    func change(of state: WireState, using random: inout SeededRandom) -> LocalChange? {
        let known = keys.filter { state.schema[$0.table] != nil }
        guard !known.isEmpty else { return nil }
        let (table, keys) = random.pick(known)
        let object = WireObject(table: table, key: random.pick(keys))
        guard state[object] != nil else { return .create(object) }
        if random.chance(deletions) { return .delete(object) }
        let places = places(in: object, of: state)
        guard !places.isEmpty else { return nil }
        guard let kinds else { return change(random.pick(places), state, using: &random) }
        for _ in 0..<60 {
            if let change = change(random.pick(places), state, using: &random), let kind = change.kind,
                kinds.contains(kind)
            {
                return change
            }
        }
        return nil
    }

    /// Returns the fields, elements and entries of an object.
    private func places(in object: WireObject, of state: WireState) -> [Place] {
        var places: [Place] = []
        func add(_ place: Place) {
            places.append(place)
            func inner(_ element: PathElement, _ value: WireValue, _ column: ColumnSpec, isField: Bool) {
                let elements = place.path.elements + [element]
                let path = WirePath(object: object, field: place.path.field, elements: elements)
                add(Place(path: path, column: column, value: value, isField: isField))
            }
            switch place.value {
            case .object(let fields):
                // The official client can't merge changes of a list in an entry that it has replaced twice meanwhile.
                let isEntry = !place.isField && place.column.collection == .dictionary
                for column in state.schema[place.column.target ?? ""]?.columns ?? []
                where !isEntry || column.collection != .list {
                    inner(.name(column.field), fields[column.field] ?? column.initialValue, column, isField: true)
                }
            case .list(let list):
                for (index, element) in list.elements.enumerated() {
                    inner(.index(UInt32(index)), element.value, place.column, isField: false)
                }
            case .dictionary(let entries):
                for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                    inner(.name(key), value, place.column, isField: false)
                }
            case .scalar, .set: return
            }
        }
        for column in state.schema[object.table]?.columns ?? [] where !omitted.contains(column.field) {
            let value = state.value(of: column.field, in: object)!
            add(Place(path: WirePath(object: object, field: column.field), column: column, value: value, isField: true))
        }
        return places
    }

    private func scalar(_ column: ColumnSpec, _ state: WireState, using random: inout SeededRandom) -> Payload {
        if column.isNullable, column.kind != .mixed, random.oneIn(5) { return .null }
        switch column.kind {
        case .int: return .int(Int64(random.below(5)))
        case .bool: return .bool(random.oneIn(2))
        case .string: return .string(WireText(random.pick(["a", "b", "cc", "dd"])))
        case .data: return .data([UInt8(random.below(3))])
        case .date: return .date(WireDate(seconds: Int64(random.below(3)), nanoseconds: 0))
        case .float: return .float(Float(random.below(3)))
        case .double: return .double(Double(random.below(3)))
        case .decimal: return .decimal(WireDecimal(low: UInt64(random.below(3)), exponent: 0, isNegative: false))
        case .link:
            // An app links to objects that it sees.
            let target = column.target.flatMap { $0.isEmpty ? nil : $0 } ?? keys.last!.table
            let present = (state.tables[target] ?? [:]).keys.sorted()
            return present.isEmpty ? .null : .link(WireObject(table: target, key: random.pick(present)))
        case .objectID: return .objectID(WireObjectID(high: 0, low: UInt32(random.below(3))))
        case .uuid: return .uuid(WireUUID(high: 0, low: UInt64(random.below(3))))
        case .mixed: return random.pick([.null, .int(1), .int(2), .string("m"), .bool(true)])
        }
    }

    private func value(_ column: ColumnSpec, _ state: WireState, depth: Int, using random: inout SeededRandom)
        -> WireValue
    {
        if state.schema.isEmbedded(column) {
            let columns = state.schema[column.target!]!.columns.filter { $0.kind == .int && $0.collection == .single }
            guard let inner = columns.first, random.oneIn(2) else { return .object([:]) }
            return .object([inner.field: .scalar(.int(Int64(random.below(9))))])
        }
        guard column.kind == .mixed, hasNesting, depth < 2, random.chance(nesting) else {
            return .scalar(scalar(column, state, using: &random))
        }
        let inner = value(column, state, depth: depth + 1, using: &random)
        return random.oneIn(2) ? .list(WireList(values: [inner])) : .dictionary(["p": inner])
    }

    private func change(_ place: Place, _ state: WireState, using random: inout SeededRandom) -> LocalChange? {
        let (path, column) = (place.path, place.column)
        func inside(_ element: PathElement) -> WirePath {
            WirePath(object: path.object, field: path.field, elements: path.elements + [element])
        }
        let isEmbedded = state.schema.isEmbedded(column)
        let depth = path.elements.count
        switch place.value {
        case .list(let list):
            let size = list.elements.count
            func any() -> PathElement { .index(UInt32(random.below(size))) }
            switch random.below(7) {
            case 0 where size > 0: return .remove(inside(any()))
            case 1 where size > 1 && column.kind != .mixed && !isEmbedded && depth == 0:
                return .move(inside(any()), to: UInt32(random.below(size)))
            case 2: return .removeAll(path)
            default:
                guard size < greatestList else { return nil }
                let value = value(column, state, depth: depth, using: &random)
                if value == .null, !column.isNullable || column.kind == .link { return nil }
                return .insert(inside(.index(UInt32(random.below(size + 1)))), value)
            }
        case .dictionary(let entries):
            let key = WireText(random.pick(["p", "q", "r"]))
            switch random.below(6) {
            case 0 where entries[key] != nil: return .removeEntry(inside(.name(key)))
            case 1: return .removeAll(path)
            default:
                if isEmbedded, !hasEmbeddedEntries { return nil }
                let value = value(column, state, depth: depth, using: &random)
                if value == .null, !column.isNullable { return nil }
                return .set(inside(.name(key)), value)
            }
        case .set(let set):
            let value = scalar(column, state, using: &random)
            if value == .null { return nil }
            switch random.below(6) {
            case 0: return .removeAll(path)
            case 1, 2: return set.contains(value) ? .removeFromSet(path, value) : nil
            default: return set.contains(value) ? nil : .insertIntoSet(path, value)
            }
        case .object:
            if place.isField, random.oneIn(4) { return .set(path, .null) }
            guard random.oneIn(3), hasEmbeddedEntries || path.elements.isEmpty || place.isField else { return nil }
            return .set(path, value(column, state, depth: depth, using: &random))
        case .scalar(let old):
            if isEmbedded {
                guard place.isField || hasEmbeddedEntries else { return nil }
                return .set(path, value(column, state, depth: depth, using: &random))
            }
            if case .int = old, place.isField, column.kind == .int, random.oneIn(3) {
                return .add(path, Int64(random.below(9)) - 4)
            }
            let new = value(column, state, depth: depth, using: &random)
            let mayBeNull = column.isNullable || (column.kind == .link && place.isField)
            if new == .null, !mayBeNull || (column.kind == .link && column.collection == .list) { return nil }
            return .set(path, new)
        }
    }
}
