/// Edits of the stored content, which includes links to placeholders (`reference(to:primaryKey:)`). Positions in lists count hidden elements. The
/// functions of the same names without "stored" read and edit only the visible content.
///
/// They are for components that apply changes from elsewhere. The journal records only the changes of the visible content.
///
/// Each function throws the errors of the corresponding one, and `.invalidArgument` for a placeholder that doesn't exist. The transaction is
/// unchanged then.
extension WriteTransaction {
    /// Sets the value of a single-valued property.
    public func setStored(_ column: Column, _ key: ObjectKey, to value: Value) throws(EngineError) {
        let kept = try kept(value, column)
        let shown = value.shown
        // The journal records a property that the application sets, but not one whose target was deleted or created.
        if let journal, journal.isSilent {
            journal.shown(column, key, value: shown, wasSet: isModified(column, key))
        }
        try set(column, key, to: shown)
        if let kept {
            setHiddenLinks(column, key, to: HiddenLinks(elements: [.init(kept: kept)]))
        } else if columnOverlay(column).hasHiddenLinks {
            editHiddenLinks(column, key) { $0.elements = [] }
        }
    }

    // MARK: Lists

    /// Inserts values before the i-th element. If `i` is `storedCount`, they are appended.
    /// - Complexity: O(log n + links to placeholders), plus the size of one chunk.
    public func storedListInsert(
        _ column: Column,
        _ key: ObjectKey,
        at i: Int,
        values: [Value]
    ) throws(EngineError) {
        let kept = try kept(values, column)
        try checkStored(column, key, at: i, isInsert: true)
        var new = hiddenLinks(column, key)
        let at = new.shown(before: i)
        let shown = shown(values, kept)
        try placingHiddenLinks { () throws(EngineError) in try listInsert(column, key, at: at, values: shown) }
        if kept.allSatisfy({ $0 == nil }), new.isEmpty { return }
        new.shift(from: i, by: values.count)
        for (offset, kept) in kept.enumerated() {
            if let kept { new.insert(.init(position: i + offset, kept: kept)) }
        }
        setHiddenLinks(column, key, to: new)
    }

    public func storedListRemove(_ column: Column, _ key: ObjectKey, range: Range<Int>) throws(EngineError) {
        try checkStored(column, key, at: range.lowerBound, isInsert: true)
        try checkStored(column, key, at: range.upperBound, isInsert: true)
        var new = hiddenLinks(column, key)
        let shown = new.shown(before: range.lowerBound)..<new.shown(before: range.upperBound)
        try placingHiddenLinks { () throws(EngineError) in try listRemove(column, key, range: shown) }
        if new.isEmpty { return }
        new.elements.removeAll { range.contains($0.position) }
        new.shift(from: range.upperBound, by: -range.count)
        setHiddenLinks(column, key, to: new)
    }

    /// Replaces the i-th element.
    public func storedListSet(_ column: Column, _ key: ObjectKey, at i: Int, to value: Value) throws(EngineError) {
        let kept = try kept(value, column)
        try checkStored(column, key, at: i)
        var new = hiddenLinks(column, key)
        let found = new.elements.firstIndex { $0.position == i }
        let wasHidden = found.map { new.elements[$0].isHidden } ?? false
        let at = new.shown(before: i)
        try placingHiddenLinks { () throws(EngineError) in
            switch (wasHidden, kept?.isWhole == true) {
            case (false, false): try listSet(column, key, at: at, to: value.shown)
            case (false, true): try listRemove(column, key, range: at..<at + 1)
            case (true, false): try listInsert(column, key, at: at, values: [value.shown])
            case (true, true): break
            }
        }
        if let found { new.elements.remove(at: found) }
        if let kept { new.insert(.init(position: i, kept: kept)) }
        if found != nil || kept != nil { setHiddenLinks(column, key, to: new) }
    }

    /// Moves an element so that it ends at position `to`.
    public func storedListMove(_ column: Column, _ key: ObjectKey, from: Int, to: Int) throws(EngineError) {
        try checkStored(column, key, at: from)
        try checkStored(column, key, at: to)
        var new = hiddenLinks(column, key)
        var moved: HiddenLinks.Element?
        let shownFrom = new.shown(before: from)
        if let found = new.elements.firstIndex(where: { $0.position == from }) {
            moved = new.elements.remove(at: found)
        }
        new.shift(from: from, by: -1)
        if moved?.isHidden != true {
            let shownTo = new.shown(before: to)
            try placingHiddenLinks { () throws(EngineError) in try listMove(column, key, from: shownFrom, to: shownTo) }
        }
        new.shift(from: to, by: 1)
        if var moved {
            moved.position = to
            new.insert(moved)
        }
        if !new.isEmpty { setHiddenLinks(column, key, to: new) }
    }

    /// Replaces all elements.
    public func storedListAssign(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        let kept = try kept(values, column)
        let shown = shown(values, kept)
        try placingHiddenLinks { () throws(EngineError) in try listAssign(column, key, values: shown) }
        let elements = kept.enumerated().compactMap { i, kept in kept.map { HiddenLinks.Element(position: i, kept: $0) }
        }
        assign(column, key, elements: elements)
    }

    // MARK: Sets and dictionaries

    public func storedSetInsert(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        let kept = try kept(values, column)
        _ = try setInsert(column, key, values: zip(values, kept).filter { $1 == nil }.map(\.0))
        let hidden = kept.compactMap { $0 }
        if hidden.isEmpty { return }
        editHiddenLinks(column, key) { links in
            for kept in hidden where !links.elements.contains(where: { $0.kept == kept }) {
                links.elements.append(.init(kept: kept))
            }
        }
    }

