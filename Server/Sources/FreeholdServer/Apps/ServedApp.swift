import FreeholdBSON
import FreeholdEngine
import FreeholdRealmFront
import FreeholdServerStore
import FreeholdSyncCore
public import FreeholdSyncRules
import Synchronization

/// The classes and rules of an app as a node serves them, and the data about its users. Any thread may use it.
final class ServedApp: Sendable {
    let id: String
    private let state: Mutex<State>
    private let declared = Mutex(DeclaredChanges())
    /// A closure that is called after classes of clients were adopted.
    private let adopted: @Sendable (ServedApp, SchemaVersions) -> Void

    private struct State {
        var documents: AppDocuments
        var schema: ServedSchema
        /// The rules, in stored names.
        var rules: RuleSet?
        var stored: [TableSpec]
        var ruleSchema: RuleSchema
        /// The stored classes, for conditions.
        var conditions: ConditionSchema
        /// The lens of programs without a file. They see objects in the form of the newest version.
        var lens: SchemaLens?
        var users: [String: RuleUser] = [:]
        /// The users whose data has changed.
        var changed: Set<String> = []
        /// The users without a connection at the last check.
        var gone: Set<String> = []

        init(_ documents: AppDocuments, _ adoptsAlways: Bool) throws {
            self.documents = documents
            let isDevelopment = adoptsAlways || documents.adoptsSchemas
            let versions = try documents.versions()
            schema = ServedSchema(versions, mode: isDevelopment ? .development : .production)
            (rules, stored) = (try documents.storedRules(), versions.storage)
            (ruleSchema, lens) = (RuleSchema(stored), versions.lens(for: versions.newest.number))
            conditions = versions.conditionSchema
        }

        /// A Boolean value that indicates whether files are checked against a schema.
        var hasSchema: Bool { !schema.tables.isEmpty || schema.mode == .development || rules != nil }

        /// Updates the rules and the stored classes after the schema has adopted classes.
        mutating func follow() throws {
            let versions = schema.versions
            try documents.adopt(versions)
            (rules, stored) = (try documents.storedRules(), versions.storage)
            (ruleSchema, lens) = (RuleSchema(stored), versions.lens(for: versions.newest.number))
            conditions = versions.conditionSchema
        }
    }

    /// - Parameters:
    ///   - adoptsAlways: A Boolean value that indicates whether classes of clients are adopted regardless of the
    ///     documents.
    ///   - adopted: A closure that is called on the thread that serves the client. It must not block.
    /// - Throws: `RuleError` if the documents are invalid.
    init(
        _ id: String,
        _ documents: AppDocuments,
        adoptsAlways: Bool = false,
        adopted: @escaping @Sendable (ServedApp, SchemaVersions) -> Void = { _, _ in }
    ) throws {
        self.id = id
        self.adopted = adopted
        state = Mutex(try State(documents, adoptsAlways))
    }

    /// The effect of new documents on an app.
    enum Update {
        case none
        /// Sessions continue with new rights.
        case rights
        /// Sessions have to bind again, because stored objects are shown in another form, or because the classes of their
        /// files are checked or adopted now.
        case schema
    }

    /// Replaces the documents.
    ///
    /// - Throws: `RuleError` for invalid documents. Then the old documents stay in use.
    func update(_ documents: AppDocuments, adoptsAlways: Bool) throws -> Update {
        let new = try State(documents, adoptsAlways)
        return state.withLock { state in
            guard state.documents != documents || state.schema.mode != new.schema.mode else { return .none }
            let old = state
            state = new
            (state.users, state.changed, state.gone) = (old.users, old.changed, old.gone)
            // The classes of a session are checked, or adopted, when it binds.
            let adoptsNow = new.schema.mode == .development && old.schema.mode != .development
            let checksNow = new.hasSchema && !old.hasSchema
            let keepsSessions = new.schema.versions.keepsSessions(of: old.schema.versions)
            return keepsSessions && !adoptsNow && !checksNow ? .rights : .schema
        }
    }

    // MARK: Users

    func note(_ user: RuleUser) {
        state.withLock { state in
            guard let old = state.users.updateValue(user, forKey: user.id), old != user else { return }
            state.changed.insert(user.id)
        }
    }

    /// Returns the users whose data has changed since the last call.
    func takeChanged() -> Set<String> {
        state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
    }

    /// Removes the users that had no connection at the last call and have none now. A user that had a connection at the
    /// last call, or that was recorded after it, is kept, because it may be about to connect.
    func forget(but connected: Set<String>) {
        state.withLock { state in
            let gone = Set(state.users.keys).subtracting(connected)
            for user in gone.intersection(state.gone) { state.users[user] = nil }
            state.gone = gone.subtracting(state.gone)
        }
    }

    var users: [String] { state.withLock { Array($0.users.keys) } }

    /// The sinks, by the stored names of their classes. Classes that aren't asymmetric now have no sinks.
    var sinks: [SinkSettings] {
        state.withLock { state in
            let classes = Set(state.schema.tables.filter(\.isAsymmetric).map(\.name))
            let names = state.schema.versions.newest.classes
            return state.documents.sinks.filter { classes.contains($0.className) }.map { sink in
                var sink = sink
                sink.className = names[sink.className] ?? sink.className
                return sink
            }
        }
    }

    // MARK: Entry points of accounts

    /// Returns the hook for a purpose.
    func hook(_ purpose: HookPurpose) -> HookSettings? {
        state.withLock { state in state.documents.hooks.first { $0.purpose == purpose } }
    }

