import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncRules
import NIOCore
import Synchronization

/// The access of a user to a stream, for a program without a file.
struct StreamAccess: Sendable {
    let stream: StreamName
    let user: SyncString
    /// The rights of the user. `nil` if the user may see everything.
    let rights: (any SessionRights)?
    /// The classes of the app in the newest version. Empty if the app has none.
    let tables: [TableSpec]
    /// The lens of the newest version. `nil` if it shows the stored form.
    let lens: SchemaLens?
    /// The number of the newest version.
    let schemaVersion: UInt64
    let matcher: any ConditionMatcher
    /// The stored classes, or `nil` if they are unknown.
    let schema: ConditionSchema?
    /// The maximum number of steps to compare one object with a query.
    let objectSteps: Int
    /// A Boolean value that indicates whether the rights of users don't apply, because an administrator reads and writes.
    var isUnrestricted = false

    /// - Throws: `ConditionError`
    func sight(_ className: String, _ query: String) throws(ConditionError) -> DocumentSight {
        try DocumentSight(className, query, self)
    }

    /// Returns the stored name of an object. Returns `nil` if the newest version doesn't have its class.
    func stored(_ name: ObjectName) -> ObjectName? { lens.map { $0.up(name) } ?? name }
}

/// The visible part of the objects of a class, in the form of the newest version of the schema.
struct DocumentSight: Sendable {
    private let sight: ObjectSight
    private let lens: SchemaLens?
    /// The maximum number of steps for one object.
    private let objectSteps: Int

    /// - Throws: `ConditionError`, also for a class that the newest version doesn't have.
    init(_ className: String, _ query: String, _ access: StreamAccess) throws(ConditionError) {
        var asked = ClassQuery(className: SyncString(className), condition: SyncString(query))
        if let lens = access.lens {
            try lens.check(asked)
            asked = try lens.up(asked)
        } else {
            try access.schema?.check(asked)
        }
        sight = try ObjectSight(asked.className, asked.condition, access.matcher, access.rights, in: access.schema)
        lens = access.lens
        objectSteps = access.objectSteps
    }

    /// The stored name of the class.
    var className: SyncString { sight.className }

    /// The maximum number of objects that are read for a page.
    var pageObjects: Int { ConditionPage.objects(comparisons: sight.comparisons, limit: 1_000) }

    /// The keys of all objects that can be visible, in rising order. `nil` if any key is possible.
    var keys: [PrimaryKey]? { sight.keys?.sorted() }

    /// Returns the visible part of a stored object, or `nil` if the object isn't visible.
    func contents(_ key: PrimaryKey, _ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent]? {
        guard let seen = sight.contents(ObjectName(className, key), contents) else { return nil }
        return lens.map { $0.down(seen, of: className) } ?? seen
    }

    /// Returns the visible part of a stored object, or `nil` if the object isn't visible.
    ///
    /// - Parameter used: A counter to which the number of used steps is added.
    /// - Throws: `ConditionError` if the condition fails for the object, and `WorkExceeded` if the result takes more
    ///   steps than one object may use.
    func contents(
        _ key: PrimaryKey,
        _ contents: [SyncString: MergedContent],
        adding used: inout Int
    ) throws -> [SyncString: MergedContent]? {
        var budget = WorkBudget(steps: objectSteps)
        defer { used += objectSteps - budget.left + contents.count + 8 }
        let name = ObjectName(className, key)
        try sight.check(name, contents, budget: &budget)
        let seen = sight.contents(name, contents, budget: &budget)
        guard !budget.isOver else { throw WorkExceeded() }
        guard let seen else { return nil }
        return lens.map { $0.down(seen, of: className) } ?? seen
    }

    /// Returns the version of the last visible change.
    func version(_ object: MergedObject) -> StreamVersion { sight.version(object) }
}

extension ServerNode {
    /// Returns the access of a user to a stream.
    ///
    /// - Returns: `nil` if the user has no right to bind the stream, or if the app doesn't exist.
    func access(_ user: String, _ app: String, _ value: SyncValue?) -> StreamAccess? {
        guard let known = self.app(SyncString(app)) else { return nil }
        let (name, server) = (SyncString(user), known.serverApp())
        guard server.allows(name, value) else { return nil }
        return StreamAccess(
            stream: StreamName(app: SyncString(app), value: value),
            user: name,
            rights: server.rights?(name, value),
            tables: known.served?.tables ?? [],
            lens: known.served?.lens,
            schemaVersion: known.served?.newest ?? 0,
            matcher: conditions,
            schema: known.served?.conditions,
            objectSteps: configuration.limits.objectSteps
        )
    }

    /// Returns the head of a stream, or `nil` if the store can't be reached.
    func head(of stream: StreamName) async -> StreamHead? {
        guard case .rows(let rows) = await read(ServerStoreRequest(stream, .read(RowQuery()))) else {
            return nil
        }
        return rows.head
    }

    /// Returns the number of sessions of each app, by the `schemaVersion` of their files.
    public func sessionsByVersion() async throws -> [String: [UInt64: Int]] {
        let names = apps.withLock { Array($0.keys) }
        return try await loop.submit {
            Dictionary(uniqueKeysWithValues: names.map { ($0.string, self.machine.sessions(of: $0)) })
        }
        .get()
    }
}
