public import Foundation
import Synchronization

extension Realm {
    /// The options for opening a realm: its file or its place in memory, its classes and their version.
    ///
    /// ```swift
    /// let configuration = Realm.Configuration(fileURL: url, schemaVersion: 3, objectTypes: [Person.self, Dog.self])
    /// let realm = try Realm(configuration: configuration)
    /// ```
    ///
    /// A configuration is a value that can cross threads. Its fields are checked when a realm is opened, not when they
    /// are set.
    public struct Configuration: Sendable {
        private static let shared = Mutex<Configuration?>(nil)

        /// The configuration that `Realm()` opens, for the whole process. Reading and setting it copies the value.
        public static var defaultConfiguration: Configuration {
            get { shared.withLock { $0 } ?? Configuration() }
            set { shared.withLock { $0 = newValue } }
        }

        /// The URL of the file. Setting a URL clears `inMemoryIdentifier`.
        ///
        /// The default is `default.realm` in ``defaultDirectory``.
        public var fileURL: URL? {
            didSet { if fileURL != nil { inMemoryIdentifier = nil } }
        }

        /// The name of a database in memory. All realms of the process with this name share the database, which is
        /// deleted with the last of them. Setting a name clears `fileURL`.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }

        /// The 64 bytes with which the file is, or will be, encrypted. It is `nil` for a plain file.
        ///
        /// ```swift
        /// configuration.encryptionKey = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        /// ```
        ///
        /// Store the key in a place that the system protects, such as the keychain. The file can't be read without it.
        /// A key of another length is refused when the realm is opened (``Realm/Error/Code/invalidInput``). A wrong
        /// key, a missing key, and a key for a plain file are reported as ``Realm/Error/Code/invalidDatabase``. A realm
        /// in memory can't be encrypted.
        ///
        /// To change the key of a file, to encrypt a plain file, or to decrypt a file, use
        /// ``Realm/writeCopy(toFile:encryptionKey:)``.
        public var encryptionKey: Data?

        /// A Boolean value that indicates whether an existing file is opened for reading only.
        public var readOnly: Bool

        /// The version of the model classes. The file stores the highest version with which it was opened. It is
        /// migrated to a higher version (see ``migrationBlock``), and it refuses lower versions. `UInt64.max` is
        /// reserved.
        public var schemaVersion: UInt64

        /// A closure that runs if the file's schema version is lower than `schemaVersion`. It is `nil` if the automatic
        /// migration is sufficient. It runs once, in the write transaction of the migration. See ``Migration``.
        public var migrationBlock: MigrationBlock?

        /// A Boolean value that indicates whether the content of a file is deleted instead of migrated, and instead of
        /// an error. This happens if the schema version of the file differs, or if its classes need a migration.
        public var deleteRealmIfMigrationNeeded: Bool

        /// A closure that returns whether to compact the file. It receives the size of the file and the part of it that
        /// the data needs, in bytes. It is called when the process opens the file first, unless another process has the
        /// file open. It must not open the file itself.
        ///
        /// ```swift
        /// configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used < total / 2 }
        /// ```
        ///
        /// If the compaction fails, for example because the disk is full, the file stays unchanged, and is opened.
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// The URL of a file that is copied to `fileURL` if that file doesn't exist yet. The seed file must not be
        /// written meanwhile.
        public var seedFilePath: URL?

        /// The largest number of versions from the oldest held version to the newest, or `nil` or 0 for no limit.
        ///
        /// The space of these versions can't be reused, so the file grows with each commit. If the limit is exceeded,
        /// the begin of a write throws ``Realm/Error/Code/tooManyVersions``. `writeAsync` and `asyncWrite` throw this
        /// error when they commit. ``Realm/pinnedVersions`` lists the held versions.
        public var maximumNumberOfActiveVersions: UInt?

        /// The policy for versions of the file that are held for too long, or `nil` for none.
        ///
        /// The policy has limits in time and in bytes of the file. ``maximumNumberOfActiveVersions`` is a limit in
        /// commits.
        public var heldVersionPolicy: HeldVersionPolicy?

