extension ClientTransaction {
    /// What the file's own commits behind a number did, answered or not, as differences of contents.
    mutating func recoveries(after known: UInt64) throws -> [Recovery] {
        var settled: [ObjectName: [Change]] = [:]
        var number = max(known + 1, state.firstKept)
        while number < state.firstPending {
            if let commit = try commit(number)?.commit {
                for change in commit.changes { settled[change.object, default: []].append(change) }
                // The values that it took out of lists aren't known any more.
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

    /// The sums of what was added to properties that nothing else was done to.
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
    /// The sums of what was added to properties of an object that nothing else was done to.
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
    /// What it took can't be told from its names in another history.
    fileprivate var takesUnknown: Bool {
        switch self {
        case .remove, .move, .clearList, .clearSet, .clearDictionary: true
        default: place?.path.contains { if case .element = $0 { true } else { false } } ?? false
        }
    }
}

/// What an object was before changes that are in it, as far as they say.
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
                // Any value will do: it says that the entry was there.
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
    /// Whether it is what an author wrote, or an embedded object that may be.
    fileprivate func isSame(as value: SyncValue) -> Bool {
        switch (self, value) {
        case (.embedded, .embedded): ClientNode(value).content == self
        case (.value(let own), _): own == value
        default: false
        }
    }
}
