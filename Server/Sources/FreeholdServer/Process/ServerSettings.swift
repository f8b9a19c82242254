import FreeholdSyncCore

/// What a server is started with: made of its settings file, the environment and the command's flags.
public struct ServerSettings: Sendable {
    public struct TLS: Hashable, Sendable {
        public var certificates: String
        public var key: String

        public init(certificates: String, key: String) { (self.certificates, self.key) = (certificates, key) }
    }

    public struct Tokens: Sendable {
        public var keys: [JWTAuthenticator.Key] = []
        public var expectations = JWTAuthenticator.Expectations()
        /// Users by the hashes of their API keys.
        public var users: [KeyHash: String] = [:]
        public var allowsAnonymous = false
        /// The apps where these tokens count. Nil: those of the settings, and not those that keep accounts of their own.
        public var apps: Set<String>?

        public init() {}
    }

    /// The settings of accounts: for users who register and log in at this server.
    public struct Accounts: Sendable {
        /// Where the file of accounts is.
        public var folder: String
        /// Sends mails. If it is nil, mails are only logged.
        public var mailer: (any Mailer)?
        /// The address that is given to clients, such as `https://sync.example.org`. If it is nil, they are given the host name of
        /// their own request.
        public var publicAddress: String?
        /// How long an access token is valid, in seconds.
        public var tokenLifetime: Double = 1_800
        // Only tests change these two.
        var sinkBackoff = IngestBackoff()
        var change: @Sendable (inout AccountService.Options) -> Void = { _ in }

        public init(folder: String) { self.folder = folder }
    }

    public var host = "127.0.0.1"
    public var port = 7_700
    public var administratorHost = "127.0.0.1"
    /// If it is nil, there is no administrator's port.
    public var administratorPort: Int? = 7_701
    public var tls: TLS?
    public var tokens = Tokens()
    /// If it is nil, the server keeps no accounts.
    public var accounts: Accounts?
    public var node: NodeConfiguration
    /// Whether the server believes what clients say of who they are, and lets everyone use every app. Then it listens on loopback only.
    public var isDevelopment = false
    /// How long clients may take to leave by themselves when the server ends, in milliseconds.
    public var drainTime: Int64 = 7_000
    /// The number of threads for connections. If it is nil, there are as many as processors.
    public var threads: Int?

    public init(node: NodeConfiguration) { self.node = node }
}

/// Why a server doesn't start.
public struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension ServerSettings {
    /// An address and a port, as they stand in URLs: an address of IPv6 in brackets.
    public static func authority(_ host: String, _ port: Int) -> String {
        let host = Loopback.bare(host)
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The settings that the server runs with: those of development mode are filled in.
    ///
    /// - Parameter hasAccounts: whether the file of accounts has an app.
    /// - Throws: `SettingsError` if they contradict each other, or would be unsafe.
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
                "Nobody could log in: make an app by 'app create', give a key for tokens or a file of API keys, or use --development on your own machine."
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

    /// Where tokens count that the settings trust. Nil: everywhere. To be asked before the apps of accounts are among the settings' own.
    var tokenApps: Set<String>? {
        if isDevelopment { return nil }
        return tokens.apps ?? Set(node.apps.keys.map(\.string))
    }

    /// Asks all ways to log in that the settings allow, one after the other: accounts, development, API keys, anonymous, tokens.
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
