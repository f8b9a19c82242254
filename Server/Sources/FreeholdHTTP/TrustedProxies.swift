#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The proxies that are trusted to name the address of a client.
///
/// Each proxy adds the address from which it received the request at the end of the header. The address of the client is therefore the last
/// address that doesn't belong to a trusted proxy. The addresses before it may be false.
public struct TrustedProxies: Hashable, Sendable {
    /// The name of the header, such as `X-Forwarded-For`.
    public let header: String
    private let networks: [Network]

    /// No proxies.
    public static let none = TrustedProxies()

    private init() { (header, networks) = ("X-Forwarded-For", []) }

    /// - Parameter networks: Addresses, or networks such as `10.0.0.0/8` and `fd00::/8`.
    /// - Throws: ``InvalidNetwork`` for a text that is neither.
    public init(_ networks: [String], header: String = "X-Forwarded-For") throws {
        self.header = header
        self.networks = try networks.map { text in
            guard let network = Network(text) else {
                throw InvalidNetwork(text: text)
            }
            return network
        }
    }

    /// The error of a text that is neither an address nor a network.
    public struct InvalidNetwork: Error, Hashable, Sendable {
        public let text: String
    }

    /// Returns the address of the client that sent a request.
    ///
    /// - Parameters:
    ///   - peer: The address of the connection's other side.
    ///   - forwarded: The values of the header.
    /// - Complexity: O(addresses of trusted proxies × networks)
    public func client(_ peer: String, _ forwarded: [String]) -> String {
        guard !networks.isEmpty, trusts(peer) else { return peer }
        var client = peer
        let said = forwarded.joined(separator: ",").split(separator: ",").suffix(32)
        for part in said.reversed() {
            guard let address = Self.address(part.trimmingPrefix { $0 == " " || $0 == "\t" }) else { return client }
            client = address
            if !trusts(address) { return address }
        }
        return client
    }

    func trusts(_ address: String) -> Bool {
        guard let octets = Network.octets(address) else { return false }
        return networks.contains { $0.contains(octets) }
    }

    /// Returns the bytes of an IPv4 address, or those of the 64-bit network of an IPv6 address. Returns `nil` for a text that is neither.
    static func network(of address: String) -> [UInt8]? {
        guard let octets = Network.octets(address) else { return nil }
        let isMapped = octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
        return isMapped ? Array(octets[12...]) : Array(octets[..<8])
    }

    /// Returns an address without a port, brackets and a zone. Returns `nil` for a text that isn't an address.
    private static func address(_ text: Substring) -> String? {
        var text = text
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        if text.first == "[" {
            text = text.dropFirst().prefix { $0 != "]" }
        } else if text.filter({ $0 == ":" }).count == 1 {
            text = text.prefix { $0 != ":" }
        }
        let plain = String(text.prefix { $0 != "%" })
        return Network.octets(plain) == nil ? nil : plain
    }

    private struct Network: Hashable {
        let octets: [UInt8]
        let bits: Int

        init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let octets = Self.octets(Loopback.bare(String(parts[0]))) else { return nil }
            let isShort = parts[0].contains(".") && !parts[0].contains(":")
            let most = isShort ? 32 : 128
            let bits = parts.count == 2 ? Int(parts[1]) : most
            guard let bits, (0...most).contains(bits) else { return nil }
            // An IPv4 network in IPv6 notation, but with a prefix length of IPv4, would contain all addresses.
            let isMapped = octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
            guard isShort || !isMapped || bits >= 96 else { return nil }
            self.octets = octets
            self.bits = isShort ? bits + 96 : bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            for index in 0..<16 {
                let left = bits - index * 8
                if left <= 0 { return true }
                let mask: UInt8 = left >= 8 ? 0xFF : 0xFF << UInt8(8 - left)
                if (octets[index] ^ address[index]) & mask != 0 { return false }
            }
            return true
        }

        /// Returns the sixteen bytes of an address, with an IPv4 address in its IPv6 form.
        static func octets(_ text: String) -> [UInt8]? {
            var six = [UInt8](repeating: 0, count: 16)
            if inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 { return six }
            var four = [UInt8](repeating: 0, count: 4)
            guard inet_pton(AF_INET, text, &four) == 1 else { return nil }
            return Array(repeating: 0, count: 10) + [0xFF, 0xFF] + four
        }
    }
}
