#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import FreeholdEngine
public import FreeholdSyncCore

/// A server's store in Freehold files: a folder for each app, which contains a file for each stream.
///
/// ```swift
/// let store = try FileServerStore(at: "/var/lib/freehold", epoch: .random(in: 1 ... .max))
/// let answer = store.perform(request)
/// ```
/// Objects are rows of tables that are created from the schema, one for each class, with a column for each property.
/// Programs that open the file see ordinary objects with links, collections and embedded objects. The additional data
/// for merges is in hidden columns and tables. Only the store may write to its files.
///
/// **Values that don't fit** aren't refused, because the work of a client must not be lost due to a column's type. Such
/// a value is stored in a hidden column of the row. Sync reads it from there, and the ordinary column shows its
/// default. This applies to properties without a column, to values of another type, and to texts and keys that the
/// engine doesn't support. An object whose class has no table, or whose key has another type than its table, is stored
/// as a whole in a hidden table. The app's schema decides whether a client may write such objects, and not the store.
///
/// **Development mode** adds columns for the values that it receives: see `Mode`. A property that only had nulls or
/// empty collections so far has no column, but the stored object contains it.
///
/// Any thread may use the store. Requests that write to the same stream run one after the other. Requests that only
/// read use the newest version and don't wait.
public final class FileServerStore: Sendable {
    /// The source of the columns.
    public enum Mode: Sendable {
        /// The schema with which the store is opened.
        case schema
        /// That schema, and the stored values: the first value with a type creates a column of the type. A column never
        /// changes its type later.
        case development
    }

    public struct Options: Sendable {
        public var mode = Mode.development
        /// The compression of the log. It must be the same each time that the store is opened, or `nil` if none was
        /// used before.
        public var compression: (any MessageCompression)?
        public var encryptionKey: EncryptionKey?
        /// The size of the map of each stream's file: see `Database.Options`.
        public var mapSize: Int?
        /// The maximum number of versions of a stream that are held for bootstraps. A bootstrap without a held version
        /// reads the changes since its version from the log. A version is held until a minute after the last read of
        /// one of its pages, as long as the file grows by at most 64 MiB.
        public var pinnedVersions = 16
        /// The maximum number of bytes of the log that trimming leaves, in addition to the limit of the age of its
        /// entries. The entries of the last hour are always kept. A client with an older cursor than the log compares
        /// keys.
        public var logBytes: UInt64 = 512 << 20
        /// The size from which a file is rewritten when it is opened, if two thirds of it are free pages.
        public var shrinkBytes: UInt64 = 32 << 20
        /// The maximum number of open files. It is exceeded if more files are in use at the same time.
        public var openStreams = 256
        /// The number of rows of a cluster in new files. With fewer rows, single changes are faster, and scans and
        /// large imports are slower. Each commit writes the last leaf of each column of the log.
        package var clusterSpan = 128
        /// The minimum number of elements of a long list: see `StoredImages`.
        package var longList = MergedObject.longList
        package var pinAge = Duration.seconds(60)
        package var pinGrowth: UInt64 = 64 << 20
        package var clock: @Sendable () -> ContinuousClock.Instant = { .now }
        var pins: PastStates.Bounds { PastStates.Bounds(count: pinnedVersions, age: pinAge, growth: pinGrowth) }
        /// A closure with which tests change the options of the engine.
        package var engine: @Sendable (inout Database.Options) -> Void = { _ in }

        public init() {}
    }

    private let folder: String
    private let epoch: Lock<UInt64>
    private let schemas: [SyncString: [TableSpec]]
    private let options: Options
    private let open = Lock(OpenStreams())

    /// - Parameters:
    ///   - folder: The folder of the store. It is created if it doesn't exist.
    ///   - epoch: The epoch of streams that are created from now on.
    ///   - schemas: For each app, the tables of its classes with the primary key `_id`, and of its embedded objects.
    ///     Missing tables and columns are added to files. Delete rules and unique indexes are ignored, because the
    ///     merge applies them.
    /// - Throws: `EngineError` if the folder can't be created.
    public init(
        at folder: String,
        epoch: UInt64,
        schemas: [SyncString: [TableSpec]] = [:],
        options: Options = Options()
    ) throws {
        (self.folder, self.epoch, self.schemas, self.options) = (folder, Lock(epoch), schemas, options)
        try Self.makeFolder(folder)
    }

