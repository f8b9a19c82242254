/// The error of a server's message that doesn't fit the client's state. The client then requests the whole object.
struct MisfitUpdate: Error, Hashable {}

/// Applies a server's message about an object to the client's nodes.
struct UpdateReader {
    /// The versions of this file's own commits that pending work may name, in rising order.
    let ownVersions: [StreamVersion]
    /// A Boolean value that indicates whether slots of removed elements are kept, because pending work may name them.
    let keepsDead: Bool
    /// The shown elements to which own numbers refer. An own number of a move refers to the moved element.
    let elements: [OwnNumber: SlotID]
    /// The version of the object that the client has.
    var lastVersion: StreamVersion = 0
    /// The version of the object after the message.
    var version: StreamVersion?

    private func ownNumber(_ made: Made?) -> OwnNumber? {
        guard let made, !ownVersions.isEmpty else { return nil }
        let place = ownVersions.partitioned { $0 >= made.version }
        return place < ownVersions.count && ownVersions[place] == made.version ? made.number : nil
    }

    // MARK: Whole objects

    func fields(_ fields: [ConfirmedField], over old: ClientFields) throws -> ClientFields {
        var new: ClientFields = [:]
        new.reserveCapacity(fields.count)
        for field in fields {
            let node = try node(field.content, over: old.isEmpty ? nil : old[field.name])
            guard new.updateValue(node, forKey: field.name) == nil else { throw MisfitUpdate() }
        }
        // A list that is no longer shown can be shown again later. Pending work continues to name its elements.
        for (name, node) in old where keepsDead && new[name] == nil {
            if case .list(let list) = node { new[name] = .list(try aligned([], over: list)) }
        }
        return new
    }

    func node(_ content: ConfirmedContent, over old: ClientNode?) throws -> ClientNode {
        switch content {
        case .value(.embedded): throw MisfitUpdate()
        case .value(let value): return .value(value)
        case .embedded(let instance):
            var new = ClientInstance(
                number: ownNumber(instance.made),
                since: instance.made?.version ?? 0,
                fields: [:]
            )
            var inner: ClientFields = [:]
            if case .instance(let old)? = old {
                // An embedded object that existed before the pending work has no version here.
                let wasThere = old.number == nil && old.since == 0 && new.since <= lastVersion
                if wasThere { (new.number, new.since) = (nil, 0) }
                if old.isSame(as: new) { inner = old.fields }
            }
            new.fields = try fields(instance.fields, over: inner)
            return .instance(new)
        case .list(let runs):
            if case .list(let old)? = old { return .list(try aligned(runs, over: old)) }
            return .list(try aligned(runs, over: ClientList()))
        case .set(let values):
            var set: [SetElement: SyncValue] = [:]
            for value in values {
                guard let element = SetElement(value) else { throw MisfitUpdate() }
                set[element] = value
            }
            return .set(set)
        case .dictionary(let entries):
            var inner: ClientFields = [:]
            if case .dictionary(let old)? = old { inner = old }
            var new: ClientFields = [:]
            for entry in entries { new[entry.key] = try node(entry.content, over: inner[entry.key]) }
            return .dictionary(new)
        }
    }

    /// Returns the new elements of a run, with the names of this file's own elements. Elements of other files get their
    /// names later.
    private func elements(of run: ElementRun) -> [(id: SlotID?, content: ConfirmedContent)] {
        run.elements.enumerated().map { index, content in
            let id = ownID(of: run, index)
            return (id.map { elements[$0.number] ?? $0 }, content)
        }
    }

    private func ownID(of run: ElementRun, _ index: Int) -> SlotID? {
        guard let first = ownNumber(run.made) else {
            // Another file moved an element that this file had inserted.
            return index == 0 ? ownNumber(run.origin).map { .own($0) } : nil
        }
        return .own(run.isFalling ? first &- OwnNumber(index) : first &+ OwnNumber(index))
    }

