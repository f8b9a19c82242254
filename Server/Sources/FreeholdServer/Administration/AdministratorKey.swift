import Crypto
import FreeholdHTTP
import NIOHTTP1

/// The key with which a program proves to the administrator's port that it may read the server's secret. It is derived from that secret. Unlike
/// the secret, it can't sign tokens.
public struct AdministratorKey: Sendable {
    /// The key as 64 hexadecimal digits.
    public let text: String

    /// - Parameter secret: A secret of the server; see `ServerSecret`.
    public init(secret: String) {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(secret.utf8)),
            info: Array("freehold administrator 1".utf8),
            outputByteCount: 32
        )
        text = Self.digits(key.withUnsafeBytes { Array($0) })
    }

    private static func digits(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the proof that a server has the key, for a number that the requesting program has chosen.
    ///
    /// Any program of the machine can open the port of a server that doesn't run, and would receive the key. Programs therefore request the proof
    /// before they send the key.
    func proof(of number: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("freehold server \(number)".utf8),
            using: SymmetricKey(data: Array(text.utf8))
        )
        return Self.digits(Array(code))
    }

    /// Returns the key of a text with 64 hexadecimal digits, or `nil` for another text.
    public init?(text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns a Boolean value that indicates whether a text is the key. The duration depends only on the length of the text.
    func matches(_ given: String) -> Bool { AccountSecret.equal(text, given) }

    /// Returns whether a request may be answered: a program of this machine sends it, and it has the key.
    ///
    /// A web page can't send such a request. `Host` names this machine, and browsers add an `Origin`.
    func identify(_ head: HTTPRequestHead) -> HTTPIdentification {
        guard Self.isOfProgram(head) else { return .refused(AdministratorFailure.foreign.answer) }
        guard let token = head.bearer, matches(token) else { return .refused(AdministratorFailure.noKey.answer) }
        return .known(Administrator())
    }

    /// Returns a Boolean value that indicates whether a program of this machine sends a request, and not a web page.
    static func isOfProgram(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        guard hosts.count == 1, let host = Loopback.host(hosts[0][...]) else { return false }
        return Loopback.contains(host) && head.headers["Origin"].isEmpty && head.headers["Sec-Fetch-Site"].isEmpty
    }
}

/// A program that has the administrator's key.
struct Administrator: HTTPUser {
    /// The author of an administrator's writes. Users' ids can't contain a space.
    static let name = "an administrator"

    var user: String { Self.name }
}

/// The failures of requests to the administrator's port, in addition to those of requests for documents.
enum AdministratorFailure {
    static let foreign = DocumentFailure(
        status: 403,
        code: "Forbidden",
        text: "Only programs of this machine may ask here."
    )
    static let noKey = DocumentFailure(status: 401, code: "NoKey", text: "The administrator's key is missing or wrong.")
    static let noRoute = DocumentFailure(status: 404, code: "NotFound", text: "There is nothing here.")
    static let noApp = DocumentFailure(status: 404, code: "AppNotFound", text: "There is no such app.")
    static let noUser = DocumentFailure(status: 404, code: "UserNotFound", text: "There is no such user.")
    static let noAccounts = DocumentFailure(status: 409, code: "NoAccounts", text: "This server has no accounts.")
    static let tooLarge = DocumentFailure(status: 413, code: "BadRequest", text: "The body is too large.")
    static let ending = DocumentFailure(status: 503, code: "Unavailable", text: "The server ends.")
}