    // MARK: Requests

    /// Performs a request completely or not at all. Its changes are durable when the call returns.
    ///
    /// It never throws. After `.failed(.unavailable)` and `.failed(.limit)` nothing was done. After `.failed(.unknown)`
    /// the result is unknown. `.failed(.damaged)` means that the file can't be read. A stream without a file is empty,
    /// and requests that only read create no file.
    public func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        do {
            if !request.kind.makesStream, !isThere(request.stream) {
                var empty = MemoryServerStore(epoch: epoch.withLock { $0 })
                return empty.perform(request)
            }
            return try stream(request.stream).perform(request.kind)
        } catch { return .failed(StoreFailure(error)) }
    }

    /// Assigns a new epoch to all streams. A program that copies a store must call this method before it uses the copy.
    ///
    /// - Throws: `EngineError`, and errors about the content of a file.
    public func wasCopied(epoch: UInt64) throws {
        self.epoch.withLock { $0 = epoch }
        for name in try streams() { try stream(name).setEpoch(epoch) }
    }

    /// Returns the path of a stream's file. The file exists after the first write to the stream.
    public func path(of stream: StreamName) -> String {
        "\(folder)/\(FileName.text(stream.app))/\(stream.fileName).freehold"
    }

    /// Returns the streams that have a file.
    ///
    /// - Throws: `EngineError`
    public func streams() throws -> [StreamName] { try streamFiles().map(\.name) }

    /// Returns the streams that have a file, with the contents of the files.
    ///
    /// - Throws: `EngineError`
    public func streamFiles() throws -> [StreamFileUse] { try streamFiles { throw $1 } }

    /// Returns the streams that have a file, with the contents of the files.
    ///
    /// - Parameter unreadable: A closure that is called with the path of each file that can't be read, and with the reason.
    /// - Throws: The error of the closure.
    public func streamFiles(
        unreadable: (_ path: String, _ error: any Error) throws -> Void
    ) rethrows -> [StreamFileUse] {
        var found: [StreamFileUse] = []
        for app in FileManager.default.subpaths(in: folder) {
            for file in FileManager.default.subpaths(in: "\(folder)/\(app)") where file.hasSuffix(".freehold") {
                let path = "\(folder)/\(app)/\(file)"
                let use: StreamFileUse?
                do { use = try self.use(ofFile: path) } catch {
                    try unreadable(path, error)
                    continue
                }
                if let use { found.append(use) }
            }
        }
        return found
    }

    /// Returns the contents of a file, or `nil` if its first commit was never completed.
    private func use(ofFile path: String) throws -> StreamFileUse? {
        try Database.open(at: path, options: engineOptions).snapshot().reading { view in
            guard let hidden = HiddenTables(view.schema) else { return nil }
            let data = view.readData(hidden.head.columns[HeadColumn.allCases.count], StreamView.headRow)
            guard let name = try data.map({ try StreamName(Array($0)) }) else { return nil }
            return StreamFileUse(
                name: name,
                version: view.word(hidden.head, HeadColumn.version.rawValue, StreamView.headRow),
                files: view.count(hidden.file),
                bytes: Self.bytes(path)
            )
        }
    }

    private static func bytes(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Returns whether a stream has a file.
    public func exists(_ stream: StreamName) -> Bool { FileManager.default.fileExists(atPath: path(of: stream)) }

    private func isThere(_ stream: StreamName) -> Bool { open.withLock { $0[stream] != nil } || exists(stream) }

    private var engineOptions: Database.Options {
        var engine = Database.Options()
        (engine.mapSize, engine.encryptionKey) = (options.mapSize, options.encryptionKey)
        return engine
    }

    // MARK: Files

    func stream(_ name: StreamName) throws -> StreamFile {
        try open.withLock { open in
            if let file = open[name] { return file }
            try Self.makeFolder("\(folder)/\(FileName.text(name.app))")
            let epoch = epoch.withLock { $0 }
            let file = try StreamFile(at: path(of: name), name, epoch: epoch, schema: schemas[name.app] ?? [], options)
            open.add(file, name, limit: max(options.openStreams, 1))
            return file
        }
    }

    private static func makeFolder(_ path: String) throws {
        do { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) } catch {
            throw EngineError(.permissionDenied, "The folder can't be made: \(error)", path: path)
        }
    }
}

