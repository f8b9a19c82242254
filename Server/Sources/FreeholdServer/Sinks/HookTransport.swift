/// A transport for the requests of a ``HookSink``.
package protocol HookTransport: Sendable {
    /// Sends a request, and returns the answer.
    ///
    /// - Throws: An error if no complete answer arrives.
    func post(_ request: HookRequest) async throws -> HookAnswer
}

package struct HookRequest: Sendable {
    /// The rules by which the body of an answer is kept.
    package struct Kept: Sendable {
        /// The largest number of bytes.
        let most: Int
        /// Counts bytes, before they are kept.
        ///
        /// - Parameter total: All bytes so far.
        /// - Returns: `false` if the bytes may not be kept. They aren't counted then.
        let take: @Sendable (_ bytes: Int, _ total: Int) -> Bool
        /// Removes the bytes from the count at the end of the request.
        let give: @Sendable (_ bytes: Int) -> Void
    }

    package let address: HookAddress
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]
    package let timeout: Duration
    /// A Boolean value that indicates whether the request is a GET. Its body isn't sent then.
    package var isGet = false
    /// `nil` if only the status is needed. An answer that is too long is an error otherwise.
    package var kept: Kept?
}

package struct HookAnswer: Sendable {
    package let status: Int
    /// The time to wait, in seconds.
    package let retryAfter: Int?
    /// The body. Empty if the request doesn't keep it.
    package var body: [UInt8] = []

    package init(status: Int, retryAfter: Int? = nil) {
        self.status = status
        self.retryAfter = retryAfter
    }
}

/// The address of requests: `https://hooks.example.org:8443/readings?a=b`.
package struct HookAddress: Hashable, Sendable {
    package let isSecure: Bool
    /// The host without brackets.
    package let host: String
    package let port: Int
    /// The path with the query.
    package let path: String

    /// - Throws: `IngestFailure` for an address with another scheme, with a user name or a password, with a fragment,
    ///   or without encryption to another machine.
    package init(_ text: String) throws(IngestFailure) {
        func wrong(_ reason: String) -> IngestFailure { IngestFailure("'\(text.prefix(200))' \(reason)") }
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), text.utf8.count <= 2_000 else {
            throw wrong("isn't an address: it has characters that have to be escaped.")
        }
        let rest: Substring
        if text.hasPrefix("https://") {
            (isSecure, rest) = (true, text.dropFirst(8))
        } else if text.hasPrefix("http://") {
            (isSecure, rest) = (false, text.dropFirst(7))
        } else {
            throw wrong("doesn't begin with https:// or http://.")
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let tail = String(rest[end...])
        guard !tail.contains("#") else { throw wrong("has a fragment.") }
        path = tail.hasPrefix("/") ? tail : "/" + tail
        var authority = rest[..<end]
        guard !authority.contains("@") else { throw wrong("has a name in it: send an Authorization header instead.") }
        var port: Substring?
        if authority.hasPrefix("["), let close = authority.firstIndex(of: "]") {
            let behind = authority[authority.index(after: close)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { throw wrong("has no host that can be read.") }
            port = behind.isEmpty ? nil : behind.dropFirst()
            authority = authority[authority.index(after: authority.startIndex)..<close]
        } else if let colon = authority.lastIndex(of: ":") {
            port = authority[authority.index(after: colon)...]
            authority = authority[..<colon]
        }
        host = String(authority)
        let isBracketed = rest.hasPrefix("[")
        let isHost = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
            case UInt8(ascii: ":"): isBracketed
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            default: !isBracketed && (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_"))
            }
        }
        guard !host.isEmpty, isHost else { throw wrong("has no host that can be read.") }
        if let port {
            guard let number = Int(port), 1...65_535 ~= number else { throw wrong("has no port that can be used.") }
            self.port = number
        } else {
            self.port = isSecure ? 443 : 80
        }
        guard isSecure || Self.isLoopback(host) else {
            throw wrong("isn't encrypted: only addresses of this machine may do without https.")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host and the port for the header `Host`.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    // MARK: Headers

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    static func isFieldValue(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }

    static func percentEncoded(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            if 0x21...0x7E ~= byte, byte != UInt8(ascii: "%") {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
