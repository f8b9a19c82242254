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
    /// Creates a Freehold file from a file that Realm wrote (formats 10 to 24), with its classes, its schema version
    /// and all of its objects.
    ///
    /// ```swift
    /// let report = try Realm.importRealmFile(at: old, to: Realm.Configuration(fileURL: new))
    /// print(report)
    /// ```
    ///
    /// The Realm file is only read, a few hundred objects at a time, so its size doesn't affect the memory use. If a
    /// program writes it meanwhile, the import fails. The new file gets its name when it is complete, so an error
    /// leaves no file. Links to objects that had been deleted elsewhere are null, like Realm shows them. The report
    /// lists all other differences.
    ///
    /// The method blocks the thread. Any thread may call it. If the task is cancelled, the method throws
    /// `CancellationError`.
    ///
    /// - Parameters:
    ///   - url: The URL of the Realm file.
    ///   - configuration: The URL of the new file, which must not exist, its encryption key, and the rules for words of
    ///     its full-text indexes. Its classes and version are ignored. The file stores those of the Realm file, and is
    ///     migrated when the app opens it.
    ///   - key: The 64 bytes of the key of an encrypted Realm file.
    ///   - progress: A closure that is called repeatedly on the calling thread.
    /// - Throws: `Realm.Error`: ``Error/Code/unsupportedFileFormatVersion`` for formats 2 to 9,
    ///   ``Error/Code/invalidDatabase`` for damaged files and wrong keys, ``Error/Code/fileExists``,
    ///   ``Error/Code/fileNotFound``, ``Error/Code/alreadyOpen`` for a Realm file that was written meanwhile, …
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
            // A large file needs more address space than the default.
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
            // Unlike a rename, a link never replaces a file that has been created meanwhile.
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

    /// Reads a whole Realm file like ``importRealmFile(at:to:key:progress:)``, without creating a file. Returns the
    /// differences that an import would have, and throws if the file can't be imported.
    public static func checkRealmFile(
        at url: URL,
        key: Data? = nil,
        progress: ((RealmImportProgress) -> Void)? = nil
    ) throws -> RealmImportReport {
        try translating(url, nil) {
            try RealmImport(RealmFile(path: url.path, key: key.map { Array($0) }), progress).check()
        }
    }

    private static func translating(_ url: URL, _ target: URL?, body: () throws -> RealmImportReport) throws
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
