/// Functions that combine many edits of one register.
enum RegisterEdits {
    typealias Edit = Register.Edit

    /// Returns the edits in rising order of their ranks, without the edits that a later write replaces. A write
    /// replaces all earlier edits of its path and of longer paths that begin with its path.
    ///
    /// - Parameters:
    ///   - edits: Edits in rising order of their ranks, except for the last ones. If two edits have equal ranks, the
    ///     later one wins.
    ///   - count: The number of last edits, which are in the order of their arrival.
    /// - Complexity: O(edits × length of their paths), plus O(*k* log *k*) for *k* unsorted edits
    static func ordered(_ edits: [Edit], last count: Int) -> [Edit] {
        let all = merged(edits[..<(edits.count - count)], rising(edits[(edits.count - count)...]))
        var tree = PathTree()
        var isWritten = [false]
        var kept: [Edit] = []
        kept.reserveCapacity(all.count)
        for edit in all.reversed() {
            var node = 0
            var isPointless = isWritten[0]
            for key in edit.path where !isPointless {
                node = tree.child(key, of: node)
                while isWritten.count < tree.count { isWritten.append(false) }
                isPointless = isWritten[node]
            }
            if isPointless { continue }
            if edit.isWrite { isWritten[node] = true }
            if !edit.isWhole { kept.append(edit) }
        }
        kept.reverse()
        return kept
    }

    private static func rising(_ edits: ArraySlice<Edit>) -> [Edit] {
        let isRising = zip(edits, edits.dropFirst()).allSatisfy { $0.mark.rank <= $1.mark.rank }
        if isRising { return Array(edits) }
        return edits.enumerated()
            .sorted { a, b in
                a.element.mark.rank == b.element.mark.rank
                    ? a.offset < b.offset : a.element.mark.rank < b.element.mark.rank
            }
            .map(\.element)
    }

    private static func merged(_ first: ArraySlice<Edit>, _ second: [Edit]) -> [Edit] {
        guard let last = first.last, let next = second.first else { return first.isEmpty ? second : Array(first) }
        if last.mark.rank <= next.mark.rank { return first + second }
        var all: [Edit] = []
        all.reserveCapacity(first.count + second.count)
        var rest = second[...]
        for edit in first {
            while let other = rest.first, other.mark.rank < edit.mark.rank { all.append(rest.removeFirst()) }
            all.append(edit)
        }
        return all + rest
    }

    /// Returns the edits with one add in the place of all adds to a number between two edits that affect the number.
    /// Rounded results then don't depend on whether neighbouring adds were merged.
    ///
    /// - Complexity: O(edits × length of their paths)
    static func summed(_ edits: [Edit]) -> [Edit] {
        guard edits.count > 1 else { return edits }
        var all: [Edit] = []
        var tree = PathTree()
        /// For each path: the index in `all` of its last add, and the numbers of edits in `all` up to the last one of
        /// the path itself and of a longer path.
        var nodes = [(add: Int, own: Int, below: Int)](repeating: (-1, 0, 0), count: 1)
        var way: [Int] = []
        for edit in edits {
            way = [0]
            var (node, last) = (0, nodes[0].own)
            for key in edit.path {
                node = tree.child(key, of: node)
                while nodes.count < tree.count { nodes.append((-1, 0, 0)) }
                way.append(node)
                last = max(last, nodes[node].own)
            }
            let add = nodes[node].add
            if case .add(let number) = edit.action, add >= 0, last == add + 1, nodes[node].below <= add + 1,
                case .add(let sum) = all[add].action
            {
                all[add].action = .add(sum &+ number)
                continue
            }
            all.append(edit)
            nodes[node].own = all.count
            nodes[node].add = edit.isWrite ? -1 : all.count - 1
            for above in way.dropLast() { nodes[above].below = all.count }
        }
        return all
    }

    // MARK: Values

    /// An edit, with the part of its path that is relative to a dictionary.
    private struct Step {
        let path: ArraySlice<SyncString>
        let action: Edit.Action
    }

    /// Returns a value after edits, which are applied in their order.
    ///
    /// - Complexity: O(size of the dictionaries that the edits are about), and O(*k* log *k*) for *k* edits
    static func applied(_ edits: [Edit], to value: SyncValue) -> SyncValue {
        applied(edits.map { Step(path: $0.path[...], action: $0.action) }, to: value)
    }

    private static func applied(_ steps: [Step], to value: SyncValue) -> SyncValue {
        guard case .dictionary(let dictionary) = value else {
            var value = value
            for step in steps where step.path.isEmpty { if case .add(let number) = step.action { value.add(number) } }
            return value
        }
        var places: [SyncString: Int] = [:]
        var groups: [(key: SyncString, steps: [Step])] = []
        for step in steps {
            guard let key = step.path.first else { continue }
            let place = places[key] ?? groups.count
            if place == groups.count {
                places[key] = place
                groups.append((key, []))
            }
            groups[place].steps.append(Step(path: step.path.dropFirst(), action: step.action))
        }
        groups.sort { $0.key < $1.key }
        return .dictionary(dictionary.replacing(groups.map { ($0.key, entry(dictionary[$0.key], after: $0.steps)) }))
    }

    /// - Parameter old: The old value of the entry, or `nil` if there is none.
    private static func entry(_ old: SyncValue?, after steps: [Step]) -> SyncValue? {
        var entry = old
        var inner: [Step] = []
        func finish() {
            if !inner.isEmpty { entry = entry.map { applied(inner, to: $0) } }
            inner = []
        }
        for step in steps {
            guard step.path.isEmpty else {
                inner.append(step)
                continue
            }
            finish()
            switch step.action {
            case .set(let value): entry = value
            case .remove: entry = nil
            case .add(let number): entry?.add(number)
            }
        }
        finish()
        return entry
    }
}

/// A numbering of paths. Each path that was requested has a number, and so does each beginning of it. The empty path
/// has the number 0.
struct PathTree {
    private struct Branch: Hashable {
        let node: Int
        let key: SyncString
    }

    private var children: [Branch: Int] = [:]
    private(set) var count = 1

    /// Returns the number of the path that continues another one with a key.
    mutating func child(_ key: SyncString, of node: Int) -> Int {
        let branch = Branch(node: node, key: key)
        if let known = children[branch] { return known }
        children[branch] = count
        count += 1
        return count - 1
    }
}
