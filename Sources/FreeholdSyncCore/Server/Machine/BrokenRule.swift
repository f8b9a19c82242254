/// A rule of nodes that share a store. Tests break one rule at a time, to show that simulations fail without it.
enum BrokenRule: CaseIterable, Sendable {
    /// A node reads a commit of another node once, and not for each session.
    case readsOnce
    /// An answer is sent before the step that contains the commit.
    case answersFirst
    /// Heads are compared in the order of their requests.
    case headsInOrder
    /// A commit of a step belongs to a session only if it has the running hash that the session knows.
    case comparesHashes
    /// A node detects that the store was restored to an earlier state.
    case noticesReturn
    /// The server's time doesn't decrease: it is at least the time of the stream's last commit, whichever node made it.
    case sharesTime
    /// The effective clock of a commit is greater than all clocks that its author has seen.
    case outrunsBase
    /// A bind continues a file only if it proves the file's secret.
    case checksSecrets
}
