/// The first byte of a message. The raw values are part of the protocol.
///
/// A receiver ignores unknown kinds from 128 on.
enum MessageKind: UInt8 {
    case hello = 1
    case bind = 2
    case queries = 3
    case upload = 4
    case clientCredit = 5
    case mark = 6
    case resume = 7
    case fetch = 8
    case unbind = 9
    case ping = 10
    case clientPart = 11

    case welcome = 33
    case bound = 34
    case queryError = 35
    case ack = 36
    case changes = 37
    case bootstrapBegin = 38
    case bootstrapChunk = 39
    case bootstrapEnd = 40
    case serverCredit = 41
    case marked = 42
    case notice = 43
    case error = 44
    case pong = 45
    case serverPart = 46

    static let firstIgnorable: UInt8 = 128

    /// A Boolean value that indicates whether a message of this kind has a session. `nil` if the session is optional.
    var hasSession: Bool? {
        switch self {
        case .hello, .ping, .welcome, .pong: false
        case .error: nil
        default: true
        }
    }
}
