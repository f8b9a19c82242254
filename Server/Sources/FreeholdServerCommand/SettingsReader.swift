import Configuration
import Foundation
import FreeholdServer
import FreeholdSyncCore

/// Reads settings: flags first, then the environment (`FREEHOLD_PORT`), then the folder's `server.json`.
struct SettingsReader {
    let folder: String
    private let config: ConfigReader

    static let fileName = "server.json"

    /// - Parameter flags: by the keys of the file.
    init(folder: String, flags: [String: ConfigValue] = [:]) async throws {
        self.folder = folder
        let file = URL(filePath: folder).appending(path: Self.fileName).path(percentEncoded: false)
        let named = InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)])
        let keys = flags.map { (AbsoluteConfigKey($0.key.split(separator: ".").map(String.init)), $0.value) }
        config = ConfigReader(providers: [
            InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: keys)),
            EnvironmentVariablesProvider().prefixKeys(with: "freehold"),
            try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: named)),
        ])
    }

    /// - Throws: `SettingsError`
    func settings() throws -> ServerSettings {
        var apps: [SyncString: NodeApp] = [:]
        for name in config.stringArray(forKey: "apps", default: []) {
            var app = NodeApp(access: try access(ConfigKey(["app", name, "access"]), of: name))
            let streams = config.stringArray(forKey: ConfigKey(["app", name, "streams"]), default: [])
            app.streams = Set(streams.map { SyncString($0) })
            apps[SyncString(name)] = app
        }
        var settings = ServerSettings(node: NodeConfiguration(apps: apps))
        settings.host = config.string(forKey: "host", default: settings.host)
        settings.port = config.int(forKey: "port", default: settings.port)
        settings.administratorHost = config.string(forKey: "admin.host", default: settings.administratorHost)
        settings.administratorPort = config.int(forKey: "admin.port", default: settings.administratorPort ?? 0)
        settings.isDevelopment = config.bool(forKey: "development", default: false)
        settings.drainTime = Int64(config.int(forKey: "drain.seconds", default: 10)) * 1_000
        settings.threads = config.int(forKey: "threads")
        settings.node.groupDelay = Int64(config.int(forKey: "group.milliseconds", default: 0))
        settings.node.path = config.string(forKey: "path", default: settings.node.path)
        settings.node.compressesMessages = config.bool(forKey: "compression", default: true)
        readLimits(&settings.node.limits)
        settings.node.proxies = try TrustedProxies(
            config.stringArray(forKey: "proxy.addresses", default: []),
            header: config.string(forKey: "proxy.header", default: "X-Forwarded-For")
        )
        if let certificates = config.string(forKey: "tls.certificates") {
            guard let key = config.string(forKey: "tls.key") else { throw SettingsError("'tls.key' is missing.") }
            settings.tls = ServerSettings.TLS(certificates: path(certificates), key: path(key))
        }
        settings.tokens = try tokens()
        var accounts = ServerSettings.Accounts(folder: folder)
        accounts.publicAddress = config.string(forKey: "publicAddress")
        accounts.tokenLifetime = Double(max(config.int(forKey: "accounts.tokenSeconds", default: 1_800), 1))
        settings.accounts = accounts
        return settings
    }

    private func access(_ key: ConfigKey, of app: String) throws -> NodeApp.Access {
        guard let access = NodeApp.Access(rawValue: config.string(forKey: key, default: "nobody")) else {
            throw SettingsError("The access of app '\(app)' is one of nobody, everyone, own-stream.")
        }
        return access
    }

    private func readLimits(_ limits: inout NodeLimits) {
        limits.connections = config.int(forKey: "limits.connections", default: limits.connections)
        limits.connectionsPerUser = config.int(forKey: "limits.connectionsPerUser", default: limits.connectionsPerUser)
        limits.sessions = UInt64(max(config.int(forKey: "limits.sessions", default: Int(limits.sessions)), 1))
        limits.messageBytes = UInt64(
            max(config.int(forKey: "limits.messageBytes", default: Int(limits.messageBytes)), 1_024)
        )
        limits.waitingBytes = config.int(forKey: "limits.waitingBytes", default: limits.waitingBytes)
        limits.idleTimeout =
            Int64(config.int(forKey: "limits.idleSeconds", default: Int(limits.idleTimeout / 1_000))) * 1_000
    }

    private func tokens() throws -> ServerSettings.Tokens {
        var tokens = ServerSettings.Tokens()
        if let file = config.string(forKey: "tokens.secretFile") { tokens.keys.append(.secret(try text(file))) }
        if let file = config.string(forKey: "tokens.publicKeyFile") { tokens.keys.append(.publicKey(try text(file))) }
        if let file = config.string(forKey: "tokens.keySetFile") { tokens.keys.append(.keySet(try text(file))) }
        tokens.expectations.issuer = config.string(forKey: "tokens.issuer")
        tokens.expectations.audience = config.string(forKey: "tokens.audience")
        tokens.allowsAnonymous = config.bool(forKey: "tokens.anonymous", default: false)
        if let file = config.string(forKey: "tokens.apiKeysFile") {
            guard let users = try? JSONDecoder().decode([String: String].self, from: Data(text(file).utf8)) else {
                throw SettingsError("\(file) doesn't hold API keys: {\"SHA-256 of the key\": \"user\"}.")
            }
            for (hash, user) in users { tokens.users[KeyHash(text: hash)] = user }
        }
        return tokens
    }

    /// Names of files are those of the folder, unless they begin with a slash.
    private func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }

    private func text(_ name: String) throws -> String {
        guard let text = try? String(contentsOfFile: path(name), encoding: .utf8) else {
            throw SettingsError("The file \(path(name)) can't be read.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
