import FreeholdEngine
import FreeholdSyncCore

extension HistoryGenerator {
    private static let keys: [SyncString] = ["a", "b", "c"]

    private mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func key() -> SyncString { Self.keys[pick(0..<3)] }

    /// The changes of one step of an app.
    mutating func changes(in client: inout ModelClient) -> [Change] {
        let alive = client.display.objects.filter { $0.value.died == nil }.keys.sorted {
            $0.description < $1.description
        }
        let kind = options.kinds.randomElement(using: &random)!
        guard let object = alive.randomElement(using: &random), kind != .create else {
            let name = ObjectName("Thing", .int(Int64(pick(1..<5))))
            return alive.contains(name) || !options.kinds.contains(.create) ? [] : [creation(of: name, in: &client)]
        }
        let place = { (property: SyncString) in Place(object, property) }
        switch kind {
        case .create: return []
        case .write:
            switch pick(0..<10) {
            case 0: return [.set(place("mail"), .int(Int64(pick(0..<3))), .real)]
            case 1: return [.set(place("keeper"), .link(ObjectName("Thing", .int(Int64(pick(1..<5))))), .real)]
            default: return [.set(place(random.chance(50) ? "f" : "g"), freshValue(), .real)]
            }
        case .byDefault: return [.set(place(random.chance(50) ? "f" : "g"), freshValue(), .byDefault)]
        case .add:
            let number = Int64(pick(-5..<6))
            if random.chance(20) { return [.set(place("count"), counted(), .real)] }
            return [.increment(random.chance(70) ? place("count") : place("map").entry(key()), number)]
        case .mixed: return [mixed(place("mixed"))]
        case .insert, .remove, .move, .setElement, .clear, .assign:
            return [listChange(kind, place("list"), Target(property: "list"), in: &client)].compactMap(\.self)
        case .set:
            let values = [setValue(), setValue()]
            return [random.chance(60) ? .insertIntoSet(place("set"), values) : .removeFromSet(place("set"), values)]
        case .clearSet:
            let hidden = random.chance(20) ? [setValue()] : []
            return [
                random.chance(50)
                    ? .clearSet(place("set"), hidden: hidden) : .assignSet(place("set"), hidden: hidden, [setValue()])
            ]
        case .dictionary:
            let entry = place("map").entry(key())
            return [random.chance(70) ? .set(entry, freshValue(), .real) : .removeEntry(entry)]
        case .clearDictionary:
            let hidden = random.chance(20) ? [key()] : []
            if random.chance(50) { return [.clearDictionary(place("map"), hidden: hidden)] }
            let value = SyncDictionary([(key(), freshValue()), (key(), freshValue())])
            return [.assignDictionary(place("map"), hidden: hidden, value)]
        case .embedded: return [embedded(object, in: &client)].compactMap(\.self)
        case .delete:
            let other = alive.randomElement(using: &random)!
            return random.chance(30) && other != object
                ? [.delete(object, .edit), .delete(other, .cascade(of: object))] : [.delete(object, .edit)]
        }
    }

    mutating func creation(of name: ObjectName, in client: inout ModelClient) -> Change {
        var fields = [
            NewField("f", .value(freshValue()), random.chance(30) ? .byDefault : .real),
            NewField("count", .value(0), random.chance(60) ? .byDefault : .real),
            NewField("mixed", .value(.dictionary(SyncDictionary([("a", freshValue())])))),
            NewField("set", .set([setValue()])),
            NewField("map", .dictionary(SyncDictionary([(key(), freshValue())]))),
        ]
        let count = pick(0..<4)
        let values = (0..<count).map { _ in freshValue() }
        fields.append(
            NewField("list", .list(first: client.number(max(count, 1)), values), count == 0 ? .byDefault : .real)
        )
        return .create(name, fields)
    }

    /// A number, which apps of other versions of a schema write in other types.
    private mutating func counted() -> SyncValue {
        switch pick(0..<10) {
        case 0, 1: .null
        case 2: .double([0.1, 0.7, -0.0, 1e17, .nan].randomElement(using: &random)!)
        case 3: .float([0.1, -2.7, 2e7].randomElement(using: &random)!)
        case 4: .decimal128(["0.10", "-0", "9E40"].randomElement(using: &random)!)
        default: freshValue()
        }
    }

    /// Some of them are one element although they differ.
    private mutating func setValue() -> SyncValue {
        [0, 1, 2, .double(1), .double(-0.0), .double(.nan), .string("1"), .null].randomElement(using: &random)!
    }

