import FreeholdSyncCore

/// Makes the edits of one transaction of a device that is offline.
struct OfflineEdits {
    typealias Objects = [ObjectName: [SyncString: MergedContent]]

    /// Whether some transactions write data that the app forbids.
    let refuses: Bool
    /// The keys that several devices create.
    var newKeys: [Int64] = []
    private var fresh: Int64 = 0

    init(refuses: Bool) { self.refuses = refuses }

    /// A Boolean value that indicates whether a change breaks the app's rule: `g` isn't negative.
    static func forbids(_ change: Change) -> Bool {
        if case .set(let place, .int(let number), _) = change {
            place.path == [.property("g")] && number < 0
        } else {
            false
        }
    }

    static func forbids(_ edit: LocalEdit) -> Bool {
        if case .set(let place, .value(.int(let number)), _) = edit {
            place.path == [.property("g")] && number < 0
        } else {
            false
        }
    }

    /// A number that is unique, also after a few increments.
    mutating func number() -> SyncValue {
        fresh += 1_000
        return .int(fresh)
    }

    /// All properties, each with some content.
    mutating func full(_ random: inout SeededRandom) -> [SyncString: MergedContent] {
        [
            "f": .value(number()), "g": .value(number()), "count": .value(number()), "list": list(&random),
            "set": set(&random), "map": .dictionary(entries(&random)), "home": home(),
        ]
    }

    private mutating func list(_ random: inout SeededRandom) -> MergedContent {
        .list((0..<Int.random(in: 0...4, using: &random)).map { _ in .value(number()) })
    }

    private func values(_ random: inout SeededRandom) -> [SyncValue] {
        let all: [SyncValue] = [1, 2, 3, "a", "b"]
        return all.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
    }

    private func set(_ random: inout SeededRandom) -> MergedContent {
        .set(Dictionary(values(&random).map { (SetElement($0)!, $0) }) { a, _ in a })
    }

    private mutating func entries(_ random: inout SeededRandom) -> [SyncString: MergedContent] {
        var entries: [SyncString: MergedContent] = [:]
        for key: SyncString in ["a", "b", "c"] where Bool.random(using: &random) { entries[key] = .value(number()) }
        return entries
    }

    private mutating func home() -> MergedContent {
        .embedded(["street": .value(number()), "count": .value(number())])
    }

    mutating func transaction(on objects: Objects, _ random: inout SeededRandom) -> [LocalEdit] {
        var (objects, edits) = (objects, [LocalEdit]())
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let new = step(on: objects, &random)
            for edit in new { try! edit.apply(to: &objects[edit.object]) }
            edits += new
        }
        return edits
    }

    private mutating func step(on objects: Objects, _ random: inout SeededRandom) -> [LocalEdit] {
        let missing = newKeys.map { ObjectName("Thing", .int($0)) }.filter { objects[$0] == nil }
        if let name = missing.randomElement(using: &random), Int.random(in: 0..<3, using: &random) == 0 {
            return [creation(name, &random)]
        }
        guard let name = objects.keys.sorted().randomElement(using: &random), let fields = objects[name] else {
            return []
        }
        func place(_ property: SyncString) -> LocalPlace { LocalPlace(name, property) }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<3: return [.set(place("f"), .value(number()), .real)]
        case 3..<5:
            let isForbidden = refuses && Int.random(in: 0..<3, using: &random) == 0
            return [.set(place("g"), .value(isForbidden ? -1 : number()), .real)]
        case 5..<8:
            guard case .value(.int)? = fields["count"], Int.random(in: 0..<4, using: &random) > 0 else {
                return [.set(place("count"), .value(number()), .real)]
            }
            return [.increment(place("count"), .random(in: 1...5, using: &random))]
        case 8..<13: return [listEdit(place("list"), of: fields["list"], using: &random)]
        case 13..<15: return [setEdit(place("set"), &random)]
        case 15..<17: return [dictionaryEdit(place("map"), of: fields["map"], using: &random)]
        case 17..<19: return [homeEdit(place("home"), of: fields["home"], using: &random)]
        default:
            // An object that several devices create isn't deleted, because then the order of arrival matters.
            guard case .int(let key) = name.key, key < 10 else { return [] }
            return Int.random(in: 0..<4, using: &random) == 0 ? [.delete(name, .edit)] : []
        }
    }

    private mutating func creation(_ name: ObjectName, _ random: inout SeededRandom) -> LocalEdit {
        var contents = full(&random)
        var defaults: Set<SyncString> = []
        for property in contents.keys.sorted() where Int.random(in: 0..<3, using: &random) == 0 {
            // Files have untouched properties in this form.
            switch contents[property] {
            case .list?: contents[property] = .list([])
            case .set?: contents[property] = .set([:])
            case .dictionary?: contents[property] = .dictionary([:])
            case .embedded?: contents[property] = nil
            default: defaults.insert(property)
            }
        }
        return .create(name, contents, defaults: defaults)
    }

    private mutating func listEdit(
        _ place: LocalPlace,
        of old: MergedContent?,
        using random: inout SeededRandom
    ) -> LocalEdit {
        var count = 0
        if case .list(let elements)? = old { count = elements.count }
        let new = (0..<Int.random(in: 1...2, using: &random)).map { _ in MergedContent.value(number()) }
        guard count > 0 else {
            return Bool.random(using: &random)
                ? .insert(place, at: 0, new) : .assignList(place, hidden: [], at: 0, new)
        }
        let index = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<4: return .insert(place, at: .random(in: 0...count, using: &random), new)
        case 4..<6: return .remove(place, at: index, count: 1)
        case 6..<8: return .move(place, from: index, to: .random(in: 0..<count, using: &random))
        case 8: return .set(place.element(index), .value(number()), .real)
        case 9: return .increment(place.element(index), .random(in: 1...5, using: &random))
        case 10: return .clearList(place, hidden: [])
        default: return .assignList(place, hidden: [], at: 0, Bool.random(using: &random) ? new : [])
        }
    }

    private func setEdit(_ place: LocalPlace, _ random: inout SeededRandom) -> LocalEdit {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: .insertIntoSet(place, values(&random))
        case 3..<5: .removeFromSet(place, values(&random))
        case 5: .clearSet(place, hidden: [])
        default: .assignSet(place, hidden: [], values(&random))
        }
    }

    private mutating func dictionaryEdit(
        _ place: LocalPlace,
        of old: MergedContent?,
        using random: inout SeededRandom
    ) -> LocalEdit {
        var known: [SyncString: MergedContent] = [:]
        if case .dictionary(let entries)? = old { known = entries }
        let all: [SyncString] = ["a", "b", "c"]
        let key = all.randomElement(using: &random)!
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: return .set(place.entry(key), .value(number()), .real)
        case 3..<5 where known[key] != nil: return .increment(place.entry(key), .random(in: 1...5, using: &random))
        case 5 where known[key] != nil: return .removeEntry(place.entry(key))
        case 6: return .clearDictionary(place, hidden: [])
        default: return .assignDictionary(place, hidden: [], entries(&random))
        }
    }

    private mutating func homeEdit(
        _ place: LocalPlace,
        of old: MergedContent?,
        using random: inout SeededRandom
    ) -> LocalEdit {
        guard case .embedded? = old else { return .set(place, home(), .real) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3: return .set(place.property("street"), .value(number()), .real)
        case 3..<5: return .increment(place.property("count"), .random(in: 1...5, using: &random))
        default: return .set(place, Int.random(in: 0..<4, using: &random) == 0 ? .value(.null) : home(), .real)
        }
    }
}
