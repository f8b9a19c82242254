public import FreeholdSyncCore

/// Brings the messages of sessions to a server and back. Sessions of one user and host share connections.
public protocol SyncTransport: Sendable {
    /// Opens a line: a session's share of a connection, which is made if there is none.
    ///
    /// - Parameters:
    ///   - isUrgent: somebody waits, so that no pause between attempts is kept.
    ///   - listener: hears what happens to the line, in order, on any thread. It must not block.
    func open(isUrgent: Bool, _ listener: @escaping @Sendable (LineEvent) -> Void) -> any SyncLine
}

/// A session's share of a connection.
public protocol SyncLine: Sendable {
    func send(_ message: ClientMessage)
    /// Ends the line. What is already on its way to the listener still comes.
    func close()
}

/// What happens to a line.
public enum LineEvent: Sendable {
    case opened
    /// A message, and what it takes of the credit for downloads.
    case received(ServerMessage, bytes: UInt64)
    /// Bytes were sent or received while an answer to `hello` or `ping` is outstanding.
    case progressed
    /// The line is dead. The session may open another one.
    case closed(TransportError)
    /// A connection to the host came about after this line was closed, and before the session closed it: it's worth trying.
    case recovered
}

/// Why a connection didn't come about, or ended.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// Nobody answers at the address, or it isn't known.
        case unreachable
        /// The two sides agreed on no encryption, or the server isn't who it should be.
        case tlsFailed
        /// The server answers, but offers no sync there.
        case rejected
        case timedOut
        /// The connection ended.
        case closed
        /// The server sent what is no message.
        case unreadable
        /// The app ended it.
        case stopped
    }

    public let code: Code
    /// What happened, in a sentence. It holds no token and no data.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
