import FreeholdEngine
import FreeholdSync
import FreeholdSyncCore

/// The work of child processes on synced files.
enum SyncChild {
    static let schema = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("name", .string), ColumnSpec("age", .int),
                ColumnSpec("friends", .link, collection: .list, target: "Person"),
            ],
            primaryKey: "_id"
        )
    ]

    /// Makes persons, one a commit, each a friend of the one before and one year older, without knowing of sync.
    /// Makes objects of the asymmetric class `Event` until it is killed, and says each that is durable.
    static func hand(_ path: String, first: Int64, say: (String) -> Void) throws {
        let database = try Database.open(at: path)
        var id = first
        while true {
            let write = try database.beginWrite()
            guard let table = write.schema.table(named: "Event") else { return }
            let key = try write.create(table, primaryKey: .int(id))
            try write.set(table.columns[1], key, to: .string("event \(id)"))
            try write.handOver(table, [key])
            _ = try write.commit()
            say("\(id)")
            id += 1
        }
    }

    static func write(_ path: String, first: Int64, count: Int, say: (String) -> Void) throws {
        let database = try Database.open(at: path)
        for id in first..<first + Int64(count) {
            let write = try database.beginWrite()
            let table = write.schema.table(named: "Person")!
            let key = try write.create(table, primaryKey: .int(id))
            try write.set(table.column(named: "name")!, key, to: .string("Nr. \(id)"))
            if let last = write.find(primaryKey: .int(id - 1), in: table) {
                _ = try write.increment(table.column(named: "age")!, last, by: 1)
                try write.listInsert(table.column(named: "friends")!, key, at: 0, values: [.link(last)])
            }
            _ = try write.commit()
            say("\(id)")
        }
    }

    /// Does a client's requests without end: each step of the stream makes an object, changes the one before and takes one away.
    /// Between them an app writes, and what it wrote is sent and answered.
    static func sync(_ path: String, say: (String) -> Void) throws {
        let database = try Database.open(at: path)
        var store = try FileClientStore(database)
        var random = SystemRandomNumberGenerator()
        func perform(_ request: StoreRequest) throws -> StoreOutcome {
            try store.perform(request, now: 1_000_000, random: &random)
        }
        guard case .described(let file) = try perform(.describe) else { return }
        var cursor = file.state.cursor
        var acknowledged = file.state.acknowledged
        if cursor == nil {
            _ = try perform(.subscribe([ClassQuery(className: "Person", condition: "TRUEPREDICATE")]))
            let first = Cursor(epoch: 1, version: 1, hash: .empty)
            let begin = BootstrapBegin(cursor: first, queryVersion: 1, view: 1, objects: 0, bytes: 0)
            _ = try perform(.beginBootstrap(begin))
            let sums = Checksums(view: 1, classes: [])
            _ = try perform(.endBootstrap(BootstrapEnd(cursor: first, queryVersion: 1, clock: .zero, checksums: sums)))
            cursor = first
        }
        while let from = cursor {
            try edit(database, Int64(from.version))
            guard case .collected(let commits, _, _) = try perform(.collect(after: acknowledged, bytes: 1 << 20)) else {
                return
            }
            if let first = commits.first?.commit.number {
                // They go into versions of their own.
                let versions = commits.indices.map { from.version + 1 + UInt64($0) }
                let last = versions.last!
                let to = Cursor(epoch: 1, version: last, hash: .empty)
                _ = try perform(.acknowledge(Ack(first: first, versions: versions, clock: .zero)))
                acknowledged = first + UInt64(commits.count) - 1
                let age = ConfirmedField("age", .value(.int(Int64(from.version))))
                let own = ObjectUpdate(.int(-1), .whole(version: last, born: last, [age]))
                let batch = ClassBatch(className: "Person", objects: [own])
                _ = try perform(.takeIn([Changes(from: from, to: to, clock: .zero, classes: [batch])]))
                cursor = to
            }
            let step = Self.step(after: cursor ?? from)
            _ = try perform(.takeIn([step]))
            cursor = step.to
            say("\(step.to.version)")
        }
    }

    /// Writes the app's own object, a person that the downloads don't write.
    private static func edit(_ database: Database, _ number: Int64) throws {
        let write = try database.beginWrite()
        let table = write.schema.table(named: "Person")!
        let key = try write.find(primaryKey: .int(-1), in: table) ?? write.create(table, primaryKey: .int(-1))
        try write.set(table.column(named: "age")!, key, to: .int(number))
        _ = try write.commit()
    }

    /// Returns a step that creates the object of its version, and erases the object of the sixth version before it.
    static func step(after from: Cursor) -> Changes {
        let to = Cursor(epoch: 1, version: from.version + 1, hash: .empty)
        let new = ObjectUpdate(
            .int(Int64(to.version)),
            .whole(version: to.version, born: to.version, [ConfirmedField("age", .value(.int(Int64(to.version))))])
        )
        var objects = [new]
        if to.version > 6 { objects.insert(ObjectUpdate(.int(Int64(to.version) - 6), .erased), at: 0) }
        return Changes(from: from, to: to, clock: .zero, classes: [ClassBatch(className: "Person", objects: objects)])
    }
}
