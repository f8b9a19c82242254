extension ClientTransaction {
    /// Returns the effects of the file's own commits after a number, as differences of contents. Both answered and
    /// unanswered commits are included.
    mutating func recoveries(after known: UInt64) throws -> [Recovery] {
        var settled: [ObjectName: [Change]] = [:]
        var number = max(known + 1, state.firstKept)
        while number < state.firstPending {
            if let commit = try commit(number)?.commit {
                for change in commit.changes { settled[change.object, default: []].append(change) }
                // The values that the commit removed from lists are unknown by now.
                if commit.changes.contains(where: \.takesUnknown) { try keep(.discarded(commit)) }
            }
            number += 1
        }
        var recoveries: [Recovery] = []
        for name in try Set(settled.keys).union(shadowed()).sorted() {
            let shadow = try shadow(of: name)
            let mine = try shadow?.contents ?? contents(of: name)
            var undo = Undo(contents: shadow.map { $0.contents(throughCommit: known) } ?? mine)
            for change in (settled[name] ?? []).reversed() { undo.take(change) }
            let pending = shadow?.pending.filter { $0.commit > known }.map(\.change) ?? []
            let adds = Self.adds((settled[name] ?? []) + pending)
            var base = undo.contents
            for property in adds.keys where base != nil { base?[property] = mine?[property] }
            if base != mine || !adds.isEmpty {
                recoveries.append(Recovery(name: name, base: base, mine: mine, adds: adds))
            }
        }
        return recoveries
    }

    /// Returns the sums that were added to properties, for properties without any other change.
    private static func adds(_ changes: [Change]) -> [SyncString: Int64] {
        var (adds, written) = ([SyncString: Int64](), Set<SyncString>())
        for change in changes {
            switch change {
            case .create(_, let fields): written.formUnion(fields.map(\.name))
            case .increment(let place, let number):
                if case .property(let name)? = place.path.first, place.path.count == 1 {
                    adds[name, default: 0] &+= number
                }
            default:
                if case .property(let name)? = change.place?.path.first { written.insert(name) }
            }
        }
        return adds.filter { !written.contains($0.key) }
    }
}

extension LocalCommit {
    /// Returns the sums that were added to an object's properties, for properties without any other edit.
    func adds(of name: ObjectName) -> [SyncString: Int64] {
        var (adds, written) = ([SyncString: Int64](), Set<SyncString>())
        for edit in edits where edit.object == name {
            guard case .property(let property)? = edit.place?.path.first else { continue }
            if case .increment(let place, let number) = edit, place.path.count == 1 {
                adds[property, default: 0] &+= number
            } else {
                written.insert(property)
            }
        }
        return adds.filter { !written.contains($0.key) }
    }
}

extension Change {
    /// A Boolean value that indicates whether the change removes or names elements that can't be identified in another
    /// history.
    fileprivate var takesUnknown: Bool {
        switch self {
        case .remove, .move, .clearList, .clearSet, .clearDictionary: true
        default: place?.path.contains { if case .element = $0 { true } else { false } } ?? false
        }
    }
}

/// Reverts changes of an object, as far as the changes contain the earlier content.
private struct Undo {
    var contents: [SyncString: MergedContent]?
    private var isMade = false

    init(contents: [SyncString: MergedContent]?) { self.contents = contents }

    mutating func take(_ change: Change) {
        guard !isMade else { return }
        switch change {
        case .create:
            contents = nil
            isMade = true
        case .delete: if contents == nil { contents = [:] }
        default:
            guard contents != nil, let path = change.place?.path, case .property(let name)? = path.first else { return }
            take(change, name, path.dropFirst())
        }
    }

    private mutating func take(_ change: Change, _ name: SyncString, _ rest: ArraySlice<Place.Step>) {
        switch (rest.first, contents?[name]) {
        case (nil, let content):
            let old = undone(change, content)
            contents?[name] = old
        case (.entry(let key)?, .dictionary(var entries)?):
            let isWhole = rest.count == 1
            if case .removeEntry = change, isWhole {
                // The value is unknown. Any value records that the entry existed.
                if entries[key] == nil { entries[key] = .value(.null) }
            } else if isWhole {
                entries[key] = undone(change, entries[key])
            } else {
                entries[key] = nil
            }
            contents?[name] = .dictionary(entries)
        case (.instance?, _), (.nested?, _): contents?[name] = nil
        default: break
        }
    }

    private func undone(_ change: Change, _ content: MergedContent?) -> MergedContent? {
        switch (change, content) {
        case (.set(_, let value, _), let content?): return content.isSame(as: value) ? nil : content
        case (.increment(_, let number), .value(.int(let sum))?): return .value(.int(sum &- number))
        case (.insert(_, _, _, let values), .list(var elements)?),
            (.assignList(_, _, _, _, let values), .list(var elements)?):
            for value in values {
                if let index = elements.lastIndex(where: { $0.isSame(as: value) }) { elements.remove(at: index) }
            }
            return .list(elements)
        case (.insertIntoSet(_, let values), .set(var elements)?), (.assignSet(_, _, let values), .set(var elements)?):
            for value in values { SetElement(value).map { elements[$0] = nil } }
            return .set(elements)
        case (.removeFromSet(_, let values), .set(var elements)?):
            for value in values {
                if let element = SetElement(value), elements[element] == nil { elements[element] = value }
            }
            return .set(elements)
        case (.assignDictionary(_, _, let new), .dictionary(var entries)?):
            for entry in new.entries where entries[entry.key]?.isSame(as: entry.value) ?? false {
                entries[entry.key] = nil
            }
            return .dictionary(entries)
        default: return content
        }
    }
}

extension MergedContent {
    /// Returns whether the content is the value that an author wrote. Embedded objects are compared by their content.
    fileprivate func isSame(as value: SyncValue) -> Bool {
        switch (self, value) {
        case (.embedded, .embedded): ClientNode(value).content == self
        case (.value(let own), _): own == value
        default: false
        }
    }
}
