/// What a client sends (sync-design.md, section 9). One message is one binary frame.
///
/// Sessions share a connection: each is one file. Messages of a session begin with its number.
public enum ClientMessage: Hashable, Sendable {
    /// The first message of a connection. A later one renews the token.
    case hello(Hello)
    /// Opens a session.
    case bind(SessionNumber, Bind)
    case queries(SessionNumber, Queries)
    case upload(SessionNumber, Upload)
    /// Bytes of an `upload` that has one commit.
    case part(SessionNumber, MessagePart)
    /// The server may send this many bytes more in the session.
    case credit(SessionNumber, bytes: UInt64)
    /// Asks the server to send `marked` with this number as soon as it has sent everything that the stream holds now.
    case mark(SessionNumber, UInt64)
    /// Asks the server to go on from this cursor: after it paused, after an error that has passed, or to compare classes by keys.
    case resume(SessionNumber, Resume)
    /// Asks for these objects as a whole. The answer is a `changes` that doesn't move the cursor.
    case fetch(SessionNumber, [ObjectName])
    /// Ends the session. The number isn't used again in the connection.
    case unbind(SessionNumber)
    case ping(Ping)
}

/// What a server sends (sync-design.md, section 9). One message is one binary frame.
public enum ServerMessage: Hashable, Sendable {
    /// The answer to `hello`.
    case welcome(Welcome)
    /// The answer to `bind`.
    case bound(SessionNumber, Bound)
    /// The query of one class wasn't understood. Those of other classes are in force.
    case queryError(SessionNumber, QueryError)
    case ack(SessionNumber, Ack)
    case changes(SessionNumber, Changes)
    case bootstrapBegin(SessionNumber, BootstrapBegin)
    case bootstrapChunk(SessionNumber, BootstrapChunk)
    case bootstrapEnd(SessionNumber, BootstrapEnd)
    /// Bytes of a message that is too large to be sent at once.
    case part(SessionNumber, MessagePart)
    /// The client may upload this many bytes more in the session.
    case credit(SessionNumber, bytes: UInt64)
    /// Everything is sent that the stream held when the `mark` with this number came: all up to this version.
    case marked(SessionNumber, UInt64, StreamVersion)
    case notice(SessionNumber, Notice)
    /// An error of a session, or of the whole connection if there is no number.
    case error(SessionNumber?, ErrorMessage)
    case pong(Pong)
}

/// Names a session of a connection. The client chooses the numbers, from 1.
public struct SessionNumber: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(integerLiteral value: UInt32) { rawValue = value }

    public static func < (a: SessionNumber, b: SessionNumber) -> Bool { a.rawValue < b.rawValue }
}

extension ClientMessage {
    /// The session that the message belongs to; nil if it belongs to the connection.
    public var session: SessionNumber? {
        switch self {
        case .hello, .ping: nil
        case .bind(let session, _), .queries(let session, _), .upload(let session, _), .part(let session, _),
            .credit(let session, _),
            .mark(let session, _), .resume(let session, _), .fetch(let session, _), .unbind(let session):
            session
        }
    }
}

extension ServerMessage {
    /// The session that the message belongs to; nil if it belongs to the connection.
    public var session: SessionNumber? {
        switch self {
        case .welcome, .pong: nil
        case .bound(let session, _), .queryError(let session, _), .ack(let session, _), .changes(let session, _),
            .bootstrapBegin(let session, _), .bootstrapChunk(let session, _), .bootstrapEnd(let session, _),
            .part(let session, _), .credit(let session, _), .marked(let session, _, _), .notice(let session, _):
            session
        case .error(let session, _): session
        }
    }
}
