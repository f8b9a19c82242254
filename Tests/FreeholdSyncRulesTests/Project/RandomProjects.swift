import FreeholdBSON
import FreeholdEngine
import FreeholdSyncRules

/// Projects in the form in which they are read: classes and rules by rising names, each with a collection.
struct RandomProjects {
    var random: SeededRandom

    private static let words = ["a", "größe", "with space", "x-y", "%%user.id", "{", "\"q\"", "$set", "日本"]

    mutating func project() throws -> AppServicesProject {
        var schemas = RandomSchemas(random: random)
        let tables = schemas.tables()
        random = schemas.random
        let source = random.pick(["mongodb-atlas", "cluster one", "ß"])
        let database = random.pick(["store", "db.with.dots", "Größe"])
        var project = AppServicesProject(word())
        project.layout = random.pick([.v20210101, .v20230101])
        if random.chance(60) { project.ids.clientApp = word() }
        if random.chance(40) { project.ids.app = word() }
        if random.chance(40) { project.ids.group = word() }
        if random.chance(50) { project.environment = random.pick(["production", "qa", "x y"]) }
        for name in ["", "production", "qa"] where random.chance(50) { project.environments[name] = document() }
        if random.chance(50) { project.allowedRequestOrigins = [word(), word()] }
        if random.chance(50) { project.settings = ["location": value(), "z": value()] }
        project.sync = sync(source, database)
        project.dataSources = [
            DataSource(
                source,
                type: random.pick(["mongodb-atlas", "mongodb"]),
                config: document(),
                others: random.chance(50) ? ["version": .int32(1)] : [:]
            )
        ]
        project.values = ["a", "b c", "ü"].filter { _ in random.chance(50) }.map { name in
            ProjectValue(
                name,
                random.chance(30) ? .secret(word()) : .plain(value()),
                others: random.chance(30) ? ["id": "1"] : [:]
            )
        }
        project.providers = ["anon-user", "api-key", "custom-token", "local-userpass", "oauth2-google"]
            .filter { _ in random.chance(50) }.map { provider($0) }
        if random.chance(50) {
            project.customUserData = CustomUserDataSettings(
                isEnabled: random.chance(50),
                dataSource: random.chance(50) ? source : nil,
                collection: random.chance(50) ? word() : nil,
                userIdField: random.chance(50) ? word() : nil,
                others: random.chance(50) ? ["on_user_creation_function_name": .string(word())] : [:]
            )
        }
        try addClasses(tables, source, database, to: &project)
        return project
    }

    private mutating func addClasses(
        _ tables: [TableSpec],
        _ source: String,
        _ database: String,
        to project: inout AppServicesProject
    ) throws {
        let form = SchemaForm(required: .everyNonOptional, source: source, database: database)
        project.schemas = try SchemaDocument.documents(of: tables, form: form)
        let names = tables.filter { !$0.isEmbedded }.map(\.name).sorted()
        for name in names {
            project.collections[name] = CollectionPlace(
                dataSource: source,
                database: database,
                collection: random.chance(50) ? name : name.lowercased() + "s"
            )
            if random.chance(20) { project.asymmetricClasses.insert(name) }
            guard random.chance(50) else { continue }
            var rules = ClassRules(
                name,
                roles: (0..<Int.random(in: 0...2, using: &random)).map { _ in role() },
                database: database
            )
            if random.chance(20) { rules.identifier = "r1" }
            project.rules.classes.append(rules)
        }
        if random.chance(50) { project.rules.defaultRoles = [role()] }
    }

    private mutating func word() -> String { random.pick(Self.words) }

    private mutating func value() -> BSONValue {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .int32(Int32.random(in: -5...5, using: &random))
        case 1: .double(Double(Int.random(in: -4...4, using: &random)) / 2)
        case 2: .bool(random.chance(50))
        case 3: .null
        case 4: .array([.string(word()), .int32(1)])
        default: .string(word())
        }
    }

    private mutating func document() -> BSONDocument {
        var document = BSONDocument()
        for key in ["a", "b", "größe"] where random.chance(50) { document[key] = value() }
        return document
    }

    private mutating func sync(_ source: String, _ database: String) -> SyncSettings {
        SyncSettings(
            state: random.pick(["enabled", "disabled", ""]),
            isDevelopmentModeEnabled: random.chance(50),
            dataSource: source,
            database: database,
            clientMaxOfflineDays: random.chance(50) ? Int.random(in: 0...90, using: &random) : nil,
            isRecoveryModeDisabled: random.chance(50),
            queryableFields: random.chance(50) ? [word(), word()] : [],
            others: random.chance(30) ? ["last_disabled": .int32(1_700_000_000)] : [:]
        )
    }

    private mutating func provider(_ type: String) -> AuthenticationProvider {
        AuthenticationProvider(
            type,
            isDisabled: random.chance(50),
            config: document(),
            secretConfig: random.chance(30) ? ["clientSecret": .string(word())] : [:],
            metadataFields: random.chance(30)
                ? [.init(word(), isRequired: random.chance(50), fieldName: random.chance(50) ? "f" : nil)] : [],
            redirectURIs: random.chance(30) ? [word()] : [],
            others: random.chance(30) ? ["id": "p1"] : [:]
        )
    }

    private mutating func role() -> Role {
        func some(_ expression: RuleExpression, _ random: inout SeededRandom) -> RuleExpression? {
            random.chance(70) ? expression : nil
        }
        let field = try? RuleExpression([
            "owner": ["$in": ["%%user.id", "x"]], "$or": [["a": .int32(1)], ["b": ["$exists": true]]],
        ])
        return Role(
            word(),
            applyWhen: random.chance(50)
                ? .always : (try? RuleExpression(ofUser: ["%%user.custom_data.on": true])) ?? .always,
            readFilter: some(random.chance(50) ? .always : field ?? .always, &random),
            writeFilter: some(random.chance(50) ? .never : field ?? .always, &random),
            read: random.pick([true, false, nil]),
            write: random.pick([true, false, nil]),
            insert: some(.always, &random),
            delete: some(.never, &random),
            fields: random.chance(40)
                ? [FieldRule("name", FieldAccess(read: true, write: random.pick([true, nil])))] : [],
            additionalFields: FieldAccess(read: random.pick([true, nil]))
        )
    }
}
