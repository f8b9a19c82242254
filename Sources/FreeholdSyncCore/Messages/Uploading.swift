/// Commits of a file, by rising numbers without gaps.
public struct Upload: Hashable, Sendable {
    public var commits: [UploadedCommit]
    /// What the lists were that the commits edit, if the file's work is from before the horizon (sync-design.md, section 8).
    public var oldLists: [OldList]

    public init(commits: [UploadedCommit], oldLists: [OldList] = []) {
        self.commits = commits
        self.oldLists = oldLists
    }
}

/// A commit, or a part of one that is too large for a message.
public struct UploadedCommit: Hashable, Sendable {
    /// The parts of a split commit are equal but for the changes and what was seen.
    public var commit: Commit
    /// The running hash of the file's commits up to this one.
    public var hash: RunningHash
    /// Nil if the commit is whole.
    public var part: Part?

    public struct Part: Hashable, Sendable {
        /// Counts from 0.
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

/// A list as it was confirmed to the author of edits whose base is before the horizon. The server aligns it by value.
public struct OldList: Hashable, Sendable {
    public let place: Place
    /// Nil for those that the author knows to be gone.
    public let elements: [SyncValue?]

    public init(place: Place, elements: [SyncValue?]) {
        self.place = place
        self.elements = elements
    }
}

/// The answers to commits, without gaps. It comes before the `changes` that hold their effects.
public struct Ack: Hashable, Sendable {
    /// The number of the first commit that is answered.
    public var first: UInt64
    /// The version that each commit took. Once the client has the stream up to that version, the commit isn't pending any more.
    public var versions: [StreamVersion]
    /// The effective clock of the last of them: the client's own clock goes on from there.
    public var clock: Clock
    /// By rising commits and indices.
    public var refusals: [Refusal]
    /// Objects whose deletion was refused, and what they own, whole: they come back in the transaction that takes the refusals in.
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

    /// The number of the last commit that is answered.
    public var last: UInt64 { first &+ UInt64(versions.count) &- 1 }
}
