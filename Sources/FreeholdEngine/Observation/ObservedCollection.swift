/// A list or set of an object, and how its elements change from version to version.
///
/// Elements are those of the collection as it is; for one that is filtered or sorted see `ObservedQuery`. A value; one
/// thread at a time.
package struct ObservedCollection: Sendable {
    package private(set) var snapshot: Snapshot
    /// Whether the object that the collection belongs to is gone; then there are no more elements.
    package private(set) var isOwnerDeleted: Bool
    private let watch: CollectionWatch

    /// - Parameter watched: when an element that is an object, or a mixed value with one in it, counts as modified though
    ///   it wasn't set. Paths are those of a list of links.
    package init(
        _ column: Column,
        of owner: ObjectKey,
        watching watched: WatchedPaths = .deep,
        in snapshot: Snapshot
    ) {
        self.init(column, of: owner, watching: watched, in: snapshot, limits: ObservationLimits())
    }

    init(
        _ column: Column,
        of owner: ObjectKey,
        watching watched: WatchedPaths,
        in snapshot: Snapshot,
        limits: ObservationLimits
    ) {
        watch = CollectionWatch(column, owner, watched, snapshot.schema, limits)
        self.snapshot = snapshot
        isOwnerDeleted = !watch.exists(in: snapshot)
    }

    /// Moves on to a later version.
    ///
    /// - Parameter changes: what lies between this version and that one.
    /// - Returns: nil where nothing changed. Once the owner is gone: all elements deleted (none, of an empty one), then nil.
    /// - Complexity: O(edits²) up to some thousand runs of edits; O(n) where these aren't known, and to find elements whose
    ///   objects changed.
    package mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> CollectionChanges? {
        precondition(changes.from == snapshot.version && changes.to == next.version, "changes of other versions")
        let old = snapshot
        snapshot = next
        if isOwnerDeleted || changes.isEmpty { return nil }
        guard watch.exists(in: next) else {
            isOwnerDeleted = true
            var out = CollectionChanges()
            out.deletions = Array(0..<old.listCount(watch.column, watch.owner))
            return out
        }
        let out = watch.changes(from: old, to: next, changes)
        return out.isEmpty ? nil : out
    }
}

/// A dictionary of an object, and which of its keys change from version to version.
///
/// A value; one thread at a time.
package struct ObservedDictionary: Sendable {
    package private(set) var snapshot: Snapshot
    /// Whether the object that the dictionary belongs to is gone; then there are no more keys.
    package private(set) var isOwnerDeleted: Bool
    private let watch: CollectionWatch

    /// - Parameter watched: as for `ObservedCollection`.
    package init(
        _ column: Column,
        of owner: ObjectKey,
        watching watched: WatchedPaths = .deep,
        in snapshot: Snapshot
    ) {
        self.init(column, of: owner, watching: watched, in: snapshot, limits: ObservationLimits())
    }

    init(
        _ column: Column,
        of owner: ObjectKey,
        watching watched: WatchedPaths,
        in snapshot: Snapshot,
        limits: ObservationLimits
    ) {
        watch = CollectionWatch(column, owner, watched, snapshot.schema, limits)
        self.snapshot = snapshot
        isOwnerDeleted = !watch.exists(in: snapshot)
    }

    /// Moves on to a later version: as for `ObservedCollection`.
    package mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> DictionaryChanges? {
        precondition(changes.from == snapshot.version && changes.to == next.version, "changes of other versions")
        let old = snapshot
        snapshot = next
        if isOwnerDeleted || changes.isEmpty { return nil }
        var out = DictionaryChanges()
        guard watch.exists(in: next) else {
            isOwnerDeleted = true
            out.deletions = old.dictionaryKeys(watch.column, watch.owner)
            return out
        }
        let positions = watch.changes(from: old, to: next, changes)
        if positions.isEmpty { return nil }
        let deleted = positions.deletions.map { old.dictionaryKey(watch.column, watch.owner, at: $0) }
        let inserted = positions.insertions.map { next.dictionaryKey(watch.column, watch.owner, at: $0) }
        // What was taken out and put in again is the same key.
        let again = Set(deleted).intersection(inserted)
        out.deletions = deleted.filter { !again.contains($0) }
        out.insertions = inserted.filter { !again.contains($0) }
        out.modifications = positions.modifications.map { old.dictionaryKey(watch.column, watch.owner, at: $0) }
        if !again.isEmpty {
            out.modifications += again
            out.modifications.sort { Value.compareBytes($0, $1) < 0 }
        }
        return out
    }
}