    /// Returns the list for an update that contains all elements of a list with pending work. The file's own elements are identified by their
    /// numbers. Each other element that was in the list at the old version is matched with an old element of the client's list.
    private func aligned(_ runs: [ElementRun], over old: ClientList) throws -> ClientList {
        if let named = try named(runs, over: old) { return named }
        var list = old
        list.slots = []
        let known = Set(old.slots.map(\.element))
        var all: [Arrival] = []
        for run in runs {
            let kind = kind(run)
            for (index, element) in elements(of: run).enumerated() {
                // An element that was moved in another list isn't an element of this list.
                let id = element.id.flatMap { id in id.isOwn || known.contains(id) ? id : ownID(of: run, index) }
                all.append(Arrival(id: id, content: element.content, kind: kind))
            }
        }
        let own = Set(all.compactMap(\.id))
        guard own.count == all.count(where: { $0.id != nil }) else { throw MisfitUpdate() }
        let rest = old.alive.filter { !own.contains($0.element) }
        for (index, place) in try matches(of: all, in: rest) { all[index].old = rest[place] }
        for arrival in all {
            let id: SlotID
            let same: ClientNode?
            if let own = arrival.id {
                (id, same) = (own, old.place(of: own).flatMap { old.slots[$0].node })
            } else {
                (id, same) = (arrival.old?.element ?? list.nextID(), arrival.old?.node)
            }
            list.slots.append(list.slot(id, try node(arrival.content, over: same)))
        }
        if keepsDead { list.keepDead(of: old) }
        if let version, list.names[version]?.isEmpty ?? false {
            // The list wasn't shown at that version.
            list.names[version] = nil
            list.name(at: version)
        }
        return list
    }

    /// An element of an update that has all elements of a list.
    private struct Arrival {
        enum Kind {
            /// The list didn't contain the element at the old version.
            case new
            /// The list contained the element at the old version, at another place.
            case moved
            /// The list contained the element at the old version, at this place.
            case old
            /// The update doesn't contain the version of the element's insert.
            case unknown
        }

        /// The name of an own element.
        let id: SlotID?
        let content: ConfirmedContent
        let kind: Kind
        /// The matching element of the old list, or `nil` for a new element.
        var old: ClientList.Slot?
    }

    private func kind(_ run: ElementRun) -> Arrival.Kind {
        guard let made = run.made else { return .unknown }
        guard made.version > lastVersion else { return .old }
        return run.origin.map { $0.version <= lastVersion } ?? false ? .moved : .new
    }

    /// Matches the elements of an update with the elements of the old list. The elements that weren't moved have the same order in both lists. They
    /// are therefore matched by equal contents, in this order. The elements between two matches have changed contents. They are matched by their
    /// positions if both lists have the same number of them, because then none was removed. A moved element is matched with any remaining old element
    /// with the same content. If the numbers of the remaining moved elements and of the remaining old elements are equal, these are matched in their
    /// order.
    ///
    /// - Returns: Pairs of indices in `all` and `rest`.
    private func matches(of all: [Arrival], in rest: [ClientList.Slot]) throws -> [(Int, Int)] {
        let unnamed = all.indices.filter { all[$0].id == nil && all[$0].kind != .new }
        guard !rest.isEmpty, !unnamed.isEmpty else { return [] }
        var matches: [(Int, Int)] = []
        var free = Set(rest.indices)
        func match(_ index: Int, _ place: Int) {
            matches.append((index, place))
            free.remove(place)
        }
        // The elements of the update without an equal old element, by the index of the next old element.
        var changed: [Int: [Int]] = [:]
        // The old elements between two matches. Each range begins at the index that is the key in `changed`.
        var gaps: [Range<Int>] = []
        var next = 0
        for index in unnamed where all[index].kind != .moved {
            let new = try node(all[index].content, over: nil).content
            // An equal value that is far away probably belongs to another element.
            let reach = min(rest.count, next + Self.reach)
            if next < reach, let place = rest[next..<reach].firstIndex(where: { $0.node?.content == new }) {
                match(index, place)
                gaps.append(next..<place)
                next = place + 1
            } else {
                changed[next, default: []].append(index)
            }
        }
        gaps.append(next..<rest.count)
        let moved = unnamed.filter { all[$0].kind == .moved }
        var places: [MergedContent: [Int]] = [:]
        if !moved.isEmpty {
            for place in free.sorted(by: >) {
                if let content = rest[place].node?.content { places[content, default: []].append(place) }
            }
        }
        var changedAndMoved: [Int] = []
        for index in moved {
            let new = try node(all[index].content, over: nil).content
            if let place = places[new]?.popLast() { match(index, place) } else { changedAndMoved.append(index) }
        }
        for gap in gaps {
            guard let own = changed[gap.lowerBound], own.allSatisfy({ all[$0].kind == .old }) else { continue }
            let places = gap.filter(free.contains)
            // If the numbers differ, some elements were removed, and it is unknown which.
            if places.count == own.count { for (index, place) in zip(own, places) { match(index, place) } }
        }
        if changedAndMoved.count == free.count {
            for (index, place) in zip(changedAndMoved, free.sorted()) { match(index, place) }
        }
        return matches
    }

