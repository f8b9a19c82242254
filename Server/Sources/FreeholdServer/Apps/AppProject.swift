import FreeholdBSON
public import FreeholdSyncRules

/// The import of an exported App Services project into an app, with a list of the parts that can't be imported.
public struct AppProjectImport: Sendable {
    /// The new or changed app.
    public private(set) var app: AccountApp
    public private(set) var documents: AppDocuments
    /// The imported parts, as one line each. The lines contain no values, and no names of secrets' contents.
    public private(set) var taken: [String] = []
    /// The parts that weren't imported, or were imported with a change.
    public private(set) var rest: [UnsupportedPart]

    /// - Parameters:
    ///   - old: The existing app with the id. Its classes that the project doesn't have stay. Its rules and values are
    ///     replaced.
    ///   - secrets: The secrets, by their names. A value without its secret is left out, so that rules that use it give
    ///     no rights.
    /// - Throws: `RuleError` if the project's classes don't fit the existing ones.
    public init(
        _ project: AppServicesProject,
        into old: (app: AccountApp, documents: AppDocuments),
        secrets: [String: String] = [:]
    ) throws {
        (app, documents, rest) = (old.app, old.documents, project.unsupported)
        try takeClasses(project)
        takeRules(project)
        takeValues(project, secrets)
        takeProviders(project)
        documents.project = try project.remainder()
        noteUserData(project)
        let problems = try documents.ruleProblems()
        rest += problems.map { UnsupportedPart(.changed, "rules", [], "\($0)") }
    }

    private mutating func takeClasses(_ project: AppServicesProject) throws {
        let names = Set(project.schemas.map(\.className))
        try documents.replace(project.schemas, asymmetric: Set(project.asymmetricClasses))
        documents.adoptsSchemas = project.isDevelopmentModeEnabled
        for name in names.sorted() {
            taken.append("class \(name)" + (project.asymmetricClasses.contains(name) ? ", asymmetric" : ""))
        }
        taken.append("development mode: \(documents.adoptsSchemas ? "on" : "off")")
        guard let sync = project.sync, !sync.isEnabled else { return }
        rest.append(
            UnsupportedPart(
                .changed,
                "sync/config.json",
                ["state"],
                "Sync was \(sync.state.isEmpty ? "never enabled" : sync.state): here the app syncs as soon as it is served."
            )
        )
    }

    private mutating func takeRules(_ project: AppServicesProject) {
        documents.rules = project.rules
        for rules in project.rules.classes {
            taken.append("rules of \(rules.className): \(rules.roles.map { "'\($0.name)'" }.joined(separator: ", "))")
        }
        if let roles = project.rules.defaultRoles {
            taken.append("rules of all other classes: \(roles.map { "'\($0.name)'" }.joined(separator: ", "))")
        }
    }

    private mutating func takeValues(_ project: AppServicesProject, _ secrets: [String: String]) {
        documents.values = project.ruleValues(secrets: secrets)
        documents.environment = project.environments.isEmpty ? [:] : project.ruleEnvironment
        let known = documents.values.map(\.key).sorted()
        if !known.isEmpty { taken.append("values that rules can ask for: \(known.joined(separator: ", "))") }
        if !project.environment.isEmpty { taken.append("environment '\(project.environment)'") }
        // Values with a given secret needn't be reported as missing.
        let told = Set(
            project.values.compactMap { value -> String? in
                guard case .secret(let secret) = value.content, secrets[secret] != nil else { return nil }
                return value.name
            }
        )
        rest.removeAll { $0.kind == .needed && $0.path == ["value"] && told.contains(Self.stem($0.file)) }
    }

    private static func stem(_ file: String) -> String {
        String((file.split(separator: "/").last ?? "").split(separator: ".").first ?? "")
    }

    private mutating func takeProviders(_ project: AppServicesProject) {
        func enabled(_ type: String) -> AuthenticationProvider? {
            project.providers.first { $0.type == type && !$0.isDisabled }
        }
        app.allowsAnonymous = enabled("anon-user") != nil
        if app.allowsAnonymous { taken.append("log-in: anonymous") }
        if let provider = enabled("local-userpass") {
            let hasHook = documents.hooks.contains { $0.purpose == .confirmation }
            let isByHook = provider.config["runConfirmationFunction"] == true && hasHook
            app.emailPassword = provider.confirmsAutomatically ? .autoConfirm : isByHook ? .hook : .mail
            let way =
                switch app.emailPassword {
                case .autoConfirm: "confirmed at once"
                case .hook: "confirmed by the hook"
                case .mail, .closed: "confirmed by mail"
                }
            taken.append("log-in: email and password, \(way)")
        } else {
            app.emailPassword = .closed
        }
        if enabled("api-key") != nil { taken.append("log-in: API keys") }
        for kind in [AccountProvider.google, .apple, .facebook] {
            guard let provider = enabled(kind.rawValue) else { continue }
            if !documents.providers.contains(where: { $0.provider == kind }),
                let audience = provider.config["clientId"]?.stringValue, !audience.isEmpty
            {
                documents.providers.append(ProviderSettings(kind, audiences: [audience]))
            }
            guard let settings = documents.providers.first(where: { $0.provider == kind }) else { continue }
            taken.append("log-in: id tokens of \(kind.rawValue) for \(settings.audiences.joined(separator: ", "))")
        }
        guard !project.providers.isEmpty else { return }
        rest.append(
            UnsupportedPart(
                .needed,
                "auth/providers.json",
                [],
                "Users aren't in a project: 'user import' reads a list of them with their ids. Users that register anew have other ids, and no rights on "
                    + "documents that contain the earlier ones."
            )
        )
    }

