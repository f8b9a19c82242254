import FreeholdBSON
import FreeholdEngine
import FreeholdSyncCore
public import FreeholdSyncRules
import Synchronization

/// An app's classes and rules as a node serves them, and what is known of its users. Any thread may use it.
final class ServedApp: Sendable {
    let id: String
    private let state: Mutex<State>
    /// Told when clients' classes were taken over.
    private let adopted: @Sendable (ServedApp, SchemaVersions) -> Void

    private struct State {
        var documents: AppDocuments
        var schema: ServedSchema
        /// In stored names, as is what they are asked of.
        var rules: RuleSet?
        var stored: [TableSpec]
        var ruleSchema: RuleSchema
        /// The stored classes, for conditions.
        var conditions: ConditionSchema
        /// How programs without a file see what is stored: as the newest version.
        var lens: SchemaLens?
        var users: [String: RuleUser] = [:]
        /// Users of whom something else is known than before.
        var changed: Set<String> = []
        /// Users who weren't connected when that was looked at last.
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

        /// The schema took classes over.
        mutating func follow() throws {
            let versions = schema.versions
            try documents.adopt(versions)
            (rules, stored) = (try documents.storedRules(), versions.storage)
            (ruleSchema, lens) = (RuleSchema(stored), versions.lens(for: versions.newest.number))
            conditions = versions.conditionSchema
        }
    }

    /// - Parameters:
    ///   - adoptsAlways: takes clients' classes over, whatever the documents say.
    ///   - adopted: called on the thread that serves the client, which must go on.
    /// - Throws: `RuleError` if the documents can't be used.
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

    /// What became of an app that was given other documents.
    enum Update {
        case none
        /// Sessions go on, with what they may see and write now.
        case rights
        /// Sessions have to bind anew: what they see of what is stored is another thing.
        case schema
    }

    /// - Throws: `RuleError`; then it goes on with what it had.
    func update(_ documents: AppDocuments, adoptsAlways: Bool) throws -> Update {
        let new = try State(documents, adoptsAlways)
        return state.withLock { state in
            guard state.documents != documents || state.schema.mode != new.schema.mode else { return .none }
            let old = state
            state = new
            (state.users, state.changed, state.gone) = (old.users, old.changed, old.gone)
            return new.schema.versions.keepsSessions(of: old.schema.versions) ? .rights : .schema
        }
    }

    // MARK: Users

    func note(_ user: RuleUser) {
        state.withLock { state in
            guard let old = state.users.updateValue(user, forKey: user.id), old != user else { return }
            state.changed.insert(user.id)
        }
    }

    /// The users of whom something else was noted since this was asked last.
    func takeChanged() -> Set<String> {
        state.withLock { state in
            defer { state.changed = [] }
            return state.changed
        }
    }

    /// Forgets who wasn't connected now and the last time: who comes is noted just before.
    func forget(but connected: Set<String>) {
        state.withLock { state in
            let gone = Set(state.users.keys).subtracting(connected)
            for user in gone.intersection(state.gone) { state.users[user] = nil }
            state.gone = gone.subtracting(state.gone)
        }
    }

    var users: [String] { state.withLock { Array($0.users.keys) } }

    /// Where objects are handed on, by the stored names of their classes; of classes that aren't asymmetric now, nothing is.
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

    // MARK: What the machine asks

    var tables: [TableSpec] { state.withLock { $0.schema.tables } }
    /// The stored classes, for conditions.
    var conditions: ConditionSchema { state.withLock { $0.conditions } }
    /// How programs without a file see what is stored. Nil: as it is.
    var lens: SchemaLens? { state.withLock { $0.lens } }
    /// The number of the newest version.
    var newest: UInt64 { state.withLock { $0.schema.versions.newest.number } }
    var hasRules: Bool { state.withLock { $0.rules != nil } }
    /// Without classes and without a way to get some, files of any schema are served.
    var hasSchema: Bool {
        state.withLock { !$0.schema.tables.isEmpty || $0.schema.mode == .development || $0.rules != nil }
    }

    func rights(of id: String) -> (any SessionRights)? {
        state.withLock { state in
            guard let rules = state.rules else { return nil }
            var user = state.users[id] ?? RuleUser(id: id)
            (user.values, user.environment) = (state.documents.values, state.documents.environment)
            return UserRights(rules, user: user, schema: state.ruleSchema)
        }
    }

    func judge(_ claim: SchemaClaim, _ base: MergeRules) -> SchemaJudgement {
        let (verdict, versions, lens) = state.withLock { state -> (SchemaVerdict, SchemaVersions?, SchemaLens?) in
            let (verdict, changes) = state.schema.judge(claim)
            // What it stands for was put together from checked parts.
            if !changes.isEmpty { try? state.follow() }
            return (verdict, changes.isEmpty ? nil : state.schema.versions, state.schema.lens(for: claim))
        }
        guard let versions else { return SchemaJudgement(verdict, lens: lens) }
        adopted(self, versions)
        return SchemaJudgement(verdict, rules: mergeRules(base), lens: lens)
    }

    /// Rules of merges, with what the classes say.
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
    /// Whether sessions that were bound by other versions can go on: one version is all that there was and is, and it only grew.
    fileprivate func keepsSessions(of old: SchemaVersions) -> Bool {
        if self == old { return true }
        guard isPlain, old.isPlain else { return false }
        return SchemaChange.changes(from: old.newest.tables, to: newest.tables).allSatisfy { $0.kind == .additive }
    }
}

extension RuleUser {
    /// What rules know of an account.
    public init(_ user: AccountUser) {
        var data: BSONDocument = [:]
        if let email = user.email { data["email"] = .string(email) }
        let custom = try? BSONDocument(extendedJSON: user.customData)
        self.init(
            id: user.id,
            data: data,
            customData: custom ?? [:],
            identities: user.identities.map { ["id": .string($0.id), "provider_type": .string($0.provider)] }
        )
    }
}
