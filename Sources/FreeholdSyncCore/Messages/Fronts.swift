/// The state of a file whose client uses another protocol. A front end of the server sends it in a bind.
///
/// A front end translates another protocol and exchanges messages with the server's machine like a client. It keeps bytes of its own in the
/// rows of its files. These messages stay inside the server: the codec doesn't write them.
public struct FrontBind: Hashable, Sendable {
    /// A Boolean value that indicates whether the front end only reads the row. The session ends after the answer.
    public var isReading = false
    /// The version of the stream that the client has. `nil` if it has no data.
    public var cursor: StreamVersion?
    /// The newest version that the client has received, and the salt of its history.
    public var latest: Latest?
    /// The query set that the client has.
    public var queries: Queries?

    public struct Latest: Hashable, Sendable {
        public var version: StreamVersion
        public var salt: Int64

        public init(version: StreamVersion, salt: Int64) { (self.version, self.salt) = (version, salt) }
    }

    public init(
        isReading: Bool = false,
        cursor: StreamVersion? = nil,
        latest: Latest? = nil,
        queries: Queries? = nil
    ) {
        (self.isReading, self.cursor, self.latest, self.queries) = (isReading, cursor, latest, queries)
    }
}

/// Bytes of a front end in two parts. The second part is common to the commits of an upload, so that it isn't copied for each.
public struct FrontBytes: Hashable, Sendable {
    public var head: [UInt8]
    public var rest: [UInt8]

    public init(head: [UInt8], rest: [UInt8]) { (self.head, self.rest) = (head, rest) }
}

/// The row of a file, for a front end.
public struct FrontRow: Hashable, Sendable {
    /// The bytes of the front end.
    public var bytes: [UInt8]
    /// The version of the commit that wrote the bytes. 0 if they were written without a commit.
    public var version: StreamVersion
    /// The number of the file's last commit, and the running hash up to it.
    public var last: UInt64
    public var hash: RunningHash
    /// The head of the stream.
    public var head: Cursor
    /// The position at which the session continues. `nil` if it begins with a bootstrap.
    public var cursor: Cursor?

    /// Creates the value from a stored row, whose bytes begin with the version.
    init(_ row: FileRow, head: Cursor) {
        (last, hash, self.head) = (row.last, row.hash, head)
        version = row.front.prefix(8).reversed().reduce(0) { $0 << 8 | StreamVersion($1) }
        bytes = Array(row.front.dropFirst(8))
    }

    /// Returns the stored form of bytes.
    public static func stored(_ bytes: [UInt8], version: StreamVersion) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: version >> ($0 * 8)) } + bytes
    }
}

extension FileSecret {
    /// The secret of a file of a protocol whose secrets have 63 bits.
    public init(salt: Int64) { self.init(high: UInt64(bitPattern: salt), low: 0) }

    /// The positive number from which the secret was made.
    public var salt: Int64 { Int64(bitPattern: high & UInt64(Int64.max)) }
}

extension Cursor {
    /// A positive number that identifies the history up to the version.
    public var salt: Int64 {
        let words = [epoch, version, hash.high, hash.low]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        return max(Int64(bitPattern: RunningHash.empty.appending(bytes).low & UInt64(Int64.max)), 1)
    }
}
