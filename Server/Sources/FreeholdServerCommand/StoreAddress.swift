/// Addresses of PostgreSQL databases.
enum StoreAddress {
    /// Returns the address without passwords, for messages and files.
    ///
    /// A password is after the name of the user, or in a parameter.
    static func withoutPassword(_ address: String) -> String {
        guard let start = address.firstRange(of: "://")?.upperBound else { return "" }
        var rest = address[start...]
        var text = address[..<start]
        // libpq treats the part before the first '@' as the user and the password, unless this part contains a slash.
        if let end = rest.firstIndex(where: { $0 == "@" || $0 == "/" }), rest[end] == "@" {
            text += rest[..<end].prefix { $0 != ":" }
            rest = rest[end...]
        }
        guard let query = rest.firstIndex(of: "?") else { return "\(text)\(rest)" }
        let parameters = rest[rest.index(after: query)...].split(separator: "&").filter { parameter in
            let name = parameter.prefix { $0 != "=" }.lowercased()
            // A name with a percent sign could be the encoded name `password`.
            return !name.contains("password") && !name.contains("%")
        }
        let kept = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return "\(text)\(rest[..<query])\(kept)"
    }
}
