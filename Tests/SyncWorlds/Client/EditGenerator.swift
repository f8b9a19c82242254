import FreeholdSyncCore

/// Makes random edits of what a file shows, as an app would.
struct EditGenerator {
    enum Kind {
        case write, byDefault, add, mixed, insert, remove, move, setElement, clear, assign
        case set, clearSet, dictionary, clearDictionary, embedded, create, delete
        case link, insertLink, removeLink, moveLink, clearLinks, assignLinks
        case makeTarget, changeTarget, removeTarget

        /// The kinds without edits of link targets, which need a query of their own.
        static let allCases: [Kind] = [
            .write, .byDefault, .add, .mixed, .insert, .remove, .move, .setElement, .clear, .assign, .set, .clearSet,
            .dictionary, .clearDictionary, .embedded, .create, .delete, .link, .insertLink, .removeLink, .moveLink,
            .clearLinks, .assignLinks,
        ]

        /// The kinds of edits of links and of their targets.
        static let links: [Kind] = [
            .link, .insertLink, .insertLink, .removeLink, .moveLink, .clearLinks, .makeTarget, .makeTarget,
            .changeTarget,
            .removeTarget,
        ]
    }

    var kinds = Kind.allCases
    /// A list has elements of one type, objects link to other objects, and every clear covers all visible elements.
    var fitsFiles = false
    private var fresh: Int64 = 1_000_000
    /// Elements of lists that were inserted and removed, each by its value.
    var inserted: Set<MergedContent> = []
    var removed: Set<MergedContent> = []
    private(set) var created: Set<MergedContent> = []

    init(kinds: [Kind] = Kind.allCases) { self.kinds = kinds }

    /// Values from here on.
    mutating func skip(to value: Int64) { fresh = value }

    typealias Objects = [ObjectName: [SyncString: MergedContent]]
    private static let keys: [SyncString] = ["a", "b", "c"]

    mutating func value() -> SyncValue {
        fresh += Self.stride
        return .int(fresh)
    }

    /// Increments of a value stay below it, so that a number says which element it is of.
    private static let stride: Int64 = 1_000

    /// Returns the number with which an element was put into a list.
    static func element(_ number: Int64) -> Int64 { number / stride }

