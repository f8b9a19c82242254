/// The order of the list: groups of leaves, which contain spans.
extension ListTree {
    /// Slots of one block that are adjacent in the list and died at the same version, or are all alive. In a backward
    /// block their offsets are falling.
    struct Span: Equatable, Sendable {
        let block: Int32
        var start: Int32
        var count: Int32
        /// The version at which the slots died. `max` if they are alive, 0 if they were dead from birth.
        var died: StreamVersion
        /// A version at or after the birth of all slots. The block has the exact versions. This copy saves a look at
        /// the block for each span that a search passes.
        var youngest: StreamVersion

        static func == (a: Span, b: Span) -> Bool {
            a.block == b.block && a.start == b.start && a.count == b.count && a.died == b.died
        }
    }

    /// The properties of a leaf or a group that are known without reading its contents.
    struct Summary: Sendable {
        var alive = 0
        /// The last version at which a slot was created or died.
        var changed: StreamVersion = 0
        /// The number of slots that were alive at an earlier version, for the version that was counted last.
        var counted: (version: StreamVersion, alive: Int)?

        func alive(at version: StreamVersion) -> Int? {
            if changed <= version { return alive }
            if let counted, counted.version == version { return counted.alive }
            return nil
        }
    }

    struct Leaf: Sendable {
        var spans: [Span]
        var group: Int32
        var summary = Summary()
    }

    struct Group: Sendable {
        var leaves: [Int32]
        var summary = Summary()
    }

    static let capacity = 128

    func forEachSpan(_ body: (Span) -> Void) {
        for group in order {
            for leaf in groups[Int(group)].leaves { leaves[Int(leaf)].spans.forEach(body) }
        }
    }

    /// Calls a closure with the slots of a span in the order of the list.
    func forEachSlot(_ span: Span, _ body: (Slot) -> Void) {
        let offsets = span.start..<span.start + span.count
        if blocks[Int(span.block)].isBackward {
            for offset in offsets.reversed() { body(Slot(block: span.block, offset: offset)) }
        } else {
            for offset in offsets { body(Slot(block: span.block, offset: offset)) }
        }
    }

    func died(_ slot: Slot) -> StreamVersion {
        let (leaf, index) = locate(slot)
        return leaves[leaf].spans[index].died
    }

    // MARK: Indices of a version

    /// Returns the number of slots of a span that were alive at a version. They are the slots with the lowest offsets.
    func alive(_ span: Span, at version: StreamVersion) -> Int {
        if span.died <= version { return 0 }
        return span.youngest <= version ? Int(span.count) : countBorn(span, at: version)
    }

    /// Counts the slots that were alive at a version, in all leaves and groups that have changed since, and stores the
    /// counts.
    mutating func count(at version: StreamVersion) {
        for group in order.indices {
            let group = Int(order[group])
            guard groups[group].summary.alive(at: version) == nil else { continue }
            var sum = 0
            for index in groups[group].leaves.indices {
                let leaf = Int(groups[group].leaves[index])
                if let known = leaves[leaf].summary.alive(at: version) {
                    sum += known
                } else {
                    let alive = leaves[leaf].spans.reduce(0) { $0 + self.alive($1, at: version) }
                    leaves[leaf].summary.counted = (version, alive)
                    sum += alive
                }
            }
            groups[group].summary.counted = (version, sum)
        }
    }

    /// - Complexity: O(∛*n*) if the version was counted by `count(at:)`.
    func slot(at index: Int, version: StreamVersion) -> Slot? {
        guard index >= 0 else { return nil }
        var rest = index
        for group in order {
            if let alive = groups[Int(group)].summary.alive(at: version), alive <= rest {
                rest -= alive
                continue
            }
            for leaf in groups[Int(group)].leaves {
                if let alive = leaves[Int(leaf)].summary.alive(at: version), alive <= rest {
                    rest -= alive
                    continue
                }
                for span in leaves[Int(leaf)].spans {
                    let alive = alive(span, at: version)
                    if alive <= rest {
                        rest -= alive
                        continue
                    }
                    let place = blocks[Int(span.block)].isBackward ? alive - 1 - rest : rest
                    return Slot(block: span.block, offset: span.start + Int32(place))
                }
            }
        }
        return nil
    }

    // MARK: Spans

    func locate(_ slot: Slot) -> (leaf: Int, index: Int) {
        let leaf = leaf(of: slot)
        let index = leaves[leaf].spans.firstIndex {
            $0.block == slot.block && $0.start <= slot.offset && slot.offset - $0.start < $0.count
        }
        return (leaf, index!)
    }

    private func leaf(of slot: Slot) -> Int {
        let index = Int(slot.block)
        guard let next = blocks[index].laterHomes.first, next.start <= slot.offset else {
            return Int(blocks[index].home)
        }
        let place = blocks[index].laterHomes.partitioned { $0.start > slot.offset }
        return Int(blocks[index].laterHomes[place - 1].leaf)
    }

