/// What the views of a stream sum up to, as far as a node knows.
struct StreamSums: Sendable {
    /// Of views that sessions have, at the stream's head. Their own cursors say nothing: a step that isn't about a view leaves its sums alone.
    private var current: [ViewIdentity: ViewSums] = [:]
    /// At other versions, or of views that no session has any more.
    private var old: [ViewIdentity: ViewSums] = [:]

    private static let capacity = 100

    /// Sums that are known at a version.
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

    /// No session has the view any more.
    mutating func retire(_ view: ViewIdentity, head: Cursor) {
        guard var sums = current.removeValue(forKey: view) else { return }
        sums.cursor = head
        old[view] = sums
        prune(at: head)
    }

    /// The sums of views that no session has any more and that are known at a cursor.
    func retired(at cursor: Cursor) -> [View] {
        old.values.filter { $0.cursor == cursor }.map(\.view).sorted { $0.number < $1.number }
    }

    /// The stream's next step.
    ///
    /// - Parameter members: the objects that each concerned view shows before the step or after it. The sums of a view whose members aren't
    ///   known are forgotten.
    /// - Complexity: O(members, and views that were left behind)
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

    /// A step that a slow session got.
    ///
    /// - Parameter members: of the session's view.
    mutating func takeLate(
        _ step: StreamStep,
        of view: ViewIdentity,
        _ members: [ViewStep.Member],
        head: Cursor,
        views: ViewIndex
    ) {
        if step.from == head { leaveBehind(head) }
        old[view]?.take(step, members)
        catchUp(head, views)
        prune(at: head, or: step.to)
    }

    /// The head is another one now, and nobody knows what lies between.
    mutating func leaveBehind(_ head: Cursor) {
        for (number, var sums) in current {
            sums.cursor = head
            old[number] = sums
        }
        current = [:]
    }

    /// What has got to the head goes on with it.
    mutating func catchUp(_ head: Cursor, _ views: ViewIndex) {
        for (number, sums) in old where sums.cursor == head && views.contains(number) {
            current[number] = sums
            old[number] = nil
        }
    }

    /// Sums that were left behind are of no use any more: steps that lead on from them come to slow sessions only.
    private mutating func prune(at head: Cursor, or next: Cursor? = nil) {
        guard old.count > Self.capacity else { return }
        let rest = old.filter { $0.value.cursor == head || $0.value.cursor == next }
        old = rest.count > Self.capacity ? [:] : rest
    }
}
