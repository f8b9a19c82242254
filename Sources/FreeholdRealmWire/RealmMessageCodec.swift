/// A compression of message bodies in the zlib format (RFC 1950). The caller provides it, because this module has no dependencies.
public protocol WireCompression: Sendable {
    /// Returns the compressed bytes, or `nil` if they wouldn't be fewer.
    func compressed(_ bytes: [UInt8]) -> [UInt8]?

    /// Returns the expanded bytes, or `nil` if the input isn't one whole stream or has more than `count` bytes.
    ///
    /// An implementation never needs more memory than for `count` bytes.
    func inflated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8]?
}

/// The encoding of messages on a connection of an official client.
///
/// A message is one line of words, and a body.
///
///     let codec = RealmMessageCodec(version: 14, compression: zlib)
///     let message = try codec.clientMessage(frame)
///     let answer = try codec.encoded(.mark(session: 1, number: 1))
public struct RealmMessageCodec: Sendable {
    /// The versions of the protocol that this codec speaks.
    public static let versions = 8...14

    /// The version of the connection.
    public let version: Int
    /// The compression of bodies. `nil` if bodies aren't compressed and compressed messages are refused.
    public var compression: (any WireCompression)?
    public var limits: WireLimits

    /// The number of bytes above which a body is compressed.
    static let threshold = 1024

    /// - Precondition: `versions` contains `version`.
    public init(version: Int, compression: (any WireCompression)? = nil, limits: WireLimits = .usual) {
        precondition(Self.versions.contains(version), "The protocol has the versions 8 to 14")
        self.version = version
        self.compression = compression
        self.limits = limits
    }

    /// Returns the greatest version among the sub-protocols that a client offers, or `nil` if none is known.
    ///
    /// - Parameter protocols: The names of `Sec-WebSocket-Protocol`, separated by commas.
    public static func version(offered protocols: String) -> (version: Int, name: String)? {
        var best: (version: Int, name: String)?
        for part in protocols.split(separator: ",").prefix(64) {
            let name = String(part.drop(while: \.isWhitespace)).trimmedAtEnd
            let digits = name.dropFirst(prefix.count)
            guard name.hasPrefix(prefix), digits.utf8.allSatisfy({ (48...57).contains($0) }), let version = Int(digits),
                versions.contains(version), version > (best?.version ?? 0)
            else { continue }
            best = (version, name)
        }
        return best
    }

    private static let prefix = "com.mongodb.realm-query-sync#"

    // MARK: Bodies

    /// Returns a body's words about its compression, and its bytes.
    func packed(_ body: [UInt8]) -> (isPacked: Bool, size: Int, packedSize: Int, bytes: [UInt8]) {
        if body.count > Self.threshold, let smaller = compression?.compressed(body), smaller.count < body.count {
            return (true, body.count, smaller.count, smaller)
        }
        return (false, body.count, 0, body)
    }

    /// Returns the expanded body of a message.
    func expanded(_ reader: inout HeaderReader, _ words: (isPacked: Bool, size: Int, packedSize: Int)) throws(WireError)
        -> ArraySlice<UInt8>
    {
        guard words.size <= limits.message else { throw reader.error(.tooLarge, "A body is too large") }
        guard words.isPacked else { return try reader.body(words.size) }
        let body = try reader.body(words.packedSize)
        guard let compression else { throw reader.error(.unsupported, "A body is compressed") }
        guard let bytes = compression.inflated(body, count: words.size), bytes.count == words.size else {
            throw reader.error(.invalidCompression, "A compressed body can't be expanded")
        }
        return bytes[...]
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        var text = self[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

/// Reads the words of a line, and the bytes after it.
struct HeaderReader {
    let bytes: ArraySlice<UInt8>
    private var position: Int
    private var isAtBody = false

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    func error(_ code: WireError.Code, _ reason: String) -> WireError {
        WireError(code, reason, offset: position - bytes.startIndex)
    }

    /// Reads a word, and the space or the end of the line after it.
    private mutating func word() throws(WireError) -> ArraySlice<UInt8> {
        guard !isAtBody else { throw error(.invalidHeader, "A message has too few words") }
        var end = position
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: " "), bytes[end] != UInt8(ascii: "\n") {
            end += 1
            guard end - position <= 32 else { throw error(.invalidHeader, "A word of a message is too long") }
        }
        guard end < bytes.endIndex, end > position else {
            throw error(.invalidHeader, "The line of a message doesn't end")
        }
        isAtBody = bytes[end] == UInt8(ascii: "\n")
        defer { position = end + 1 }
        return bytes[position..<end]
    }

    mutating func name() throws(WireError) -> String { String(decoding: try word(), as: UTF8.self) }

    mutating func unsigned() throws(WireError) -> UInt64 {
        let word = try word()
        var value: UInt64 = 0
        for byte in word {
            guard (48...57).contains(byte) else { throw error(.invalidHeader, "A word of a message isn't a number") }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooLarge) = product.addingReportingOverflow(UInt64(byte - 48))
            guard !overflow, !isTooLarge else { throw error(.invalidHeader, "A number of a message is too large") }
            value = sum
        }
        return value
    }

    mutating func signed() throws(WireError) -> Int64 {
        if position < bytes.endIndex, bytes[position] == UInt8(ascii: "-") {
            position += 1
            let value = try unsigned()
            guard value <= UInt64(Int64.max) + 1 else {
                throw error(.invalidHeader, "A number of a message is too large")
            }
            return Int64(truncatingIfNeeded: 0 &- value)
        }
        guard let value = Int64(exactly: try unsigned()) else {
            throw error(.invalidHeader, "A number of a message is too large")
        }
        return value
    }

    mutating func bool() throws(WireError) -> Bool {
        let value = try unsigned()
        guard value <= 1 else { throw error(.invalidHeader, "A flag of a message isn't 0 or 1") }
        return value == 1
    }

    mutating func size() throws(WireError) -> Int {
        guard let size = Int(exactly: try unsigned()) else {
            throw error(.invalidHeader, "A size of a message is too large")
        }
        return size
    }

    /// Reads a number from 0 to 1.
    mutating func fraction() throws(WireError) -> Double {
        let word = try word()
        guard word.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }),
            let value = Double(String(decoding: word, as: UTF8.self)), value >= 0, value <= 1
        else { throw error(.invalidHeader, "A progress isn't between 0 and 1") }
        return value
    }

    /// Checks that the line has ended.
    func endLine() throws(WireError) {
        guard isAtBody else { throw error(.invalidHeader, "A message has too many words") }
    }

    /// Reads bytes after the line.
    mutating func body(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
        try endLine()
        guard count >= 0, count <= bytes.endIndex - position else { throw error(.truncated, "A body ends too early") }
        defer { position += count }
        return bytes[position..<position + count]
    }

    /// Checks that nothing follows.
    func end() throws(WireError) {
        try endLine()
        guard isAtEnd else { throw error(.leftover, "Bytes follow a message") }
    }

    // MARK: Entries

    /// Reads the bytes of an entry, which follow its words and a space.
    mutating func entry(_ count: Int) throws(WireError) -> [UInt8] {
        guard count >= 0, count <= bytes.endIndex - position else { throw error(.truncated, "An entry ends too early") }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
