/// The changes of one local transaction, in the form that is sent to the server (sync-design.md, sections 7 and 9).
public struct Commit: Hashable, Sendable {
    /// The number of the commit in its file, starting at 1 without gaps. The server recognises repeated commits by it.
    public let number: UInt64
    /// The client's clock. The server computes the effective clock from it (section 4).
    public let clock: Clock
    /// The author's cursor: the version of the stream up to which the file had the changes.
    public let base: StreamVersion
    /// The versions of the changed objects that the author saw. An object that is missing here was created by the
    /// author's own unconfirmed work. The version can be greater than `base` (an incomplete bootstrap, H5) and less
    /// than the object's version at `base` (edits that are older than a download).
    public let seen: [ObjectName: StreamVersion]
    /// The version of the schema whose names of classes and properties the changes use (section 11).
    public let schemaVersion: UInt64
    /// The changes, in the order in which they were done.
    public let changes: [Change]

    public init(
        number: UInt64,
        clock: Clock,
        base: StreamVersion,
        seen: [ObjectName: StreamVersion] = [:],
        schemaVersion: UInt64 = 0,
        changes: [Change]
    ) {
        self.number = number
        self.clock = clock
        self.base = base
        self.seen = seen
        self.schemaVersion = schemaVersion
        self.changes = changes
    }
}

/// A change that the server answered without applying it. It is returned as a whole (sync-design.md, section 1,
/// sentence 3).
public struct Refusal: Hashable, Sendable {
    /// The number of the file's commit.
    public internal(set) var commit: UInt64
    /// The index of the change in the commit.
    public let index: Int
    public internal(set) var change: Change
    public internal(set) var reason: RefusalReason
    /// The field that the user has no right to write, if the reason is `.forbidden` and a field is the cause. Names of
    /// fields of embedded objects follow dots.
    public internal(set) var field: SyncString?
    /// A Boolean value that indicates whether `change` lacks its content, because the refused changes of the commit are large. The author's
    /// file has the content: `completed(by:)`.
    public internal(set) var isOutline: Bool

    public init(
        commit: UInt64,
        index: Int,
        change: Change,
        reason: RefusalReason,
        field: SyncString? = nil,
        isOutline: Bool = false
    ) {
        self.commit = commit
        self.index = index
        self.change = change
        self.reason = reason
        self.field = field
        self.isOutline = isOutline
    }

    /// Returns the refusal with a field as its cause.
    func naming(_ field: SyncString?) -> Refusal {
        guard let field, reason == .forbidden else { return self }
        var named = self
        named.field = field
        return named
    }
}

public enum RefusalReason: Hashable, Sendable {
    /// The object doesn't exist: it was deleted, it was deleted and created again by another author, or its creation
    /// was refused.
    case objectGone
    /// The embedded object was replaced or removed.
    case instanceGone
    /// A rule of the app forbids the change.
    case forbidden
    /// An object with these values in a unique constraint exists.
    case notUnique
    /// A link with the delete rule `deny` leads to the object.
    case denied
    /// The deletion that caused this one was refused.
    case causeRefused
    /// Another object of the commit was refused, and the app refuses whole commits.
    case commitRefused
    /// The class is asymmetric, so it only accepts new objects.
    case createOnly
    /// The change names a place or an element that never existed.
    case malformed
    /// The work is from before the horizon, and no element of the list matches the one that the change is about.
    case elementGone
    /// The server's store can't store the result of the commit, because a key, a value or an object is too large.
    case tooLarge
    /// Another file created the object under the same key, and its values are later. The change contains the values
    /// that were replaced. The client finds this out without the server.
    case replaced
    /// A migration of the app changed the type of the property, and the new type doesn't accept the change. The client
    /// finds this out without the server.
    case retyped
}
