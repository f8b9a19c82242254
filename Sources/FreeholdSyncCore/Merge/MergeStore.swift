/// The part of a stream's state that a merge reads and writes (sync-design.md, section 8). Each merge is one
/// transaction.
public protocol MergeStore {
    /// The version of the stream.
    var version: StreamVersion { get }
    /// The version before which no deleted data is kept.
    var horizon: StreamVersion { get }
    /// The greatest time that the server has used so far, in milliseconds since 2015-01-01.
    var now: Int64 { get }

    /// Returns the greatest effective clock of the stream's commits up to a version.
    func greatestClock(upTo version: StreamVersion) throws -> Clock
    /// Returns the number of the file's last commit, and the effective clock of that commit.
    func lastCommit(of ident: FileIdent) throws -> (number: UInt64, clock: Clock)
    /// Returns the files of which a file is a copy.
    func parents(of ident: FileIdent) throws -> [FileParent]

    /// Returns the answer that was given to a commit.
    func answer(to commit: UInt64, of ident: FileIdent) throws -> MergeAnswer?

    func object(_ name: ObjectName) throws -> MergedObject?
    /// Like `object`, except that the store gives up its own copy, so that a change of the object copies nothing. `put`
    /// returns the object to the store.
    mutating func take(_ name: ObjectName) throws -> MergedObject?
    mutating func put(_ name: ObjectName, _ object: MergedObject) throws
    /// Stores an object of an asymmetric class, unless an object with the name exists.
    mutating func ingest(_ name: ObjectName, _ fields: [NewField]) throws
    /// Records the answer to a commit at the end of its merge.
    mutating func finish(_ answer: MergeAnswer, of ident: FileIdent, now: Int64) throws

    /// Returns live objects that may link to an object through a property. The result may contain objects without such
    /// a link.
    func objects(linkingTo name: ObjectName, by property: MergeRules.Property) throws -> [ObjectName]
    /// Returns live objects of a class that may have these values in the properties. The result may contain objects
    /// with other values.
    func objects(
        of className: SyncString,
        holding values: [SetElement],
        in properties: [SyncString]
    ) throws -> [ObjectName]
}

extension MergeStore {
    public func parents(of ident: FileIdent) throws -> [FileParent] { [] }
}

/// The rules of the schema and the app that a merge applies.
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

    /// Unique constraints in addition to the primary key. Each is a group of properties whose values together must be
    /// unique.
    public var unique: [Unique] = []
    /// Link properties whose delete rule is `deny`.
    public var denying: [Property] = []
    /// Asymmetric classes, which only accept new objects.
    public var createOnly: Set<SyncString> = []
    /// A Boolean value that indicates whether the refusal of one object refuses the whole commit.
    public var refusesWholeCommits = false
    /// Returns whether a rule of the app forbids the changes that a commit makes to an object.
    public var forbids: @Sendable (FileIdent, Commit, ObjectName) -> Bool = { _, _, _ in false }

    public init() {}
}

/// The answer to a client's commit.
public struct MergeAnswer: Hashable, Sendable {
    public let commit: UInt64
    /// The version that the commit received.
    public let version: StreamVersion
    /// The effective clock of the commit.
    public let clock: Clock
    public let refusals: [Refusal]
}

/// The reason why a commit can't be merged.
public enum MergeError: Error, Hashable {
    /// The server hasn't received all earlier commits of the file. The next one must have the number `expected`.
    case gap(expected: UInt64)
    /// The author names a version as seen that doesn't exist.
    case unknownVersion
    /// The author must first synchronise the keys of its objects again (sync-design.md, section 8).
    case behindHorizon
}
