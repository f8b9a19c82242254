import Foundation
import FreeholdServer

/// Checks the variables of the environment whose names begin with `FREEHOLD_`. The reader would ignore unknown names without a message, and use the
/// default in place of a value of a wrong type.
enum SettingsEnvironment {
    private static let prefix = "FREEHOLD_"
    /// The settings that are allowed in the environment only.
    private static let secrets: [String: SettingsFile.Kind] = ["accounts.secret": .text, "tokens.secret": .text]
    /// The kinds of settings by the names of variables, except those of apps.
    private static let known = Dictionary(
        uniqueKeysWithValues: SettingsFile.known.merging(secrets) { $1 }.map { (variable(of: $0.key), $0.value) }
    )
    /// The variables of other programs of this project, of its builds and of its tests. A name that ends with an underscore stands for all names that
    /// begin with it.
    private static let others = [
        "ATTACKS", "BUNDLED_LMDB", "CLOCK", "COUNT", "ENCRYPTION_KEY", "FAULT", "KILL", "LONG", "POSTGRES_BIN",
        "PROFILE", "PYTHON", "RECORD", "REGENERATE", "REQUIRE_", "RUNS", "RUN_SEED", "SEED", "SOAK", "STUDIO_", "TESTS",
        "WIDTH",
        "TEST_", "TEXT", "TRACE", "TSAN", "UPDATE_GOLDEN", "VERSIONS",
    ]

    /// - Throws: `SettingsError` that names the variable.
    static func check(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let mine = environment.filter { $0.key.hasPrefix(prefix) && !isOfService($0.key, $0.value) }
            .sorted { $0.key < $1.key }
        for (name, _) in mine where kind(of: name) == nil && !isOther(name) {
            throw SettingsError("'\(name)' in the environment isn't a setting.")
        }
        for (name, value) in mine {
            guard let kind = kind(of: name), !isOf(kind, value) else { continue }
            throw SettingsError("'\(name)' in the environment isn't \(kind.rawValue).")
        }
    }

    /// Returns the name of the variable of a setting: `limits.userBytes` is `FREEHOLD_LIMITS_USER_BYTES`.
    private static func variable(of key: String) -> String {
        var (name, last) = (prefix, Character("."))
        for character in key {
            if character.isUppercase, last.isLowercase { name += "_" }
            name += character == "." ? "_" : character.uppercased()
            last = character
        }
        return name
    }

    private static func kind(of name: String) -> SettingsFile.Kind? {
        if let kind = known[name] { return kind }
        // The name of an app can have any letters.
        let beginning = prefix + "APP_"
        guard name.hasPrefix(beginning) else { return nil }
        if name.hasSuffix("_ACCESS"), name.count > beginning.count + 7 { return .text }
        return name.hasSuffix("_STREAMS") && name.count > beginning.count + 8 ? .texts : nil
    }

    private static func isOther(_ name: String) -> Bool {
        let rest = name.dropFirst(prefix.count)
        return others.contains { rest == $0 || rest.hasPrefix($0.hasSuffix("_") ? $0 : $0 + "_") }
    }

    /// Returns whether a variable describes a service. If a namespace has a service with the name `freehold`, Kubernetes sets such variables in its
    /// containers: `FREEHOLD_SERVICE_HOST`, `FREEHOLD_PORT=tcp://10.0.0.1:7800`, `FREEHOLD_PORT_7800_TCP_ADDR`.
    private static func isOfService(_ name: String, _ value: String) -> Bool {
        let protocols = ["tcp", "udp", "sctp"]
        if protocols.contains(where: { value.hasPrefix($0 + "://") }) { return true }
        if name.contains("_SERVICE_HOST") || name.contains("_SERVICE_PORT") { return true }
        let parts = name.split(separator: "_")
        return parts.indices.dropLast(2).contains { index in
            parts[index] == "PORT" && parts[index + 1].allSatisfy(\.isNumber)
                && protocols.contains(parts[index + 2].lowercased())
        }
    }

    private static func isOf(_ kind: SettingsFile.Kind, _ value: String) -> Bool {
        switch kind {
        case .text, .texts: true
        case .number: Int(value) != nil
        case .flag: ["true", "false", "yes", "no", "1", "0"].contains(value.lowercased())
        }
    }
}
