import Configuration
import Foundation
import FreeholdHTTP
import FreeholdServer
import FreeholdSyncCore

/// Reads settings from the flags first, then from the environment (`FREEHOLD_PORT`), and then from the folder's
/// `server.json`.
struct SettingsReader {
    /// The folder, or `nil` if the settings are only flags and variables.
    let folder: String?
    private let config: ConfigReader

    static let fileName = "server.json"

    /// - Parameters:
    ///   - flags: The flags, by the keys of the file.
    ///   - needsFile: A Boolean value that indicates whether the folder must have a file of settings.
    /// - Throws: `SettingsError` if the file or the environment has unknown settings or values of wrong types.
    init(folder: String?, flags: [String: ConfigValue] = [:], needsFile: Bool = true) async throws {
        try SettingsEnvironment.check()
        self.folder = folder
        let keys = flags.map { (AbsoluteConfigKey($0.key.split(separator: ".").map(String.init)), $0.value) }
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: keys)),
            EnvironmentVariablesProvider().prefixKeys(with: "freehold"),
        ]
        let hasFile = folder.map { FileManager.default.fileExists(atPath: "\($0)/\(Self.fileName)") } ?? false
        if let folder, needsFile || hasFile { providers.append(try await Self.file(of: folder)) }
        config = ConfigReader(providers: providers)
    }

    private static func file(of folder: String) async throws -> any ConfigProvider {
        let file = URL(filePath: folder).appending(path: fileName).path(percentEncoded: false)
        let named = InMemoryProvider(values: ["filePath": ConfigValue(.string(file), isSecret: false)])
        guard FileManager.default.fileExists(atPath: file) else {
            throw SettingsError(
                "\(folder) isn't a server's folder: it has no \(fileName). 'freehold-server init \(folder)' makes one."
            )
        }
        try SettingsFile.check(at: file)
        return try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: named))
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
        try checkNames(Set(apps.keys.map(\.string)))
        var settings = ServerSettings(node: NodeConfiguration(apps: apps))
        settings.host = config.string(forKey: "host", default: settings.host)
        settings.port = try number("port", 0...65_535, settings.port)
        settings.administratorHost = config.string(forKey: "admin.host", default: settings.administratorHost)
        settings.administratorPort = try number("admin.port", 0...65_535, settings.administratorPort ?? 0)
        settings.isDevelopment = config.bool(forKey: "development", default: false)
        settings.drainTime = Int64(try number("drain.seconds", 0...3_600, 7)) * 1_000
        if config.int(forKey: "threads") != nil { settings.threads = try number("threads", 1...1_024, 1) }
        settings.node.groupDelay = Int64(try number("group.milliseconds", 0...10_000, 0))
        settings.node.path = config.string(forKey: "path", default: settings.node.path)
        guard settings.node.path.hasPrefix("/") else { throw SettingsError("'path' begins with a slash.") }
        settings.node.compressesMessages = config.bool(forKey: "compression", default: true)
        try readLimits(&settings.node.limits)
        do {
            settings.node.proxies = try TrustedProxies(
                config.stringArray(forKey: "proxy.addresses", default: []),
                header: config.string(forKey: "proxy.header", default: "X-Forwarded-For")
            )
        } catch let error as TrustedProxies.InvalidNetwork {
            throw SettingsError("'\(error.text)' in 'proxy.addresses' is neither an address nor a network.")
        }
        settings.node.origins = config.stringArray(forKey: "http.origins", default: [])
        if let certificates = config.string(forKey: "tls.certificates") {
            guard let key = config.string(forKey: "tls.key") else { throw SettingsError("'tls.key' is missing.") }
            settings.tls = ServerSettings.TLS(certificates: path(certificates), key: path(key))
        } else if config.string(forKey: "tls.key") != nil {
            throw SettingsError("'tls.certificates' is missing.")
        }
        settings.tokens = try tokens()
        var accounts = ServerSettings.Accounts(folder: folder ?? FileManager.default.currentDirectoryPath)
        accounts.secret = try accountsSecret()
        accounts.publicAddress = config.string(forKey: "publicAddress")
        accounts.tokenLifetime = Double(try number("accounts.tokenSeconds", 1...2_592_000, 1_800))
        settings.accounts = accounts
        return settings
    }

    /// Returns the secret that signs access tokens, if the settings contain it or the path of its file. Otherwise returns `nil`.
    ///
    /// - Throws: `SettingsError` if it is too short, or if other users can read the file.
    func accountsSecret() throws -> String? {
        if config.string(forKey: "accounts.secret") == nil, let file = config.string(forKey: "accounts.secretFile") {
            try ServerSecret.checkMode(of: path(file))
        }
        return try secret("accounts")
    }

    private func access(_ key: ConfigKey, of app: String) throws -> NodeApp.Access {
        guard let access = NodeApp.Access(rawValue: config.string(forKey: key, default: "nobody")) else {
            throw SettingsError("The access of app '\(app)' must be nobody, everyone or own-stream.")
        }
        return access
    }

    private func readLimits(_ limits: inout NodeLimits) throws {
        limits.connections = try number("limits.connections", 1...1_000_000, limits.connections)
        if let perAddress = config.int(forKey: "limits.connectionsPerAddress") {
            limits.connectionsPerAddress = try number("limits.connectionsPerAddress", 1...1_000_000, perAddress)
        }
        limits.connectionsPerUser = try number("limits.connectionsPerUser", 1...1_000_000, limits.connectionsPerUser)
        limits.sessions = UInt64(try number("limits.sessions", 1...1_000_000, Int(limits.sessions)))
        limits.messageBytes = UInt64(try number("limits.messageBytes", 1_024...(1 << 30), Int(limits.messageBytes)))
        limits.commitBytes = UInt64(try number("limits.commitBytes", 1_024...(1 << 40), Int(limits.commitBytes)))
        limits.waitingBytes = try number("limits.waitingBytes", 1_024...(1 << 40), limits.waitingBytes)
        limits.bodyBytes = try number("limits.bodyBytes", (1 << 20)...(1 << 40), limits.bodyBytes)
        limits.objectSteps = try number("limits.objectSteps", 10_000...1_000_000_000, limits.objectSteps)
        limits.requestsPerUser = try number("limits.requestsPerUser", 1...10_000, limits.requestsPerUser)
        limits.userBodyBytes = try number("limits.userBodyBytes", (1 << 16)...(1 << 40), limits.userBodyBytes)
        limits.userBytes = try number("limits.userBytes", (1 << 20)...(1 << 40), limits.userBytes)
        limits.nodeBytes = try number("limits.nodeBytes", (1 << 20)...(1 << 40), limits.nodeBytes)
        limits.userDiskBytes = UInt64(try number("limits.userDiskBytes", 0...(1 << 60), 0))
        limits.queryBytes = try number("limits.queryBytes", 1_024...(16 << 20), limits.queryBytes)
        let message = Int(limits.messageTimeout / 1_000)
        limits.messageTimeout = Int64(try number("limits.messageSeconds", 1...86_400, message)) * 1_000
        let store = Int(limits.storeTimeout / 1_000)
        limits.storeTimeout = Int64(try number("limits.storeSeconds", 1...3_600, store)) * 1_000
        let greeting = Int(limits.greetingTimeout / 1_000)
        limits.greetingTimeout = Int64(try number("limits.greetingSeconds", 1...3_600, greeting)) * 1_000
        let idle = Int(limits.idleTimeout / 1_000)
        let keepAlive = Int(limits.keepAliveTimeout / 1_000)
        limits.keepAliveTimeout = Int64(try number("limits.keepAliveSeconds", 1...3_600, keepAlive)) * 1_000
        limits.idleTimeout = Int64(try number("limits.idleSeconds", 1...86_400, idle)) * 1_000
    }

    private func number(_ key: String, _ range: ClosedRange<Int>, _ usual: Int) throws -> Int {
        let number = config.int(forKey: ConfigKey(key), default: usual)
        guard range.contains(number) else {
            throw SettingsError(
                "'\(key)' is \(number): it is a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    private func tokens() throws -> ServerSettings.Tokens {
        var tokens = ServerSettings.Tokens()
        if let secret = try secret("tokens") { tokens.keys.append(.secret(secret)) }
        if let file = config.string(forKey: "tokens.publicKeyFile") { tokens.keys.append(.publicKey(try text(file))) }
        if let file = config.string(forKey: "tokens.keySetFile") { tokens.keys.append(.keySet(try text(file))) }
        tokens.expectations.issuer = config.string(forKey: "tokens.issuer")
        tokens.expectations.audience = config.string(forKey: "tokens.audience")
        tokens.allowsAnonymous = config.bool(forKey: "tokens.anonymous", default: false)
        tokens.apps = config.stringArray(forKey: "tokens.apps").map { Set($0) }
        if let file = config.string(forKey: "tokens.apiKeysFile") {
            guard let users = try? JSONDecoder().decode([String: String].self, from: Data(text(file).utf8)) else {
                throw SettingsError("\(file) doesn't hold API keys: {\"SHA-256 of the key\": \"user\"}.")
            }
            for (hash, user) in users { tokens.users[KeyHash(text: hash)] = user }
        }
        return tokens
    }

    /// Returns the secret of a group of settings: the text of `secret`, which only the environment may have, or of the file that `secretFile` names.
    ///
    /// - Throws: `SettingsError` if it is too short, or if the file can't be read.
    private func secret(_ group: String) throws -> String? {
        let named = config.string(forKey: ConfigKey([group, "secretFile"]))
        let secret = try config.string(forKey: ConfigKey([group, "secret"])) ?? named.map { try text($0) }
        guard let secret else { return nil }
        guard secret.utf8.count >= 32 else { throw SettingsError("The secret of '\(group)' has fewer than 32 bytes.") }
        return secret
    }

    /// Checks that `server.json` has settings only of apps that `apps` names. Otherwise a misspelt name would leave an app without its access.
    private func checkNames(_ apps: Set<String>) throws {
        guard let folder else { return }
        let file = "\(folder)/\(Self.fileName)"
        guard let name = SettingsFile.apps(at: file).subtracting(apps).min() else { return }
        throw SettingsError(
            "'app.\(name)' in \(file) is for an app that 'apps' doesn't name. Apps made by 'app create' are changed by 'app set'."
        )
    }

    /// Returns the path of a file. Names are relative to the folder, or to the working directory, unless they begin with a slash.
    private func path(_ name: String) -> String {
        name.hasPrefix("/") || folder == nil ? name : (folder ?? ".") + "/" + name
    }

    private func text(_ name: String) throws -> String {
        guard let text = try? String(contentsOfFile: path(name), encoding: .utf8) else {
            throw SettingsError("The file \(path(name)) can't be read.")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
