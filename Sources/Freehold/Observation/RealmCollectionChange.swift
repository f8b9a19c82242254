import FreeholdEngine

/// A change of an observed collection.
public enum RealmCollectionChange<CollectionType> {
    /// The state of the collection when the observation begins. It is delivered once.
    case initial(CollectionType)
    /// The collection has changed. It already shows the state after the change.
    ///
    /// - deletions: Positions before the change, in ascending order.
    /// - insertions: Positions after the change, in ascending order.
    /// - modifications: Positions before the change, in ascending order, of elements that stayed. See also
    ///   ``newModifications``.
    ///
    /// A moved element counts as deleted and inserted. To apply the change to the old elements, remove `deletions` from
    /// the back, then insert `insertions` from the front.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// An error. Freehold doesn't deliver this case at present.
    case error(any Error)

    /// Converts a change. The observation has already found the objects of the new version, so the results adopt them
    /// and run no query again.
    static func change(_ change: ObservedChange, of collection: CollectionType) -> Self {
        switch change {
        case .collection(let changes, let found):
            if let found, let results = collection as? any _FoundCollection { results._adopt(found) }
            return .update(
                collection,
                deletions: changes.deletions,
                insertions: changes.insertions,
                modifications: changes.modifications
            )
        case .initial(let found?):
            if let results = collection as? any _FoundCollection { results._adopt(found) }
            return .initial(collection)
        default: return .initial(collection)
        }
    }

    /// The positions of the modified elements after the change, in ascending order.
    ///
    /// - Complexity: O(modifications · log changes).
    public var newModifications: [Int] {
        guard case .update(_, let deletions, let insertions, let modifications) = self else { return [] }
        var changes = CollectionChanges()
        changes.deletions = deletions
        changes.insertions = insertions
        return modifications.map { changes.newIndex(ofOld: $0) }
    }
}

/// A collection that can adopt its objects for the realm's present state.
protocol _FoundCollection {
    func _adopt(_ found: FoundObjects)
}

extension Results: _FoundCollection {
    func _adopt(_ found: FoundObjects) { if _source != nil { query.adopt(found) } }
}
