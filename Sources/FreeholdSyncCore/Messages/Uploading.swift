/// Commits of a file, in rising order of their numbers without gaps.
public struct Upload: Hashable, Sendable {
    public var commits: [UploadedCommit]
    /// The earlier content of the lists that the commits edit, if the file's work is from before the horizon
    /// (sync-design.md, section 8).
    public var oldLists: [OldList]

    public init(commits: [UploadedCommit], oldLists: [OldList] = []) {
        self.commits = commits
        self.oldLists = oldLists
    }
}

/// A commit, or a part of one that is too large for a message.
public struct UploadedCommit: Hashable, Sendable {
    /// The commit. The parts of a split commit have equal values except for the changes and the versions that were
    /// seen.
    public var commit: Commit
    /// The running hash of the file's commits up to this one.
    public var hash: RunningHash
    /// The part, or `nil` if the commit is whole.
    public var part: Part?
    /// The bytes of a front end that the store writes to the file's row together with the commit. They are never sent.
    public var front: FrontBytes?

    public struct Part: Hashable, Sendable {
        /// The index of the part, starting at 0.
        public let index: UInt32
        public let isLast: Bool

        public init(index: UInt32, isLast: Bool) {
            self.index = index
            self.isLast = isLast
        }
    }

    public init(commit: Commit, hash: RunningHash, part: Part? = nil) {
        self.commit = commit
        self.hash = hash
        self.part = part
    }
}

/// The confirmed list that the author of edits saw, for edits whose base is before the horizon. The server aligns it
/// with the present list by the values.
public struct OldList: Hashable, Sendable {
    public let place: Place
    /// The elements. `nil` stands for an element that the author has removed since.
    public let elements: [SyncValue?]

    public init(place: Place, elements: [SyncValue?]) {
        self.place = place
        self.elements = elements
    }
}

/// The answers to commits, without gaps. The message precedes the `changes` with the effects of the commits.
public struct Ack: Hashable, Sendable {
    /// The number of the first answered commit.
    public var first: UInt64
    /// The version that each commit received. A commit is no longer pending as soon as the client has the stream up to
    /// its version.
    public var versions: [StreamVersion]
    /// The effective clock of the last of the commits. The client's own clock continues from it.
    public var clock: Clock
    /// The refusals, in rising order of commits and indices.
    public var refusals: [Refusal]
    /// The objects whose deletion was refused, with everything that they own, as a whole. The client restores them in
    /// the transaction that applies the refusals.
    public var restored: [ClassBatch]

    public init(
        first: UInt64,
        versions: [StreamVersion],
        clock: Clock,
        refusals: [Refusal] = [],
        restored: [ClassBatch] = []
    ) {
        self.first = first
        self.versions = versions
        self.clock = clock
        self.refusals = refusals
        self.restored = restored
    }

    /// The number of the last answered commit.
    public var last: UInt64 { first &+ UInt64(versions.count) &- 1 }
}
