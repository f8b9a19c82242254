public import FreeholdSyncCore

/// A transport of messages between sessions and a server. The sessions of a user on one host share connections.
public protocol SyncTransport: Sendable {
    /// Opens a line, which is a session's share of a connection. The first line opens the connection.
    ///
    /// - Parameters:
    ///   - isUrgent: A Boolean value that indicates whether to connect without the pause between attempts, because a
    ///     caller waits.
    ///   - listener: A closure that receives the events of the line, in order, on any thread. It must not block.
    func open(isUrgent: Bool, _ listener: @escaping @Sendable (LineEvent) -> Void) -> any SyncLine
}

/// A session's share of a connection.
public protocol SyncLine: Sendable {
    func send(_ message: ClientMessage)
    /// Ends the line. Events that are already being delivered still reach the listener.
    func close()
}

/// An event of a line.
public enum LineEvent: Sendable {
    case opened
    /// A message arrived. `bytes` is its part of the credit for downloads.
    case received(ServerMessage, bytes: UInt64)
    /// Bytes were sent or received while an answer to `hello` or `ping` is outstanding.
    case progressed
    /// The line has ended. The session may open another one.
    case closed(TransportError)
    /// A connection to the host succeeded after this line had been closed by an error and before the session called
    /// `close()`. An attempt to connect is therefore likely to succeed.
    case recovered
}

/// The reason why a connection couldn't be opened, or why it ended.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// No server answers at the address, or the address is unknown.
        case unreachable
        /// The two sides couldn't agree on an encryption, or the certificate of the server isn't valid for the host.
        case tlsFailed
        /// The server answered, but doesn't offer sync at the path.
        case rejected
        case timedOut
        /// The connection ended.
        case closed
        /// The server sent bytes that aren't a valid message.
        case unreadable
        /// The app ended the connection.
        case stopped
    }

    public let code: Code
    /// A description of the error, as a sentence. It contains no token and no data.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
