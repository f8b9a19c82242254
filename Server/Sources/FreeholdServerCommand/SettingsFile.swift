import Foundation
import FreeholdBSON
import FreeholdServer

/// Checks `server.json` before it is read. The reader would ignore unknown keys and values of wrong types without a
/// message.
enum SettingsFile {
    enum Kind: String {
        case text = "a text"
        case texts = "a list of texts"
        case number = "a whole number"
        case flag = "true or false"
    }

    /// The keys, except those of apps.
    static let known: [String: Kind] = [
        "apps": .texts, "host": .text, "port": .number, "path": .text, "development": .flag, "compression": .flag,
        "publicAddress": .text, "store": .text, "threads": .number, "admin.host": .text, "admin.port": .number,
        "drain.seconds": .number,
        "group.milliseconds": .number, "limits.connections": .number,
        "limits.connectionsPerAddress": .number, "limits.connectionsPerUser": .number,
        "limits.sessions": .number, "limits.messageBytes": .number, "limits.commitBytes": .number,
        "limits.waitingBytes": .number,
        "limits.bodyBytes": .number, "limits.userBodyBytes": .number, "limits.userBytes": .number,
        "limits.nodeBytes": .number, "limits.userDiskBytes": .number, "limits.queryBytes": .number,
        "limits.objectSteps": .number, "limits.requestsPerUser": .number, "limits.messageSeconds": .number,
        "limits.idleSeconds": .number, "limits.keepAliveSeconds": .number, "http.origins": .texts,
        "limits.storeSeconds": .number, "limits.greetingSeconds": .number,
        "proxy.addresses": .texts, "proxy.header": .text,
        "tls.certificates": .text,
        "tls.key": .text, "tokens.secretFile": .text, "tokens.publicKeyFile": .text, "tokens.keySetFile": .text,
        "tokens.issuer": .text, "tokens.audience": .text, "tokens.anonymous": .flag, "tokens.apps": .texts,
        "tokens.apiKeysFile": .text,
        "accounts.tokenSeconds": .number, "accounts.secretFile": .text,
    ]

    /// Checks the file.
    ///
    /// - Throws: `SettingsError`. It doesn't throw if the file is missing or isn't JSON, because the reader reports
    ///   this.
    static func check(at path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            let root = try? BSONDocument(extendedJSON: text)
        else { return }
        try check(root, "", path)
    }

    /// Returns the names of the apps that have settings of their own in the file. A file that can't be read has none.
    static func apps(at path: String) -> Set<String> {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            case .document(let apps)? = (try? BSONDocument(extendedJSON: text))?["app"]
        else { return [] }
        return Set(names(apps, ""))
    }

    /// A name may have dots, so that it is a path of groups.
    private static func names(_ group: BSONDocument, _ prefix: String) -> [String] {
        group.flatMap { name, value -> [String] in
            guard case .document(let inner) = value else { return [] }
            let isApp = inner.contains { ["access", "streams"].contains($0.key) && !Self.isDocument($0.value) }
            return (isApp ? [prefix + name] : []) + names(inner, prefix + name + ".")
        }
    }

    private static func isDocument(_ value: BSONValue) -> Bool {
        if case .document = value { return true }
        return false
    }

    private static func check(_ values: BSONDocument, _ prefix: String, _ path: String) throws {
        for (name, value) in values {
            let key = prefix + name
            if let kind = kind(of: key) {
                guard isOf(kind, value) else { throw SettingsError("'\(key)' in \(path) is \(kind.rawValue).") }
            } else if case .document(let group) = value, isGroup(key) {
                try check(group, key + ".", path)
            } else {
                throw SettingsError("'\(key)' in \(path) isn't a setting.")
            }
        }
    }

    /// Returns the kind of a key. The names of apps are between `app.` and `.access` or `.streams`.
    private static func kind(of key: String) -> Kind? {
        if key.hasPrefix("app."), key.hasSuffix(".access"), key.count > 11 { return .text }
        if key.hasPrefix("app."), key.hasSuffix(".streams"), key.count > 12 { return .texts }
        return known[key]
    }

    private static func isGroup(_ key: String) -> Bool {
        key == "app" || key.hasPrefix("app.") || known.keys.contains { $0.hasPrefix(key + ".") }
    }

    private static func isOf(_ kind: Kind, _ value: BSONValue) -> Bool {
        switch (kind, value) {
        case (.text, .string), (.flag, .bool), (.number, .int32), (.number, .int64): true
        case (.texts, .array(let values)): values.allSatisfy { isOf(.text, $0) }
        default: false
        }
    }
}
