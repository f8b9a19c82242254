/// What a merge reads and writes of a stream's state (sync-design.md, section 8). All of one merge is one transaction.
public protocol MergeStore {
    /// The stream's version.
    var version: StreamVersion { get }
    /// Behind this version nothing dead is kept.
    var horizon: StreamVersion { get }
    /// The greatest time that the server ever took for the present.
    var now: Int64 { get }

    /// The greatest effective clock of the stream's commits up to a version.
    func greatestClock(upTo version: StreamVersion) throws -> Clock
    /// The number of the file's last commit, and that commit's effective clock.
    func lastCommit(of ident: FileIdent) throws -> (number: UInt64, clock: Clock)
    /// The files that a file was copied from.
    func parents(of ident: FileIdent) throws -> [FileParent]

    /// The answer that a commit got.
    func answer(to commit: UInt64, of ident: FileIdent) throws -> MergeAnswer?

    func object(_ name: ObjectName) throws -> MergedObject?
    /// As `object`, but the store gives its own copy away, so that nothing is copied when it changes. It gets it back by `put`.
    mutating func take(_ name: ObjectName) throws -> MergedObject?
    mutating func put(_ name: ObjectName, _ object: MergedObject) throws
    /// Stores an object of a class that takes new objects only, unless it is there.
    mutating func ingest(_ name: ObjectName, _ fields: [NewField]) throws
    /// The commit is done.
    mutating func finish(_ answer: MergeAnswer, of ident: FileIdent, now: Int64) throws

    /// Live objects that may have a link to the object in the property. More than those are allowed.
    func objects(linkingTo name: ObjectName, by property: MergeRules.Property) throws -> [ObjectName]
    /// Live objects of a class that may hold these values in the properties. More than those are allowed.
    func objects(
        of className: SyncString,
        holding values: [SetElement],
        in properties: [SyncString]
    ) throws -> [ObjectName]
}

extension MergeStore {
    public func parents(of ident: FileIdent) throws -> [FileParent] { [] }
}

/// What the schema and the app say, as far as a merge needs it.
public struct MergeRules: Sendable {
    public struct Property: Hashable, Sendable {
        public let className: SyncString
        public let property: SyncString

        public init(className: SyncString, property: SyncString) {
            self.className = className
            self.property = property
        }
    }

    public struct Unique: Hashable, Sendable {
        public let className: SyncString
        public let properties: [SyncString]

        public init(className: SyncString, properties: [SyncString]) {
            self.className = className
            self.properties = properties
        }
    }

    /// Constraints beyond the key: properties whose values together must differ.
    public var unique: [Unique] = []
    /// Properties with links whose delete rule is `deny`.
    public var denying: [Property] = []
    /// Classes that take new objects only.
    public var createOnly: Set<SyncString> = []
    /// A refusal takes the whole commit with it.
    public var refusesWholeCommits = false
    /// Whether a rule of the app forbids what a commit does to an object.
    public var forbids: @Sendable (FileIdent, Commit, ObjectName) -> Bool = { _, _, _ in false }

    public init() {}
}

/// What a client is told of its commit.
public struct MergeAnswer: Hashable, Sendable {
    public let commit: UInt64
    /// The version that the commit made.
    public let version: StreamVersion
    /// The effective clock.
    public let clock: Clock
    public let refusals: [Refusal]
}

/// Why a commit isn't merged at all.
public enum MergeError: Error, Hashable {
    /// A commit before this one never came.
    case gap(expected: UInt64)
    /// The author claims to have seen a version that isn't there.
    case unknownVersion
    /// The author must resync by keys first (sync-design.md, section 8).
    case behindHorizon
}
