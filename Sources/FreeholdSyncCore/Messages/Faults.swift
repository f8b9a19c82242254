/// The kind of an error. It decides how the client reacts (sync-design.md, section 9).
public enum SyncFault: Hashable, Sendable {
    /// A temporary error. The client tries again after this number of milliseconds.
    case transient(after: UInt64)
    /// The server doesn't accept the token. If a new token doesn't help, the app has to act.
    case auth
    /// The user has no right to use this app, stream or file.
    case forbidden
    /// The server doesn't accept the schema. The app has to act.
    case schema
    /// The server can't serve the query set.
    case query
    /// The message was too large. The client splits it. `limit` is the maximum size in bytes.
    case tooLarge(limit: UInt64)
    /// The other side violated the protocol. The client connects again, after a delay that increases each time.
    case violation
    /// The server has another history of the stream. The client resets the file according to its reset mode
    /// (sync-design.md, section 11).
    case storeReplaced
    /// The server supports no version of the protocol that the client supports. The app has to act.
    case upgradeRequired
}

/// An error that ended the session, or the connection if the message has no session.
public struct ErrorMessage: Hashable, Sendable {
    public var fault: SyncFault
    /// A description of the error for logs and people.
    public var text: SyncString

    public init(_ fault: SyncFault, text: SyncString) {
        self.fault = fault
        self.text = text
    }
}

/// Information for a client that isn't an error.
public struct Notice: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The server sends no more changes because the client was too slow. The client continues with `resume`.
        case paused
        /// The server shuts down in this number of milliseconds. Another node takes over.
        case leaving(after: UInt64)
        /// The app's schema, its roles or the user's data have changed. The server sends the changes of the view.
        case viewChanged
        /// Only the text has a meaning.
        case information
    }

    public var kind: Kind
    public var text: SyncString

    public init(_ kind: Kind, text: SyncString = "") {
        self.kind = kind
        self.text = text
    }
}
