/// A list or set of an object, and how its elements change from version to version.
///
/// Elements are those of the collection as it is; for one that is filtered or sorted see `ObservedQuery`. A value; one
/// thread at a time.
public struct ObservedCollection: Sendable {
    private var course: OwnedCourse

    public var snapshot: Snapshot { course.snapshot }
    /// A Boolean value that indicates whether the object that the collection belongs to is gone; then there are no more elements.
    public var isOwnerDeleted: Bool { course.isOwnerDeleted }

    /// - Parameter watched: when an element that is an object, or a mixed value with one in it, counts as modified though
    ///   it wasn't set. Paths are those of a list of links.
    /// - Parameter column: the list or set.
    /// - Parameter owner: the object that has the collection.
    /// - Parameter snapshot: the version that it begins with.
    public init(
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
        course = OwnedCourse(column, owner, watched, snapshot, limits)
    }

    /// Moves on to a later version.
    ///
    /// - Parameter changes: what lies between this version and that one.
    /// - Parameter next: the later version.
    /// - Returns: nil where nothing changed. Once the owner is gone: all elements deleted (none, of an empty one), then nil.
    /// - Complexity: O(edits²) up to some thousand runs of edits; O(n) where these aren't known, and to find elements whose
    ///   objects changed.
    public mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> CollectionChanges? {
        switch course.advance(to: next, changes) {
        case nil: return nil
        case .changes(let found, _): return found
        case .end(let old):
            var out = CollectionChanges()
            out.deletions = Array(0..<old.listCount(course.watch.column, course.watch.owner))
            return out
        }
    }
}

/// A dictionary of an object, and which of its keys change from version to version.
///
/// A value; one thread at a time.
public struct ObservedDictionary: Sendable {
    private var course: OwnedCourse

    public var snapshot: Snapshot { course.snapshot }
    /// A Boolean value that indicates whether the object that the dictionary belongs to is gone; then there are no more keys.
    public var isOwnerDeleted: Bool { course.isOwnerDeleted }

    /// - Parameter watched: as for `ObservedCollection`.
    /// - Parameter column: the list or set.
    /// - Parameter owner: the object that has the collection.
    /// - Parameter snapshot: the version that it begins with.
    public init(
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
        course = OwnedCourse(column, owner, watched, snapshot, limits)
    }

    /// Moves on to a later version: as for `ObservedCollection`.
    public mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> DictionaryChanges? {
        let watch = course.watch
        var out = DictionaryChanges()
        let positions: CollectionChanges
        let old: Snapshot
        switch course.advance(to: next, changes) {
        case nil: return nil
        case .changes(let found, let since): (positions, old) = (found, since)
        case .end(let last):
            out.deletions = last.dictionaryKeys(watch.column, watch.owner)
            return out
        }
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

/// A collection of an object on its way from version to version: what lists, sets and dictionaries have in common.
private struct OwnedCourse: Sendable {
    enum Step {
        case changes(CollectionChanges, since: Snapshot)
        /// The owner is gone.
        case end(last: Snapshot)
    }

    private(set) var snapshot: Snapshot
    private(set) var isOwnerDeleted: Bool
    let watch: CollectionWatch

    init(
        _ column: Column,
        _ owner: ObjectKey,
        _ watched: WatchedPaths,
        _ snapshot: Snapshot,
        _ limits: ObservationLimits
    ) {
        watch = CollectionWatch(column, owner, watched, snapshot.schema, limits)
        self.snapshot = snapshot
        isOwnerDeleted = !watch.exists(in: snapshot)
    }

    /// - Returns: nil where nothing changed.
    mutating func advance(to next: Snapshot, _ changes: VersionChanges) -> Step? {
        precondition(changes.from == snapshot.version && changes.to == next.version, "changes of other versions")
        let old = snapshot
        snapshot = next
        if isOwnerDeleted || changes.isEmpty { return nil }
        guard watch.exists(in: next) else {
            isOwnerDeleted = true
            return .end(last: old)
        }
        let found = watch.changes(from: old, to: next, changes)
        return found.isEmpty ? nil : .changes(found, since: old)
    }
}
