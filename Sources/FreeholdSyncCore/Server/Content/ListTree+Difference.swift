/// The difference between two versions of a list.
extension ListTree {
    /// Returns the difference from an earlier version. Elements are identified by their slots, because the tree has the
    /// places of all slots at each version.
    ///
    /// - Complexity: O(leaves + slots that were created or died since + elements that were set or are embedded objects)
    func difference(since version: StreamVersion) -> ContentDifference? {
        let gone = gone(since: version)
        var difference = ListDifference(pieces: [])
        /// The index of the first element of each leaf.
        var starts: [Int: Int] = [:]
        var (count, length) = (0, 0)

        func add(_ slot: Slot) {
            let element = moved[slot] ?? slot
            if let index = gone[element] {
                difference.keep(index)
                if let edit = registers[element]?.difference(since: version, mark(element)) {
                    difference.edits.append(.init(index: length, content: edit))
                }
            } else {
                difference.append(made(by: slot), origin: origin(of: slot), content(slot))
            }
            length += 1
        }

        func keep(_ known: Int) {
            difference.keep(count, count: known)
            length += known
        }

        forEachLeaf { leaf in
            if !registers.isEmpty { starts[leaf] = length }
            let summary = leaves[leaf].summary
            guard summary.changed > version else {
                keep(summary.alive)
                count += summary.alive
                return
            }
            for span in leaves[leaf].spans {
                let known = alive(span, at: version)
                if span.died == .max {
                    let isBackward = blocks[Int(span.block)].isBackward
                    if !isBackward { keep(known) }
                    if known < Int(span.count) {
                        var new = span
                        new.start += Int32(known)
                        new.count -= Int32(known)
                        forEachSlot(new, add)
                    }
                    if isBackward { keep(known) }
                }
                count += known
            }
        }
        difference.edits += edits(since: version, starts)
        difference.edits.sort { $0.index < $1.index }
        if difference.edits.isEmpty {
            if difference.pieces == (count == 0 ? [] : [.kept(start: 0, count: count)]) { return nil }
            let keepsNothing = difference.pieces.allSatisfy { if case .new = $0 { true } else { false } }
            if keepsNothing { return .whole(.list(confirmed)) }
        }
        return .list(difference)
    }

    private func forEachLeaf(_ body: (Int) -> Void) {
        for group in order { for leaf in groups[Int(group)].leaves { body(Int(leaf)) } }
    }

    /// Returns the elements whose slots were alive at a version and have died since, with their indices at that
    /// version.
    private func gone(since version: StreamVersion) -> [Slot: Int] {
        var gone: [Slot: Int] = [:]
        var count = 0
        forEachLeaf { leaf in
            let summary = leaves[leaf].summary
            guard summary.changed > version else {
                count += summary.alive
                return
            }
            for span in leaves[leaf].spans {
                let known = alive(span, at: version)
                guard known > 0 else { continue }
                if span.died != .max {
                    var (old, index) = (span, count)
                    old.count = Int32(known)
                    forEachSlot(old) { slot in
                        gone[moved[slot] ?? slot] = index
                        index += 1
                    }
                }
                count += known
            }
        }
        return gone
    }

    /// Returns the edits of elements that weren't moved.
    private func edits(since version: StreamVersion, _ starts: [Int: Int]) -> [ListDifference.Edit] {
        var edits: [ListDifference.Edit] = []
        for (element, register) in registers {
            let slot = positions[element]?.slot ?? element
            guard birth(slot).version <= version,
                let edit = register.difference(since: version, mark(element))
            else { continue }
            let (leaf, place) = locate(slot)
            let spans = leaves[leaf].spans
            guard spans[place].died == .max, let start = starts[leaf] else { continue }
            let before = spans[..<place].reduce(0) { $0 + ($1.died == .max ? Int($1.count) : 0) }
            let span = spans[place]
            let own = slot.offset - span.start
            let inside = blocks[Int(span.block)].isBackward ? span.count - 1 - own : own
            edits.append(.init(index: start + before + Int(inside), content: edit))
        }
        return edits
    }
}
