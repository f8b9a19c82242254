#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
public import NIOHTTP1

/// The addresses of this machine itself, and the check of requests to a server that trusts all users of this machine.
public enum Loopback {
    /// Returns whether a host is `localhost` or an address of the loopback network. Any other name may lead to another machine, also a name that
    /// begins with one of these texts.
    public static func contains(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        guard let octets = octets(host) else { return false }
        if octets.count == 4 { return octets[0] == 127 }
        let isMapped = octets[..<10].allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
        return isMapped ? octets[12] == 127 : octets.dropLast().allSatisfy { $0 == 0 } && octets[15] == 1
    }

    /// Returns whether the header `Origin` names a web page of this machine, such as `http://localhost:5173`. `null` isn't such an origin.
    public static func isOrigin(_ origin: String) -> Bool {
        let parts = origin.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty, ["http:", "https:"].contains(parts[0].lowercased()) else {
            return false
        }
        return host(parts[2]).map { contains($0) } ?? false
    }

    /// Returns whether a server in development, or the administrator's port, may answer a request. It returns `false` for requests of web pages of
    /// other sites.
    ///
    /// A site can change the address of its own host name to that of this machine (DNS rebinding). The requests of its pages that only read then have
    /// no foreign `Origin`, but they have the host name of the site in `Host`.
    public static func allows(_ headers: HTTPHeaders) -> Bool {
        let isNamed = headers["Host"].allSatisfy { header in
            guard let host = host(header[...]) else { return false }
            return contains(host) || octets(host) != nil
        }
        return isNamed && headers["Origin"].allSatisfy { isOrigin($0) }
    }

    /// Returns whether a text can be the header `Host`, or the corresponding part of an address: a host, and optionally a port.
    public static func isAuthority(_ text: Substring) -> Bool {
        let marks = "-._~%!$&'()*+;=:[]".utf8
        return text.utf8.count <= 261 && host(text) != nil
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || marks.contains(byte)
            }
    }

    /// Returns an IPv6 address without the brackets that it has in URLs. Returns any other text unchanged.
    public static func bare(_ host: String) -> String {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") else { return host }
        return String(host.dropFirst().dropLast())
    }

    /// Returns the host without the port. Returns `nil` for a text that isn't a host, with or without a port.
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

    /// Returns the four or sixteen bytes of an address. Returns `nil` for a text that isn't an address.
    public static func octets(_ host: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET6, host, &octets) == 1 { return octets }
        guard inet_pton(AF_INET, host, &octets) == 1 else { return nil }
        return Array(octets[..<4])
    }
}
