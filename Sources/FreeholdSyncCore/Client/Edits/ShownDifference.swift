/// The difference between two contents that a client shows for an object, as the fewest edits. An applier writes only
/// these edits, so that observers receive only actual changes (sync-design.md, section 7).
struct ShownDifference {
    private(set) var edits: [LocalEdit] = []

    init(_ name: ObjectName, from old: ClientFields?, to new: ClientFields?) {
        switch (old, new) {
        case (nil, nil): break
        case (nil, let new?): edits = [.create(name, new.contents, defaults: [])]
        case (.some, nil): edits = [.delete(name, .edit)]
        case (let old?, let new?): compare(old, new, LocalPlace(name, []))
        }
    }

    /// Creates the difference of contents without element names. Equal elements at the start and at the end of a list
    /// count as the same elements.
    init(
        _ name: ObjectName,
        from old: [SyncString: MergedContent]?,
        to new: [SyncString: MergedContent]?
    ) {
        let old = old.map(ClientFields.init)
        let reader = UpdateReader(ownVersions: [], keepsDead: false, elements: [:])
        self.init(name, from: old, to: new.map { reader.fields($0, over: old ?? [:]) })
    }

    private mutating func compare(_ old: ClientFields, _ new: ClientFields, _ place: LocalPlace) {
        var (different, known) = ([SyncString](), 0)
        for (name, node) in new {
            guard let before = old[name] else {
                if !node.isEmpty { different.append(name) }
                continue
            }
            known += 1
            if before != node { different.append(name) }
        }
        if known < old.count { for name in old.keys where new[name] == nil { different.append(name) } }
        for name in different.sorted() { compare(old[name], new[name], place.property(name)) }
    }

    private mutating func compare(_ old: ClientNode?, _ new: ClientNode?, _ place: LocalPlace) {
        switch (old, new ?? .value(.null)) {
        case (let old, let new) where old?.isEmpty ?? true && new.isEmpty: break
        case (.value(let old)?, .value(let new)): compare(old, new, place)
        case (.instance(let old)?, .instance(let new)) where old.isSame(as: new):
            compare(old.fields, new.fields, place)
        case (.instance(let old)?, .instance(let new)) where old.fields.contents == new.fields.contents: break
        case (.list(let old)?, .list(let new)): compare(old, new, place)
        case (nil, .list(let new)): compare(ClientList(), new, place)
        case (.list(let old)?, .value(.null)): compare(old, ClientList(), place)
        case (.set(let old)?, .set(let new)): compare(old, new, place)
        case (nil, .set(let new)): compare([:], new, place)
        case (.set(let old)?, .value(.null)): compare(old, [:], place)
        case (.dictionary(let old)?, .dictionary(let new)): compareEntries(old, new, place)
        case (nil, .dictionary(let new)): compareEntries([:], new, place)
        case (.dictionary(let old)?, .value(.null)): compareEntries(old, [:], place)
        case (_, let new): edits.append(.set(place, new.content, .real))
        }
    }

    private mutating func compare(_ old: SyncValue, _ new: SyncValue, _ place: LocalPlace) {
        guard old != new else { return }
        guard case .dictionary(let old) = old, case .dictionary(let new) = new else {
            edits.append(.set(place, .value(new), .real))
            return
        }
        for entry in old.entries where new[entry.key] == nil { edits.append(.removeEntry(place.nested(entry.key))) }
        for entry in new.entries {
            if let old = old[entry.key] {
                compare(old, entry.value, place.nested(entry.key))
            } else {
                edits.append(.set(place.nested(entry.key), .value(entry.value), .real))
            }
        }
    }

    private mutating func compare(
        _ old: [SetElement: SyncValue],
        _ new: [SetElement: SyncValue],
        _ place: LocalPlace
    ) {
        let removed = old.filter { new[$0.key] == nil }.map(\.value)
        let inserted = new.filter { old[$0.key] != $0.value }.map(\.value)
        if !removed.isEmpty { edits.append(.removeFromSet(place, removed.sortedByText)) }
        if !inserted.isEmpty { edits.append(.insertIntoSet(place, inserted.sortedByText)) }
    }

    private mutating func compareEntries(_ old: ClientFields, _ new: ClientFields, _ place: LocalPlace) {
        for key in old.keys.sorted() where new[key] == nil { edits.append(.removeEntry(place.entry(key))) }
        for (key, node) in new.sorted(by: { $0.key < $1.key }) {
            if let old = old[key] {
                compare(old, node, place.entry(key))
            } else {
                edits.append(.set(place.entry(key), node.content, .real))
            }
        }
    }

