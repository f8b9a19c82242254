import NIOCore
import NIOHTTP1

/// One request of a connection, and its answer. It is used on the connection's loop only.
final class Exchange {
    enum Phase {
        /// The request isn't complete.
        case reading
        /// A handler computes the answer.
        case working
        /// The answer is being sent to the client.
        case sending
    }

    let head: HTTPRequestHead
    let id: String
    let began: NIODeadline
    let budget: (any HTTPBudget)?
    /// A Boolean value that indicates whether a trusted proxy sent the request.
    var isFromProxy = false
    var phase = Phase.reading
    var group: HTTPGroup?
    var route: HTTPRoute?
    var parameters: [String: String] = [:]
    /// The answer that is sent if no handler is called.
    var refusal: HTTPAnswer
    var user: (any HTTPUser)?
    /// A Boolean value that indicates whether the group is identifying the user.
    var isIdentifying = false
    /// A Boolean value that indicates whether all of the request has arrived.
    var isRead = false
    var body: [UInt8] = []
    var bodyBytes = 0
    /// The maximum size of the body, in bytes.
    var bodyLimit: Int?
    var stream: HTTPBodyStream?
    /// The time at which the counting of the bytes in `recent` began.
    var recentBegan = NIODeadline.distantPast
    var recent = 0
    /// The task that computes or streams the answer.
    var work: Task<Void, Never>?

    init(_ head: HTTPRequestHead, id: String, began: NIODeadline, budget: (any HTTPBudget)?) {
        (self.head, self.id, self.began, self.budget) = (head, id, began, budget)
        refusal = .unreadable
    }

    /// Releases the body, and subtracts its bytes from the budget.
    func dropBody() {
        if !body.isEmpty { budget?.giveBody(body.count) }
        body = []
    }

    /// Returns the identifier that a proxy gave the request, or a new one.
    static func identifier(_ head: HTTPRequestHead, isTrusted: Bool) -> String {
        if isTrusted, let given = head.headers.first(name: "X-Request-ID"), (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy(isPlain)
        {
            return given
        }
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - text.utf8.count) + text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
}
