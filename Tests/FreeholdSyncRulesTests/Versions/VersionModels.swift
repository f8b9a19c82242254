import FreeholdEngine
import Synchronization
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Three versions of an app's classes: what was a dog's is a hound's, and most of it changes on the way.
enum VersionModels {
    static let first: [TableSpec] = [
        TableSpec(
            "Dog",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("name", .string), ColumnSpec("age", .int),
                ColumnSpec("weight", .double, optional: true), ColumnSpec("nick", .string),
                ColumnSpec("owner", .link, optional: true, target: "Person"),
                ColumnSpec("home", .link, optional: true, target: "Address"),
                ColumnSpec("places", .link, collection: .list, target: "Address"),
                ColumnSpec("marks", .int, optional: true, collection: .list),
                ColumnSpec("tags", .string, optional: true, collection: .set),
                ColumnSpec("map", .int, optional: true, collection: .dictionary), ColumnSpec("any", .mixed),
            ],
            primaryKey: "_id"
        ),
        TableSpec("Person", columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string)], primaryKey: "_id"),
        TableSpec("Cat", columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string)], primaryKey: "_id"),
        TableSpec(
            "Address",
            columns: [ColumnSpec("street", .string), ColumnSpec("zip", .int, optional: true)],
            isEmbedded: true
        ),
    ]

    static let second: [TableSpec] = [
        TableSpec(
            "Hound",
            columns: [
                ColumnSpec("_id", .int), ColumnSpec("title", .string), ColumnSpec("age", .double),
                ColumnSpec("weight", .double), ColumnSpec("breed", .string),
                ColumnSpec("keeper", .link, optional: true, target: "Person"),
                ColumnSpec("house", .link, optional: true, target: "Address"),
                ColumnSpec("places", .link, collection: .list, target: "Address"),
                ColumnSpec("marks", .double, collection: .list), ColumnSpec("tags", .string, collection: .set),
                ColumnSpec("map", .int, collection: .dictionary), ColumnSpec("any", .mixed),
            ],
            primaryKey: "_id"
        ),
        TableSpec(
            "Person",
            columns: [ColumnSpec("_id", .int), ColumnSpec("name", .string, optional: true)],
            primaryKey: "_id"
        ),
        TableSpec("Bird", columns: [ColumnSpec("_id", .int), ColumnSpec("song", .string)], primaryKey: "_id"),
        TableSpec("Address", columns: [ColumnSpec("road", .string), ColumnSpec("zip", .int)], isEmbedded: true),
    ]

    /// `age` is an integer again, and `nick` is another property now.
    static var third: [TableSpec] {
        var tables = second
        tables[0].columns[2] = ColumnSpec("age", .int, optional: true)
        tables[0].columns.append(ColumnSpec("nick", .int))
        return tables
    }

    static let transition = SchemaTransition(
        classes: ["Dog": "Hound"],
        properties: ["Hound": ["name": "title", "owner": "keeper", "home": "house"], "Address": ["street": "road"]],
        fills: ["Hound": ["weight": .double(1.5)]],
        oldFills: ["Dog": ["nick": "none"], "Person": ["name": "nobody"]]
    )

    static func versions(_ count: Int = 3) throws -> SchemaVersions {
        var versions = try SchemaVersions(first)
        if count > 1 { versions = try versions.pushing(second, as: 2, transition).versions }
        if count > 2 { versions = try versions.pushing(third, as: 5).versions }
        return versions
    }
}

/// A server of an app with versions, and its clients.
struct VersionBench {
    var bench: ServerBench
    private let served: ServedApp

    final class ServedApp: Sendable {
        private let schema: Mutex<ServedSchema>

        init(_ schema: ServedSchema) { self.schema = Mutex(schema) }

        var versions: SchemaVersions { schema.withLock { $0.versions } }
        func push(_ new: ServedSchema) { schema.withLock { $0 = new } }

        func judge(_ claim: SchemaClaim) -> SchemaJudgement {
            schema.withLock { schema in
                let verdict = schema.judge(claim).verdict
                return SchemaJudgement(verdict, lens: schema.lens(for: claim))
            }
        }
    }

    init(
        _ versions: SchemaVersions,
        mode: SchemaAdoption.Mode = .production,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) {
        let served = ServedApp(ServedSchema(versions, mode: mode))
        self.served = served
        bench = ServerBench(matcher: QueryMatcher()) { configuration in
            configuration.apps["app"]?.judge = { served.judge($0) }
            configure(&configuration)
        }
    }

    var versions: SchemaVersions { served.versions }

    /// - Parameter classes: in the names of the client's version.
    mutating func add(
        _ version: UInt64,
        _ classes: [SyncString],
        where condition: SyncString = "TRUEPREDICATE",
        isRecording: Bool = false
    ) -> Int {
        bench.add(
            classes.map { ClassQuery(className: $0, condition: condition) },
            claim: SchemaClaim(version: version, hash: .empty),
            isRecording: isRecording
        )
    }

    /// Commits a client's changes of objects that it has.
    mutating func commit(_ client: Int, _ changes: [Change]) {
        var seen: [ObjectName: StreamVersion] = [:]
        for change in changes { seen[change.object] = bench.clients[client].objects[change.object]?.version }
        bench.commit(client, changes, seen)
    }

    /// Starts new versions: sessions end, and clients connect again.
    mutating func push(_ versions: SchemaVersions, mode: SchemaAdoption.Mode = .production) {
        served.push(ServedSchema(versions, mode: mode))
        bench.run(.schemaChanged("app"))
        for index in bench.clients.indices {
            bench.clients[index].faults.removeAll { $0 == .transient(after: 0) }
            bench.connect(index)
        }
    }

    func fields(_ client: Int, _ name: ObjectName) -> [SyncString: ConfirmedContent]? {
        bench.clients[client].objects[name].map { object in
            Dictionary(uniqueKeysWithValues: object.fields.map { ($0.name, $0.content) })
        }
    }

    func value(_ client: Int, _ name: ObjectName, _ property: SyncString) -> SyncValue? {
        guard case .value(let value)? = fields(client, name)?[property] else { return nil }
        return value
    }
}

extension ScriptedClient {
    /// The recorded updates of objects.
    var updates: [ObjectUpdate.Content] {
        received.flatMap { message -> [ClassBatch] in
            switch message {
            case .changes(_, let changes): changes.classes
            case .bootstrapChunk(_, let chunk): chunk.classes
            default: []
            }
        }
        .flatMap { $0.objects.map(\.content) }
    }
}

extension VersionModels {
    /// A dog of the first version, under the name of the given version.
    static func creation(_ name: ObjectName) -> Change {
        .create(name, [NewField("name", .value("Rex")), NewField("age", .value(3)), NewField("nick", .value("R"))])
    }
}

extension VersionBench {
    /// Checks that no client received an unsuitable value or an error.
    func check(_ location: SourceLocation = #_sourceLocation) {
        for client in bench.clients {
            expect(client.mistakes.isEmpty, "\(client.mistakes)", sourceLocation: location)
            expect(client.faults.isEmpty, "\(client.faults)", sourceLocation: location)
        }
    }
}
