import Foundation
import Freehold
import FreeholdBSON
import Logging
import NIOHTTP1
import Synchronization

/// The accounts' API: `/api/client/v2.0`, in the shape of App Services.
final class AccountService: Sendable {
    struct Options: Sendable {
        /// In seconds.
        var tokenLifetime: TimeInterval = 1_800
        var limits = AttemptLimiter.Limits()
        /// What clients are told to use, such as `https://sync.example.org`. Nil: what they used.
        var publicAddress: String?
        var passwordRounds = 1 << 15
        /// For the file of accounts, in seconds. Commands write to it, too.
        var storeTimeout: TimeInterval = 30
        var now: @Sendable () -> Date = { Date() }
    }

    let store: AccountStore
    let tokens: AccountTokens
    let members: AccountMembers
    let served: ServedApps
    let limiter: AttemptLimiter
    let hasher: PasswordHasher
    let mailer: any Mailer
    let logger: Logger
    /// Of other issuers.
    let otherTokens: JWTAuthenticator?
    /// Apps of the settings, where everybody may register: in development.
    let openApps: [String: AccountApp]
    private let failures = Mutex(FailureLog())
    private let options: Options
    private let names: ServerNames
    private let syncPath: String

    init(
        folder: String,
        store: AccountStore,
        served: ServedApps,
        members: AccountMembers,
        _ options: Options,
        mailer: any Mailer,
        otherTokens: JWTAuthenticator?,
        openApps: [String: AccountApp],
        names: ServerNames,
        syncPath: String,
        logger: Logger
    ) async throws {
        (self.store, self.options, self.mailer, self.logger) = (store, options, mailer, logger)
        (self.served, self.members) = (served, members)
        (self.otherTokens, self.openApps) = (otherTokens, openApps)
        (self.names, self.syncPath) = (names, syncPath)
        tokens = try await AccountTokens(folder: folder, lifetime: options.tokenLifetime, now: options.now)
        limiter = AttemptLimiter(options.limits, now: options.now)
        hasher = PasswordHasher(rounds: options.passwordRounds)
    }

    var authenticator: AccountAuthenticator {
        AccountAuthenticator(tokens: tokens, store: store, members: members, served: served)
    }

    /// Answers anything; it never throws.
    func answer(_ request: AccountRequest) async -> AccountAnswer {
        let answer: AccountAnswer
        do { answer = try await route(request) } catch let error as AccountError {
            answer = AccountAnswer(error)
        } catch let refusal as TokenRefusal {
            answer = AccountAnswer(.invalidSession)
            logger.debug("a token is refused", metadata: ["reason": "\(refusal.reason)"])
        } catch {
            // The error's words might hold what was sent, a code doesn't.
            let reason = (error as? Realm.Error).map { $0.code == .outOfDiskSpace ? "the disk is full" : "\($0.code)" }
            let kind = reason ?? "\(type(of: error))"
            let now = Int64(options.now().timeIntervalSince1970 * 1_000)
            if failures.withLock({ $0.takes(kind, of: "", at: now) }) {
                logger.error("accounts fail", metadata: [reason == nil ? "kind" : "reason": "\(kind)"])
            }
            answer = AccountAnswer(.unavailable)
        }
        logger.debug("accounts", metadata: ["method": "\(request.method)", "status": "\(answer.status)"])
        return answer
    }

    private func route(_ request: AccountRequest) async throws -> AccountAnswer {
        switch request.path.first {
        case "app" where request.path.count >= 3: return try await appRoute(request, Array(request.path.dropFirst(2)))
        case "auth" where request.path.count >= 2: return try await authRoute(request, Array(request.path.dropFirst()))
        default: throw AccountError.noRoute
        }
    }

    private func appRoute(_ request: AccountRequest, _ path: [String]) async throws -> AccountAnswer {
        if path == ["location"] {
            try request.expect(.GET)
            return location(request, try await app(request.path[1]))
        }
        guard (4...5).contains(path.count), path[0] == "auth", path[1] == "providers" else {
            throw AccountError.noRoute
        }
        guard let provider = AccountProvider(rawValue: path[2]) else { throw AccountError.noProvider }
        let action = path[3...].joined(separator: "/")
        let isMail = ["register", "confirm", "confirm/send", "reset/send", "reset"].contains(action)
        guard action == "login" || (isMail && provider == .emailPassword) else { throw AccountError.noRoute }
        try request.expect(.POST)
        let app = try await app(request.path[1])
        if action == "login" { return try await login(app, provider, request) }
        return try await emailPassword(app, action, request)
    }

    /// - Throws: `AccountError` if there is no such app.
    private func app(_ id: String) async throws -> AccountApp {
        if let open = openApps[id] { return open }
        guard let app = try await store.app(id) else { throw AccountError.noApp }
        return app
    }

    private func location(_ request: AccountRequest, _ app: AccountApp) -> AccountAnswer {
        let address: String
        if let known = options.publicAddress {
            address = known.hasSuffix("/") ? String(known.dropLast()) : known
        } else {
            // Any name could be in the header `Host`. One that isn't the server's would send the client, and its password, somewhere else.
            let host = request.host.flatMap { names.contains($0) ? $0 : nil }
            address = (names.tls == nil ? "http://" : "https://") + (host ?? request.local ?? "127.0.0.1")
        }
        let sync = "ws" + address.dropFirst(4) + syncPath
        let fields: BSONDocument = [
            "deployment_model": "LOCAL", "location": "LOCAL", "hostname": .string(address),
            "ws_hostname": .string(sync),
        ]
        return AccountAnswer(200, .document(fields))
    }
}

extension AccountRequest {
    /// - Throws: `AccountError.wrongMethod`
    func expect(_ expected: HTTPMethod) throws {
        guard method == expected else { throw AccountError.wrongMethod }
    }
}