    private mutating func noteUserData(_ project: AppServicesProject) {
        guard let settings = project.customUserData, settings.isEnabled else { return }
        rest.append(
            UnsupportedPart(
                .needed,
                "auth/custom_user_data.json",
                [],
                "Custom data were documents of the collection '\(settings.collection ?? "")': give each user theirs by 'user set-data'."
            )
        )
    }
}

extension AppServicesProject {
    /// Returns an app as a project for App Services' command line.
    ///
    /// - Returns: The project, and a list of the app's parts that a project can't contain. The project contains no
    ///   secrets: a value of a secret contains the secret's name.
    /// - Throws: `ProjectError` if the stored parts of an imported project can't be read.
    public static func exported(_ app: AccountApp, _ documents: AppDocuments) throws -> (AppServicesProject, [String]) {
        var (project, notes) = (try AppServicesProject(remainder: documents.project, name: app.id), [String]())
        project.schemas = documents.schemas
        project.asymmetricClasses = documents.asymmetric
        if project.sync == nil { project.sync = SyncSettings() }
        project.sync?.isDevelopmentModeEnabled = documents.adoptsSchemas
        project.rules = documents.rules ?? RuleSet()
        if documents.rules == nil {
            switch app.access {
            case .nobody: notes.append("Nobody reads or writes: there are no rules.")
            case .everyone:
                var role = Role("everyone", read: true, write: true, insert: .always, delete: .always)
                role.search = .always
                project.rules.defaultRoles = [role]
                notes.append("The access 'everyone' is a default role.")
            case .ownStream:
                notes.append("The access 'own-stream' has no counterpart: without rules everything is closed.")
            }
        }
        let secret = Set(project.values.map(\.name))
        for (name, value) in documents.values where !secret.contains(name) {
            project.values.append(ProjectValue(name, .plain(value)))
        }
        project.values.sort { $0.name < $1.name }
        if !documents.environment.isEmpty {
            project.environment = documents.environment["tag"]?.stringValue ?? ""
            project.environments[project.environment] = documents.environment["values"]?.documentValue ?? [:]
        }
        project.set("anon-user", isEnabled: app.allowsAnonymous)
        project.set("local-userpass", isEnabled: app.emailPassword != .closed) { provider in
            provider.config["autoConfirm"] = .bool(app.emailPassword == .autoConfirm)
            if app.emailPassword == .hook { provider.config["runConfirmationFunction"] = true }
        }
        project.set("api-key", isEnabled: true)
        for hook in documents.hooks { notes.append("The hook '\(hook.purpose)' has no counterpart.") }
        for sink in documents.sinks { notes.append("The sink of \(sink.className) has no counterpart.") }
        notes.append("Users and documents aren't part of a project: see 'export' and 'user list'.")
        return (project, notes)
    }

    private mutating func set(
        _ type: String,
        isEnabled: Bool,
        _ change: (inout AuthenticationProvider) -> Void = { _ in }
    ) {
        if let index = providers.firstIndex(where: { $0.type == type }) {
            providers[index].isDisabled = !isEnabled
            if isEnabled { change(&providers[index]) }
        } else if isEnabled {
            var provider = AuthenticationProvider(type)
            change(&provider)
            providers.append(provider)
            providers.sort { $0.name < $1.name }
        }
    }
}

// MARK: - The stored parts of a project

extension AppServicesProject {
    /// Returns the parts for which an app has no other place: settings, data sources, the collections of classes, names
    /// of values' secrets.
    ///
    /// - Throws: `ProjectError` for names that can't be names of files.
    fileprivate func remainder() throws -> BSONDocument {
        var rest = self
        (rest.schemas, rest.rules, rest.asymmetricClasses, rest.unsupported) = ([], RuleSet(), [], [])
        rest.values = values.filter { if case .secret = $0.content { true } else { false } }
        var files = BSONDocument()
        for (path, bytes) in try rest.files().sorted(by: { $0.key < $1.key }) {
            files.append(path, .string(String(decoding: bytes, as: UTF8.self)))
        }
        var places = BSONDocument()
        for (name, place) in collections.sorted(by: { $0.key < $1.key }) {
            places.append(name, [.string(place.dataSource), .string(place.database), .string(place.collection)])
        }
        return ["files": .document(files), "collections": .document(places)]
    }

    fileprivate init(remainder: BSONDocument, name: String) throws {
        guard case .document(let files)? = remainder["files"] else {
            self.init(name)
            return
        }
        var bytes: [String: [UInt8]] = [:]
        for (path, text) in files { bytes[path] = Array((text.stringValue ?? "").utf8) }
        try self.init(files: bytes)
        unsupported = []
        for (name, place) in remainder["collections"]?.documentValue ?? [:] {
            let parts = place.arrayValue?.compactMap(\.stringValue) ?? []
            guard parts.count == 3 else { continue }
            collections[name] = CollectionPlace(dataSource: parts[0], database: parts[1], collection: parts[2])
        }
    }
}