    /// The edits of one transaction, which fit the objects in turn.
    mutating func transaction(on objects: Objects, _ random: inout SeededRandom) -> [LocalEdit] {
        var objects = objects
        var edits: [LocalEdit] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            for edit in step(on: objects, &random) {
                try! edit.apply(to: &objects[edit.object])
                edits.append(edit)
            }
            // An insert behind a clear makes an assignment, and the later of two assignments replaces the other.
            if case .clearList? = edits.last, !kinds.contains(.assign) { break }
            if case .assignList? = edits.last, !kinds.contains(.assign) { break }
        }
        return edits
    }

    private mutating func step(on objects: Objects, _ random: inout SeededRandom) -> [LocalEdit] {
        let alive = objects.keys.filter { $0.className != Self.target }.sorted()
        let kind = kinds.randomElement(using: &random)!
        guard let object = alive.randomElement(using: &random), kind != .create else {
            let name = ObjectName("Thing", .int(.random(in: 1...4, using: &random)))
            guard !alive.contains(name), kinds.contains(.create) || alive.isEmpty else { return [] }
            return [creation(of: name, &random)]
        }
        let fields = objects[object]!
        func place(_ name: SyncString) -> LocalPlace { LocalPlace(object, name) }
        switch kind {
        case .create: return []
        case .write where fitsFiles && random.chance(30):
            return [.set(place("best"), .value(random.chance(80) ? Self.link(&random) : .null), .real)]
        case .link, .insertLink, .removeLink, .moveLink, .clearLinks, .assignLinks:
            // Files of tests have no class for the targets.
            return fitsFiles ? [] : link(kind, object, objects, &random)
        case .makeTarget, .changeTarget, .removeTarget: return target(kind, objects, &random)
        case .write:
            if random.chance(10) {
                return [.set(place("mail"), .value(.int(.random(in: 0...2, using: &random))), .real)]
            }
            return [.set(place(random.chance(50) ? "f" : "g"), .value(value()), .real)]
        case .byDefault: return [.set(place(random.chance(50) ? "f" : "g"), .value(value()), .byDefault)]
        case .add:
            let number = Int64.random(in: -5...5, using: &random)
            if case .value(.int)? = fields["count"], random.chance(80) { return [.increment(place("count"), number)] }
            return [.set(place("count"), .value(value()), .real)]
        case .mixed: return mixed(place("mixed"), fields["mixed"], &random)
        case .insert, .remove, .move, .setElement, .clear, .assign:
            let list: SyncString =
                fitsFiles ? ["list", "list", "friends", "places"].randomElement(using: &random)! : "list"
            return listEdit(kind, place(list), fields[list], &random)
        case .set:
            let values = [setValue(&random), setValue(&random)]
            return [
                random.chance(60) ? .insertIntoSet(place("set"), values) : .removeFromSet(place("set"), values)
            ]
        case .clearSet:
            let hidden = random.chance(20) && !fitsFiles ? [setValue(&random)] : []
            if random.chance(50) { return [.clearSet(place("set"), hidden: hidden)] }
            let values = (0..<Int.random(in: 0...2, using: &random)).map { _ in setValue(&random) }
            return [.assignSet(place("set"), hidden: hidden, values)]
        case .dictionary:
            let key = Self.keys.randomElement(using: &random)!
            var entries: [SyncString: MergedContent] = [:]
            if case .dictionary(let old)? = fields["map"] { entries = old }
            if entries[key] != nil, random.chance(30) { return [.removeEntry(place("map").entry(key))] }
            if case .value(.int)? = entries[key], random.chance(30) { return [.increment(place("map").entry(key), 1)] }
            return [.set(place("map").entry(key), .value(value()), .real)]
        case .clearDictionary:
            let hidden = random.chance(20) && !fitsFiles ? [Self.keys.randomElement(using: &random)!] : []
            if random.chance(50) { return [.clearDictionary(place("map"), hidden: hidden)] }
            let keys = Self.keys.filter { _ in random.chance(40) }
            let entries = keys.map { ($0, MergedContent.value(value())) }
            return [
                .assignDictionary(place("map"), hidden: hidden, Dictionary(entries, uniquingKeysWith: { $1 }))
            ]
        case .embedded:
            let key = Self.keys.randomElement(using: &random)!
            if random.chance(30) {
                var entries: [SyncString: MergedContent] = [:]
                if case .dictionary(let old)? = fields["homes"] { entries = old }
                return home(place("homes").entry(key), entries[key], &random)
            }
            return home(place("home"), fields["home"], &random)
        case .delete:
            let other = alive.randomElement(using: &random)!
            return random.chance(20) && other != object
                ? [.delete(object, .edit), .delete(other, .cascade(of: object))] : [.delete(object, .edit)]
        }
    }

    mutating func creation(of name: ObjectName, _ random: inout SeededRandom) -> LocalEdit {
        let isDefault = random.chance(30)
        let count = Int.random(in: 0...3, using: &random)
        let elements = (0..<count).map { _ in MergedContent.value(value()) }
        inserted.formUnion(elements)
        created.formUnion(elements)
        let one = setValue(&random)
        return .create(
            name,
            [
                "f": .value(value()), "count": .value(0),
                "mixed": .value(.dictionary(SyncDictionary([("a", value())]))),
                "set": .set([SetElement(one)!: one]), "map": .dictionary(["b": .value(value())]),
                "list": .list(elements),
            ],
            defaults: isDefault ? ["f", "count"] : []
        )
    }

    private func setValue(_ random: inout SeededRandom) -> SyncValue {
        [0, 1, 2, .double(1), .double(-0.0), .double(.nan), .string("1"), .null].randomElement(using: &random)!
    }

    private mutating func mixed(
        _ place: LocalPlace,
        _ old: MergedContent?,
        _ random: inout SeededRandom
    ) -> [LocalEdit] {
        func value() -> SyncValue { fitsFiles && random.chance(20) ? Self.link(&random) : self.value() }
        let key = Self.keys.randomElement(using: &random)!
        guard case .value(.dictionary(let dictionary))? = old, random.chance(80) else {
            let inner = SyncDictionary([
                (key, random.chance(40) ? .dictionary(SyncDictionary([("b", value())])) : value())
            ])
            return [.set(place, .value(random.chance(80) ? .dictionary(inner) : value()), .real)]
        }
        let inner = place.nested(key)
        if case .dictionary(let deep)? = dictionary[key], random.chance(70) {
            if deep[key] != nil, random.chance(40) { return [.removeEntry(inner.nested(key))] }
            return [.set(inner.nested(key), .value(value()), .real)]
        }
        if dictionary[key] != nil, random.chance(30) { return [.removeEntry(inner)] }
        if case .int? = dictionary[key], random.chance(30) { return [.increment(inner, 2)] }
        let new: SyncValue = random.chance(20) ? .list([value(), value()]) : value()
        return [.set(inner, .value(random.chance(20) ? .dictionary(SyncDictionary([("c", value())])) : new), .real)]
    }

    /// Returns an assignment of an embedded object, or an edit inside of the present one.
    private mutating func home(
        _ place: LocalPlace,
        _ old: MergedContent?,
        _ random: inout SeededRandom
    ) -> [LocalEdit] {
        guard case .embedded(let fields)? = old, random.chance(80) else {
            return [.set(place, random.chance(90) ? address() : .value(.null), .real)]
        }
        if random.chance(40) { return [.set(place.property("street"), .value(value()), .real)] }
        let kind = [Kind.insert, .insert, .remove, .move, .setElement].randomElement(using: &random)!
        return listEdit(kind, place.property("rooms"), fields["rooms"], &random)
    }

    private mutating func address() -> MergedContent {
        .embedded(["street": .value(value()), "rooms": .list([.value(value()), .value(value())])])
    }

    private static func link(_ random: inout SeededRandom) -> SyncValue {
        .link(ObjectName("Thing", .int(.random(in: 1...4, using: &random))))
    }

    private mutating func element(_ place: LocalPlace, _ random: inout SeededRandom) -> MergedContent {
        let new: MergedContent =
            if fitsFiles {
                switch place.path.last {
                case .property("friends")?: .value(Self.link(&random))
                case .property("places")?: address()
                default: .value(value())
                }
            } else {
                random.chance(15) && kinds.contains(.embedded) ? address() : .value(value())
            }
        inserted.insert(new)
        return new
    }

    private mutating func listEdit(
        _ kind: Kind,
        _ place: LocalPlace,
        _ old: MergedContent?,
        _ random: inout SeededRandom
    ) -> [LocalEdit] {
        var elements: [MergedContent] = []
        if case .list(let old)? = old { elements = old }
        switch kind {
        case .insert:
            let new = (0..<Int.random(in: 1...3, using: &random)).map { _ in element(place, &random) }
            return [.insert(place, at: .random(in: 0...elements.count, using: &random), new)]
        case .clear, .assign:
            let hidden =
                elements.isEmpty || fitsFiles || random.chance(80)
                ? [] : [elements.indices.randomElement(using: &random)!]
            if kind == .clear { return [.clearList(place, hidden: hidden)] }
            let new = (0..<Int.random(in: 0...2, using: &random)).map { _ in element(place, &random) }
            if random.chance(50) { return [.assignList(place, hidden: hidden, at: 0, new)] }
            return new.isEmpty ? [] : [.clearList(place, hidden: hidden), .insert(place, at: 0, new)]
        default: break
        }
        guard let index = elements.indices.randomElement(using: &random) else { return [] }
        switch kind {
        case .remove:
            let count = Int.random(in: 1...min(2, elements.count - index), using: &random)
            removed.formUnion(elements[index..<index + count])
            return [.remove(place, at: index, count: count)]
        case .move: return [.move(place, from: index, to: elements.indices.randomElement(using: &random)!)]
        default:
            if case .embedded(let fields) = elements[index], random.chance(80) {
                if random.chance(50) {
                    return [.set(place.element(index).property("street"), .value(value()), .real)]
                }
                return listEdit(.insert, place.element(index).property("rooms"), fields["rooms"], &random)
            }
            if case .value(.int) = elements[index], random.chance(20) { return [.increment(place.element(index), 1)] }
            return [.set(place.element(index), element(place, &random), .real)]
        }
    }
}
