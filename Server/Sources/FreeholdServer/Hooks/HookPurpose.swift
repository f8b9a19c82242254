/// The requests that a hook of an app answers.
public enum HookPurpose: Hashable, Sendable {
    /// Calls of a function with a name. The name `*` stands for all functions without a hook of their own.
    case function(String)
    /// Calls of the functions of a service, such as `mongodb-atlas`.
    case service(String)
    /// The confirmation of new users with an email address and a password.
    case confirmation
    /// The reset of passwords.
    case passwordReset
    /// Log-ins by a provider that the server can't check itself.
    case logIn(AccountProvider)

    /// The name of the hook of all functions without a hook of their own.
    static let otherFunctions = HookPurpose.function("*")

    /// - Parameter text: A text such as `function/NAME`: see `description`.
    /// - Returns: `nil` for a text that names no purpose.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case ("function", 2) where Self.isName(parts[1]) || parts[1] == "*": self = .function(parts[1])
        case ("service", 2) where Self.isName(parts[1]): self = .service(parts[1])
        case ("confirm", 1): self = .confirmation
        case ("reset", 1): self = .passwordReset
        case (let name, 1):
            guard let provider = AccountProvider(rawValue: name), provider.takesHooks else { return nil }
            self = .logIn(provider)
        default: return nil
        }
    }

    /// Returns whether a text may be the name of a function or a service.
    static func isName(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || "-_./$".utf8.contains(byte)
            }
    }
}

extension HookPurpose: CustomStringConvertible {
    /// `function/NAME`, `service/NAME`, `confirm`, `reset`, or the name of a provider.
    public var description: String {
        switch self {
        case .function(let name): "function/\(name)"
        case .service(let name): "service/\(name)"
        case .confirmation: "confirm"
        case .passwordReset: "reset"
        case .logIn(let provider): provider.rawValue
        }
    }
}