    mutating func settle(_ span: Span, in leaf: Int32) {
        let index = Int(span.block)
        if span.start == 0 {
            blocks[index].home = leaf
            return
        }
        let place = blocks[index].laterHomes.partitioned { $0.start >= span.start }
        if place < blocks[index].laterHomes.count, blocks[index].laterHomes[place].start == span.start {
            blocks[index].laterHomes[place].leaf = leaf
        } else {
            blocks[index].laterHomes.insert(Home(start: span.start, leaf: leaf), at: place)
        }
    }

    private mutating func unsettle(_ span: Span) {
        guard span.start > 0 else { return }
        let index = Int(span.block)
        let place = blocks[index].laterHomes.partitioned { $0.start >= span.start }
        blocks[index].laterHomes.remove(at: place)
    }

    /// Inserts new slots.
    mutating func insert(_ span: Span, _ anchor: Anchor, _ version: StreamVersion) {
        if order.isEmpty {
            order = [0]
            groups = [Group(leaves: [0])]
            leaves = [Leaf(spans: [], group: 0)]
        }
        let (leaf, index) = open(anchor)
        if !lengthen(at: index, of: leaf, by: span) {
            leaves[leaf].spans.insert(span, at: index)
            settle(span, in: Int32(leaf))
        }
        if span.died == .max { note(leaf, alive: Int(span.count), version) }
        split(leaf)
    }

    /// Extends a neighbour of the index by slots that continue its span. Returns whether that was possible.
    private mutating func lengthen(at index: Int, of leaf: Int, by span: Span) -> Bool {
        guard span.start > 0 else { return false }
        let neighbour = blocks[Int(span.block)].isBackward ? index : index - 1
        guard leaves[leaf].spans.indices.contains(neighbour) else { return false }
        let old = leaves[leaf].spans[neighbour]
        guard old.block == span.block, old.died == span.died, old.start + old.count == span.start else { return false }
        leaves[leaf].spans[neighbour].count += span.count
        leaves[leaf].spans[neighbour].youngest = max(old.youngest, span.youngest)
        return true
    }

    /// Splits a span at the anchor if necessary, so that a span can be inserted there.
    ///
    /// - Returns: The place for the new span.
    private mutating func open(_ anchor: Anchor) -> (leaf: Int, index: Int) {
        let (slot, isBefore): (Slot, Bool)
        switch anchor {
        case .start: return (Int(groups[Int(order[0])].leaves[0]), 0)
        case .after(let anchor): (slot, isBefore) = (anchor, false)
        case .before(let anchor): (slot, isBefore) = (anchor, true)
        }
        let (leaf, index) = locate(slot)
        let span = leaves[leaf].spans[index]
        let isBackward = blocks[Int(span.block)].isBackward
        let low = slot.offset - span.start
        /// The number of slots of the span that are on the left of the anchor.
        let left = (isBackward ? span.count - 1 - low : low) + (isBefore ? 0 : 1)
        if left == 0 { return (leaf, index) }
        if left == span.count { return (leaf, index + 1) }
        let lower = isBackward ? span.count - left : left
        var (first, second) = (span, span)
        first.count = lower
        second.start += lower
        second.count -= lower
        replace(leaf, index..<index + 1, isBackward ? [second, first] : [first, second])
        return (leaf, index + 1)
    }

    private mutating func replace(_ leaf: Int, _ range: Range<Int>, _ spans: [Span]) {
        for span in leaves[leaf].spans[range] { unsettle(span) }
        leaves[leaf].spans.replaceSubrange(range, with: spans)
        for span in spans { settle(span, in: Int32(leaf)) }
    }

    private mutating func note(_ leaf: Int, alive: Int, _ version: StreamVersion) {
        let group = Int(leaves[leaf].group)
        leaves[leaf].summary.alive += alive
        leaves[leaf].summary.changed = max(leaves[leaf].summary.changed, version)
        groups[group].summary.alive += alive
        groups[group].summary.changed = max(groups[group].summary.changed, version)
    }

    // MARK: Removals

    /// Marks a live slot as dead.
    mutating func kill(_ slot: Slot, _ version: StreamVersion) {
        let (leaf, index) = locate(slot)
        let span = leaves[leaf].spans[index]
        var (low, own, high) = (span, span, span)
        low.count = slot.offset - span.start
        own.start = slot.offset
        own.count = 1
        own.died = version
        high.start = slot.offset + 1
        high.count = span.start + span.count - high.start
        var pieces = [low, own, high].filter { $0.count > 0 }
        if blocks[Int(span.block)].isBackward { pieces.reverse() }
        let spans = leaves[leaf].spans
        let range = max(index - 1, 0)..<min(index + 2, spans.count)
        replace(leaf, range, joined(spans[range.lowerBound..<index] + pieces + spans[index + 1..<range.upperBound]))
        note(leaf, alive: -1, version)
        split(leaf)
    }

