/// The effect of own work on an object, which is repeated in another history (sync-design.md, section 11).
public struct Recovery: Hashable, Sendable {
    public let name: ObjectName
    /// The content of the object without the work. `nil` if the work created the object.
    public let base: [SyncString: MergedContent]?
    /// The content of the object with the work. `nil` if the work deleted the object.
    public let mine: [SyncString: MergedContent]?

    /// The sums that were added to integers. `base` and `mine` have equal values for these properties.
    public let adds: [SyncString: Int64]

    public init(
        name: ObjectName,
        base: [SyncString: MergedContent]?,
        mine: [SyncString: MergedContent]?,
        adds: [SyncString: Int64] = [:]
    ) {
        (self.name, self.base, self.mine, self.adds) = (name, base, mine, adds)
    }

    /// The edits that the work consists of.
    package var edits: [LocalEdit] {
        let increments = adds.sorted { $0.key < $1.key }.map { LocalEdit.increment(LocalPlace(name, $0.key), $0.value) }
        return ShownDifference(name, from: base, to: mine).edits + increments
    }

    /// Returns the edits that repeat the work on the new store's content of the object.
    ///
    /// - Returns: `nil` if the object doesn't exist, although the work needs it.
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
            // A move isn't repeated, because two files that moved one element would both insert it.
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

    /// Merges lists by the values of their elements, because elements have no common names in two histories.
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
