import FreeholdHTTP

/// Names under which clients may reach a server whose settings give no public address.
struct ServerNames: Sendable {
    /// The address in the settings at which the server listens.
    let host: String
    /// The TLS contexts, whose certificate contains names of the server. `nil` if the server doesn't encrypt.
    let tls: TLSContexts?

    /// Endings of names that can't be registered on the internet.
    private static let privateEndings = [".local", ".localhost", ".lan", ".internal", ".home.arpa", ".test"]

    /// Returns a Boolean value that indicates whether a header `Host` names this server.
    ///
    /// An address is accepted, because it can't lead to another machine. A name is accepted if it is the name in the settings, if the certificate
    /// contains it, or, without a certificate, if it is a name of a private network.
    func contains(_ authority: String) -> Bool {
        guard Loopback.isAuthority(authority[...]), let name = Loopback.host(authority[...]) else { return false }
        if Loopback.contains(name) || Loopback.octets(name) != nil { return true }
        let lowered = name.lowercased()
        let isPlain = lowered.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
        }
        guard isPlain else { return false }
        if lowered == host.lowercased() { return true }
        guard let tls else { return !lowered.contains(".") || Self.privateEndings.contains { lowered.hasSuffix($0) } }
        // The client has compared the certificate with the name that it used, so a certificate without names leaves the choice to the client.
        return tls.names.map { names in names.contains { Self.matches(lowered, $0) } } ?? true
    }

    /// - Parameter pattern: A name in a certificate. Its first label may be `*`.
    private static func matches(_ name: String, _ pattern: String) -> Bool {
        guard pattern.hasPrefix("*.") else { return name == pattern }
        let rest = name.drop { $0 != "." }
        return !rest.isEmpty && rest.utf8.count < name.utf8.count && rest == pattern.dropFirst()
    }
}
