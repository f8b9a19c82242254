import FreeholdBSON
import FreeholdHTTP
import Logging
import Metrics
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends the requests of an app's users to its hooks.
///
/// A call is sent to the configured address only. Redirections aren't followed, and a call isn't repeated. The size of the answer, the
/// duration, and the number of simultaneous calls are limited.
final class HookCaller: Sendable {
    struct Limits: Hashable, Sendable {
        var shares = HookShares.Limits()
        /// The maximum number of bytes of an answer.
        var answerBytes = 1 << 20
        /// The maximum nesting depth of an answer.
        var depth = 100
    }

    /// A call of a hook.
    struct Call: Sendable {
        let app: String
        /// The content of the request, in addition to the names of the hook and the app.
        var fields: BSONDocument
        /// The user, or the address, that the call counts for.
        let owner: String
        /// Counts the bytes of the answer.
        var budget: (any HTTPBudget)?
    }

    /// The answer of a hook.
    enum Outcome: Sendable {
        case value(BSONValue)
        /// The hook refused the request.
        case refused(code: String?, text: String)
    }

    /// The secrets, headers and connections of a hook. They are read again after some seconds, so that secrets can be
    /// exchanged.
    private struct Prepared: Sendable {
        let address: HookAddress
        let secrets: [String]
        let headers: [(name: String, value: String)]
        let client: HookClient
        let time: Int64
    }

    let limits: Limits
    let shares: HookShares
    private let logger: Logger
    private let metrics: any MetricsFactory
    private let now: @Sendable () -> Int64
    private let failures = Mutex(FailureLog())
    private let prepared = Mutex<[HookSettings: Prepared]>([:])
    /// The time after which the files of a hook are read again, in milliseconds.
    private static let keepTime: Int64 = 5_000

    init(
        _ limits: Limits = Limits(),
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance,
        now: @escaping @Sendable () -> Int64 = HookClock.now
    ) {
        (self.limits, self.logger, self.metrics, self.now) = (limits, logger, metrics, now)
        shares = HookShares(limits.shares)
    }