    /// Returns the list with the names that pending work uses, if pending work saw exactly this version of the list.
    /// The list may have been hidden in the meantime.
    private func named(_ runs: [ElementRun], over old: ClientList) throws -> ClientList? {
        guard let version, let names = old.names[version], !names.isEmpty else { return nil }
        let contents = runs.flatMap(\.elements)
        guard names.reduce(0, { $0 + $1.count }) == contents.count else { return nil }
        let slots = Dictionary(old.slots.map { ($0.id, $0) }) { a, _ in a }
        var list = old
        list.slots = []
        var next = contents.makeIterator()
        for name in names {
            for offset in 0..<UInt64(name.count) {
                let id = SlotID(isOwn: name.first.isOwn, number: name.first.number &+ offset)
                guard let content = next.next() else { return nil }
                let node = try node(content, over: slots[id]?.node)
                list.slots.append(ClientList.Slot(id: id, element: slots[id]?.element ?? id, node: node))
            }
        }
        // A moved element must have one place only.
        guard Set(list.slots.map(\.element)).count == list.slots.count else { return nil }
        list.keepDead(of: old)
        return list
    }

    private static let reach = 64

    /// Creates fields from contents without names. Equal elements count as the same elements.
    func fields(_ contents: [SyncString: MergedContent], over old: ClientFields) -> ClientFields {
        var new: ClientFields = [:]
        for (name, content) in contents {
            new[name] = ClientNode(content)
            guard case .list(let elements) = content, case .list(let list)? = old[name] else { continue }
            var named = list
            named.slots = []
            let alive = list.alive
            var next = 0
            for element in elements {
                let index = alive[next...].firstIndex { $0.node?.content == element }
                named.slots.append(index.map { alive[$0] } ?? named.slot(named.nextID(), ClientNode(element)))
                next = index.map { $0 + 1 } ?? next
            }
            new[name] = .list(named)
        }
        return new
    }

    // MARK: Differences

    func fields(_ differences: [FieldDifference], in old: ClientFields) throws -> ClientFields {
        var fields = old
        for field in differences { fields[field.name] = try node(field.content, in: old[field.name]) }
        return fields
    }

    func node(_ difference: ContentDifference, in old: ClientNode?) throws -> ClientNode {
        switch (difference, old) {
        // The list replaced another list, or is sent because other fields are shown now. Pending work names elements of
        // the old list.
        case (.whole(.list(let runs)), .list(let list)?) where keepsDead: return .list(try aligned(runs, over: list))
        case (.whole(let content), _): return try node(content, over: nil)
        case (.instance(let differences), .instance(var instance)?):
            instance.fields = try fields(differences, in: instance.fields)
            return .instance(instance)
        case (.list(let difference), .list(let list)?): return .list(try self.list(difference, in: list))
        case (.list(let difference), nil): return .list(try list(difference, in: ClientList()))
        case (.set(let difference), .set(let old)?): return .set(try set(difference, in: old))
        case (.set(let difference), nil): return .set(try set(difference, in: [:]))
        case (.dictionary(let difference), .dictionary(let old)?):
            return .dictionary(try dictionary(difference, in: old))
        case (.dictionary(let difference), nil): return .dictionary(try dictionary(difference, in: [:]))
        case (.nested(let differences), .value(var value)?):
            for difference in differences {
                guard value.replace(difference.path[...], by: difference.value) else { throw MisfitUpdate() }
            }
            return .value(value)
        default: throw MisfitUpdate()
        }
    }

    private func set(_ difference: SetDifference, in old: [SetElement: SyncValue]) throws -> [SetElement: SyncValue] {
        var set = old
        for value in difference.removed { SetElement(value).map { set[$0] = nil } }
        for value in difference.inserted {
            guard let element = SetElement(value) else { throw MisfitUpdate() }
            set[element] = value
        }
        return set
    }

    private func dictionary(_ difference: DictionaryDifference, in old: ClientFields) throws -> ClientFields {
        var entries = old
        for key in difference.removed { entries[key] = nil }
        for entry in difference.changed { entries[entry.key] = try node(entry.content, in: old[entry.key]) }
        return entries
    }

