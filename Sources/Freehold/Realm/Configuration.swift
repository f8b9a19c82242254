public import Foundation
import Synchronization

extension Realm {
    /// How to open a realm: which file (or memory), which classes, which version of them.
    ///
    /// ```swift
    /// let configuration = Realm.Configuration(fileURL: url, schemaVersion: 3, objectTypes: [Person.self, Dog.self])
    /// let realm = try Realm(configuration: configuration)
    /// ```
    ///
    /// A value that may cross threads. Fields are checked when a realm is opened with it, not when they are set.
    public struct Configuration: Sendable {
        private static let shared = Mutex<Configuration?>(nil)

        /// What `Realm()` opens; process-wide. A copy goes in and a copy comes out.
        public static var defaultConfiguration: Configuration {
            get { shared.withLock { $0 } ?? Configuration() }
            set { shared.withLock { $0 = newValue } }
        }

        /// The file. Setting one clears `inMemoryIdentifier`.
        ///
        /// Left alone it is `default.realm` in ``defaultDirectory``.
        public var fileURL: URL? {
            didSet { if fileURL != nil { inMemoryIdentifier = nil } }
        }

        /// The name of a database in memory, shared by all realms of the process that name it and gone with the last
        /// of them. Setting one clears `fileURL`.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }

        /// The 64 bytes that the file is encrypted with, or is to be where it is made; nil for a plain file.
        ///
        /// ```swift
        /// configuration.encryptionKey = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
        /// ```
        ///
        /// Keep it where the system keeps secrets: without it, nobody can read the file. Another number of bytes is
        /// refused when the realm is opened (``Realm/Error/Code/invalidInput``); a wrong key, a missing one, and one for a
        /// plain file are ``Realm/Error/Code/invalidDatabase``. A realm in memory can't be encrypted.
        ///
        /// ``Realm/writeCopy(toFile:encryptionKey:)`` gives a file another key, encrypts a plain one, or makes a plain copy.
        public var encryptionKey: Data?

        /// Opens an existing file for reading only.
        public var readOnly: Bool

        /// The version of the model classes; a file remembers the highest it was opened with, is migrated to a higher one
        /// (see ``migrationBlock``) and refuses lower ones. `UInt64.max` is reserved.
        public var schemaVersion: UInt64

        /// What the program does when the file's schema version is lower than `schemaVersion`; nil where the library does
        /// all that is needed. Runs once, in the one write transaction that the migration is. See ``Migration``.
        public var migrationBlock: MigrationBlock?

        /// Deletes everything in a file whose schema version is another, or whose classes need a migration, instead of
        /// migrating it or throwing.
        public var deleteRealmIfMigrationNeeded: Bool

        /// Whether to compact the file: asked when the process opens it first, with the file's bytes and the bytes of them
        /// that the data needs. Not asked where another process has the file open. It must not open the file itself.
        ///
        /// ```swift
        /// configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used < total / 2 }
        /// ```
        ///
        /// Compaction that fails, for want of room say, leaves the file as it was, and opening goes on.
        public var shouldCompactOnLaunch: (@Sendable (_ totalBytes: Int, _ usedBytes: Int) -> Bool)?

        /// A file that is copied to `fileURL` if nothing is there yet. Nobody may be writing to it.
        public var seedFilePath: URL?

        /// How many versions there may be from the oldest that somebody holds to the newest, or nil (and 0) for any number.
        ///
        /// The space of these can't be used again, so the file grows with each. Beginning a write beyond the limit
        /// throws ``Realm/Error/Code/tooManyVersions``; see ``Realm/pinnedVersions`` for who holds them. `writeAsync` and
        /// `asyncWrite` throw it when they commit.
        public var maximumNumberOfActiveVersions: UInt?

        /// What is done about versions of the file that somebody holds for too long; nil: nothing.
        ///
        /// A limit in time or in bytes of the file, where ``maximumNumberOfActiveVersions`` is one in commits.
        public var heldVersionPolicy: HeldVersionPolicy?

        /// How long a write waits for other writers of the file, of any thread and process, or nil for as long as they take.
        ///
        /// Then it throws ``Realm/Error/Code/busy``: `write` of every kind, and an opening that has to change the schema.
        /// A transaction that `beginWrite()` began without the lock, because it can't throw, throws it when it commits.
        public var busyTimeout: Duration?

