/// A message from a client (sync-design.md, section 9). One message is one binary frame.
///
/// Sessions share a connection, and each session is about one file. The messages of a session begin with its number.
public enum ClientMessage: Hashable, Sendable {
    /// The first message of a connection. A later one renews the token.
    case hello(Hello)
    /// Opens a session.
    case bind(SessionNumber, Bind)
    case queries(SessionNumber, Queries)
    case upload(SessionNumber, Upload)
    /// A part of an `upload` with one commit.
    case part(SessionNumber, MessagePart)
    /// Permits the server to send this number of additional bytes in the session.
    case credit(SessionNumber, bytes: UInt64)
    /// Asks the server to send `marked` with this number as soon as it has sent everything that the stream has now.
    case mark(SessionNumber, UInt64)
    /// Asks the server to continue after this cursor: after a pause, after a transient error, or to compare classes by
    /// keys.
    case resume(SessionNumber, Resume)
    /// Requests objects as a whole. The answer is a `changes` that doesn't move the cursor.
    case fetch(SessionNumber, [ObjectName])
    /// Ends the session. Its number isn't used again on the connection.
    case unbind(SessionNumber)
    case ping(Ping)
    /// Writes bytes to the row of the session's file. The answer is `noted` with this number. Only front ends of the server send it.
    case note(SessionNumber, UInt64, [UInt8])
    /// Requests the adoption of a schema. The answer is `claimed`. Only front ends of the server send it.
    case claim(SessionNumber, SchemaClaim)
}

/// A message from a server (sync-design.md, section 9). One message is one binary frame.
public enum ServerMessage: Hashable, Sendable {
    /// The answer to `hello`.
    case welcome(Welcome)
    /// The answer to `bind`.
    case bound(SessionNumber, Bound)
    /// The server refused the query of one class. The queries of other classes are valid.
    case queryError(SessionNumber, QueryError)
    case ack(SessionNumber, Ack)
    case changes(SessionNumber, Changes)
    case bootstrapBegin(SessionNumber, BootstrapBegin)
    case bootstrapChunk(SessionNumber, BootstrapChunk)
    case bootstrapEnd(SessionNumber, BootstrapEnd)
    /// A part of a message that is too large to be sent as one.
    case part(SessionNumber, MessagePart)
    /// Permits the client to upload this number of additional bytes in the session.
    case credit(SessionNumber, bytes: UInt64)
    /// The server has sent everything up to this version, which the stream had when the server received the `mark` with
    /// this number.
    case marked(SessionNumber, UInt64, StreamVersion)
    case notice(SessionNumber, Notice)
    /// An error of a session, or of the whole connection if the number is `nil`.
    case error(SessionNumber?, ErrorMessage)
    case pong(Pong)
    /// The bytes of the `note` with this number are stored. Only front ends of the server receive it.
    case noted(SessionNumber, UInt64)
    /// The decision about a claimed schema. Only front ends of the server receive it.
    case claimed(SessionNumber, SchemaVerdict)
}

/// The number of a session on a connection. The client chooses the numbers, starting at 1.
public struct SessionNumber: RawRepresentable, Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(integerLiteral value: UInt32) { rawValue = value }

    public static func < (a: SessionNumber, b: SessionNumber) -> Bool { a.rawValue < b.rawValue }
}

extension ClientMessage {
    /// The session of the message. `nil` if the message belongs to the connection.
    public var session: SessionNumber? {
        switch self {
        case .hello, .ping: nil
        case .bind(let session, _), .queries(let session, _), .upload(let session, _), .part(let session, _),
            .credit(let session, _),
            .mark(let session, _), .resume(let session, _), .fetch(let session, _), .unbind(let session),
            .note(let session, _, _), .claim(let session, _):
            session
        }
    }
}

extension ServerMessage {
    /// The session of the message. `nil` if the message belongs to the connection.
    public var session: SessionNumber? {
        switch self {
        case .welcome, .pong: nil
        case .bound(let session, _), .queryError(let session, _), .ack(let session, _), .changes(let session, _),
            .bootstrapBegin(let session, _), .bootstrapChunk(let session, _), .bootstrapEnd(let session, _),
            .part(let session, _), .credit(let session, _), .marked(let session, _, _), .notice(let session, _),
            .noted(let session, _), .claimed(let session, _):
            session
        case .error(let session, _): session
        }
    }
}
