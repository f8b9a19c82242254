import Foundation
import Freehold
import FreeholdEngine
import FreeholdImport

/// An open file of a session.
final class OpenFile: Sendable {
    let entry: StudioEntry
    let database: Database
    let feed: ChangeFeed
    /// A Boolean value that indicates whether the file was written by Realm. `database` is then a private copy in Freehold's format.
    let isRealmFile: Bool
    /// The report of the conversion of a Realm file.
    let importReport: String?
    private let copyPath: String?
    private let isWritable: Bool

    private init(
        _ entry: StudioEntry,
        _ database: Database,
        isWritable: Bool = false,
        importReport: String? = nil,
        copyPath: String? = nil
    ) {
        (self.entry, self.database, self.importReport, self.copyPath) = (entry, database, importReport, copyPath)
        isRealmFile = copyPath != nil
        self.isWritable = isWritable
        feed = ChangeFeed(database)
    }

    deinit { if let copyPath { Self.removeCopy(copyPath) } }

    var canWrite: Bool { isWritable && !database.isReadOnly && !isRealmFile }

    /// The reason why the screen doesn't follow the file, or `nil` if it does.
    var notLive: String? { isRealmFile ? "Files that Realm wrote are shown as they were when they were opened." : nil }

    /// Opens a file. It is never upgraded, and never created.
    ///
    /// - Parameters:
    ///   - entry: The file.
    ///   - key: The key of an encrypted file.
    ///   - options: The options of the program.
    /// - Throws: `StudioError` with the codes `notFound`, `owner`, `permission`, `key`, `format`, `damaged`, `io`.
    static func open(_ entry: StudioEntry, key: EncryptionKey?, _ options: StudioOptions) throws(StudioError)
        -> OpenFile
    {
        let kind = entry.kind
        if kind == .missing, !FileManager.default.fileExists(atPath: entry.path) {
            throw StudioError(.notFound, "The file \(entry.name) doesn't exist.")
        }
        if kind == .realm { return try openRealm(entry, key: key, options) }
        try checkOwner(entry)
        do throws(EngineError) {
            let database = try openDatabase(entry.path, key: key, isWritable: options.isWritable)
            return OpenFile(entry, database, isWritable: options.isWritable)
        } catch {
            if let key, kind == .other, let converted = try? openRealm(entry, key: key, options) { return converted }
            throw StudioError(error)
        }
    }

    private static func openDatabase(
        _ path: String,
        key: EncryptionKey?,
        isWritable: Bool
    ) throws(EngineError) -> Database {
        var options = Database.Options()
        options.readOnly = !isWritable
        options.encryptionKey = key
        // An older format isn't upgraded.
        options.formatVersion = 1
        do throws(EngineError) { return try Database.open(at: path, options: options) } catch {
            // A process opens a file in one way. If it has the file open for writing, the session shares that, and still can't write.
            guard !isWritable, error.detail == .otherSettings else { throw error }
            options.readOnly = false
            return try Database.open(at: path, options: options)
        }
    }

    /// - Throws: `StudioError` with the code `owner` if a lock file that this user creates could keep the owner from opening the file.
    private static func checkOwner(_ entry: StudioEntry) throws(StudioError) {
        var status = stat()
        guard stat(entry.path, &status) == 0, status.st_uid != geteuid(), access(entry.path + "-lock", F_OK) != 0 else {
            return
        }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "\(status.st_uid)"
        throw StudioError(
            .owner,
            "The file belongs to the user '\(owner)', and no program has it open. Run Studio as this user: a lock file of "
                + "another user can lock the app out."
        )
    }

    // MARK: Realm files

    /// Opens a private copy of a Realm file in Freehold's format. The file itself is only read.
    private static func openRealm(
        _ entry: StudioEntry,
        key: EncryptionKey?,
        _ options: StudioOptions
    ) throws(StudioError) -> OpenFile {
        let path = options.temporaryFolder + "/\(UUID().uuidString).realm"
        do {
            var copy = Realm.Configuration(fileURL: URL(fileURLWithPath: path))
            // The copy of an encrypted file is encrypted, too.
            copy.encryptionKey = key.map { Data($0.bytes) }
            let report = try Realm.importRealmFile(
                at: URL(fileURLWithPath: entry.path),
                to: copy,
                key: copy.encryptionKey
            )
            let database = try openDatabase(path, key: key, isWritable: false)
            return OpenFile(entry, database, importReport: "\(report)", copyPath: path)
        } catch {
            removeCopy(path)
            throw StudioError(error)
        }
    }

    /// Deletes a private copy of a file.
    static func removeCopy(_ path: String) {
        for suffix in ["", "-lock", ".writer", ".lock"] { unlink(path + suffix) }
    }

    /// Returns the key that a request contains, or `nil` if it contains none.
    static func key(_ json: StudioJSON?) throws(StudioError) -> EncryptionKey? {
        guard let json, !json.isNull else { return nil }
        var bytes: [UInt8] = []
        if let digits = json["hex"]?.text?.filter({ !$0.isWhitespace }).utf8 {
            let digits = Array(digits)
            guard digits.count == 128 else { throw wrongKey }
            for i in stride(from: 0, to: 128, by: 2) {
                guard let byte = UInt8(String(decoding: digits[i..<i + 2], as: UTF8.self), radix: 16) else {
                    throw wrongKey
                }
                bytes.append(byte)
            }
        } else if let text = json["base64"]?.text, let data = Data(base64Encoded: text) {
            bytes = fromFile(Array(data))
        }
        guard let key = EncryptionKey(bytes) else { throw wrongKey }
        return key
    }

    /// Returns the key that a key file contains: 64 bytes, or their text in hexadecimal digits or base64.
    static func fromFile(_ content: [UInt8]) -> [UInt8] {
        if content.count == EncryptionKey.byteCount { return content }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.count == 128 {
            let digits = Array(text.utf8)
            return stride(from: 0, to: 128, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
        }
        return Data(base64Encoded: text).map { Array($0) } ?? []
    }

    private static let wrongKey = StudioError(.key, "A key has 64 bytes: 128 hexadecimal digits, or base64.")
}
