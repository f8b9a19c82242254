#if Sync
    public import NIOSSL

    /// The address at which a server offers sync.
    public struct SyncEndpoint: Hashable, Sendable, CustomStringConvertible {
        public var host: String
        public var port: Int
        /// A Boolean value that indicates whether the connection is encrypted, and the certificate of the server is
        /// verified.
        public var isSecure: Bool
        public var path: String

        public init(host: String, port: Int, isSecure: Bool = true, path: String = "/sync") {
            self.host = host
            self.port = port
            self.isSecure = isSecure
            self.path = path
        }

        /// Reads `wss://host:port/path`. The schemes `ws`, `https` and `http` are accepted, too. The default path is
        /// `/sync`.
        ///
        /// - Returns: `nil` if the text isn't such an address, or if it has a user, a query or a fragment, because
        ///   these could contain tokens.
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
            // An IPv6 address is in brackets, and contains colons itself.
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

        /// The host and the port for the header `Host`, with an IPv6 address in brackets.
        var authority: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// The settings of connections. All times are in milliseconds.
    public struct ConnectionSettings: Sendable {
        /// The maximum time for the resolution of the address, the encryption and the upgrade to a WebSocket together.
        public var connectTimeout: Int64 = 15_000
        /// The maximum time for the answers to `hello` and `ping`, from the last byte that was sent or received.
        public var answerTimeout: Int64 = 20_000
        /// The interval at which a connection that waits for such an answer checks for sent or received bytes. It is
        /// less than the sessions' `ClientConfiguration.pingInterval`.
        public var progressInterval: Int64 = 5_000
        /// The pause between attempts. It is doubled after each failed attempt, up to `longestPause`.
        public var shortestPause: Int64 = 500
        public var longestPause: Int64 = 60_000
        /// A Boolean value that indicates whether messages of 1 KiB or more are compressed, if the server supports
        /// that.
        public var compressesMessages = true
        /// The maximum number of bytes of a frame.
        public var frameBytes = 17 << 20
        /// The maximum number of sessions of a connection. Further sessions use another connection.
        public var sessions = 1_000
        /// The name of the client that the server shows to administrators.
        public var agent = ConnectionSettings.usualAgent
        /// The headers of the request for an upgrade. Some proxies need them.
        public var headers: [(name: String, value: String)] = []
        /// The trusted certificates and other TLS settings. `nil` stands for the certificates of the system.
        public var tls: TLSConfiguration?

        private static var usualAgent: String {
            #if os(Linux)
                "Freehold (Linux)"
            #elseif os(macOS)
                "Freehold (macOS)"
            #elseif os(iOS)
                "Freehold (iOS)"
            #else
                "Freehold"
            #endif
        }

        /// The maximum number of unsent bytes that the system buffers.
        static let unsentBytes = 128 << 10

        public init() {}
    }
#endif