        /// The longest time for which a write waits for other writers of the file, in any thread and process. It is
        /// `nil` for no limit.
        ///
        /// After this time, ``Realm/Error/Code/busy`` is thrown by `write` of every kind, and by an opening that has to
        /// change the schema. A transaction of `beginWrite()`, which can't throw, throws the error when it commits.
        public var busyTimeout: Duration?

        /// A Boolean value that indicates whether commits are written to a commit log, `FILE.commitlog`, before they
        /// are written to the file. A commit then takes one write and one flush instead of two flushes, and threads
        /// that commit at the same time share a flush.
        ///
        /// ```swift
        /// configuration.usesCommitLog = true
        /// ```
        ///
        /// A commit is as durable as without a log when `write` returns. Other readers can see the commit some
        /// microseconds earlier. While the file is written, the log takes 8 MiB of disk space, and the file grows by up
        /// to four times that size before its pages are reused.
        ///
        /// The file is complete without its log one second after the last commit, and after the last realm of the file
        /// is closed. After a crash of the process or the machine, the next opening needs the log and replays it. Copy
        /// or move the log together with a file that wasn't closed. If the required log is missing, opening the file
        /// throws ``Realm/Error/Code/invalidDatabase`` and leaves it unchanged.
        ///
        /// The first opening of the file in the process determines the setting. The very first opening with a log
        /// changes the file, if no other process has it open, so that versions of Freehold without support for logs
        /// refuse it. ``Realm/writeCopy(toFile:encryptionKey:)`` makes a file that they can read. Processes with and
        /// without this setting may write alternately. The setting has no effect in memory and for read-only realms.
        public var usesCommitLog = false

        /// The changes that opening may make to the file's schema.
        public var schemaMode = SchemaMode.automatic

        /// A Boolean value that applies to a class that becomes embedded. If `true`, objects without links to them are
        /// deleted, and objects with several links are copied once for each link. If `false`, such objects make the
        /// opening throw, unless the migration block has resolved them.
        public var resolvesOwnersInMigrations = false

        /// A closure that is called during a migration, at least once for every 1,000 objects of a step. It runs on the
        /// thread that opens the file.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?

        /// The classes stored in the realm, or `nil` for all model classes of the process.
        public var objectTypes: [ObjectBase.Type]?

        /// The policy for the names, in the file, of classes that don't override `mappedName()`.
        public var classNamingPolicy = NamingPolicy.asDeclared

        /// The policy for the names, in the file, of properties that have no mapped name and whose class has no policy
        /// of its own.
        ///
        /// A file that was written with another policy contains other names. Opening it throws
        /// ``Realm/Error/Code/schemaMismatch``, or adds new classes next to the existing ones.
        public var propertyNamingPolicy = NamingPolicy.asDeclared

        var naming: Naming { Naming(classes: classNamingPolicy, properties: propertyNamingPolicy) }

        /// The schema, if it isn't simply the schema of Swift classes: a schema made at run time, or one that adds
        /// properties to classes.
        ///
        /// ```swift
        /// var schema = try Schema(classes: [Person.self])
        /// schema.objectSchema.append(ObjectSchema("Log", properties: [Property("text", .string)]))
        /// configuration.schema = schema
        /// let log = try Realm(configuration: configuration).dynamicObjects("Log")
        /// ```
        ///
        /// A schema replaces `objectTypes` and the naming policies, because it contains all names.
        public var schema: Schema?

        /// A Boolean value that indicates whether the realm reports reads and changes to Swift's Observation framework,
        /// which `withObservationTracking` and SwiftUI use.
        ///
        /// Each property of an object, and each list, set and map, is tracked separately. Queries and sections are
        /// tracked by all changes of the classes that they use. A tracked read costs about as much as that of an
        /// `@Observable` class, some 0.3 µs for a property instead of some nanoseconds. Each change of data that was
        /// read has a similar cost. Realms without tracking have no cost.
        public var observationTracking = false

        /// The rules for words in full-text search, and for letters with upper and lower case in comparisons without
        /// regard to case.
        ///
        /// If the rules differ from those with which the file was written, opening the file rebuilds its full-text
        /// indexes.
        public var textMatching = TextMatching.unicode