    /// Returns the settings by which id tokens of a provider are checked.
    func provider(_ provider: AccountProvider) -> ProviderSettings? {
        state.withLock { state in state.documents.providers.first { $0.provider == provider } }
    }

    /// A Boolean value that indicates whether users and documents of another server are being imported. The app has no
    /// log-ins until then.
    var isBeingTransferred: Bool { state.withLock { $0.documents.transfer?.isOver == false } }

    /// The data that programs can read with SQL.
    struct SQL: Hashable {
        var settings: SQLSettings
        var schema: SQLSchema
    }

    /// The data that programs can read with SQL, or `nil` if the app's documents can't be read with SQL.
    var sql: SQL? {
        state.withLock { state in
            state.documents.sql.map { SQL(settings: $0, schema: SQLSchema(state.schema.versions)) }
        }
    }

    /// The classes and properties that clients have declared and that the schema didn't have.
    var declaredChanges: DeclaredChanges { declared.withLock { $0 } }

    // MARK: Requests of the machine

    var tables: [TableSpec] { state.withLock { $0.schema.tables } }
    /// Returns the classes of a schema version for official Realm clients. These clients must send the exact number of an existing version.
    func realmSchema(_ version: UInt64) -> RealmSchemaAnswer {
        state.withLock { state in
            let versions = state.schema.versions
            if versions.isPlain { return .tables(versions.newest.tables) }
            let found = versions.version(for: version)
            return found.number <= version ? .tables(found.tables) : .unknown
        }
    }

    /// The stored classes, for conditions.
    var conditions: ConditionSchema { state.withLock { $0.conditions } }
    /// The lens of programs without a file. `nil` if they see the stored form.
    var lens: SchemaLens? { state.withLock { $0.lens } }
    /// The number of the newest version.
    var newest: UInt64 { state.withLock { $0.schema.versions.newest.number } }
    var hasRules: Bool { state.withLock { $0.rules != nil } }
    /// A Boolean value that indicates whether new classes of clients are adopted.
    var isDevelopment: Bool { state.withLock { $0.schema.mode == .development } }

    /// The rules and the data with which they are compiled.
    struct RuleParts {
        let rules: RuleSet
        let schema: RuleSchema
        let values: BSONDocument
        let environment: BSONDocument
    }

    /// Returns the rules in stored names. Returns `nil` if the app has no rules, and no other ones are given.
    ///
    /// - Parameter other: Rules in the place of the app's, in the names of the newest version.
    /// - Throws: `RuleError` if the other rules don't fit the versions of the schema.
    func ruleParts(with other: RuleSet?) throws -> RuleParts? {
        let (own, documents, schema) = state.withLock { ($0.rules, $0.documents, $0.ruleSchema) }
        guard let rules = try other.map({ try documents.stored($0) }) ?? own else { return nil }
        return RuleParts(
            rules: rules,
            schema: schema,
            values: documents.values,
            environment: documents.environment
        )
    }

    /// A Boolean value that indicates whether files are checked against a schema. An app without classes, rules and
    /// development mode serves files with any schema.
    var hasSchema: Bool { state.withLock { $0.hasSchema } }

    func rights(of id: String) -> (any SessionRights)? {
        state.withLock { state in
            guard let rules = state.rules else { return nil }
            var user = state.users[id] ?? RuleUser(id: id)
            (user.values, user.environment) = (state.documents.values, state.documents.environment)
            return UserRights(rules, user: user, schema: state.ruleSchema)
        }
    }

    func judge(_ claim: SchemaClaim, _ base: MergeRules) -> SchemaJudgement {
        let (verdict, changes, tables, versions, lens) = state.withLock {
            state -> (SchemaVerdict, [SchemaChange], [TableSpec], SchemaVersions?, SchemaLens?) in
            let (verdict, changes) = state.schema.judge(claim)
            // The classes were checked before, so this can't fail.
            if !changes.isEmpty { try? state.follow() }
            let versions = changes.isEmpty ? nil : state.schema.versions
            return (verdict, changes, state.schema.tables, versions, state.schema.lens(for: claim))
        }
        if verdict != .accepted || !changes.isEmpty {
            declared.withLock { $0.note(claim, verdict, adopted: changes, tables: tables) }
        }
        guard let versions else { return SchemaJudgement(verdict, lens: lens) }
        adopted(self, versions)
        return SchemaJudgement(verdict, rules: mergeRules(base), lens: lens)
    }

    /// Returns the rules of merges, together with those of the classes.
    func mergeRules(_ base: MergeRules) -> MergeRules {
        var rules = base
        state.withLock { state in
            for table in state.stored where table.isAsymmetric {
                rules.createOnly.insert(SyncString(table.name))
            }
        }
        return rules
    }
}

extension SchemaVersions {
    /// Returns whether sessions of earlier versions can continue. That is the case if there was and is only one
    /// version, and all of its changes are additions.
    fileprivate func keepsSessions(of old: SchemaVersions) -> Bool {
        if self == old { return true }
        guard isPlain, old.isPlain else { return false }
        return SchemaChange.changes(from: old.newest.tables, to: newest.tables).allSatisfy { $0.kind == .additive }
    }
}

extension RuleUser {
    /// Creates the data of an account for rules.
    public init(_ user: AccountUser) {
        let custom = try? BSONDocument(extendedJSON: user.customData)
        self.init(
            id: user.id,
            data: user.data,
            customData: custom ?? [:],
            identities: user.identities.map { ["id": .string($0.id), "provider_type": .string($0.provider)] }
        )
    }
}