    /// Returns the live slots that fulfil a condition, grouped by leaf, in the order of the list.
    ///
    /// - Complexity: O(*n*) for *n* live slots, plus O(∛*n*) for *n* dead slots
    func alive(where condition: (Slot) -> Bool) -> [(leaf: Int, slots: [Slot])] {
        var found: [(leaf: Int, slots: [Slot])] = []
        for group in order where groups[Int(group)].summary.alive > 0 {
            for leaf in groups[Int(group)].leaves where leaves[Int(leaf)].summary.alive > 0 {
                var slots: [Slot] = []
                for span in leaves[Int(leaf)].spans where span.died == .max {
                    forEachSlot(span) { if condition($0) { slots.append($0) } }
                }
                if !slots.isEmpty { found.append((Int(leaf), slots)) }
            }
        }
        return found
    }

    /// Marks live slots as dead.
    ///
    /// - Parameter dead: The slots in the order of the list, grouped by leaf.
    /// - Complexity: O(slots of these leaves)
    mutating func killAll(_ dead: [(leaf: Int, slots: [Slot])], _ version: StreamVersion) {
        for (leaf, slots) in dead {
            var (spans, next) = ([Span](), 0)
            for span in leaves[leaf].spans {
                guard span.died == .max else {
                    spans.append(span)
                    continue
                }
                forEachSlot(span) { slot in
                    let isDead = next < slots.count && slots[next] == slot
                    if isDead { next += 1 }
                    var own = span
                    (own.start, own.count, own.died) = (slot.offset, 1, isDead ? version : .max)
                    if let last = spans.last, let both = join(last, own) {
                        spans[spans.count - 1] = both
                    } else {
                        spans.append(own)
                    }
                }
            }
            replace(leaf, leaves[leaf].spans.indices, joined(spans[...]))
            note(leaf, alive: -slots.count, version)
        }
        for (leaf, _) in dead { split(leaf) }
    }

    func joined(_ spans: ArraySlice<Span>) -> [Span] {
        var result: [Span] = []
        for span in spans {
            if let last = result.last, let both = join(last, span) {
                result[result.count - 1] = both
            } else {
                result.append(span)
            }
        }
        return result
    }

    /// Returns one span for two neighbours if they are adjacent parts of one block and died at the same version.
    /// Returns `nil` otherwise.
    private func join(_ left: Span, _ right: Span) -> Span? {
        guard left.block == right.block, left.died == right.died else { return nil }
        let (low, high) = blocks[Int(left.block)].isBackward ? (right, left) : (left, right)
        guard low.start + low.count == high.start else { return nil }
        var both = low
        (both.count, both.youngest) = (low.count + high.count, max(low.youngest, high.youngest))
        return both
    }

    // MARK: Leaves

    /// Splits a leaf that is too large into several leaves.
    private mutating func split(_ leaf: Int) {
        guard leaves[leaf].spans.count > Self.capacity else { return }
        let (spans, group, changed) = (leaves[leaf].spans, Int(leaves[leaf].group), leaves[leaf].summary.changed)
        let half = Self.capacity / 2
        var new: [Int32] = []
        for start in stride(from: 0, to: spans.count, by: half) {
            let piece = Array(spans[start..<min(start + half, spans.count)])
            let alive = piece.reduce(0) { $0 + ($1.died == .max ? Int($1.count) : 0) }
            let summary = Summary(alive: alive, changed: changed)
            let index = start == 0 ? leaf : leaves.count
            if start == 0 {
                leaves[leaf] = Leaf(spans: piece, group: Int32(group), summary: summary)
            } else {
                leaves.append(Leaf(spans: piece, group: Int32(group), summary: summary))
                for span in piece { settle(span, in: Int32(index)) }
            }
            new.append(Int32(index))
        }
        let place = groups[group].leaves.firstIndex(of: Int32(leaf))!
        groups[group].leaves.replaceSubrange(place...place, with: new)
        // The counts of the new leaves are missing, so the count of the group is removed. Otherwise each search would
        // examine all their spans.
        groups[group].summary.counted = nil
        split(group: group)
    }

    private mutating func split(group: Int) {
        guard groups[group].leaves.count > Self.capacity else { return }
        let (all, changed) = (groups[group].leaves, groups[group].summary.changed)
        let half = Self.capacity / 2
        var new: [Int32] = []
        for start in stride(from: 0, to: all.count, by: half) {
            let piece = Array(all[start..<min(start + half, all.count)])
            let alive = piece.reduce(0) { $0 + leaves[Int($1)].summary.alive }
            let summary = Summary(alive: alive, changed: changed)
            let index = start == 0 ? group : groups.count
            if start == 0 {
                groups[group] = Group(leaves: piece, summary: summary)
            } else {
                groups.append(Group(leaves: piece, summary: summary))
                for leaf in piece { leaves[Int(leaf)].group = Int32(index) }
            }
            new.append(Int32(index))
        }
        let place = order.firstIndex(of: Int32(group))!
        order.replaceSubrange(place...place, with: new)
    }
}
