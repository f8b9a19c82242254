import Foundation
import Freehold
import FreeholdBSON
import FreeholdHTTP
import Logging
import Metrics
import NIOHTTP1
import Synchronization

/// The API of accounts, `/api/client/v2.0`, in the format of App Services.
final class AccountService: Sendable {
    struct Options: Sendable {
        /// The lifetime of access tokens, in seconds.
        var tokenLifetime: TimeInterval = 1_800
        var limits = AttemptLimiter.Limits()
        /// The address that is sent to clients, such as `https://sync.example.org`. `nil` stands for the address of the
        /// request.
        var publicAddress: String?
        var passwordRounds = 1 << 15
        /// The timeout of the file of accounts, in seconds. Commands write to the file, too.
        var storeTimeout: TimeInterval = 30
        var now: @Sendable () -> Date = { Date() }
        var hooks = HookCaller.Limits()
    }

    let store: any AccountStorage
    let tokens: AccountTokens
    let members: AccountMembers
    let served: ServedApps
    let limiter: any AttemptCounting
    let hasher: PasswordHasher
    let mailer: any Mailer
    let logger: Logger
    let hooks: HookCaller
    /// The keys of providers that issue id tokens.
    let providerKeys: ProviderKeys
    /// The authenticator for tokens of other issuers.
    let otherTokens: JWTAuthenticator?
    /// The apps of the settings in which all users may register, in development mode.
    let openApps: [String: AccountApp]
    private let failures = Mutex(FailureLog())
    private let options: Options
    private let names: ServerNames
    private let syncPath: String

    init(
        secret: String,
        store: any AccountStorage,
        served: ServedApps,
        members: AccountMembers,
        _ options: Options,
        mailer: any Mailer,
        otherTokens: JWTAuthenticator?,
        openApps: [String: AccountApp],
        names: ServerNames,
        syncPath: String,
        logger: Logger,
        metrics: any MetricsFactory
    ) async throws {
        (self.store, self.options, self.mailer, self.logger) = (store, options, mailer, logger)
        (self.served, self.members) = (served, members)
        (self.otherTokens, self.openApps) = (otherTokens, openApps)
        (self.names, self.syncPath) = (names, syncPath)
        tokens = try await AccountTokens(secret: secret, lifetime: options.tokenLifetime, now: options.now)
        limiter = store.limiter(options.limits)
        hasher = PasswordHasher(rounds: options.passwordRounds)
        hooks = HookCaller(options.hooks, logger: logger, metrics: metrics)
        providerKeys = ProviderKeys(now: options.now, logger: logger)
    }

    var authenticator: AccountAuthenticator {
        AccountAuthenticator(tokens: tokens, store: store, members: members, served: served)
    }

    /// Answers a request by a handler. It never throws.
    func answer(
        _ request: AccountRequest,
        _ handler: (AccountRequest) async throws -> AccountAnswer
    ) async -> AccountAnswer {
        do { return try await handler(request) } catch let error as AccountError {
            return AccountAnswer(error)
        } catch let refusal as TokenRefusal {
            logger.debug("a token is refused", metadata: ["reason": "\(refusal.reason)"])
            return AccountAnswer(.invalidSession)
        } catch is CancellationError {
            // The client has left, or the server ends.
            return AccountAnswer(.ending)
        } catch {
            // The message of the error could quote the request. Its code can't.
            let file = (error as? Realm.Error).map { $0.code == .outOfDiskSpace ? "the disk is full" : "\($0.code)" }
            let reason = file ?? (error as? AccountStorageFailure)?.description
            let kind = reason ?? "\(type(of: error))"
            let now = Int64(options.now().timeIntervalSince1970 * 1_000)
            if failures.withLock({ $0.takes(kind, of: "", at: now) }) {
                logger.error("accounts fail", metadata: [reason == nil ? "kind" : "reason": "\(kind)"])
            }
            return AccountAnswer(.unavailable)
        }
    }

    /// Returns an app.
    ///
    /// - Throws: `AccountError` if the app doesn't exist.
    func app(_ id: String) async throws -> AccountApp {
        if let open = openApps[id] { return open }
        guard let app = try await store.app(id) else { throw AccountError.noApp }
        return app
    }

    /// Returns an app in which users may log in and register.
    ///
    /// - Throws: `AccountError` if the app doesn't exist, or while its import from another server isn't over.
    func openApp(_ id: String) async throws -> AccountApp {
        let app = try await app(id)
        guard served[id]?.isBeingTransferred != true else { throw AccountError.beingTransferred }
        return app
    }

    func location(_ request: AccountRequest, _ app: AccountApp) -> AccountAnswer {
        let address: String
        if let known = options.publicAddress {
            address = known.hasSuffix("/") ? String(known.dropLast()) : known
        } else {
            // The header `Host` can contain any name. A name of another server would make the client send its password
            // to that server.
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
