/// The effects of changes on a list (sync-design.md, section 5). A change has no effect if it names an element that
/// never existed.
extension ListTree {
    mutating func insert(
        _ values: [SyncValue],
        first: OwnNumber,
        _ gap: Gap,
        _ author: Author
    ) -> Outcome {
        guard let spot = spot(gap, author), isFree(author.ident, first, count: values.count) else { return .malformed }
        if !values.isEmpty { _ = make(values, spot, first: first, author, isAlive: !author.isRefused) }
        return .done
    }

    mutating func remove(_ references: [ElementReference], _ author: Author) -> Outcome {
        var elements: [Slot] = []
        for reference in references {
            guard let (element, _) = element(reference, author) else { return .malformed }
            elements.append(element)
        }
        if author.isRefused { return .done }
        for element in elements where isAlive(element) {
            kill(positions[element]?.slot ?? element, author.version)
            forget(element)
        }
        return .done
    }

    /// Removes the value of an element that was removed from the list.
    private mutating func forget(_ element: Slot) {
        if !registers.isEmpty { registers[element] = nil }
        blocks[Int(element.block)].values[Int(element.offset)] = .null
    }

    /// Moves an element. The later move of an element wins. Each move creates a slot: the slot of a move that loses is
    /// dead from birth.
    mutating func move(_ reference: ElementReference, _ gap: Gap, number: OwnNumber, _ author: Author) -> Outcome {
        guard let (element, isAlive) = element(reference, author), let spot = spot(gap, author),
            isFree(author.ident, number, count: 1)
        else { return .malformed }
        let isLater = positions[element].map { author.stamp >= $0.stamp } ?? true
        let wins = isAlive && isLater && !author.isRefused
        if wins { kill(positions[element]?.slot ?? element, author.version) }
        let slot = make([.null], spot, first: number, author, isAlive: wins)
        moved[slot] = element
        if wins { positions[element] = Position(stamp: author.stamp, slot: slot) }
        return .done
    }

    mutating func clear(hidden: [ElementReference], _ author: Author) -> Outcome {
        guard let spared = elements(hidden, author), let aligned = elements(author.aligned ?? [], author) else {
            return .malformed
        }
        if !author.isRefused { take(author, aligned, spared, assignedBefore: nil) }
        return .done
    }

    /// Removes the elements that the author saw, and unseen elements of earlier assignments. Then inserts the new
    /// elements. If a later assignment has won, the new elements are dead from birth.
    mutating func assign(
        _ values: [SyncValue],
        first: OwnNumber,
        _ gap: Gap,
        hidden: [ElementReference],
        _ author: Author,
        origin: Origin
    ) -> Outcome {
        guard let spared = elements(hidden, author), let aligned = elements(author.aligned ?? [], author),
            let spot = spot(gap, author), isFree(author.ident, first, count: values.count)
        else { return .malformed }
        let rank = author.mark(origin).rank
        let wins = (assignment.map { rank >= $0 } ?? true) && !author.isRefused
        if wins { assignment = rank }
        if !author.isRefused { take(author, aligned, spared, assignedBefore: rank) }
        guard !values.isEmpty else { return .done }
        _ = make(values, spot, first: first, author, origin: origin, isAssigned: true, isAlive: wins)
        return .done
    }

    private mutating func elements(_ references: [ElementReference], _ author: Author) -> Set<Slot>? {
        var elements: Set<Slot> = []
        for reference in references {
            guard let (element, _) = element(reference, author) else { return nil }
            elements.insert(element)
        }
        return elements
    }

    /// Removes elements.
    ///
    /// - Parameter aligned: Elements that the author saw in addition to those that the versions of their births show.
    private mutating func take(
        _ author: Author,
        _ aligned: Set<Slot>,
        _ spared: Set<Slot>,
        assignedBefore rank: Rank?
    ) {
        let taken = alive { slot in
            let element = moved[slot] ?? slot
            let mark = mark(element)
            let isEarlier = mark.isAssigned && rank.map { mark.rank < $0 } ?? false
            let isSeen =
                author.aligned == nil
                ? author.saw(mark) : aligned.contains(element) || author.isOwn(mark.stamp.ident, mark.version)
            return isSeen ? !spared.contains(element) : isEarlier
        }
        for (_, slots) in taken { for slot in slots { forget(moved[slot] ?? slot) } }
        killAll(taken, author.version)
    }
}
