import FreeholdBSON

/// A placeholder for a value that is known at the start of a session, such as `%%user.custom_data.team`.
enum Expansion: Hashable, Sendable {
    case truth(Bool)
    case user([String])
    case values([String])
    case environment([String])

    /// Creates an expansion from its text.
    ///
    /// - Throws: `RuleError` for an invalid text, and for names that sync doesn't support.
    init(_ text: String, _ path: [String]) throws(RuleError) {
        let parts = text.dropFirst(2).split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard text.hasPrefix("%%"), !parts.contains(""), parts.count <= 32 else {
            throw RuleError(path, "'\(text.prefix(60))' isn't an expansion: %%user.id, %%values.name.")
        }
        let rest = Array(parts.dropFirst())
        switch parts[0] {
        case "true" where rest.isEmpty: self = .truth(true)
        case "false" where rest.isEmpty: self = .truth(false)
        case "user": self = try Self.user(rest, text, path)
        case "values" where !rest.isEmpty: self = .values(rest)
        case "environment" where !rest.isEmpty: self = .environment(rest)
        case "values", "environment": throw RuleError(path, "'\(text)' needs the name of a value: %%\(parts[0]).name.")
        case "root", "prevRoot", "this", "prev", "partition":
            throw RuleError(
                path,
                "'\(text)' isn't known to sync, which decides from the user and from an object's fields: write the field's own name."
            )
        case "request", "args":
            throw RuleError(path, "'\(text)' is known to requests only, and sync has none.")
        default:
            throw RuleError(
                path,
                "There is no expansion '\(text.prefix(60))': %%user, %%values, %%environment, %%true and %%false are there."
            )
        }
    }

    private static func user(_ rest: [String], _ text: String, _ path: [String]) throws(RuleError) -> Expansion {
        switch rest.first {
        case "id", "type":
            guard rest.count == 1 else { throw RuleError(path, "'\(text)': a user's \(rest[0]) is a string.") }
        case "data", "custom_data", "identities": break
        default:
            throw RuleError(
                path,
                "'\(text)': of a user id, type, data, custom_data and identities are known."
            )
        }
        return .user(rest)
    }
}