    private func list(_ difference: ListDifference, in old: ClientList) throws -> ClientList {
        let kept = try difference.kept(of: old.aliveCount)
        var list = old
        list.slots = []
        var (made, named) = (Set<SlotID>(), [SlotID]())
        for piece in difference.pieces {
            switch piece {
            case .kept(let start, let count): list.slots.append(alive: start..<start + count, of: old.slots)
            case .new(let run):
                for (id, content) in elements(of: run) {
                    let name = id ?? list.nextID()
                    guard made.insert(name).inserted else { throw MisfitUpdate() }
                    if id != nil { named.append(name) }
                    list.slots.append(list.slot(name, try node(content, over: nil)))
                }
            }
        }
        guard !old.keeps(anyOf: named, in: kept) else { throw MisfitUpdate() }
        for edit in difference.edits {
            guard list.slots.indices.contains(edit.index) else { throw MisfitUpdate() }
            list.slots[node: edit.index] = try node(edit.content, in: list.slots[edit.index].node)
        }
        if keepsDead, kept.reduce(0, { $0 + $1.count }) < old.slots.count { list.keepDead(of: old) }
        return list
    }
}

extension ListDifference {
    /// Returns the ranges of the old list that are kept, in rising order of their positions.
    ///
    /// - Throws: `MisfitUpdate` if a range exceeds the list or overlaps with another range.
    func kept(of length: Int) throws -> [Range<Int>] {
        var kept: [Range<Int>] = []
        for case .kept(let start, let count) in pieces {
            guard start >= 0, count >= 0, start <= length, count <= length - start else { throw MisfitUpdate() }
            if count > 0 { kept.append(start..<start + count) }
        }
        kept.sort { $0.lowerBound < $1.lowerBound }
        guard zip(kept, kept.dropFirst()).allSatisfy({ $0.upperBound <= $1.lowerBound }) else { throw MisfitUpdate() }
        return kept
    }
}

extension ClientList {
    /// Returns whether one of the elements is shown at a position inside of one of the ranges. The ranges are in rising
    /// order.
    fileprivate func keeps(anyOf elements: [SlotID], in ranges: [Range<Int>]) -> Bool {
        func isKept(_ position: Int) -> Bool {
            let next = ranges.partitioned { $0.lowerBound > position }
            return next > 0 && ranges[next - 1].contains(position)
        }
        if elements.isEmpty || ranges.isEmpty { return false }
        if elements.count <= 64 {
            return elements.contains { place(of: $0).map { isKept(slots.position(ofIndex: $0)) } ?? false }
        }
        let all = Set(elements)
        return alive.enumerated().contains { all.contains($0.element.element) && isKept($0.offset) }
    }

    /// Adds the slots of removed elements, each after its earlier predecessor.
    fileprivate mutating func keepDead(of old: ClientList) {
        var dead: [SlotID?: [Slot]] = [:]
        var last: SlotID?
        let isHere = Set(slots.map(\.id))
        for var slot in old.slots {
            if isHere.contains(slot.id) {
                last = slot.id
            } else {
                slot.node = nil
                dead[last, default: []].append(slot)
            }
        }
        guard !dead.isEmpty else { return }
        var all = SlotSequence(dead[nil] ?? [])
        for slot in slots {
            all.append(slot)
            if let behind = dead[slot.id] { all.append(contentsOf: behind) }
        }
        slots = all
    }
}

extension SyncValue {
    /// Replaces or removes a value in dictionaries inside of this value.
    ///
    /// - Returns: `false` if the path leads into a value that isn't a dictionary.
    package mutating func replace(_ path: ArraySlice<SyncString>, by value: SyncValue?) -> Bool {
        guard let key = path.first, case .dictionary(var dictionary) = self else { return false }
        // The dictionary has one owner during the change, so that nothing is copied.
        self = .null
        defer { self = .dictionary(dictionary) }
        guard path.count > 1 else {
            dictionary[key] = value
            return true
        }
        guard var inner = dictionary[key] else { return false }
        dictionary[key] = .null
        defer { dictionary[key] = inner }
        return inner.replace(path.dropFirst(), by: value)
    }

    package func nested(_ path: ArraySlice<SyncString>) -> SyncValue? {
        guard let key = path.first else { return self }
        guard case .dictionary(let dictionary) = self else { return nil }
        return dictionary[key]?.nested(path.dropFirst())
    }
}
