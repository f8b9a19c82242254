/// The effect of pending changes on a list.
extension ClientList {
    /// - Parameter isDead: A Boolean value that indicates whether the change only adds dead slots, for later work to
    ///   name.
    mutating func perform(_ change: Change, seen: StreamVersion, isDead: Bool) {
        switch change {
        case .insert(_, let gap, let first, let values): insert(values, first, gap, seen, isDead: isDead)
        case .remove(_, let references):
            guard references.count > 8, references.count > slots.count / 64 else {
                for reference in references {
                    guard let id = slotID(reference, seen: seen), let index = element(id).flatMap(place) else {
                        continue
                    }
                    slots[node: index] = nil
                }
                break
            }
            let ids = Set(references.compactMap { slotID($0, seen: seen) })
            let elements = Set(slots.lazy.filter { ids.contains($0.id) }.map(\.element))
            slots.empty { elements.contains($0.element) }
        case .move(_, let reference, let gap, let number):
            guard let id = slotID(reference, seen: seen), let element = element(id),
                index(of: .own(number)) == nil
            else { return }
            let old = isDead ? nil : place(of: element)
            let node = old.flatMap { slots[$0].node }
            if let old { slots[node: old] = nil }
            slots.insert(Slot(id: .own(number), element: element, node: node), at: index(in: gap, seen))
        case .clearList(_, let hidden): clear(hidden, seen)
        case .assignList(_, let hidden, let gap, let first, let values):
            if !isDead { clear(hidden, seen) }
            insert(values, first, gap, seen, isDead: isDead)
        default: break
        }
    }

    private mutating func insert(
        _ values: [SyncValue],
        _ first: OwnNumber,
        _ gap: Gap,
        _ seen: StreamVersion,
        isDead: Bool
    ) {
        var new: [Slot] = []
        new.reserveCapacity(values.count)
        // The numbers of elements that the confirmed list has already.
        let numbers = first..<max(first, first.addingReportingOverflow(OwnNumber(values.count)).partialValue)
        let known = slots.ownNumbers(in: numbers)
        for (index, value) in values.enumerated() {
            let id = SlotID.own(first &+ OwnNumber(index))
            if known.contains(id.number) { continue }
            new.append(Slot(id: id, element: id, node: isDead ? nil : ClientNode(value)))
        }
        slots.insert(contentsOf: new, at: index(in: gap, seen))
    }

    /// Removes the elements that the author saw or created, except the hidden ones.
    private mutating func clear(_ hidden: [ElementReference], _ seen: StreamVersion) {
        let spared = Set(hidden.compactMap { slotID($0, seen: seen).flatMap(element) })
        let known = names[seen] ?? []
        slots.empty { slot in
            let element = slot.element
            return !spared.contains(element) && (element.isOwn || known.contains { $0.contains(element) })
        }
    }

    /// Returns the index in `slots` at which an element is inserted that its author put into a gap. It is the index of
    /// the right neighbour, because elements that other files inserted into the same gap are to the left of it.
    private func index(in gap: Gap, _ seen: StreamVersion) -> Int {
        let after = gap.after.flatMap { slotID($0, seen: seen) }.flatMap(index)
        let before = gap.before.flatMap { slotID($0, seen: seen) }.flatMap(index)
        if let before, after.map({ $0 < before }) ?? true { return before }
        if gap.before == nil { return slots.count }
        return after.map { $0 + 1 } ?? slots.count
    }
}
