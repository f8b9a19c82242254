import Foundation
import FreeholdStudio
import NIOHTTP1

/// A request of the page, as a request to the administrator's port.
struct ServerRequest: Sendable {
    /// A kind of request.
    struct Kind: Sendable {
        var method = HTTPMethod.GET
        /// The path below `/admin/v1/`. Parts in braces are members of the page's message.
        let path: String
        /// The members of the message that become parameters.
        var parameters: [String] = []
        /// Parameters that aren't members of the message.
        var fixed: [String] = []
        /// The member of the message with the body, as a text.
        var body: String?
        /// A Boolean value that indicates whether the request changes nothing although its method isn't `GET`.
        var isRead = false
        /// A Boolean value that indicates whether the request changes something, unless it is a dry run.
        var changes: Bool { method != .GET && !isRead }
    }

    private static let page = ["text", "after", "limit"]
    private static let records = ["app", "user", "text", "before", "limit"]

    static let kinds: [String: Kind] = [
        "overview": Kind(path: "overview"),
        "sessions": Kind(path: "sessions", parameters: ["app", "user", "text", "order", "offset", "limit"]),
        "streams": Kind(path: "streams", parameters: ["app", "offset", "limit"]),
        "refusals": Kind(path: "refusals", parameters: records),
        "conflicts": Kind(path: "conflicts", parameters: records),
        "resets": Kind(path: "resets", parameters: records),
        "sinks": Kind(path: "sinks"),
        "logs": Kind(
            path: "logs",
            parameters: ["after", "level", "app", "user", "connection", "text", "limit", "wait"]
        ),
        "users": Kind(path: "users/{app}", parameters: page),
        "user": Kind(path: "users/{app}/{user}"),
        "deleteUser": Kind(method: .DELETE, path: "users/{app}/{user}"),
        "disableUser": Kind(method: .POST, path: "users/{app}/{user}/disable"),
        "enableUser": Kind(method: .POST, path: "users/{app}/{user}/enable"),
        "logOutUser": Kind(method: .POST, path: "users/{app}/{user}/log-out"),
        "setUserData": Kind(method: .PUT, path: "users/{app}/{user}/data", body: "data"),
        "setUserPassword": Kind(method: .PUT, path: "users/{app}/{user}/password", body: "body"),
        "classes": Kind(path: "classes/{app}"),
        "head": Kind(path: "head/{app}", parameters: ["stream"]),
        "sight": Kind(path: "sight/{app}/{class}", parameters: ["user", "stream", "after", "limit"]),
        "trySight": Kind(
            method: .POST,
            path: "sight/{app}/{class}",
            parameters: ["user", "stream", "after", "limit"],
            body: "body",
            isRead: true
        ),
        // Numbers in the page aren't exact above 2^53, so it receives large numbers as texts.
        "documents": Kind(
            path: "data/{app}/{class}",
            parameters: ["query", "stream", "after", "limit"],
            fixed: ["canonical=true"]
        ),
        "document": Kind(path: "data/{app}/{class}/{key}", parameters: ["stream"], fixed: ["canonical=true"]),
        "insertDocument": Kind(
            method: .POST,
            path: "data/{app}/{class}",
            parameters: ["stream", "mode", "dry"],
            body: "body"
        ),
        "updateDocument": Kind(
            method: .PATCH,
            path: "data/{app}/{class}/{key}",
            parameters: ["stream", "dry"],
            body: "body"
        ),
        "deleteDocument": Kind(
            method: .DELETE,
            path: "data/{app}/{class}/{key}",
            parameters: ["stream", "dry"]
        ),
        "rules": Kind(path: "rules/{app}"),
        "pushRules": Kind(method: .PUT, path: "rules/{app}", parameters: ["dry", "force"], body: "body"),
        "schema": Kind(path: "schema/{app}"),
        "pushSchema": Kind(method: .PUT, path: "schema/{app}", parameters: ["dry", "version"], body: "body"),
        "declared": Kind(path: "declared/{app}"),
        "development": Kind(method: .PUT, path: "development/{app}", parameters: ["on"]),
    ]

    let method: HTTPMethod
    let path: String
    let body: [UInt8]
    /// The seconds for which the server may wait before it answers.
    let wait: Int64
    /// A Boolean value that indicates whether the request changes something.
    let changes: Bool

    /// - Throws: `StudioError` if the message isn't a request, or if a part of it is missing.
    init(_ message: StudioJSON) throws(StudioError) {
        guard let name = message["do"]?.text else {
            throw StudioError(.invalid, "A message is an object with the member 'do'.")
        }
        guard let kind = Self.kinds[name] else {
            throw StudioError(.unknown, "The program doesn't know the request '\(name.prefix(40))'.")
        }
        var parts: [String] = []
        for part in kind.path.split(separator: "/") {
            guard part.first == "{" else {
                parts.append(String(part))
                continue
            }
            guard let text = Self.text(message[String(part.dropFirst().dropLast())]), !text.isEmpty else {
                throw StudioError(.invalid, "The request '\(name)' needs '\(part.dropFirst().dropLast())'.")
            }
            parts.append(Self.escaped(text))
        }
        var pairs: [String] = []
        for parameter in kind.parameters {
            if let text = Self.text(message[parameter]) { pairs.append("\(parameter)=\(Self.escaped(text))") }
        }
        pairs += kind.fixed
        if let member = kind.body {
            guard let text = message[member]?.text else {
                throw StudioError(.invalid, "The request '\(name)' needs '\(member)' as a text.")
            }
            body = Array(text.utf8)
        } else {
            body = []
        }
        method = kind.method
        path = "/admin/v1/" + parts.joined(separator: "/") + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&"))
        guard path.utf8.count <= 8_000 else { throw StudioError(.tooLarge, "The request is too long.") }
        wait = Int64(min(max(message["wait"]?.int ?? 0, 0), 25))
        let isDry = kind.parameters.contains("dry") && Self.text(message["dry"]) == "true"
        changes = kind.changes && !isDry
    }

    /// Returns a text, a number or a Boolean value as a text.
    private static func text(_ value: StudioJSON?) -> String? {
        switch value {
        case .string(let text)?: text
        case .number(let text)?: text
        case .bool(let truth)?: "\(truth)"
        default: nil
        }
    }

    /// Returns a text in which all bytes except letters, digits and `-._~` are escaped.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default: escaped += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }
}