        /// The address space reserved for the file in bytes, or `nil` for the default. It limits the size of the file,
        /// and uses no memory. The default is 32 GiB, and less in a process with more than 256 open files (4 GiB with
        /// 2,000), but at least twice the size of the file. The first opening of a file in the process determines the
        /// value.
        public var mapSize: Int?

        /// The largest number of snapshots that can be read at the same time in all processes, or `nil` for the default
        /// of 1,024. The first opening of a file in the process determines the value.
        public var maximumReaders: Int?

        /// A service that works on the file next to the program, such as sync.
        package var service: (any FileService)?

        public init(
            fileURL: URL? = Configuration.defaultDirectory.appendingPathComponent("default.realm"),
            inMemoryIdentifier: String? = nil,
            encryptionKey: Data? = nil,
            readOnly: Bool = false,
            schemaVersion: UInt64 = 0,
            migrationBlock: MigrationBlock? = nil,
            deleteRealmIfMigrationNeeded: Bool = false,
            shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
            objectTypes: [ObjectBase.Type]? = nil,
            seedFilePath: URL? = nil
        ) {
            self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
            self.inMemoryIdentifier = inMemoryIdentifier
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.migrationBlock = migrationBlock
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.shouldCompactOnLaunch = shouldCompactOnLaunch
            self.seedFilePath = seedFilePath
            self.objectTypes = objectTypes
        }
    }
}

extension Realm.Configuration {
    /// The folder of the default file. It is named after the executable and located in the user's data folder:
    /// `$XDG_DATA_HOME` or otherwise `~/.local/share`, and Application Support on Apple platforms. It is created when
    /// it is first used.
    public static var defaultDirectory: URL {
        userDataDirectory.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }

    private static var userDataDirectory: URL {
        #if canImport(Darwin)
            return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory
        #else
            // The XDG specification says that relative paths are ignored.
            if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
                return URL(fileURLWithPath: path, isDirectory: true)
            }
            return FileManager.default.homeDirectoryForCurrentUser
                .appendingPathComponent(".local/share", isDirectory: true)
        #endif
    }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
    /// Returns a Boolean value that indicates whether two configurations open the same data in the same way. The
    /// comparison includes file, identifier, key, mode and version, but not classes and limits.
    public static func == (a: Self, b: Self) -> Bool {
        a.fileURL == b.fileURL && a.inMemoryIdentifier == b.inMemoryIdentifier && a.encryptionKey == b.encryptionKey
            && a.readOnly == b.readOnly && a.schemaVersion == b.schemaVersion
            && a.service?.identity == b.service?.identity
    }

    public var description: String {
        var parts: [String] = []
        if let fileURL { parts.append("fileURL: \(fileURL.path)") }
        if let inMemoryIdentifier { parts.append("inMemoryIdentifier: \(inMemoryIdentifier)") }
        if encryptionKey != nil { parts.append("encryptionKey: set") }
        parts.append("readOnly: \(readOnly)")
        parts.append("schemaVersion: \(schemaVersion)")
        if deleteRealmIfMigrationNeeded { parts.append("deleteRealmIfMigrationNeeded: true") }
        if let seedFilePath { parts.append("seedFilePath: \(seedFilePath.path)") }
        if let maximumNumberOfActiveVersions {
            parts.append("maximumNumberOfActiveVersions: \(maximumNumberOfActiveVersions)")
        }
        if let policy = heldVersionPolicy { parts.append("heldVersionPolicy: \(policy)") }
        if usesCommitLog { parts.append("usesCommitLog: true") }
        if let busyTimeout { parts.append("busyTimeout: \(busyTimeout)") }
        if schemaMode != .automatic { parts.append("schemaMode: .\(schemaMode)") }
        if classNamingPolicy != .asDeclared { parts.append("classNamingPolicy: \(classNamingPolicy)") }
        if propertyNamingPolicy != .asDeclared { parts.append("propertyNamingPolicy: \(propertyNamingPolicy)") }
        if textMatching != .unicode { parts.append("textMatching: .\(textMatching)") }
        if let service { parts.append("syncConfiguration: \(service.identity)") }
        if let objectTypes { parts.append("objectTypes: [\(objectTypes.map { "\($0)" }.joined(separator: ", "))]") }
        return "Realm.Configuration(\(parts.joined(separator: ", ")))"
    }
}
