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

    /// The stream's next step.
    ///
    /// - Parameter concerned: the views that it can concern, and the indices of objects.
    /// - Complexity: O(views that are concerned, and those that were left behind)
    mutating func take(_ contents: StepContents, _ concerned: [ViewIdentity: [Int]]) {
        for (number, indices) in concerned {
            current[number]?.cursor = contents.step.from
            current[number]?.take(contents, indices)
        }
        for index in old.indices { old.values[index].take(contents) }
        prune(at: contents.step.to)
    }

    /// A step that a slow session got.
    mutating func takeLate(_ contents: StepContents, head: Cursor, _ views: ViewIndex) {
        if contents.step.from == head { leaveBehind(head) }
        for index in old.indices { old.values[index].take(contents) }
        catchUp(head, views)
        prune(at: head, or: contents.step.to)
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
