import FreeholdEngine
import FreeholdSyncCore
import FreeholdSyncRules
import NIOCore
import Synchronization

/// What a user may do with a stream, by a program without a file.
struct StreamAccess: Sendable {
    let stream: StreamName
    let user: SyncString
    /// Nil: everything may be seen.
    let rights: (any SessionRights)?
    /// The app's classes, as the newest version has them; none if nobody said.
    let tables: [TableSpec]
    /// How the newest version shows what is stored. Nil: as it is.
    let lens: SchemaLens?
    /// The number of the newest version.
    let schemaVersion: UInt64
    let matcher: any ConditionMatcher
    /// The stored classes; `nil` if they aren't known.
    let schema: ConditionSchema?
    /// The steps that one object may cost when it is compared with a query.
    let objectSteps: Int

    /// - Throws: `ConditionError`
    func sight(_ className: String, _ query: String) throws(ConditionError) -> DocumentSight {
        try DocumentSight(className, query, self)
    }

    /// Where an object is stored. Nil if the newest version hasn't its class.
    func stored(_ name: ObjectName) -> ObjectName? { lens.map { $0.up(name) } ?? name }
}

/// What somebody sees of the objects of a class, as the newest version of the schema has it.
struct DocumentSight: Sendable {
    private let sight: ObjectSight
    private let lens: SchemaLens?
    /// The steps that one object may cost.
    private let objectSteps: Int

    /// - Throws: `ConditionError`, also for a class that the newest version hasn't.
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

    /// The most objects that a page looks at.
    var pageObjects: Int { ConditionPage.objects(comparisons: sight.comparisons, limit: 1_000) }

    /// The keys of all objects that can be seen, rising. Nil if any object can.
    var keys: [PrimaryKey]? { sight.keys?.sorted() }

    /// What is seen of a stored object. Nil if nothing is.
    func contents(_ key: PrimaryKey, _ contents: [SyncString: MergedContent]) -> [SyncString: MergedContent]? {
        guard let seen = sight.contents(ObjectName(className, key), contents) else { return nil }
        return lens.map { $0.down(seen, of: className) } ?? seen
    }

    /// What is seen of a stored object. Nil if nothing is.
    ///
    /// - Parameter used: The steps that it took are added.
    /// - Throws: `ConditionError` if the condition has no answer about the object; `WorkExceeded` if an answer takes more steps than one object
    ///   may cost.
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

    /// The version of the last change that is seen.
    func version(_ object: MergedObject) -> StreamVersion { sight.version(object) }
}

extension ServerNode {
    /// - Returns: nil if the user may not bind the stream, or there is no such app.
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

    /// The head of a stream. Nil if the store can't be reached.
    func head(of stream: StreamName) async -> StreamHead? {
        guard case .rows(let rows) = await read(ServerStoreRequest(stream, .read(RowQuery()))) else {
            return nil
        }
        return rows.head
    }

    /// How many sessions each app has, by the `schemaVersion` of their files.
    public func sessionsByVersion() async throws -> [String: [UInt64: Int]] {
        let names = apps.withLock { Array($0.keys) }
        return try await loop.submit {
            Dictionary(uniqueKeysWithValues: names.map { ($0.string, self.machine.sessions(of: $0)) })
        }
        .get()
    }
}