    private mutating func mixed(_ place: Place) -> Change {
        let inner = place.nested(key())
        let deep = inner.nested(key())
        switch pick(0..<8) {
        case 0: return .set(place, .dictionary(SyncDictionary([(key(), freshValue())])), .real)
        case 1: return .set(place, freshValue(), .real)
        case 2: return .set(inner, .dictionary(SyncDictionary([(key(), freshValue())])), .real)
        case 3: return .set(inner, .list([freshValue(), freshValue()]), .real)
        case 4: return .removeEntry(random.chance(50) ? inner : deep)
        case 5: return .increment(random.chance(50) ? inner : deep, 1)
        default: return .set(random.chance(40) ? inner : deep, freshValue(), .real)
        }
    }

    private mutating func address(in client: inout ModelClient) -> SyncValue {
        let number = client.number()
        let rooms = NewField("rooms", .list(first: client.number(2), [freshValue(), freshValue()]))
        return .embedded(EmbeddedValue(number: number, fields: [NewField("street", .value(freshValue())), rooms]))
    }

    /// Returns an assignment of an embedded object, or an edit inside of the present one.
    private mutating func embedded(_ object: ObjectName, in client: inout ModelClient) -> Change? {
        let isEntry = random.chance(30)
        let key = key()
        let place = isEntry ? Place(object, "homes").entry(key) : Place(object, "home")
        let target = isEntry ? Target(property: "homes", holder: .entry(key)) : Target(property: "home")
        guard let (reference, id) = client.instance(of: object, target), random.chance(80) else {
            return .set(place, random.chance(80) ? address(in: &client) : .null, .real)
        }
        return edit(inside: id, place.instance(reference), in: &client)
    }

    private mutating func edit(inside id: OwnID, _ instance: Place, in client: inout ModelClient) -> Change? {
        switch pick(0..<4) {
        case 0: return .set(instance.property("street"), freshValue(), .real)
        case 1: return .increment(instance.property("street"), 1)
        default:
            let kinds: [Kind] = [.insert, .insert, .remove, .move, .setElement, .assign]
            let kind = kinds.randomElement(using: &random)!
            return listChange(kind, instance.property("rooms"), Target(owner: id, property: "rooms"), in: &client)
        }
    }

    private mutating func element(in client: inout ModelClient) -> SyncValue {
        guard options.kinds.contains(.embedded) else { return freshValue() }
        switch pick(0..<10) {
        case 0: return address(in: &client)
        case 1: return .link(ObjectName("Thing", .int(Int64(pick(1..<5)))))
        default: return freshValue()
        }
    }

    private mutating func listChange(
        _ kind: Kind,
        _ place: Place,
        _ target: Target,
        in client: inout ModelClient
    ) -> Change? {
        let object = place.object
        let slots = client.slots(of: object, target)
        let hidden = slots.filter { isHidden($0, object, target, client) }
            .map { client.reference(to: $0, of: object, target) }
        switch kind {
        case .insert:
            let gap = client.gap(at: pick(0..<slots.count + 1), of: object, target)
            let values = (0..<pick(1..<4)).map { _ in element(in: &client) }
            return .insert(place, gap, first: client.number(values.count), values)
        case .clear: return .clearList(place, hidden: hidden)
        case .assign:
            let values = (0..<pick(0..<3)).map { _ in element(in: &client) }
            let gap = Gap(after: nil, before: hidden.first)
            return .assignList(place, hidden: hidden, gap, first: client.number(max(values.count, 1)), values)
        default: break
        }
        guard let slot = slots.randomElement(using: &random) else { return nil }
        let reference = client.reference(to: slot, of: object, target)
        switch kind {
        case .remove: return .remove(place, [reference])
        case .move:
            let gap = client.gap(at: pick(0..<slots.count + 1), of: object, target)
            return .move(place, reference, gap, number: client.number())
        default:
            guard let element = try? client.display.objects[object]?.list(target).slots[slot]?.element else {
                return nil
            }
            let holder = Target(owner: target.owner, property: target.property, holder: .element(element))
            if let (instance, id) = client.instance(of: object, holder), random.chance(80) {
                return edit(inside: id, place.element(reference).instance(instance), in: &client)
            }
            if random.chance(20) { return .increment(place.element(reference), 1) }
            return .set(place.element(reference), self.element(in: &client), .real)
        }
    }

    /// Returns whether the slot has a link to an object that the client doesn't see.
    private func isHidden(_ slot: OwnID, _ object: ObjectName, _ target: Target, _ client: ModelClient) -> Bool {
        guard let list = try? client.display.objects[object]?.list(target), let element = list.slots[slot]?.element,
            case .plain(.link(let name))? = list.elements[element]?.value.value
        else { return false }
        return !client.display.isAlive(name)
    }
}
