/// The checksums of a stream's views that a node has calculated.
struct StreamSums: Sendable {
    /// The sums of views with sessions, at the head of the stream. Their cursors have no meaning, because a step that
    /// doesn't concern a view doesn't change its sums.
    private var current: [ViewIdentity: ViewSums] = [:]
    /// The sums at other versions, and those of views without sessions.
    private var old: [ViewIdentity: ViewSums] = [:]

    private static let capacity = 100

    /// Returns the sums of a view at a cursor, if they are known.
    func sums(of view: ViewIdentity, at cursor: Cursor, head: Cursor) -> Checksums? {
        if cursor == head, let sums = current[view] { return sums.checksums }
        guard let sums = old[view], sums.cursor == cursor else { return nil }
        return sums.checksums
    }

    mutating func put(_ sums: ViewSums, head: Cursor, _ views: ViewIndex) {
        let number = sums.view.identity
        current[number] = nil
        old[number] = nil
        if sums.cursor == head, views.contains(number) { current[number] = sums } else { old[number] = sums }
        prune(at: head)
    }

    /// Keeps the sums of a view that lost its last session.
    mutating func retire(_ view: ViewIdentity, head: Cursor) {
        guard var sums = current.removeValue(forKey: view) else { return }
        sums.cursor = head
        old[view] = sums
        prune(at: head)
    }

    /// Returns the views without sessions whose sums are known at a cursor.
    func retired(at cursor: Cursor) -> [View] {
        old.values.filter { $0.cursor == cursor }.map(\.view).sorted { $0.number < $1.number }
    }

    /// Updates the sums with the next step of the stream.
    ///
    /// - Parameter members: The objects that each concerned view shows before or after the step. If the members of a
    ///   view are unknown, its sums are removed.
    /// - Complexity: O(members + views with old sums)
    mutating func take(_ step: StreamStep, _ members: [ViewIdentity: [ViewStep.Member]?]) {
        for (number, members) in members {
            guard let members else {
                current[number] = nil
                continue
            }
            current[number]?.cursor = step.from
            current[number]?.take(step, members)
        }
        takeOld(step, members)
        prune(at: step.to)
    }

    private mutating func takeOld(_ step: StreamStep, _ members: [ViewIdentity: [ViewStep.Member]?]) {
        for (number, sums) in old where sums.cursor == step.from {
            old[number] = nil
            guard let members = members[number] ?? nil else { continue }
            var sums = sums
            sums.take(step, members)
            old[number] = sums
        }
    }

    /// Updates the sums of one view with a step that a slow session received.
    ///
    /// - Parameter members: The objects that the session's view shows before or after the step.
    mutating func takeLate(
        _ step: StreamStep,
        of view: ViewIdentity,
        _ members: [ViewStep.Member],
        head: Cursor,
        views: ViewIndex
    ) {
        old[view]?.take(step, members)
        catchUp(head, views)
        prune(at: head, or: step.to)
    }

    /// Converts the present sums to old ones, because the head has moved and the changes since the old head are
    /// unknown.
    mutating func leaveBehind(_ head: Cursor) {
        for (number, var sums) in current {
            sums.cursor = head
            old[number] = sums
        }
        current = [:]
    }

    /// Converts old sums that have reached the head to present ones.
    mutating func catchUp(_ head: Cursor, _ views: ViewIndex) {
        for (number, sums) in old where sums.cursor == head && views.contains(number) {
            current[number] = sums
            old[number] = nil
        }
    }

    /// Removes old sums if their number exceeds the maximum. The sums at `head` and `next` are kept if their number
    /// doesn't exceed it. Only slow sessions would update the others.
    private mutating func prune(at head: Cursor, or next: Cursor? = nil) {
        guard old.count > Self.capacity else { return }
        let rest = old.filter { $0.value.cursor == head || $0.value.cursor == next }
        old = rest.count > Self.capacity ? [:] : rest
    }
}
