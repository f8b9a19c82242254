public import FreeholdHTTP
import FreeholdSyncCore
import NIOHTTP1
import Synchronization

extension Identity: HTTPUser {}

/// The bytes of the waiting bodies of all connections of a listener. Any thread may use it.
final class BodyLoad: Sendable {
    private let most: Int
    private let bodies = Atomic(0)

    init(_ limits: NodeLimits) { most = limits.bodyBytes }

    /// Counts bytes of a body.
    ///
    /// - Parameter isLong: A Boolean value that indicates whether the body is long and its user has more waiting bytes. Such bodies can't use the
    ///   last quarter of the limit, so that short bodies, such as those of log-ins, and other users aren't affected.
    /// - Returns: `false` if the limit would be exceeded. The bytes aren't counted then.
    func take(_ bytes: Int, isLong: Bool) -> Bool {
        let limit = isLong ? most / 4 * 3 : most
        if bodies.add(bytes, ordering: .relaxed).newValue <= limit { return true }
        give(bytes)
        return false
    }

    func give(_ bytes: Int) { bodies.subtract(bytes, ordering: .relaxed) }
}

/// The bytes that a node keeps for one request.
final class RequestBudget: HTTPBudget {
    let memory: MemoryAccount
    private let load: BodyLoad
    private let limits: NodeLimits

    /// The maximum size of a short body, in bytes.
    private static let shortBody = 64 << 10

    init(_ memory: MemoryAccount, _ load: BodyLoad, _ limits: NodeLimits) {
        (self.memory, self.load, self.limits) = (memory, load, limits)
    }

    func belong(to user: String) { memory.belong(to: SyncString(user)) }

    func takeBody(_ bytes: Int, total: Int) -> HTTPAnswer? {
        // The last quarter of the room is for short bodies, and for users with few waiting bytes.
        let ofUser = memory.bytesOfUser(.bodies)
        guard ofUser <= limits.userBodyBytes, memory.add(bytes, of: .bodies) else { return Self.overShare }
        let isLong = total > Self.shortBody && ofUser > limits.bodyBytes / 64
        guard load.take(bytes, isLong: isLong) else {
            memory.add(-bytes, of: .bodies)
            return Self.busy
        }
        return nil
    }

    func giveBody(_ bytes: Int) {
        load.give(bytes)
        memory.add(-bytes, of: .bodies)
    }

    func keepAnswer(_ bytes: Int) {
        memory.set(.documents, to: 0)
        memory.set(.unsent, to: bytes)
    }

    static let busy = {
        var answer = HTTPAnswer(
            .serviceUnavailable,
            code: "ServerBusy",
            text: "Too many requests wait at once."
        )
        answer.headers = [("Retry-After", "2")]
        return answer
    }()

    static let overShare = {
        var answer = HTTPAnswer(
            .tooManyRequests,
            code: "TooManyRequests",
            text: "The user's requests keep too much at once."
        )
        answer.headers = [("Retry-After", "2")]
        return answer
    }()
}

extension NodeLimits {
    /// The limits of connections of HTTP.
    var http: HTTPLimits {
        var limits = HTTPLimits()
        limits.connections = connections
        limits.connectionsPerAddress = connectionsPerAddress
        limits.requestTimeout = greetingTimeout
        limits.bodyTimeout = messageTimeout
        limits.keepAliveTimeout = keepAliveTimeout
        return limits
    }
}