    // MARK: Lists

    private mutating func compare(_ old: ClientList, _ new: ClientList, _ place: LocalPlace) {
        let (head, tail) = old.slots.shared(with: new.slots)
        if head.slots == old.slots.count, head.slots == new.slots.count { return }
        let (oldSlots, newSlots) = (old.alive(between: head, tail), new.alive(between: head, tail))
        // Equal elements at both ends are left out.
        var start = 0
        while start < min(oldSlots.count, newSlots.count), oldSlots[start].element == newSlots[start].element {
            start += 1
        }
        var (oldEnd, newEnd) = (oldSlots.count, newSlots.count)
        while oldEnd > start, newEnd > start, oldSlots[oldEnd - 1].element == newSlots[newEnd - 1].element {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
        let (before, after) = (oldSlots[start..<oldEnd], newSlots[start..<newEnd])
        let first = head.alive + start
        if !before.isEmpty || !after.isEmpty { reorder(before, to: after, at: first, place) }
        for index in 0..<start where oldSlots[index].node != newSlots[index].node {
            compare(oldSlots[index].node, newSlots[index].node, place.element(head.alive + index))
        }
        let nodes = Dictionary(before.map { ($0.element, $0.node) }, uniquingKeysWith: { a, _ in a })
        for (index, slot) in after.enumerated() {
            if let old = nodes[slot.element] { compare(old, slot.node, place.element(first + index)) }
        }
        for index in newEnd..<newSlots.count {
            let old = oldSlots[oldEnd + index - newEnd]
            if old.node == newSlots[index].node { continue }
            compare(old.node, newSlots[index].node, place.element(head.alive + index))
        }
    }

    /// Removes, moves and inserts elements.
    ///
    /// - Parameter first: The position of the first of these elements in both lists.
    private mutating func reorder(
        _ old: ArraySlice<ClientList.Slot>,
        to new: ArraySlice<ClientList.Slot>,
        at first: Int,
        _ place: LocalPlace
    ) {
        let (oldIDs, newIDs) = (old.map(\.element), new.map(\.element))
        let (before, kept) = (Set(oldIDs), Set(newIDs))
        remove(oldIDs, except: kept, at: first, place)
        move(oldIDs.filter(kept.contains), to: newIDs.filter(before.contains), at: first, place)
        insert(Array(new), except: before, at: first, place)
    }

    private mutating func remove(_ old: [SlotID], except kept: Set<SlotID>, at first: Int, _ place: LocalPlace) {
        var end = old.count
        while end > 0 {
            guard !kept.contains(old[end - 1]) else {
                end -= 1
                continue
            }
            var start = end - 1
            while start > 0, !kept.contains(old[start - 1]) { start -= 1 }
            edits.append(.remove(place, at: first + start, count: end - start))
            end = start
        }
    }

    private mutating func move(_ old: [SlotID], to new: [SlotID], at first: Int, _ place: LocalPlace) {
        guard old != new else { return }
        let groups = Dictionary(old.enumerated().map { ($0.element, $0.offset) }) { a, _ in a }
        let order = new.compactMap { groups[$0] }
        guard order.count == old.count, groups.count == old.count else { return }
        let moves = ListMoves(counts: old.map { _ in 1 }, order: order).moves
        for move in moves { edits.append(.move(place, from: first + move.from, to: first + move.to)) }
    }

    private mutating func insert(
        _ new: [ClientList.Slot],
        except before: Set<SlotID>,
        at first: Int,
        _ place: LocalPlace
    ) {
        var index = 0
        while index < new.count {
            var end = index
            while end < new.count, !before.contains(new[end].element) { end += 1 }
            if end > index {
                edits.append(.insert(place, at: first + index, new[index..<end].compactMap { $0.node?.content }))
            }
            index = end + 1
        }
    }
}

extension [SyncValue] {
    /// The values, sorted by their descriptions. Each description is created once.
    var sortedByText: [SyncValue] { map { ($0.description, $0) }.sorted { $0.0 < $1.0 }.map(\.1) }
}

extension ClientList {
    /// The elements that are shown, without those of the shared start and the shared end.
    fileprivate func alive(between head: SlotSequence.SharedSlots, _ tail: SlotSequence.SharedSlots) -> [Slot] {
        slots.slots(in: head.slots..<slots.count - tail.slots).filter { $0.node != nil }
    }
}