        /// Whether commits go into a commit log, `FILE.commitlog`, before they go into the file: one write and one flush each in
        /// place of two flushes, and threads that commit at once share a flush.
        ///
        /// ```swift
        /// configuration.usesCommitLog = true
        /// ```
        ///
        /// A commit is as durable as without one when `write` returns. Others can see it some microseconds before that. The log
        /// takes 8 MiB of disk while the file is written, and the file grows by up to four times that before its pages are used
        /// again. A second after the last commit, and when the last realm of the file closes, the file is whole by itself;
        /// after a kill, or when the machine has stopped, the next opening needs the log and plays it. So who copies or moves a
        /// file that wasn't closed takes the log along; a file without the log that it needs is
        /// ``Realm/Error/Code/invalidDatabase``, and unchanged.
        ///
        /// The first open of a file in the process decides. The first ever changes the file, when nobody else has it open, so that
        /// versions of Freehold that don't know of logs refuse it (``Realm/writeCopy(toFile:encryptionKey:)`` makes a file that they
        /// read); processes with and without this setting may write in turns. Without effect in memory, and read-only.
        public var usesCommitLog = false

        /// What opening may do to the file's schema.
        public var schemaMode = SchemaMode.automatic

        /// When a class becomes embedded: whether objects that nothing links to are deleted and objects with several links
        /// are copied, one for each. Else such objects make the opening throw, unless the migration block has seen to them.
        public var resolvesOwnersInMigrations = false

        /// Called now and then while a file is migrated, at least every 1,000 objects of a step, on the thread that
        /// opens it.
        public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?

        /// The classes stored in the realm, or nil for every model class of the process.
        public var objectTypes: [ObjectBase.Type]?

        /// How classes are called in the file that don't override `mappedName()`.
        public var classNamingPolicy = NamingPolicy.asDeclared

        /// How properties are called in the file that aren't mapped, of classes without a policy of their own.
        ///
        /// A file that has been written with other policies has other names: opening it throws
        /// ``Realm/Error/Code/schemaMismatch``, or adds classes beside those that are there.
        public var propertyNamingPolicy = NamingPolicy.asDeclared

        var naming: Naming { Naming(classes: classNamingPolicy, properties: propertyNamingPolicy) }

        /// The schema, where it isn't just that of classes: made by hand, or that of classes with more properties.
        ///
        /// ```swift
        /// var schema = try Schema(classes: [Person.self])
        /// schema.objectSchema.append(ObjectSchema("Log", properties: [Property("text", .string)]))
        /// configuration.schema = schema
        /// let log = try Realm(configuration: configuration).dynamicObjects("Log")
        /// ```
        ///
        /// Stands in place of `objectTypes` and of the naming policies: it names everything itself.
        public var schema: Schema?

        /// Whether the realm tells Swift's Observation framework what is read of it and what changes:
        /// `withObservationTracking`, SwiftUI.
        ///
        /// Each property of an object, and each list, set and map, is told by itself; queries and sections by any change of
        /// the classes that they look at. Reading costs about as much as an `@Observable` class's (some 0.3 µs a property)
        /// in place of some nanoseconds, and so does each change that something was read of; realms without it pay nothing.
        public var observationTracking = false

        /// What full-text search takes for a word, and which letters have upper and lower case where a condition
        /// ignores it: in every script, or as in Realm.
        ///
        /// Opening a file with another choice than it was written with makes its full-text indexes anew.
        public var textMatching = TextMatching.unicode

        /// The address space reserved for the file in bytes, or nil for the default: 32 GiB, less in a process that has more
        /// than 256 files open (4 GiB with 2,000), and room for twice what the file holds. It is the file's largest size; it
        /// costs no memory. The first open of a file in the process decides.
        public var mapSize: Int?

        /// How many snapshots can be read at once, over all processes; nil for the default of 1,024. The first open
        /// of a file in the process decides.
        public var maximumReaders: Int?

        /// What works on the file beside the program: sync.
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
    /// Where the default file lives: a folder named after the executable in the user's data folder
    /// (`$XDG_DATA_HOME`, else `~/.local/share`; on Apple platforms Application Support). Made when first opened.
    public static var defaultDirectory: URL {
        userDataDirectory.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    }

    private static var userDataDirectory: URL {
        #if canImport(Darwin)
            return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                ?? FileManager.default.temporaryDirectory
        #else
            // The XDG specification ignores relative paths.
            if let path = ProcessInfo.processInfo.environment["XDG_DATA_HOME"], path.hasPrefix("/") {
                return URL(fileURLWithPath: path, isDirectory: true)
            }
            return FileManager.default.homeDirectoryForCurrentUser
                .appendingPathComponent(".local/share", isDirectory: true)
        #endif
    }
}

extension Realm.Configuration: Equatable, CustomStringConvertible {
    /// Whether both name the same data in the same way: file, identifier, key, mode and version. Classes and limits don't
    /// count.
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
