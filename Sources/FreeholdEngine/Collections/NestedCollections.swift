/// The value of a property in which a nested collection was last found: the property's own value, an element of its list, or an entry of its
/// dictionary.
///
/// It is only a hint, because elements move. A collection is identified by its id.
public enum NestedSubscript: Hashable, Sendable {
    case property
    case element(Int)
    case entry(String)
}

extension DataView {
    /// Returns the list or dictionary with that id inside a mixed property, or `nil` if it doesn't exist any more.
    ///
    /// - Parameter place: the place that is searched first. It is set to the place where the collection was found.
    /// - Parameter column: the mixed property.
    /// - Parameter id: the id of the collection.
    /// - Parameter key: the key of the object.
    /// - Complexity: O(size of the value that contains it). If that value has moved, O(size of all values of the property).
    public func nested(_ column: Column, _ key: ObjectKey, id: UInt64, near place: inout NestedSubscript) -> Value? {
        nestedRoot(column, key, id: id, place: &place)?.root.nested(id)
    }

    /// Returns the value that holds the collection, and its index in a list or dictionary.
    func nestedRoot(
        _ column: Column,
        _ key: ObjectKey,
        id: UInt64,
        place: inout NestedSubscript
    ) -> (index: Int, root: Value)? {
        guard contains(schema.table(of: column), key) else { return nil }
        if column.collection == .none {
            place = .property
            let root = value(column, key)
            return root.nested(id) == nil ? nil : (0, root)
        }
        if let hint = nestedIndex(column, key, place: place), hint < listCount(column, key) {
            let root = listValue(column, key, at: hint)
            if root.nested(id) != nil { return (hint, root) }
        }
        for (i, root) in listValues(column, key).enumerated() where root.nested(id) != nil {
            place = nestedPlace(column, key, at: i)
            return (i, root)
        }
        return nil
    }

    private func nestedIndex(_ column: Column, _ key: ObjectKey, place: NestedSubscript) -> Int? {
        switch place {
        case .property: nil
        case .element(let i): column.collection == .list && i >= 0 ? i : nil
        case .entry(let name): column.collection == .dictionary ? dictionaryIndex(column, key, of: name) : nil
        }
    }

    private func nestedPlace(_ column: Column, _ key: ObjectKey, at i: Int) -> NestedSubscript {
        column.collection == .dictionary ? .entry(dictionaryKey(column, key, at: i)) : .element(i)
    }
}

extension WriteTransaction {
    /// Edits the list or dictionary with that id inside a mixed property. The body can change it in any way, but it must remain a collection of its
    /// kind.
    ///
    /// Collections that remain keep their ids, and new ones receive ids.
    /// - Returns: false, without changes, if the collection doesn't exist any more.
    /// - Throws: like `set`, and the errors of the body. The transaction is unchanged then.
    /// - Complexity: O(size of the value that contains it).
    @discardableResult
    public func updateNested(
        _ column: Column,
        _ key: ObjectKey,
        id: UInt64,
        near place: inout NestedSubscript,
        body: (inout Value) throws(EngineError) -> Void
    ) throws(EngineError) -> Bool {
        guard id != 0, let (index, old) = nestedRoot(column, key, id: id, place: &place) else { return false }
        let wasSet = isModified(column, key)
        var new = old
        _ = try new.updateNested(id, level: 1) { (value, level) throws(EngineError) in
            var known: Set<UInt64> = []
            value.forEachNested { known.insert($0.nestedID!) }
            let isList = if case .list = value { true } else { false }
            try body(&value)
            try checkMixed(value, column, depth: level)
            switch value {
            case .list(var list) where isList:
                list.id = id
                value = .list(list)
            case .dictionary(var dictionary) where !isList:
                dictionary.id = id
                value = .dictionary(dictionary)
            default: throw EngineError(.invalidArgument, "A nested collection of '\(column.name)' keeps its kind.")
            }
            value.renumber(&known)
        }
        withoutRecording {
            keepingHiddenLinks(column, key, at: index, replacing: old, with: new) {
                switch column.collection {
                case .none: write(column, key, value: new)
                case .list, .set: replaceElement(column, key, at: index, with: new)
                case .dictionary: replaceEntry(column, key, at: index, with: new)
                }
            }
        }
        if let journal, isOld(column, key), let before = old.nested(id), let after = new.nested(id) {
            let edit = NestedEdit(place: place, in: old, id: id, from: before, to: after)
            journal.nestedEdited(column, key, edit: edit, wasSet: wasSet, in: self)
            journal.unshown(column, key, links: hiddenLinks(column, key), again: true, in: self)
        }
        return true
    }
}