/// The open files. The files that weren't used for the longest time are closed first.
struct OpenStreams {
    private var files: [StreamName: (file: StreamFile, use: UInt64)] = [:]
    private var uses: UInt64 = 0

    subscript(name: StreamName) -> StreamFile? {
        mutating get {
            uses += 1
            files[name]?.use = uses
            return files[name]?.file
        }
    }

    mutating func add(_ file: StreamFile, _ name: StreamName, limit: Int) {
        while files.count >= limit, let oldest = files.min(by: { $0.value.use < $1.value.use }) {
            files[oldest.key] = nil
        }
        uses += 1
        files[name] = (file, uses)
    }
}

extension StreamName {
    /// The name of the stream's file, without its extension. Other files of a stream can begin with it, too.
    public var fileName: String { FileName.text(self) }
}

/// File names that all file systems support.
enum FileName {
    static func text(_ name: SyncString) -> String { text(Array(name.string.utf8)) }

    static func text(_ stream: StreamName) -> String {
        switch stream.value {
        case nil: return "main"
        case .string(let value)?: return "text-" + text(value)
        case let value?:
            var bytes: [UInt8] = []
            bytes.appendExact(value)
            return "value-" + text(bytes)
        }
    }

    /// Returns a name in which small letters, digits and `-` are unchanged, and other bytes are `_` with two digits.
    /// The end of a long name is replaced by a hash.
    private static func text(_ bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x61...0x7A, 0x2D: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        guard text.utf8.count > 120 else { return text }
        let hash = RunningHash.empty.appending(bytes)
        return text.prefix(80) + "__" + String(hash.high, radix: 16) + "_" + String(hash.low, radix: 16)
    }
}

extension FileManager {
    fileprivate func subpaths(in folder: String) -> [String] {
        ((try? contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}

extension ServerStoreRequest.Kind {
    /// A Boolean value that indicates whether the request stores data in a stream without a file.
    fileprivate var makesStream: Bool {
        switch self {
        case .makeFile, .openWriter, .commit, .stage, .keepPart: true
        case .bind, .noteFile, .noteQueries, .noteFront, .read, .parts, .dropParts, .keptParts, .trimParts, .trimFiles,
            .trimWriters,
            .step, .page, .keys, .objects, .trim:
            false
        }
    }
}

extension StoreFailure {
    init(_ error: any Error) {
        switch error {
        case let failure as StreamFile.CommitFailure:
            // A commit without enough space leaves the file unchanged.
            self =
                failure.error.code == .outOfDiskSpace
                ? .fullDisk("\(failure.error)") : .uncertain(SyncString("\(failure.error)"))
        case let error as EngineError where error.code == .outOfDiskSpace: self = .fullDisk("\(error)")
        case let error as EngineError:
            let text = SyncString("\(error)")
            self = error.isDamage ? .damaged(text) : error.isLimit ? .limit(text) : .unavailable(text)
        case let error as StreamFile.OversizedObject: self = .limit(SyncString("\(error)"))
        default: self = .damaged(SyncString("\(error)"))
        }
    }
}

extension EngineError {
    /// A Boolean value that indicates whether a value is too large for a file. In contrast to a full disk, this error
    /// is permanent.
    fileprivate var isLimit: Bool {
        [.limitExceeded, .invalidArgument, .invalidValue, .missingValue].contains(code)
    }

    fileprivate var isDamage: Bool { code == .invalidDatabase || code == .unsupportedFormat || code == .schemaMismatch }
}

/// The contents of a stream's file.
public struct StreamFileUse: Hashable, Sendable {
    public let name: StreamName
    /// The number of commits so far.
    public let version: StreamVersion
    /// The number of known files of devices.
    public let files: Int
    /// The size on the disk, in bytes.
    public let bytes: Int

    public init(name: StreamName, version: StreamVersion, files: Int, bytes: Int) {
        (self.name, self.version, self.files, self.bytes) = (name, version, files, bytes)
    }
}
