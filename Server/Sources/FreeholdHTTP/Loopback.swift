#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
public import NIOHTTP1

/// Addresses of this machine itself, and requests that may ask a server that trusts everybody there.
public enum Loopback {
    /// Whether a host is `localhost` or an address of the loopback network. Other names may lead anywhere, whatever they begin with.
    public static func contains(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let octets = octets(host) else { return false }
        if octets.count == 4 { return octets[0] == 127 }
        let isMapped = octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
        return isMapped ? octets[12] == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1
    }

    /// Whether a web page of this machine asks, as the header `Origin` says: `http://localhost:5173`, say. `null` is no such origin.
    public static func isOrigin(_ origin: String) -> Bool {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, ["http:", "https:"].contains(parts[0].lowercased()) else {
            return false
        }
        return host(parts[2]).map { contains($0) } ?? false
    }

    /// Whether a server in development, or the administrator's port, answers: the request isn't sent by a page of another site.
    ///
    /// A page whose name was made to lead to this machine sends no foreign `Origin` when it reads, but it sends its name as `Host`.
    public static func allows(_ headers: HTTPHeaders) -> Bool {
        let isNamed = headers["Host"].allSatisfy { header in
            guard let host = host(header[...]) else { return false }
            return contains(host) || octets(host) != nil
        }
        return isNamed && headers["Origin"].allSatisfy { isOrigin($0) }
    }

    /// Whether it can be a header `Host`, or what stands for it in an address: a host, and perhaps a port.
    public static func isAuthority(_ text: Substring) -> Bool {
        let marks = "-._~%!$&'()*+;=:[]".utf8
        return text.utf8.count <= 261 && host(text) != nil
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || marks.contains(byte)
            }
    }

    /// An address of IPv6 may stand in brackets, as it does in URLs. Anything else stays.
    public static func bare(_ host: String) -> String {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") else { return host }
        return String(host.dropFirst().dropLast())
    }

    /// Without the port. Returns `nil` for a text that isn't a host, with or without a port.
    public static func host(_ authority: Substring) -> String? {
        let host: Substring
        var rest: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard host.contains(":") else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
        }
        if rest.first == ":" {
            rest = rest.dropFirst()
            guard rest.isEmpty || (rest.allSatisfy(\.isNumber) && UInt16(rest) != nil) else { return nil }
        } else if !rest.isEmpty {
            return nil
        }
        return host.isEmpty ? nil : String(host)
    }

    /// Four or sixteen. Returns `nil` for a text that isn't an address.
    public static func octets(_ host: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, host, &octets) == 1 { return octets }
        guard inet_pton(AF_INET, host, &octets) == 1 else { return nil }
        return Array(octets[..<4])
    }
}
