/// What a local file offers to the sync client.
///
/// All of one transaction happens or nothing of it, whatever is killed when. Nobody else commits meanwhile.
public protocol ClientStore {
    associatedtype Transaction: ClientTransaction

    mutating func transact<Result>(_ body: (inout Transaction) throws -> Result) throws -> Result
}

/// A transaction of a local file. What it reads contains what it wrote.
public protocol ClientTransaction {
    var state: ClientState { get set }
    /// What is left out, since it failed before.
    var care: StoreCare { get set }

    // MARK: Objects

    /// What the file shows of an object, hidden links included. Nil if it isn't there.
    func contents(of name: ObjectName) throws -> [SyncString: MergedContent]?
    /// Returns some properties of what the file shows of an object. Returns `nil` if the file doesn't have the object.
    func contents(of name: ObjectName, only properties: Set<SyncString>) throws -> [SyncString: MergedContent]?
    /// Returns the number of elements of a list, including hidden links. Returns `nil` if the file has no such list.
    func count(ofList property: SyncString, of name: ObjectName) throws -> Int?
    /// Edits what the file shows. Nothing of it is written down as own work, no delete rule runs, no unique constraint holds.
    mutating func perform(_ edits: [LocalEdit]) throws

    /// The version of what is confirmed of an object. Nil if nothing is.
    func version(of name: ObjectName) throws -> StreamVersion?
    mutating func setVersion(_ version: StreamVersion?, of name: ObjectName) throws
    /// The objects of a class that are confirmed, in a range of keys.
    func confirmed(in range: KeyRange) throws -> [(key: PrimaryKey, version: StreamVersion)]
    func confirmedClasses() throws -> [SyncString]
    /// The sum over the objects of a class that are confirmed.
    func checksum(of className: SyncString) throws -> ClassChecksum

    func shadow(of name: ObjectName) throws -> Shadow?
    mutating func setShadow(_ shadow: Shadow?, of name: ObjectName) throws
    /// By rising names.
    func shadowed() throws -> [ObjectName]

    // MARK: The journal

    /// What was committed and has no number yet, in order.
    func localCommits() throws -> [LocalCommit]
    /// Returns the first of these, until they have about so many bytes: at least one, if there is one.
    func localCommits(upTo bytes: Int) throws -> [LocalCommit]
    mutating func removeLocalCommit(_ sequence: UInt64) throws

    func commit(_ number: UInt64) throws -> JournalCommit?
    mutating func put(_ commit: JournalCommit) throws
    mutating func removeCommit(_ number: UInt64) throws

    // MARK: Messages that come in parts

    /// What is kept of one. There is one at most.
    func partial() throws -> PartialMessage?
    /// Writes bytes behind those that are kept.
    mutating func keepPart(_ part: MessagePart) throws
    func keptBytes() throws -> [UInt8]
    mutating func removeParts() throws

    /// Keeps work that was given up, for the app.
    mutating func keep(_ lost: LostWork) throws

    /// The schema of what syncs, with its documents. Nil: the app's configuration says it.
    func schemaClaim() throws -> SchemaClaim?

    /// The names that classes and properties had in a version of the app's schema, for those that have other names now. Nil: none has.
    func names(of schemaVersion: UInt64) throws -> NameChanges?
}

extension ClientTransaction {
    public func contents(
        of name: ObjectName,
        only properties: Set<SyncString>
    ) throws -> [SyncString: MergedContent]? {
        try contents(of: name)?.filter { properties.contains($0.key) }
    }

    public func count(ofList property: SyncString, of name: ObjectName) throws -> Int? {
        guard case .list(let elements)? = try contents(of: name)?[property] else { return nil }
        return elements.count
    }

    public func names(of schemaVersion: UInt64) throws -> NameChanges? { nil }
    public func schemaClaim() throws -> SchemaClaim? { nil }
    public func localCommits(upTo bytes: Int) throws -> [LocalCommit] { try localCommits() }
}
