@testable import FreeholdRealmWire

/// The volatile state of a session: an official client forgets it when the connection ends.
struct ClientSession: Sendable {
    enum Role: Hashable, Sendable {
        case main
        /// The session of the fresh file of a client reset.
        case fresh
    }

    let number: UInt64
    let role: Role
    /// 1 for the sessions of a client reset.
    var reason: Int64 = 0

    var isBindSent = false
    var isIdentSent = false
    var isUnbindSent = false
    /// A Boolean value that indicates whether the session had an error. It stays silent until the next bind.
    var isDead = false
    /// A Boolean value that indicates whether the end of the session has to be announced.
    var mustUnbind = false
    /// A Boolean value that indicates whether the session binds again after a delay.
    var bindsAgain = false
    /// The code of an error that the client has to report, and then of one that it has reported.
    var ownError: Int?
    var isOwnErrorSent = false
    /// A Boolean value that indicates whether uploads and queries wait for the answer of a mark.
    var isBlocked = true

    var wantedMark: UInt64 = 0
    var sentMark: UInt64 = 0
    var answeredMark: UInt64 = 0
    /// The newest query set that was sent when each mark was sent.
    var markedSets: [UInt64: Int64] = [:]
    /// The version up to which changes were sent in this connection.
    var position: UInt64 = 0
    var sentProgress: UInt64 = 0
    var sentQuery: Int64 = 0
    /// Refusals whose entry hasn't arrived yet.
    var refusals: [ServerError] = []
    /// A Boolean value that indicates whether a bootstrap of this connection hasn't ended.
    var isBootstrapping = false
    /// The empty uploads since the last local change.
    var emptyUploads = 0

    init(number: UInt64, role: Role, reason: Int64) {
        self.number = number
        self.role = role
        self.reason = reason
    }

    /// A Boolean value that indicates whether messages can be sent except the end of the session.
    var isUsable: Bool { isBindSent && !isUnbindSent && !isDead && !mustUnbind }
}

/// An event that the app sees.
enum ClientEvent: Hashable, Sendable {
    case error(code: Int, action: String, message: String)
    case refused(code: Int, version: UInt64, objects: [WireObject])
    case marked
    case subscriptionComplete(Int64)
    case subscriptionFailed(Int64, String)
    case beforeReset
    case afterReset(isRecovered: Bool)
    case resetFailed(String)
    case migrationRequired(previous: Int64)
    case loggedOut
    case connectionReported(Int)
}

/// A request that a client makes outside of its connection.
enum ClientRequest: Hashable, Sendable {
    /// Asks for the address of the server.
    case location
    case renewToken
}
