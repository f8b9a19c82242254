#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
public import FreeholdEngine
public import FreeholdSyncCore

/// A server's store in files of Freehold: a folder for each app, in it a file for each stream.
///
/// ```swift
/// let store = try FileServerStore(at: "/var/lib/freehold", epoch: .random(in: 1 ... .max))
/// let answer = store.perform(request)
/// ```
/// Objects are rows of tables made from the schema, one a class, their properties real columns: whoever opens the file sees them as objects,
/// with links, collections and embedded objects. What merges need beside them lies in hidden columns and tables. Nobody but the store may
/// write to its files.
///
/// **What doesn't fit** isn't refused, for a client's work may not be lost to a column's type: the value stays in a hidden column beside
/// the row, where sync finds it and the columns show their default. So it is with a property that has no column, a value of another
/// type, and texts and keys that the engine can't hold. An object whose class has no table, or whose key isn't of its table's type, is
/// kept whole in a hidden table. Whether a client may write such things is for the app's schema to say, not for the store.
///
/// **Development mode** adds columns by what it sees: see `Mode`. A property of which only nulls or empty collections were seen gets no
/// column, but the object remembers them.
///
/// Any thread may use it. Requests that write one stream take turns; those that read, read the newest version and wait for nobody.
public final class FileServerStore: Sendable {
    /// Where columns come from.
    public enum Mode: Sendable {
        /// From the schema that the store is opened with.
        case schema
        /// From that, and from values: the first that tells a type makes a column of it. No column changes its type later.
        case development
    }

    public struct Options: Sendable {
        public var mode = Mode.development
        /// Of the log. It has to be the same whenever the store is opened, or none where none was used.
        public var compression: (any MessageCompression)?
        public var encryptionKey: EncryptionKey?
        /// Of each stream's file: see `Database.Options`.
        public var mapSize: Int?
        /// The versions that are held for bootstraps, a stream. Without one a bootstrap reads the log for what changed since. A version is
        /// held for a minute after the last page of it was read, and as long as the file grows by no more than 64 MiB.
        public var pinnedVersions = 16
        /// The bytes of the log that trimming leaves, beside the age of its entries. The entries of the last hour stay in any case. A client
        /// that was away for longer than the log reaches compares keys.
        public var logBytes: UInt64 = 512 << 20
        /// A file of at least this size is rewritten when it is opened if two thirds of it are free pages.
        public var shrinkBytes: UInt64 = 32 << 20
        /// The files that are open at once, unless more are at work.
        public var openStreams = 256
        /// The rows of a cluster in new files. Fewer rows make single changes cheaper, and scans and large imports dearer. Each commit writes
        /// the last leaf of each column of the log.
        package var clusterSpan = 128
        package var pinAge = Duration.seconds(60)
        package var pinGrowth: UInt64 = 64 << 20
        package var clock: @Sendable () -> ContinuousClock.Instant = { .now }
        var pins: PastStates.Bounds { PastStates.Bounds(count: pinnedVersions, age: pinAge, growth: pinGrowth) }
        /// Of tests.
        package var engine: @Sendable (inout Database.Options) -> Void = { _ in }

        public init() {}
    }

    private let folder: String
    private let epoch: Lock<UInt64>
    private let schemas: [SyncString: [TableSpec]]
    private let options: Options
    private let open = Lock(OpenStreams())

    /// - Parameters:
    ///   - folder: made if it isn't there.
    ///   - epoch: of streams that are made from now on.
    ///   - schemas: of each app, the tables of its classes, whose primary key is `_id`, and of embedded objects. Files are given what they
    ///     lack of it. Delete rules and unique indexes aren't taken over: what they say is for the merge.
    /// - Throws: `EngineError` if the folder can't be made.
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

