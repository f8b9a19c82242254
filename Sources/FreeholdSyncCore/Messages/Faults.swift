/// What went wrong, as the client has to take it (sync-design.md, section 9).
public enum SyncFault: Hashable, Sendable {
    /// The client tries again after so many milliseconds.
    case transient(after: UInt64)
    /// The token isn't accepted. The app's to act upon, if a new one doesn't help.
    case auth
    /// The user may not use this app, stream or file.
    case forbidden
    /// The app's to act upon.
    case schema
    /// The query set can't be served at all.
    case query
    /// The client splits what it sent. The number is the most bytes.
    case tooLarge(limit: UInt64)
    /// The other side doesn't keep to the protocol. The client connects again, later each time.
    case violation
    /// The server has another history of the stream: the client resets as it was told to (sync-design.md, section 11).
    case storeReplaced
    /// The server speaks no version of the protocol that the client speaks. The app's to act upon.
    case upgradeRequired
}

/// An error. The session has ended, or the connection if there is no session.
public struct ErrorMessage: Hashable, Sendable {
    public var fault: SyncFault
    /// For logs and people.
    public var text: SyncString

    public init(_ fault: SyncFault, text: SyncString) {
        self.fault = fault
        self.text = text
    }
}

/// What a client should know although nothing went wrong.
public struct Notice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The client was too slow and isn't sent anything any more: it catches up by `resume`.
        case paused
        /// The server goes away in so many milliseconds; another node takes over.
        case leaving(after: UInt64)
        /// The app's schema, roles or the user's data changed: the view follows.
        case viewChanged
        /// Only the text counts.
        case information
    }

    public var kind: Kind
    public var text: SyncString

    public init(_ kind: Kind, text: SyncString = "") {
        self.kind = kind
        self.text = text
    }
}
