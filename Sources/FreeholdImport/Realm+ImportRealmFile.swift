public import Foundation
public import Freehold
import FreeholdEngine
import RealmFileReader

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

extension Realm {
    /// Makes a Freehold file of a file that Realm wrote (formats 10 to 24): its classes, with their schema version, and all
    /// of their objects.
    ///
    /// ```swift
    /// let report = try Realm.importRealmFile(at: old, to: Realm.Configuration(fileURL: new))
    /// print(report)
    /// ```
    ///
    /// The Realm file is only read, a few hundred objects at a time, so that its size doesn't matter. If a program writes it
    /// meanwhile, the import fails. The new file gets its name when it is complete: an error leaves nothing at all. Links to
    /// objects that had been deleted elsewhere are null, as Realm shows them; what else differs is in the report.
    ///
    /// Blocks the thread; any may call it. A task that is cancelled ends it with `CancellationError`.
    ///
    /// - Parameters:
    ///   - url: The Realm file.
    ///   - configuration: Names the new file, which may not be there yet, its encryption key and how its full-text indexes
    ///     tell words. Its classes and version play no part: those of the Realm file are stored, to be migrated when the
    ///     app opens the file.
    ///   - key: Of an encrypted Realm file: 64 bytes.
    ///   - progress: Called now and then, on the calling thread.
    /// - Throws: `Realm.Error`: ``Error/Code/unsupportedFileFormatVersion`` of formats 2 to 9, ``Error/Code/invalidDatabase``
    ///   of damaged files and wrong keys, ``Error/Code/fileExists``, ``Error/Code/fileNotFound``,
    ///   ``Error/Code/alreadyOpen`` of a Realm file that was written meanwhile, …
    /// - Complexity: O(objects).
    @discardableResult
    public static func importRealmFile(
        at url: URL,
        to configuration: Configuration,
        key: Data? = nil,
        progress: ((RealmImportProgress) -> Void)? = nil
    ) throws -> RealmImportReport {
        guard let target = configuration.fileURL else {
            throw Error(.invalidInput, "An import makes a file: the configuration needs a fileURL.")
        }
        func refuse() -> Error {
            Error(.fileExists, "An import makes a new file. Choose another name, or delete the file.", fileURL: target)
        }
        if FileManager.default.fileExists(atPath: target.path) { throw refuse() }
        var options = Database.Options()
        if let bytes = configuration.encryptionKey {
            guard let key = EncryptionKey(bytes) else {
                throw Error(
                    .invalidInput,
                    "An encryption key has 64 bytes; this one has \(bytes.count).",
                    fileURL: target
                )
            }
            options.encryptionKey = key
        }
        return try translating(url, target) {
            let file = try RealmFile(path: url.path, key: key.map { Array($0) })
            // A file larger than what is reserved by itself.
            options.mapSize = configuration.mapSize ?? (file.byteCount > 8 << 30 ? 4 * file.byteCount : nil)
            let draft = target.deletingLastPathComponent()
                .appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
            defer {
                for suffix in ["", ".lock", "-lock", ".writer"] {
                    try? FileManager.default.removeItem(atPath: draft.path + suffix)
                }
            }
            let scratch = ScratchFile(in: target.deletingLastPathComponent())
            let report = try RealmImport(
                file,
                progress,
                textMatching: configuration.textMatching,
                scratch: scratch
            ).run(to: draft.path, options)
            // Unlike a renaming this never replaces what has come there meanwhile.
            if link(draft.path, target.path) != 0 {
                if errno == EEXIST { throw refuse() }
                throw Error(
                    .fileAccess,
                    "The file can't be named: \(String(cString: strerror(errno)))",
                    fileURL: target
                )
            }
            return report
        }
    }

    /// Reads a whole Realm file as ``importRealmFile(at:to:key:progress:)`` does, and makes nothing: whether it can be
    /// imported, and what would be different.
    public static func checkRealmFile(
        at url: URL,
        key: Data? = nil,
        progress: ((RealmImportProgress) -> Void)? = nil
    ) throws -> RealmImportReport {
        try translating(url, nil) {
            try RealmImport(RealmFile(path: url.path, key: key.map { Array($0) }), progress).check()
        }
    }

    private static func translating(_ url: URL, _ target: URL?, _ body: () throws -> RealmImportReport) throws
        -> RealmImportReport
    {
        do { return try body() } catch let error as RealmFileError {
            throw Error(error, fileURL: url)
        } catch let error as EngineError {
            throw Error(error, fileURL: target)
        }
    }
}

extension Realm.Error {
    init(_ error: RealmFileError, fileURL: URL) {
        let code: Code =
            switch error.code {
            case .fileNotFound: .fileNotFound
            case .permissionDenied: .filePermissionDenied
            case .notARealmFile, .wrongKey, .damaged: .invalidDatabase
            case .unsupportedFormat: .unsupportedFileFormatVersion
            case .changed: .alreadyOpen
            case .io: .fileAccess
            }
        self.init(code, error.message, fileURL: fileURL, cause: error)
    }
}
