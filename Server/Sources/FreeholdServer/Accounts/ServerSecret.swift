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
        try checkMode(of: path)
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw SettingsError("The user of this process can't read \(path): see its owner.")
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count >= 32 else { throw SettingsError("\(path) holds no secret of 32 bytes.") }
        return text
    }

    /// Checks that only the owner of a file with a secret can read it. A file of root may be readable by its group, because systems that
    /// distribute secrets create such files. For a link, the target is checked.
    ///
    /// - Throws: `SettingsError`
    public static func checkMode(of path: String) throws {
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: target),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
        else { throw SettingsError("The file \(path) can't be read.") }
        let isRoots = (attributes[.ownerAccountID] as? NSNumber)?.intValue == 0
        guard mode & (isRoots ? 0o037 : 0o077) == 0 else {
            throw SettingsError(
                "Other users than its owner can read \(path): execute chmod 600, and then exchange the secret."
            )
        }
    }

    /// Gives a file the owner of a folder, if this process may. A command of root would otherwise create a secret that the server can't read.
    private static func keepOwner(_ file: String, of folder: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: folder),
            let owner = attributes[.ownerAccountID], let group = attributes[.groupOwnerAccountID]
        else { return }
        let own = try? FileManager.default.attributesOfItem(atPath: file)[.ownerAccountID] as? NSNumber
        guard own != owner as? NSNumber else { return }
        try? FileManager.default.setAttributes(
            [.ownerAccountID: owner, .groupOwnerAccountID: group],
            ofItemAtPath: file
        )
    }

    /// Returns a mark of the secret, which servers compare with the mark in their database. The secret can't be computed from it.
    public static func mark(of secret: String) -> [UInt8] {
        let key = SymmetricKey(data: Array(secret.utf8))
        return Array(HMAC<SHA256>.authenticationCode(for: Array("freehold store 1".utf8), using: key))
    }

    /// Returns a mark of the secrets that the servers of a database share.
    ///
    /// - Parameter tokens: The secrets of issuers whose tokens the servers accept.
    public static func mark(of secret: String, tokens: [String]) -> [UInt8] {
        var code = HMAC<SHA256>(key: SymmetricKey(data: Array(secret.utf8)))
        code.update(data: Array("freehold store 2".utf8))
        for token in tokens { code.update(data: Array(SHA256.hash(data: Array(token.utf8)))) }
        return Array(code.finalize())
    }

    /// Creates a file with a new secret. An existing file isn't changed.
    ///
    /// - Throws: `SettingsError` if it can't be written.
    public static func make(at path: String) throws {
        if !FileManager.default.fileExists(atPath: path) { try create(path) }
    }

    /// Creates the complete file in one step, with the folder's owner. If another process has created it at the same time, that file is kept.
    private static func create(_ path: String) throws {
        let draft = "\(path).\(AccountSecret.identifier())"
        let made = FileManager.default.createFile(
            atPath: draft,
            contents: Data((AccountSecret.make() + "\n").utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard made else { throw SettingsError("\(path) can't be written.") }
        defer { try? FileManager.default.removeItem(atPath: draft) }
        keepOwner(draft, of: URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
        do { try FileManager.default.linkItem(atPath: draft, toPath: path) } catch {
            guard FileManager.default.fileExists(atPath: path) else { throw SettingsError("\(path) can't be written.") }
        }
    }
}
