import FreeholdSyncCore

/// Links to existing, deleted and missing objects. An app doesn't see links to missing objects, and keeps them.
extension EditGenerator {
    static let target: SyncString = "Other"

    /// The visible places of a list: their positions in the stored list.
    private typealias Visible = [Int]

    private static func isShown(_ element: MergedContent, _ objects: Objects) -> Bool {
        guard case .value(.link(let name)) = element else { return true }
        return objects[name] != nil
    }

    /// An edit of the to-one link, or of the list of links, of an object.
    mutating func link(
        _ kind: Kind,
        _ object: ObjectName,
        _ objects: Objects,
        _ random: inout SeededRandom
    ) -> [LocalEdit] {
        let place = LocalPlace(object, "friends")
        var elements: [MergedContent] = []
        if case .list(let old)? = objects[object]?["friends"] { elements = old }
        let visible: Visible = elements.indices.filter { Self.isShown(elements[$0], objects) }
        let hidden = elements.indices.filter { !Self.isShown(elements[$0], objects) }
        switch kind {
        case .link:
            let new: MergedContent = random.chance(80) ? .value(.link(target(objects, &random))) : .value(.null)
            return [.set(LocalPlace(object, "friend"), new, .real)]
        case .insertLink:
            let new = (0..<Int.random(in: 1...2, using: &random)).map { _ in newTarget(objects, &random) }
            inserted.formUnion(new)
            // Directly behind the visible element before it.
            let seen = Int.random(in: 0...visible.count, using: &random)
            return [.insert(place, at: seen == 0 ? 0 : visible[seen - 1] + 1, new)]
        case .removeLink:
            guard let index = visible.randomElement(using: &random) else { return [] }
            removed.insert(elements[index])
            return [.remove(place, at: index, count: 1)]
        case .moveLink:
            guard let from = visible.randomElement(using: &random), let to = visible.randomElement(using: &random)
            else { return [] }
            return [.move(place, from: from, to: to)]
        case .assignLinks:
            let new = [newTarget(objects, &random)]
            inserted.formUnion(new)
            return [.clearList(place, hidden: hidden), .insert(place, at: 0, new)]
        default:
            removed.formUnion(visible.map { elements[$0] })
            return [.clearList(place, hidden: hidden)]
        }
    }

    /// Creates, changes or deletes an object that is the target of links.
    mutating func target(_ kind: Kind, _ objects: Objects, _ random: inout SeededRandom) -> [LocalEdit] {
        let there = objects.keys.filter { $0.className == Self.target }.sorted()
        if kind == .makeTarget {
            let name = target(objects, &random)
            guard objects[name] == nil else { return [] }
            let mail = Int64.random(in: 0...2, using: &random)
            return [.create(name, ["mail": .value(.int(mail)), "f": .value(value())], defaults: [])]
        }
        guard let name = there.randomElement(using: &random) else { return [] }
        if kind == .removeTarget { return [.delete(name, .edit)] }
        return [.set(LocalPlace(name, "mail"), .value(.int(.random(in: 0...2, using: &random))), .real)]
    }

    /// Returns an object that some link names, or another one.
    private func target(_ objects: Objects, _ random: inout SeededRandom) -> ObjectName {
        var named: Set<ObjectName> = []
        for fields in objects.values {
            guard case .list(let elements)? = fields["friends"] else { continue }
            for case .value(.link(let name)) in elements { named.insert(name) }
        }
        if random.chance(70), let name = named.sorted().randomElement(using: &random) { return name }
        return ObjectName(Self.target, .int(.random(in: 1...6, using: &random)))
    }

    /// Each target occurs once in a list, so that lost and doubled elements are found.
    private mutating func newTarget(_ objects: Objects, _ random: inout SeededRandom) -> MergedContent {
        if kinds.contains(.write), random.chance(30) { return .value(.link(target(objects, &random))) }
        guard case .int(let number) = value() else { return .value(.null) }
        return .value(.link(ObjectName(Self.target, .int(number))))
    }
}
