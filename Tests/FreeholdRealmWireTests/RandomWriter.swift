@testable import FreeholdRealmWire

/// Random transactions on the objects of a state, as an app makes them.
struct RandomWriter {
    var random: SeededRandom

    private struct Place {
        var path: WirePath
        var column: ColumnSpec
        var value: WireValue
        /// A Boolean value that indicates whether the place is a whole field.
        var isField: Bool
        /// The size of the list, for an element.
        var size: UInt32 = 0
    }

    /// Returns a changeset of some changes, and applies it.
    mutating func write(to state: inout WireState, changes: Int) throws -> Changeset {
        var changeset = Changeset()
        for _ in 0..<changes {
            let more = Changeset(change(of: state))
            try state.apply(more)
            changeset.instructions += more.instructions
        }
        return changeset
    }

    private mutating func object(_ table: WireText) -> WireObject {
        table == "A"
            ? WireObject(table: table, key: .int(Int64(random.below(2))))
            : WireObject(table: table, key: .string(WireText(random.pick(["u", "v"]))))
    }

    private mutating func change(of state: WireState) -> [Instruction] {
        let object = object(random.oneIn(8) ? "B" : "A")
        guard state[object] != nil else { return [.createObject(object)] }
        if random.oneIn(25) { return [.eraseObject(object)] }
        let places = places(in: object, of: state)
        return change(random.pick(places))
    }

    /// Returns all places of an object: fields, elements and entries.
    private func places(in object: WireObject, of state: WireState) -> [Place] {
        var places: [Place] = []
        for column in state.schema[object.table]!.columns {
            let value = state.value(of: column.field, in: object)!
            add(
                Place(path: WirePath(object: object, field: column.field), column: column, value: value, isField: true),
                to: &places,
                state
            )
        }
        return places
    }

    private func add(_ place: Place, to places: inout [Place], _ state: WireState) {
        places.append(place)
        func inner(_ element: PathElement, _ value: WireValue, of column: ColumnSpec, isField: Bool, size: Int = 0) {
            var path = place.path
            path.elements.append(element)
            let inner = Place(path: path, column: column, value: value, isField: isField, size: UInt32(size))
            add(inner, to: &places, state)
        }
        switch place.value {
        case .object(let fields):
            for column in state.schema[place.column.target!]!.columns {
                inner(.name(column.field), fields[column.field] ?? column.initialValue, of: column, isField: true)
            }
        case .list(let list):
            for (index, element) in list.elements.enumerated() {
                inner(.index(UInt32(index)), element.value, of: place.column, isField: false, size: list.elements.count)
            }
        case .dictionary(let entries):
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                inner(.name(key), value, of: place.column, isField: false)
            }
        case .scalar, .set: return
        }
    }

    private mutating func scalar(_ column: ColumnSpec, isMixed: Bool = false) -> Payload {
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
        case .link: return .link(WireObject(table: "B", key: .string(WireText(random.pick(["u", "v", "w"])))))
        case .objectID: return .objectID(WireObjectID(high: 0, low: UInt32(random.below(3))))
        case .uuid: return .uuid(WireUUID(high: 0, low: UInt64(random.below(3))))
        case .mixed:
            return random.pick([
                .null, .int(1), .int(2), .string("m"), .bool(true), .link(WireObject(table: "B", key: .string("u"))),
            ])
        }
    }

    private mutating func change(_ place: Place) -> [Instruction] {
        let (path, column) = (place.path, place.column)
        func inside(_ element: PathElement) -> WirePath {
            var path = path
            path.elements.append(element)
            return path
        }
        let isEmbedded = column.target == "E" || column.target == "F"
        switch place.value {
        case .list(let list):
            let size = UInt32(list.elements.count)
            let isPlain = column.kind != .mixed && !isEmbedded
            switch random.below(7) {
            case 0 where size > 0:
                return [.arrayErase(at: inside(.index(UInt32(random.below(Int(size))))), priorSize: size)]
            case 1 where size > 1 && isPlain:
                let (from, to) = (UInt32(random.below(Int(size))), UInt32(random.below(Int(size))))
                return from == to ? [] : [.arrayMove(at: inside(.index(from)), target: to, priorSize: size)]
            case 2: return [.clear(at: path, kind: .list)]
            default:
                guard size < 6 else { return [] }
                let at = inside(.index(UInt32(random.below(Int(size) + 1))))
                if isEmbedded { return [.arrayInsert(at: at, value: .object, priorSize: size)] }
                if column.kind == .mixed, path.elements.count < 2, random.oneIn(4) {
                    let value: Payload = random.pick([.list, .dictionary])
                    return [.arrayInsert(at: at, value: value, priorSize: size)]
                }
                var value = scalar(column)
                if column.kind == .link, value == .null { value = .link(WireObject(table: "B", key: .string("u"))) }
                return [.arrayInsert(at: at, value: value, priorSize: size)]
            }
        case .dictionary(let entries):
            let key = WireText(random.pick(["p", "q", "r"]))
            switch random.below(6) {
            case 0 where entries[key] != nil:
                return [.update(at: inside(.name(key)), value: .erased, mark: .field(isDefault: false))]
            case 1: return [.clear(at: path, kind: .dictionary)]
            default:
                // Embedded objects in dictionaries end unequal in two official clients.
                if isEmbedded { return [] }
                return [.update(at: inside(.name(key)), value: scalar(column), mark: .field(isDefault: false))]
            }
        case .set(let set):
            let value = scalar(column)
            if value == .null { return [] }
            switch random.below(6) {
            case 0: return [.clear(at: path, kind: .set)]
            case 1, 2: return set.contains(value) ? [.setErase(at: path, value: value)] : []
            default: return set.contains(value) ? [] : [.setInsert(at: path, value: value)]
            }
        case .object:
            guard place.isField, random.oneIn(4) else { return [] }
            return [.update(at: path, value: .null, mark: .field(isDefault: false))]
        case .scalar(let old):
            if isEmbedded {
                guard place.isField else { return [] }
                return [.update(at: path, value: .object, mark: .field(isDefault: false))]
            }
            if case .int = old, place.isField, random.oneIn(3) {
                return [.addInteger(at: path, amount: Int64(random.below(9)) - 4)]
            }
            let isNested = column.kind == .mixed && path.elements.count < 2 && random.oneIn(3)
            let value = isNested ? random.pick([.list, .dictionary]) : scalar(column)
            if !place.isField, column.kind == .link, column.collection == .list, value == .null { return [] }
            guard path.lastIndex != nil else {
                return [
                    .update(at: path, value: value, mark: .field(isDefault: column.kind != .mixed && random.oneIn(10)))
                ]
            }
            return [.update(at: path, value: value, mark: .element(priorSize: place.size))]
        }
    }
}
