/// A rule of nodes that share a store. Tests break one at a time, to see that simulated worlds fail without it.
enum BrokenRule: CaseIterable, Sendable {
    /// A commit of another node is read once, not by each session.
    case readsOnce
    /// An answer comes before the step that has the commit.
    case answersFirst
    /// A head counts by the time at which it was requested.
    case headsInOrder
    /// A commit of a step is a session's only if it has the session's running hash.
    case comparesHashes
    /// A store that went back is noticed.
    case noticesReturn
}
