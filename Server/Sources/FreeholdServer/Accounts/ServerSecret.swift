import Crypto
import Foundation

/// The secret of a server's folder, in the file `accounts.secret`. It signs the tokens of accounts, and other keys are derived from it. All processes
/// that use the folder have the same one.
public enum ServerSecret {
    static let fileName = "accounts.secret"

    /// Returns the secret. It is created if the folder has none.
    ///
    /// - Throws: `SettingsError` if the folder has no secret, and none can be created.
    public static func read(_ folder: String) throws -> String {
        let path = "\(folder)/\(fileName)"
        if !FileManager.default.fileExists(atPath: path) { try create(path) }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue, mode & 0o077 == 0 else {
            throw SettingsError("\(path) may be read by others than its owner: chmod 600, and then change it.")
        }
        let text = try? String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let text, text.utf8.count >= 32 else { throw SettingsError("\(path) holds no secret of 32 bytes.") }
        return text
    }

    /// Returns bytes by which a database recognizes the secret. The secret can't be computed from them.
    public static func mark(of secret: String) -> [UInt8] {
        let key = SymmetricKey(data: Array(secret.utf8))
        return Array(HMAC<SHA256>.authenticationCode(for: Array("freehold store 1".utf8), using: key))
    }

    /// Creates the file whole, or leaves the one that another process has created meanwhile.
    private static func create(_ path: String) throws {
        let draft = "\(path).\(AccountSecret.identifier())"
        let made = FileManager.default.createFile(
            atPath: draft,
            contents: Data((AccountSecret.make() + "\n").utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard made else { throw SettingsError("\(path) can't be written.") }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        do { try FileManager.default.linkItem(atPath: draft, toPath: path) } catch {
            guard FileManager.default.fileExists(atPath: path) else { throw SettingsError("\(path) can't be written.") }
        }
    }
}
