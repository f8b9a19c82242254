/// What one local transaction did, as it goes to the server (sync-design.md, sections 7 and 9).
public struct Commit: Hashable, Sendable {
    /// Counts the commits of the file, from 1 without gaps: a resend is known by it.
    public let number: UInt64
    /// The client's clock. The server makes the effective one of it (section 4).
    public let clock: Clock
    /// The author's cursor: the stream's version up to which it had the changes.
    public let base: StreamVersion
    /// Of each object that the changes speak of and that was confirmed to the author: the version of it that the author saw. An object
    /// that isn't here was made by the author's own work, which the server hasn't confirmed. The version can be greater than `base`
    /// (half a bootstrap, H5) and less than the object's at `base` (edits older than a download).
    public let seen: [ObjectName: StreamVersion]
    /// The schema by which the changes name classes and properties (section 11).
    public let schemaVersion: UInt64
    /// In the order in which they were done.
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

/// A change that the server acknowledged without doing it, handed back whole (sync-design.md, section 1, sentence 3).
public struct Refusal: Hashable, Sendable {
    /// Of the file's commit.
    public internal(set) var commit: UInt64
    /// The index of the change in the commit.
    public let index: Int
    public internal(set) var change: Change
    public internal(set) var reason: RefusalReason
    /// The field that the user may not write, with dots before the names of fields of embedded objects, if the reason is `.forbidden` and a
    /// field is the cause.
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
    /// The object isn't there: deleted, or another was made under its name since, or its creation was refused.
    case objectGone
    /// The embedded object was replaced or removed.
    case instanceGone
    /// A rule of the app said no.
    case forbidden
    /// An object with these values in a unique constraint exists.
    case notUnique
    /// A link whose delete rule is `deny` holds the object.
    case denied
    /// The deletion that caused this one was refused.
    case causeRefused
    /// Another object of the commit was refused, and the app refuses whole commits.
    case commitRefused
    /// The class takes new objects only.
    case createOnly
    /// It names a place or an element that never was.
    case malformed
    /// The work is from before the horizon, and the list has no element any more that the change can be about.
    case elementGone
    /// The server's store can't keep what the commit would make of the object: a key, a value or an object is too large.
    case tooLarge
    /// Another file made the object under the same key, and what it wrote is later. The change holds what gave way. A client finds it out by itself.
    case replaced
    /// A migration of the app gave the property another type, which doesn't hold the change. A client finds it out by itself.
    case retyped
}
