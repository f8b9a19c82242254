import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServer
import FreeholdSyncCore
import FreeholdSyncRules

extension SchemaCommand {
    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds classes from files to the newest version of the schema, or as a new version.",
            discussion: """
                Without --as-version, new classes and properties are added to the newest version, and other classes are kept. Changes that
                break clients, such as another type or a removed property, are listed, and refused without --breaking.

                With --as-version N, the files contain all classes of a new version, for apps whose schemaVersion is N or greater. Apps of
                earlier versions continue with their versions. The steps from the last version are listed. Changes that both versions can't
                share are refused, with an alternative. --renames names a file with the new names of classes and properties, and with the
                values that apps are shown if none is stored:

                  {"classes": {"Dog": "Hound"}, "properties": {"Hound": {"name": "title"}},
                   "fills": {"Hound": {"age": 1}}, "oldFills": {"Dog": {"owner": "nobody"}}}

                Examples:
                  freehold-server schema push /srv/freehold notes schemas/ --dry-run
                  freehold-server schema push /srv/freehold notes schemas/ --as-version 2 --renames renames.json --dry-run
                  freehold-server schema push /srv/freehold notes schemas/ --as-version 2 --renames renames.json
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "Files with schemas, or folders of them.") var paths: [String]
        @Option(help: "The least schemaVersion of the apps that it is for.") var asVersion: UInt64?
        @Option(help: "A file in Extended JSON with the renamed classes and properties.") var renames: String?
        @Flag(help: "Only lists the changes.") var dryRun = false
        @Flag(help: "Also makes changes that break clients of the newest version.") var breaking = false
        @Flag(help: "Pushes even if rules don't fit the schema any more.") var force = false

        func validate() throws {
            guard !paths.isEmpty else { throw ValidationError("Name a file or a folder.") }
            guard !breaking || asVersion == nil else {
                throw ValidationError("A new version breaks no client: --breaking is for the newest version.")
            }
        }

        func run() async throws {
            let store = try await self.store.accounts(folder)
            let content = try SchemaFiles.read(paths)
            let transition = try self.transition()
            let old = try await store.documents(of: app)
            let newest = try old.versions().newest.number
            let isNew = asVersion.map { $0 != newest } ?? false
            if !isNew {
                let changes = try old.compared(content)
                changes.forEach { print($0) }
                if changes.isEmpty { print("Nothing changes.") }
                guard dryRun || breaking || changes.allSatisfy({ $0.kind == .additive }) else {
                    throw ValidationError(
                        "Nothing was changed: what is breaking needs --breaking, or a version of its own (--as-version \(newest + 1))."
                    )
                }
            }
            var new = old
            let steps = try change(&new, content, transition)
            if isNew { steps.forEach { print($0) } }
            let known = Set(try old.ruleProblems())
            let problems = try new.ruleProblems().filter { !known.contains($0) }
            problems.forEach { print("Rules: \($0)") }
            if dryRun { return }
            guard force || problems.isEmpty else {
                throw ValidationError("Nothing was changed: rules that don't fit any more need --force.")
            }
            let push = self
            try await store.changeDocuments(of: app) { documents in
                // Another process may have pushed a schema since the dry run.
                _ = try push.change(&documents, content, transition)
            }
            guard isNew, let asVersion else { return }
            print("Version \(asVersion) has \(new.schemas.count) classes.")
        }

        /// Changes the documents.
        ///
        /// - Throws: `ValidationError` with all changes that aren't possible.
        private func change(
            _ documents: inout AppDocuments,
            _ content: SchemaFiles.Content,
            _ transition: SchemaTransition
        ) throws -> [VersionStep] {
            do {
                // Breaking changes are accepted with `--breaking`. The dry run lists them.
                if breaking || dryRun && asVersion == nil {
                    return try documents.replace(content.documents, asymmetric: content.asymmetric, transition)
                }
                return try documents.push(
                    content.documents,
                    asymmetric: content.asymmetric,
                    as: asVersion,
                    transition
                )
            } catch let error as SchemaPushError {
                throw ValidationError("Nothing was changed.\n\(error)")
            }
        }

        private func transition() throws -> SchemaTransition {
            guard let renames else { return SchemaTransition() }
            do { return try SchemaTransition(extendedJSON: try SchemaFiles.text(renames)) } catch let error as RuleError
            {
                throw ValidationError("\(renames): \(error)")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the versions of the app's schema, with the present numbers of their sessions.",
            discussion: """
                Sessions are shown if a server runs on this machine.

