#if Sync
    public import NIOSSL

    /// Where a server offers sync.
    public struct SyncEndpoint: Hashable, Sendable, CustomStringConvertible {
        public var host: String
        public var port: Int
        /// Encrypts, and makes sure that the server is the one that its certificate names.
        public var isSecure: Bool
        public var path: String

        public init(host: String, port: Int, isSecure: Bool = true, path: String = "/sync") {
            self.host = host
            self.port = port
            self.isSecure = isSecure
            self.path = path
        }

        /// Reads `wss://host:port/path`; `ws`, `https` and `http` are understood, too. The path is `/sync` if none is there.
        ///
        /// - Returns: nil if it isn't such an address, or has a user, a query or a fragment: tokens don't belong there.
        public init?(_ address: String) {
            guard let range = address.firstRange(of: "://") else { return nil }
            switch address[..<range.lowerBound].lowercased() {
            case "wss", "https": isSecure = true
            case "ws", "http": isSecure = false
            default: return nil
            }
            let rest = address[range.upperBound...]
            guard !rest.contains(where: { "@?# ".contains($0) }) else { return nil }
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            path = rest[slash...].count > 1 ? String(rest[slash...]) : "/sync"
            var host = rest[..<slash]
            port = isSecure ? 443 : 80
            // An address of IPv6 is in brackets, and has colons of its own.
            let end = host.last == "]" ? nil : host.lastIndex(of: ":")
            if let end, !host[..<end].hasPrefix("[") || host[..<end].hasSuffix("]") {
                guard let number = UInt16(host[host.index(after: end)...]) else { return nil }
                port = Int(number)
                host = host[..<end]
            }
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { return nil }
            self.host = String(host)
        }

        public var description: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

        /// The host and the port as the header `Host` has them: an address of IPv6 in brackets.
        var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// How connections behave. Times are in milliseconds.
    public struct ConnectionSettings: Sendable {
        /// For the address, encryption and the upgrade to a WebSocket together.
        public var connectTimeout: Int64 = 15_000
        /// For the answers to `hello` and `ping`, counted from the last byte that was sent or received.
        public var answerTimeout: Int64 = 20_000
        /// How often a connection that waits for such an answer looks whether bytes were sent or received. It is less than the sessions'
        /// `ClientConfiguration.pingInterval`.
        public var progressInterval: Int64 = 5_000
        /// Between attempts; doubled with each that fails, up to `longestPause`.
        public var shortestPause: Int64 = 500
        public var longestPause: Int64 = 60_000
        /// Messages of a KiB and more are compressed, if the server does that, too.
        public var compressesMessages = true
        /// The most bytes of a frame.
        public var frameBytes = 17 << 20
        /// The most sessions of a connection; more take another one.
        public var sessions = 1_000
        /// Sent with the request for an upgrade: proxies may want some.
        public var headers: [(name: String, value: String)] = []
        /// What certificates are trusted, and more. Nil: those of the system.
        public var tls: TLSConfiguration?

        /// The bytes that the system holds of what it hasn't sent.
        static let unsentBytes = 128 << 10

        public init() {}
    }
#endif
