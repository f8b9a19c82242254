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

    static func change(_ change: ObservedChange, of collection: CollectionType) -> Self {
        guard case .collection(let changes) = change else { return .initial(collection) }
        return .update(
            collection,
            deletions: changes.deletions,
            insertions: changes.insertions,
            modifications: changes.modifications
        )
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
