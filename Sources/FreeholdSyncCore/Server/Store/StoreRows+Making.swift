// Initialisers with which stores outside of this module create their answers.

extension LogEntry {
    public init(
        stored version: StreamVersion,
        hash: RunningHash,
        clock: Clock,
        time: Int64,
        author: PartName,
        changes: [BeforeImage]
    ) {
        (self.version, self.hash, self.clock, self.time) = (version, hash, clock, time)
        (self.author, self.changes) = (author, changes)
    }
}

extension BeforeImage {
    public init(_ name: ObjectName, _ object: MergedObject?) { (self.name, self.object) = (name, object) }
}

extension FileRow {
    public init(_ ident: FileIdent, user: SyncString, secret: SecretHash, parents: [FileParent]) {
        (self.ident, self.user, self.secret, self.parents) = (ident, user, secret, parents)
    }
}

extension StoredAnswer {
    public init(_ answer: MergeAnswer, hash: RunningHash) { (self.answer, self.hash) = (answer, hash) }
}

extension MergeAnswer {
    public init(stored commit: UInt64, version: StreamVersion, clock: Clock, refusals: [Refusal]) {
        (self.commit, self.version, self.clock, self.refusals) = (commit, version, clock, refusals)
    }
}

extension StreamStep {
    public init(
        _ from: Cursor,
        _ to: Cursor,
        clock: Clock,
        _ objects: [ObjectStep],
        commits: [StepCommit],
        horizon: StreamVersion,
        head: StreamHead?
    ) {
        (self.from, self.to, self.clock, self.objects, self.commits) = (from, to, clock, objects, commits)
        (self.horizon, self.head) = (horizon, head)
    }
}

extension ObjectStep {
    public init(_ name: ObjectName, before: MergedObject?, after: MergedObject?) {
        (self.name, self.before, self.after) = (name, before, after)
    }
}

extension ObjectPage {
    public init(_ objects: [(name: ObjectName, object: MergedObject)], isLast: Bool, horizon: StreamVersion) {
        (self.objects, self.isLast, self.horizon) = (objects, isLast, horizon)
    }
}

extension FileAnswer {
    /// Creates the answer for a file that the store doesn't have.
    public init(_ head: StreamHead) {
        self.head = head
        answers = []
    }
}

extension StoreRows {
    public init(at head: StreamHead) { self.head = head }
}

extension RowQuery {
    /// The text of the error for objects that are too large.
    public var limitText: SyncString {
        SyncString("The objects that the commits are about have more than \(mostBytes) bytes together.")
    }
}

extension LinkQuery {
    /// Returns a Boolean value that indicates whether an object links to the target by the property.
    public func matches(_ name: ObjectName, _ object: MergedObject) -> Bool {
        name.className == property.className && object.isAlive && object.links(to: target, by: property.property)
    }
}

extension HolderQuery {
    /// Returns a Boolean value that indicates whether an object holds all values.
    public func matches(_ name: ObjectName, _ object: MergedObject) -> Bool {
        guard name.className == className, object.isAlive else { return false }
        return zip(properties, values).allSatisfy { property, element in
            guard case .value(let value)? = object.content(property) else { return false }
            return SetElement(value) == element
        }
    }
}

extension UInt64 {
    /// Returns the number of bytes of a user after a commit.
    package func adding(growth: Int64) -> UInt64 {
        growth < 0 ? self - Swift.min(growth.magnitude, self) : addingOrMax(growth.magnitude)
    }
}

extension PartName {
    public init(_ ident: FileIdent, _ commit: UInt64) { (self.ident, self.commit) = (ident, commit) }
}

extension ServerStoreRequest {
    public init(_ stream: StreamName, _ kind: Kind) { (self.stream, self.kind) = (stream, kind) }
}
