/// What own work made of an object, to be made of it again in another history (sync-design.md, section 11).
public struct Recovery: Hashable, Sendable {
    public let name: ObjectName
    /// What it was without the work. Nil if the work made it.
    public let base: [SyncString: MergedContent]?
    /// Nil if the work deleted it.
    public let mine: [SyncString: MergedContent]?

    /// What was added to integers. They are alike in `base` and `mine`.
    public let adds: [SyncString: Int64]

    public init(
        name: ObjectName,
        base: [SyncString: MergedContent]?,
        mine: [SyncString: MergedContent]?,
        adds: [SyncString: Int64] = [:]
    ) {
        (self.name, self.base, self.mine, self.adds) = (name, base, mine, adds)
    }

    /// What the work did.
    package var edits: [LocalEdit] {
        let increments = adds.sorted { $0.key < $1.key }.map { LocalEdit.increment(LocalPlace(name, $0.key), $0.value) }
        return ShownDifference(name, from: base, to: mine).edits + increments
    }

    /// The edits that do it.
    ///
    /// - Returns: nil if there is nothing that they could be done to.
    func edits(over theirs: [SyncString: MergedContent]?) -> [LocalEdit]? {
        switch (mine, theirs) {
        case (nil, nil): return []
        case (nil, _?): return base == nil ? [] : [.delete(name, .edit)]
        case (let mine?, nil): return base == nil ? [.create(name, mine, defaults: [])] : nil
        case (let mine?, let theirs?):
            var merged = theirs
            for (property, content) in mine where base?[property] != content {
                merged[property] = Self.merged(base?[property], content, theirs[property])
            }
            var increments: [LocalEdit] = []
            for (property, number) in adds.sorted(by: { $0.key < $1.key }) {
                if case .value(.int)? = merged[property] {
                    increments.append(.increment(LocalPlace(name, property), number))
                } else {
                    merged[property] = mine[property]
                }
            }
            return ShownDifference(name, from: theirs, to: merged).edits + increments
        }
    }

    private static func merged(
        _ base: MergedContent?,
        _ mine: MergedContent,
        _ theirs: MergedContent?
    ) -> MergedContent {
        switch (base, mine, theirs) {
        case (let base, .list(let mine), .list(let theirs)?):
            var old: [MergedContent] = []
            if case .list(let elements)? = base { old = elements }
            // A move isn't done again: two files that moved an element would both put it in.
            return .list(merged(old, mine, theirs))
        case (_, _, let theirs) where theirs == base: return mine
        case (let base, .set(let mine), .set(let theirs)?):
            var old: [SetElement: SyncValue] = [:]
            if case .set(let elements)? = base { old = elements }
            let rest = theirs.filter { mine[$0.key] != nil || old[$0.key] == nil }
            return .set(rest.merging(mine.filter { old[$0.key] == nil }) { $1 })
        case (let base, .dictionary(let mine), .dictionary(let theirs)?):
            var old: [SyncString: MergedContent] = [:]
            if case .dictionary(let entries)? = base { old = entries }
            let rest = theirs.filter { mine[$0.key] != nil || old[$0.key] == nil }
            return .dictionary(rest.merging(mine.filter { old[$0.key] != $0.value }) { $1 })
        default: return mine
        }
    }

    /// Elements have no names across histories: they are known by their values.
    private static func merged(
        _ base: [MergedContent],
        _ mine: [MergedContent],
        _ theirs: [MergedContent]
    ) -> [MergedContent] {
        var left = Dictionary(mine.map { ($0, 1) }, uniquingKeysWith: +)
        var removed: [MergedContent: Int] = [:]
        for element in base {
            if let count = left[element], count > 0 {
                left[element] = count - 1
            } else {
                removed[element, default: 0] += 1
            }
        }
        var merged = theirs.filter { element in
            guard let count = removed[element], count > 0 else { return true }
            removed[element] = count - 1
            return false
        }
        var old = Dictionary(base.map { ($0, 1) }, uniquingKeysWith: +)
        for (index, element) in mine.enumerated() {
            if let count = old[element], count > 0 {
                old[element] = count - 1
                continue
            }
            let after = index > 0 ? merged.lastIndex(of: mine[index - 1]).map { $0 + 1 } : 0
            merged.insert(element, at: after ?? merged.count)
        }
        return merged
    }
}