    /// Does what a request asks, whole or not at all. What it has done is durable when it returns.
    ///
    /// It never throws: `.failed(.unavailable)` and `.failed(.limit)` say that nothing was done, `.failed(.unknown)` that the result isn't known,
    /// `.failed(.damaged)` that the file can't be read. A stream that has no file is empty; what only reads makes none.
    public func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        do {
            if !request.kind.makesStream, !isThere(request.stream) {
                var empty = MemoryServerStore(epoch: epoch.withLock { $0 })
                return empty.perform(request)
            }
            return try stream(request.stream).perform(request.kind)
        } catch { return .failed(StoreFailure(error)) }
    }

    /// Gives all streams a new epoch, as whoever copies a store has to before it is used.
    ///
    /// - Throws: `EngineError`, or what is wrong with a file.
    public func wasCopied(epoch: UInt64) throws {
        self.epoch.withLock { $0 = epoch }
        for name in try streams() { try stream(name).setEpoch(epoch) }
    }

    /// The file of a stream, which is there once anything was written to the stream.
    public func path(of stream: StreamName) -> String {
        "\(folder)/\(FileName.text(stream.app))/\(FileName.text(stream)).freehold"
    }

    /// The streams that have a file.
    ///
    /// - Throws: `EngineError`
    public func streams() throws -> [StreamName] { try streamFiles().map(\.name) }

    /// The streams that have a file, and what is in it.
    ///
    /// - Throws: `EngineError`
    public func streamFiles() throws -> [StreamFileUse] {
        var found: [StreamFileUse] = []
        for app in FileManager.default.subpaths(in: folder) {
            for file in FileManager.default.subpaths(in: "\(folder)/\(app)") where file.hasSuffix(".freehold") {
                let database = try Database.open(at: "\(folder)/\(app)/\(file)", options: engineOptions)
                let use = try database.snapshot().reading { view -> StreamFileUse? in
                    guard let hidden = HiddenTables(view.schema) else { return nil }
                    let data = view.readData(hidden.head.columns[HeadColumn.allCases.count], StreamView.headRow)
                    guard let name = try data.map({ try StreamName(Array($0)) }) else { return nil }
                    return StreamFileUse(
                        name: name,
                        version: view.word(hidden.head, HeadColumn.version.rawValue, StreamView.headRow),
                        files: view.count(hidden.file),
                        bytes: Self.bytes("\(folder)/\(app)/\(file)")
                    )
                }
                if let use { found.append(use) }
            }
        }
        return found
    }

    private static func bytes(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Whether a stream has a file.
    func exists(_ stream: StreamName) -> Bool { FileManager.default.fileExists(atPath: path(of: stream)) }

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

/// Files that are open: those that weren't asked for longest go first.
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

/// Names of files that any file system takes.
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

    /// Small letters, digits and `-` as they are, other bytes in two digits behind `_`. What gets too long ends in a hash.
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
    /// Whether it leaves something in a stream that has nothing yet.
    fileprivate var makesStream: Bool {
        switch self {
        case .makeFile, .commit, .stage, .keepPart: true
        case .bind, .noteFile, .noteQueries, .read, .parts, .dropParts, .keptParts, .trimParts, .trimFiles, .step,
            .page, .keys,
            .objects, .trim:
            false
        }
    }
}

extension StoreFailure {
    init(_ error: any Error) {
        switch error {
        case let failure as StreamFile.CommitFailure:
            // A commit for which there is no room leaves the file as it was.
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
    /// A value that is larger than what a file can hold. It doesn't pass by itself, unlike a full disk.
    fileprivate var isLimit: Bool {
        [.limitExceeded, .invalidArgument, .invalidValue, .missingValue].contains(code)
    }

    fileprivate var isDamage: Bool { code == .invalidDatabase || code == .unsupportedFormat || code == .schemaMismatch }
}

/// What a stream's file holds.
public struct StreamFileUse: Hashable, Sendable {
    public let name: StreamName
    /// How many commits were ever taken in.
    public let version: StreamVersion
    /// The number of devices' files that are known.
    public let files: Int
    /// On the disk.
    public let bytes: Int
}