                Example: freehold-server schema list /srv/freehold notes
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String

        func run() async throws {
            let versions = try await store.accounts(folder).documents(of: app).versions()
            let sessions = await self.sessions()
            for (index, version) in versions.versions.enumerated() {
                let next = index + 1 < versions.versions.count ? versions.versions[index + 1].number : nil
                let first = index == 0 ? 0 : version.number
                let served = next.map { "\(first) to \($0 - 1)" } ?? "\(first) and later"
                var line = "version \(version.number)\tserves schemaVersion \(served)\t\(version.tables.count) classes"
                if let sessions {
                    let own = sessions.filter { versions.version(for: $0.key).number == version.number }
                    line += "\t\(own.values.reduce(0, +)) sessions"
                }
                print(line)
            }
        }

        /// Returns the number of sessions by `schemaVersion`. Returns `nil` if no server answers.
        private func sessions() async -> [UInt64: Int]? {
            guard let settings = try? await SettingsReader(folder: store.local(folder)).settings(),
                let port = settings.administratorPort, port != 0,
                let answer = try? await AdministratorClient.get(
                    "/sessions",
                    host: settings.administratorHost,
                    port: port
                ),
                answer.status == 200, let all = try? BSONDocument(extendedJSON: answer.body)
            else { return nil }
            guard case .document(let counts)? = all[app] else { return [:] }
            var sessions: [UInt64: Int] = [:]
            for (key, value) in counts {
                if let version = UInt64(key), let count = value.asInt64() { sessions[version] = Int(count) }
            }
            return sessions
        }
    }

    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the app's schema: a file for each class, or all of it to the standard output.",
            discussion: """
                Examples:
                  freehold-server schema pull /srv/freehold notes --output schemas
                  freehold-server schema pull /srv/freehold notes --version 1
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Option(help: "A folder. It is created if it doesn't exist.") var output: String?
        @Option(help: "The schemaVersion of an app. Its version is written instead of the newest one.") var version:
            UInt64?

        func run() async throws {
            let documents = try await store.accounts(folder).documents(of: app)
            if let output {
                try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            }
            let (schemas, asymmetric) = try documents.schemas(of: version)
            if schemas.isEmpty { Failure.note("The app \(app) has no schema.") }
            for document in schemas {
                let name = document.className
                let text = try SchemaFiles.text(document, isAsymmetric: asymmetric.contains(name))
                guard let output else {
                    print(text, terminator: "")
                    continue
                }
                let file = "\(output)/\(Export.fileName(SyncString(name))).json"
                try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
                print(file)
            }
        }
    }
}

extension AppDocuments {
    /// Returns the changes that files would make to the newest version. Classes that aren't in the files are kept.
    func compared(_ content: SchemaFiles.Content) throws -> [SchemaChange] {
        var new = self
        try new.replace(content.documents, asymmetric: content.asymmetric)
        return SchemaChange.changes(from: try tables(), to: try new.tables())
    }

    /// Returns the documents of the version that serves apps with a `schemaVersion`. `nil` stands for the newest
    /// version.
    func schemas(of number: UInt64?) throws -> ([FreeholdSyncRules.SchemaDocument], asymmetric: Set<String>) {
        let versions = try versions()
        guard let number, versions.version(for: number) != versions.newest else { return (schemas, asymmetric) }
        let tables = versions.version(for: number).tables
        let asymmetric = Set(tables.filter(\.isAsymmetric).map(\.name))
        return (try FreeholdSyncRules.SchemaDocument.documents(of: tables), asymmetric)
    }
}
