/// A local file, as the sync client uses it.
///
/// A transaction is atomic, even if the process is killed. No other transaction commits while it runs.
public protocol ClientStore {
    associatedtype Transaction: ClientTransaction

    mutating func transact<Result>(_ body: (inout Transaction) throws -> Result) throws -> Result
}

/// A transaction of a local file. Its reads include its own writes.
public protocol ClientTransaction {
    var state: ClientState { get set }
    /// The objects and transactions that are left out because they failed before.
    var care: StoreCare { get set }

    // MARK: Objects

    /// Returns the properties that the file shows for an object, including hidden links. Returns `nil` if the file
    /// doesn't have the object.
    func contents(of name: ObjectName) throws -> [SyncString: MergedContent]?
    /// Returns some of the properties that the file shows for an object. Returns `nil` if the file doesn't have the
    /// object.
    func contents(of name: ObjectName, only properties: Set<SyncString>) throws -> [SyncString: MergedContent]?
    /// Returns the number of elements of a list, including hidden links. Returns `nil` if the file has no such list.
    func count(ofList property: SyncString, of name: ObjectName) throws -> Int?
    /// Edits the content that the file shows. The edits aren't recorded as own work, and run no delete rules and no
    /// checks of unique constraints.
    mutating func perform(_ edits: [LocalEdit]) throws

    /// Returns the confirmed version of an object. Returns `nil` if the object isn't confirmed.
    func version(of name: ObjectName) throws -> StreamVersion?
    mutating func setVersion(_ version: StreamVersion?, of name: ObjectName) throws
    /// Returns the confirmed objects in a range of keys of a class.
    func confirmed(in range: KeyRange) throws -> [(key: PrimaryKey, version: StreamVersion)]
    func confirmedClasses() throws -> [SyncString]
    /// Returns the checksum of the confirmed objects of a class.
    func checksum(of className: SyncString) throws -> ClassChecksum

    func shadow(of name: ObjectName) throws -> Shadow?
    mutating func setShadow(_ shadow: Shadow?, of name: ObjectName) throws
    /// Returns the names of the objects with shadows, in rising order.
    func shadowed() throws -> [ObjectName]

    // MARK: The journal

    /// Returns the recorded transactions of the app that have no commit number yet, in order.
    func localCommits() throws -> [LocalCommit]
    /// Returns the first of these transactions, up to about the given size. Returns at least one if there are any.
    func localCommits(upTo bytes: Int) throws -> [LocalCommit]
    mutating func removeLocalCommit(_ sequence: UInt64) throws

    func commit(_ number: UInt64) throws -> JournalCommit?
    mutating func put(_ commit: JournalCommit) throws
    mutating func removeCommit(_ number: UInt64) throws

    // MARK: Messages in parts

    /// Returns the position of the message whose beginning is kept. At most one such message exists.
    func partial() throws -> PartialMessage?
    /// Appends bytes to those that are kept.
    mutating func keepPart(_ part: MessagePart) throws
    func keptBytes() throws -> [UInt8]
    mutating func removeParts() throws

    /// Keeps work that was not applied, for the app.
    mutating func keep(_ lost: LostWork) throws

    /// Returns the schema of the classes that sync, with its documents. Returns `nil` if the app's configuration has
    /// the schema.
    func schemaClaim() throws -> SchemaClaim?

    /// Returns the names that classes and properties had in a version of the app's schema, for those that were renamed
    /// since. Returns `nil` if none were renamed.
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