    public func storedSetRemove(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        let kept = try kept(values, column)
        setRemove(column, key, values: zip(values, kept).filter { $1 == nil }.map(\.0))
        let hidden = kept.compactMap { $0 }
        if hidden.isEmpty { return }
        editHiddenLinks(column, key) { links in links.elements.removeAll { hidden.contains($0.kept) } }
    }

    public func storedSetAssign(_ column: Column, _ key: ObjectKey, values: [Value]) throws(EngineError) {
        let kept = try kept(values, column)
        try setAssign(column, key, values: zip(values, kept).filter { $1 == nil }.map(\.0))
        var elements: [HiddenLinks.Element] = []
        for case let kept? in kept where !elements.contains(where: { $0.kept == kept }) {
            elements.append(.init(kept: kept))
        }
        assign(column, key, elements: elements)
    }

    public func storedDictionarySet(
        _ column: Column,
        _ key: ObjectKey,
        forKey name: String,
        to value: Value
    ) throws(EngineError) {
        let kept = try kept(value, column)
        if kept?.isWhole == true {
            try checkKey(name, column)
            guard column.collection == .dictionary, contains(currentSchema.table(of: column), key) else {
                throw missingObject(column, key)
            }
            dictionaryRemove(column, key, forKey: name)
        } else {
            try dictionarySet(column, key, forKey: name, to: value.shown)
        }
        guard let kept else { return }
        editHiddenLinks(column, key) { links in
            links.elements.removeAll { $0.name == name }
            links.elements.append(.init(name: name, kept: kept))
        }
    }

    /// Removes an entry.
    /// - Returns: whether the key existed.
    @discardableResult
    public func storedDictionaryRemove(_ column: Column, _ key: ObjectKey, forKey name: String) -> Bool {
        let wasShown = dictionaryRemove(column, key, forKey: name)
        let wasHidden =
            columnOverlay(column).hasHiddenLinks
            && editHiddenLinks(column, key) { $0.elements.removeAll { $0.name == name } }
        return wasShown || wasHidden
    }

    public func storedDictionaryAssign(
        _ column: Column,
        _ key: ObjectKey,
        entries: [(key: String, value: Value)]
    ) throws(EngineError) {
        // If a key occurs several times, the last entry counts.
        let last = Dictionary(entries.enumerated().map { ($1.key, $0) }) { max($0, $1) }
        let entries = entries.enumerated().filter { last[$1.key] == $0 }.map(\.element)
        let kept = try kept(entries.map(\.value), column)
        for entry in entries { try checkKey(entry.key, column) }
        let shown = zip(entries, kept).filter { $1?.isWhole != true }.map { ($0.0.key, $0.0.value.shown) }
        try dictionaryAssign(column, key, entries: shown)
        let elements = zip(entries, kept).compactMap { entry, kept in
            kept.map { HiddenLinks.Element(name: entry.key, kept: $0) }
        }
        assign(column, key, elements: elements)
    }

    // MARK: Steps

    private func assign(_ column: Column, _ key: ObjectKey, elements: [HiddenLinks.Element]) {
        if elements.isEmpty, !columnOverlay(column).hasHiddenLinks { return }
        editHiddenLinks(column, key) { $0.elements = elements }
    }

    private func kept(_ values: [Value], _ column: Column) throws(EngineError) -> [KeptLinks?] {
        try values.map { value throws(EngineError) in try kept(value, column) }
    }

    /// Returns the visible elements among a list's values, in their visible form.
    private func shown(_ values: [Value], _ kept: [KeptLinks?]) -> [Value] {
        zip(values, kept).filter { $1?.isWhole != true }.map { $0.0.shown }
    }

    /// - Throws: `.invalidArgument` for a placeholder that doesn't exist.
    private func kept(_ value: Value, _ column: Column) throws(EngineError) -> KeptLinks? {
        guard value.hasPlaceholders else { return nil }
        func check(_ id: Int?, _ key: ObjectKey) throws(EngineError) {
            guard key.isPlaceholder else { return }
            guard let table = id.flatMap(currentSchema.placeholders), contains(table, key.placeholder) else {
                throw EngineError(
                    .invalidArgument,
                    "'\(column.name)' can't link to \(key): the placeholder doesn't exist."
                )
            }
        }
        switch (value, column.type) {
        case (.link(let key), .link): try check(column.targetTableID, key)
        case (.link, _), (_, .link):
            throw EngineError(.invalidArgument, "'\(column.name)' holds values of type \(column.type), not \(value).")
        default:
            var links: [ObjectLink] = []
            value.forEachObjectLink { links.append($0) }
            for link in links { try check(link.tableID, link.key) }
        }
        guard column.type == .link || column.type == .mixed, !column.isHidden else {
            throw EngineError(.invalidArgument, "'\(column.name)' can't link to objects that don't exist.")
        }
        if column.collection == .set, !value.isPlaceholder {
            throw EngineError(.invalidArgument, "The set '\(column.name)' can't hold lists or dictionaries.")
        }
        return KeptLinks(of: value, column, currentSchema)
    }

    private func checkStored(
        _ column: Column,
        _ key: ObjectKey,
        at i: Int,
        isInsert: Bool = false
    ) throws(EngineError) {
        guard column.collection == .list else {
            throw EngineError(.invalidArgument, "'\(column.name)' isn't a list.")
        }
        guard contains(currentSchema.table(of: column), key) else { throw missingObject(column, key) }
        let count = storedCount(column, key)
        guard i >= 0, i < count || (isInsert && i == count) else {
            throw EngineError(
                .invalidArgument,
                "Index \(i) is out of bounds of the stored list '\(column.name)' (\(count))."
            )
        }
    }
}