    /// Calls a hook.
    ///
    /// - Throws: `AccountError` if the hook can't be reached, answers too late or without a readable value, or if too many
    ///   calls run. `CancellationError` if the client has left.
    func call(_ hook: HookSettings, _ call: Call) async throws -> Outcome {
        let ready: Prepared
        do { ready = try prepare(hook) } catch let failure as IngestFailure {
            fail(hook, call.app, failure.description)
            throw AccountError.hookFailed
        }
        let key = AccountSecret.make()
        let request = try request(hook, call, by: ready, key: key)
        let answer: HookAnswer
        do {
            let measures = HookMetrics(app: call.app, hook: "\(hook.purpose)", metrics)
            answer = try await shares.run(for: call.owner) {
                try await measures.measure { try await ready.client.post(request) }
            }
        } catch let error as AccountError {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch let late as HookLate {
            fail(hook, call.app, "\(late)")
            throw AccountError.hookLate
        } catch {
            fail(hook, call.app, (error as? IngestFailure)?.description ?? "\(type(of: error))")
            throw AccountError.hookFailed
        }
        return try outcome(answer, hook, call.app)
    }

    private func outcome(_ answer: HookAnswer, _ hook: HookSettings, _ app: String) throws -> Outcome {
        let options = ExtendedJSONOptions(limits: BSONLimits(depth: limits.depth, size: limits.answerBytes))
        switch answer.status {
        case 200...299:
            guard !answer.body.isEmpty else { return .value(.null) }
            if let text = String(validating: answer.body, as: UTF8.self),
                let value = try? BSONValue(extendedJSON: text, options: options)
            {
                return .value(value)
            }
            fail(hook, app, "The answer isn't Extended JSON, or nests too deeply.")
            throw AccountError.hookFailed
        case 400...499:
            let fields = try? BSONDocument(extendedJSON: answer.body, options: options)
            let text = fields?["error"]?.stringValue ?? "the function refused the call with \(answer.status)"
            return .refused(code: fields?["error_code"]?.stringValue, text: Self.bounded(text))
        default:
            fail(hook, app, "It answered with \(answer.status).")
            throw AccountError.hookFailed
        }
    }

    /// Returns the beginning of a text that a hook wrote for users.
    private static func bounded(_ text: String) -> String {
        String(decoding: text.utf8.prefix(1_000), as: UTF8.self)
    }

    private func request(_ hook: HookSettings, _ call: Call, by ready: Prepared, key: String) throws -> HookRequest {
        var fields: BSONDocument = ["hook": .string("\(hook.purpose)"), "app": .string(call.app)]
        for (name, value) in call.fields { fields.append(name, value) }
        let body = Array(try fields.extendedJSON(.canonical).utf8)
        let headers = [
            (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
            (name: "Idempotency-Key", value: key), (name: "User-Agent", value: "freehold-server"),
            (name: "Freehold-App", value: HookAddress.percentEncoded(call.app)),
            (name: "Freehold-Hook", value: HookAddress.percentEncoded("\(hook.purpose)")),
            (
                name: "Freehold-Signature",
                value: HookSignature.header(secrets: ready.secrets, time: now() / 1_000, key: key, body: body)
            ),
        ]
        let budget = call.budget
        return HookRequest(
            address: ready.address,
            headers: headers + ready.headers,
            body: body,
            timeout: .seconds(hook.target.timeout),
            kept: HookRequest.Kept(
                most: limits.answerBytes,
                take: { budget?.takeBody($0, total: $1) == nil },
                give: { budget?.giveBody($0) }
            )
        )
    }

    private func prepare(_ hook: HookSettings) throws -> Prepared {
        let now = now()
        if let known = prepared.withLock({ $0[hook] }), abs(now - known.time) < Self.keepTime { return known }
        let (secrets, headers) = try hook.target.credentials()
        guard !secrets.isEmpty else { throw IngestFailure("The file of secrets is empty.") }
        let made = Prepared(
            address: try HookAddress(hook.target.address),
            secrets: secrets,
            headers: headers,
            client: HookClient(trustRoots: hook.target.certificates),
            time: now
        )
        prepared.withLock { prepared in
            if prepared.count >= 1_000 { prepared = [:] }
            prepared[hook] = made
        }
        return made
    }

    /// Counts a failure, and logs it after growing pauses, because each call of a user may fail.
    private func fail(_ hook: HookSettings, _ app: String, _ reason: String) {
        HookMetrics(app: app, hook: "\(hook.purpose)", metrics).failures.increment()
        let source = "\(app)/\(hook.purpose)/\(reason)"
        guard failures.withLock({ $0.takes(reason, of: source, at: now()) }) else { return }
        logger.warning("a hook fails", metadata: ["app": "\(app)", "hook": "\(hook.purpose)", "reason": "\(reason)"])
    }
}

extension AccountError {
    static let hookFailed = AccountError(502, "FunctionExecutionError", "the function can't be reached, or failed")
    static let hookLate = AccountError(504, "ExecutionTimeLimitExceeded", "the function didn't answer in time")
    static let manyCalls = AccountError(429, "TooManyRequests", "too many calls at once: try again later")
    static let busy = AccountError(503, "InternalServerError", "too many calls run at the server: try again later")
    static let ending = AccountError(503, "InternalServerError", "the server ends")
    static let noFunction = AccountError(404, "FunctionNotFound", "there is no such function")
    static let noService = AccountError(404, "ServiceNotFound", "there is no such service")

    /// The error of a function that refused its call.
    static func function(_ code: String?, _ text: String) -> AccountError {
        let known = ["FunctionNotFound": 404, "ArgumentsNotAllowed": 400, "NoMatchingRuleFound": 403]
        guard let code, let status = known[code] else { return AccountError(400, "FunctionExecutionError", text) }
        return AccountError(status, code, text)
    }
}
