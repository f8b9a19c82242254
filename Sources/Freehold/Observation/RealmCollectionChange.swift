import FreeholdEngine

/// What an observer of a collection is told.
public enum RealmCollectionChange<CollectionType> {
    /// The collection as it is when the observation begins; once.
    case initial(CollectionType)
    /// It has changed, and stands after the change already.
    ///
    /// - deletions: positions before the change, rising.
    /// - insertions: positions after the change, rising.
    /// - modifications: positions before the change, rising, of elements that stayed; see ``newModifications``.
    ///
    /// What moved counts as deleted and inserted. To turn the old elements into the new ones: remove `deletions` from
    /// the back, then insert `insertions` from the front.
    case update(CollectionType, deletions: [Int], insertions: [Int], modifications: [Int])
    /// Never at present.
    case error(any Error)

    /// What was followed has found the objects already, so that who reads them needn't look for them again.
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

    /// The positions of the modified elements after the change, rising. - Complexity: O(modifications · log changes).
    public var newModifications: [Int] {
        guard case .update(_, let deletions, let insertions, let modifications) = self else { return [] }
        var changes = CollectionChanges()
        changes.deletions = deletions
        changes.insertions = insertions
        return modifications.map { changes.newIndex(ofOld: $0) }
    }
}

/// A collection that can be given its objects of the realm's present state.
protocol _FoundCollection {
    func _adopt(_ found: FoundObjects)
}

extension Results: _FoundCollection {
    func _adopt(_ found: FoundObjects) { if _source != nil { query.adopt(found) } }
}
