import FreeholdHTTP

import FreeholdSyncCore

/// The settings of a server, from its settings file, the environment and the command's flags.
public struct ServerSettings: Sendable {
    public struct TLS: Hashable, Sendable {
        public var certificates: String
        public var key: String

        public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }
    }

    public struct Tokens: Sendable {
        public var keys: [JWTAuthenticator.Key] = []
        public var expectations = JWTAuthenticator.Expectations()
        /// The users, by the hashes of their API keys.
        public var users: [KeyHash: String] = [:]
        public var allowsAnonymous = false
        /// The apps in which these tokens are valid. `nil` for the apps of the settings, without those that have
        /// accounts of their own.
        public var apps: Set<String>?

        public init() {}
    }

    /// The settings of the accounts that users register at this server.
    public struct Accounts: Sendable {
        /// The folder of the file of accounts.
        public var folder: String
        /// The sender of mails. If it is `nil`, mails are only logged.
        public var mailer: (any Mailer)?
        /// The address that is sent to clients, such as `https://sync.example.org`. If it is `nil`, clients receive the
        /// host name of their own request.
        public var publicAddress: String?
        /// The lifetime of an access token, in seconds.
        public var tokenLifetime: Double = 1_800
        /// The secret that signs the tokens of accounts, if it isn't in the folder.
        public var secret: String?
        /// The storage of accounts and of the configuration of apps. `nil` for the file of the folder.
        package var storage: (any AccountStorage)?
        // Only tests change these two.
        var sinkBackoff = IngestBackoff()
        var change: @Sendable (inout AccountService.Options) -> Void = { _ in }

        public init(folder: String) { self.folder = folder }
    }

    public var host = "127.0.0.1"
    public var port = 7_700
    public var administratorHost = "127.0.0.1"
    /// The port for administrators. `nil` for none.
    public var administratorPort: Int? = 7_701
    public var tls: TLS?
    public var tokens = Tokens()
    /// The settings of accounts. If it is `nil`, the server has no accounts.
    public var accounts: Accounts?
    public var node: NodeConfiguration
    /// A Boolean value that indicates whether the server accepts the names that clients claim, and lets each user use
    /// each app. Then it only listens on loopback.
    public var isDevelopment = false
    /// The time for clients to disconnect when the server ends, in milliseconds.
    public var drainTime: Int64 = 7_000
    /// The number of threads for connections. `nil` for the number of processors.
    public var threads: Int?

    public init(node: NodeConfiguration) { self.node = node }
}

/// The reason why a server doesn't start.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension ServerSettings {
    /// Returns an address and a port in the form of URLs, with an IPv6 address in brackets.
    public static func authority(_ host: String, _ port: Int) -> String {
        let host = Loopback.bare(host)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Returns the settings with which the server runs. In development mode, missing settings are filled in.
    ///
    /// - Parameter hasAccounts: A Boolean value that indicates whether the file of accounts contains an app.
    /// - Throws: `SettingsError` if the settings contradict each other, or would be unsafe.
    func checked(hasAccounts: Bool = false) throws -> ServerSettings {
        var settings = self
        (settings.host, settings.administratorHost) = (Loopback.bare(host), Loopback.bare(administratorHost))
        if isDevelopment {
            guard Loopback.contains(settings.host) else {
                throw SettingsError("With --development the server listens on loopback only, not on \(host).")
            }
            settings.node.isForLoopback = true
            for name in settings.node.apps.keys { settings.node.apps[name]?.access = .everyone }
        } else if tokens.keys.isEmpty, tokens.users.isEmpty, !tokens.allowsAnonymous, !hasAccounts {
            throw SettingsError(
                "No user could log in: create an app with 'app create', set a key for tokens or a file of API keys, or use --development on your own machine."
            )
        }
        if !hasAccounts, let outside = tokenApps {
            for name in settings.node.apps.keys where !outside.contains(name.string) {
                settings.node.apps[name]?.isMember = { _ in false }
            }
        }
        guard Loopback.contains(settings.administratorHost) || administratorPort == nil else {
            throw SettingsError(
                "The administrator's port asks for no token: it belongs on loopback, not on \(administratorHost)."
            )
        }
        return settings
    }

    /// The apps in which tokens of issuers in the settings are valid. `nil` for all apps. It must be read before the
    /// apps of accounts are added to those of the settings.
    var tokenApps: Set<String>? {
        if isDevelopment { return nil }
        return tokens.apps ?? Set(node.apps.keys.map(\.string))
    }

    /// Returns the authenticator for all kinds of log-ins in the settings, in this order: accounts, development, API
    /// keys, anonymous, tokens.
    func authenticator(_ accounts: AccountService? = nil) async throws -> any Authenticator {
        var links: [any Authenticator] = []
        if isDevelopment { links.append(DevelopmentAuthenticator()) }
        if !tokens.users.isEmpty { links.append(KeyAuthenticator(tokens.users)) }
        if tokens.allowsAnonymous { links.append(AnonymousAuthenticator()) }
        if !tokens.keys.isEmpty { links.append(try await JWTAuthenticator(tokens.keys, tokens.expectations)) }
        guard let accounts else { return AuthenticatorChain(links) }
        let outside = OutsideAuthenticator(
            links: AuthenticatorChain(links),
            members: accounts.members,
            store: accounts.store
        )
        return AuthenticatorChain([accounts.authenticator, outside])
    }
}
