/// An observed list or set of an object, with its changes from version to version.
///
/// The elements are those of the unfiltered and unsorted collection. For a filtered or sorted one, see `ObservedQuery`. It is a value, which only one
/// thread at a time may use.
public struct ObservedCollection: Sendable {
    private var course: OwnedCourse

    public var snapshot: Snapshot { course.snapshot }
    /// A Boolean value that indicates whether the object with the collection has been deleted. The collection doesn't have elements then.
    public var isOwnerDeleted: Bool { course.isOwnerDeleted }

    /// - Parameter watched: determines whether an element that is an object, or a mixed value with an object, counts as modified although it wasn't
    ///   set. The paths are those of a list of links.
    /// - Parameter column: the list or set.
    /// - Parameter owner: the object with the collection.
    /// - Parameter snapshot: the first version.
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
        course = OwnedCourse(column, owner, watched: watched, in: snapshot, limits: limits)
    }

    /// Advances to a later version and returns the changes.
    ///
    /// - Parameter changes: the changes between this version and the later one.
    /// - Parameter next: the later version.
    /// - Returns: the changes, or `nil` if the collection hasn't changed. When the owner has been deleted, all elements are reported as deleted once
    ///   (none for an empty collection). After that, the result is `nil`.
    /// - Complexity: O(edits²) up to some thousand runs of edits. O(n) if the edits aren't known, and for finding elements whose objects changed.
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

/// An observed dictionary of an object, with the changes of its keys from version to version.
///
/// It is a value, which only one thread at a time may use.
public struct ObservedDictionary: Sendable {
    private var course: OwnedCourse

    public var snapshot: Snapshot { course.snapshot }
    /// A Boolean value that indicates whether the object with the dictionary has been deleted. The dictionary doesn't have keys then.
    public var isOwnerDeleted: Bool { course.isOwnerDeleted }

    /// - Parameter watched: like for `ObservedCollection`.
    /// - Parameter column: the column of the dictionary.
    /// - Parameter owner: the object with the dictionary.
    /// - Parameter snapshot: the first version.
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
        course = OwnedCourse(column, owner, watched: watched, in: snapshot, limits: limits)
    }

    /// Advances to a later version and returns the changes, like `ObservedCollection`.
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
        // A key that was removed and added again is the same key.
        let again = Set(deleted).intersection(inserted)
        out.deletions = deleted.filter { !again.contains($0) }
        out.insertions = inserted.filter { !again.contains($0) }
        out.modifications = positions.modifications.map { old.dictionaryKey(watch.column, watch.owner, at: $0) }
        if !again.isEmpty {
            out.modifications += again
            out.modifications.sort { Value.compareBytes($0, with: $1) < 0 }
        }
        return out
    }
}

/// The state of an observed collection, which lists, sets and dictionaries have in common.
private struct OwnedCourse: Sendable {
    enum Step {
        case changes(CollectionChanges, since: Snapshot)
        /// The owner has been deleted.
        case end(last: Snapshot)
    }

    private(set) var snapshot: Snapshot
    private(set) var isOwnerDeleted: Bool
    let watch: CollectionWatch

    init(
        _ column: Column,
        _ owner: ObjectKey,
        watched: WatchedPaths,
        in snapshot: Snapshot,
        limits: ObservationLimits
    ) {
        watch = CollectionWatch(column, owner, watched: watched, in: snapshot.schema, limits: limits)
        self.snapshot = snapshot
        isOwnerDeleted = !watch.exists(in: snapshot)
    }

    /// - Returns: the step, or `nil` if the collection hasn't changed.
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
