import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdSyncRules

struct ProjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project",
        abstract: "Apps as projects of App Services' command line ('appservices pull', 'realm-cli pull').",
        discussion: """
            Examples:
              freehold-server project import /srv/freehold backend --app notes --dry-run
              freehold-server project import /srv/freehold backend --app notes
              freehold-server project export /srv/freehold notes backend
            """,
        subcommands: [Import.self, Export.self]
    )

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes schemas, rules, sync settings, values and log-ins of a project over into an app.",
            discussion: """
                The app is made if it isn't there. What is taken over, what differs, what is left out and what you have to do is listed. Classes that
                the project doesn't have stay; rules and values are replaced. What breaks clients that are there needs --breaking.

                Example: freehold-server project import /srv/freehold backend --app notes --dry-run
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The project's folder.") var project: String
        @Option(help: "The app's id.") var app: String
        @Option(help: "A JSON object with the values of secrets by their names, for values that rules ask for.")
        var secrets: String?
        @Flag(help: "Only says what would happen.") var dryRun = false
        @Flag(help: "Changes what breaks clients, too.") var breaking = false

        func run() async throws {
            let read = try AppServicesProject.read(project)
            let store = try AccountStore.existing(folder)
            let known = try await store.apps().first { $0.id == app }
            let old = known == nil ? AppDocuments() : try await store.documents(of: app)
            let plan = try AppProjectImport(
                read,
                into: (known ?? AccountApp(id: app), old),
                secrets: try secretValues()
            )
            let changes = SchemaChange.changes(from: try old.tables(), to: try plan.documents.tables())
            print("Project '\(read.name)', for the app \(app)\(known == nil ? ", which is new" : "").")
            Self.show("Taken over", plan.taken)
            Self.show(
                "Changes of the schema that break clients",
                changes.filter { $0.kind == .breaking }.map { "\($0)" }
            )
            for (kind, title) in [
                (UnsupportedPart.Kind.needed, "To do"), (.changed, "Differs"), (.leftOut, "Left out"),
                (.ignored, "Has no counterpart"),
            ] { Self.show(title, plan.rest.filter { $0.kind == kind }.map { "\($0)" }) }
            if dryRun { return print("Nothing was written.") }
            guard breaking || changes.allSatisfy({ $0.kind == .additive }) else {
                throw ValidationError("Nothing was written: what is breaking needs --breaking.")
            }
            if known == nil { try await store.createApp(plan.app) }
            try await store.changeApp(app) { $0 = plan.app }
            try await store.changeDocuments(of: app) { documents in
                guard documents == old else { throw ValidationError("The app was changed meanwhile: try again.") }
                documents = plan.documents
            }
            print("The app \(app) is as the project says.")
        }

        private static func show(_ title: String, _ lines: [String]) {
            guard !lines.isEmpty else { return }
            print("\n\(title):")
            for line in lines { print("  \(line)") }
        }

        /// - Throws: `ValidationError` that doesn't quote the file.
        private func secretValues() throws -> [String: String] {
            guard let secrets else { return [:] }
            guard let document = try? BSONDocument(extendedJSON: try SchemaFiles.text(secrets)) else {
                throw ValidationError("\(secrets) isn't a JSON object of texts.")
            }
            var values: [String: String] = [:]
            for (name, value) in document {
                guard let text = value.stringValue else {
                    throw ValidationError("\(secrets) isn't a JSON object of texts.")
                }
                values[name] = text
            }
            return values
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes an app's schemas, rules, sync settings, values and log-ins as a project.",
            discussion: """
                Secrets aren't written. What an imported project said of other things (data sources, where classes are kept) is written again.

                Example: freehold-server project export /srv/freehold notes backend
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "A folder that doesn't exist yet or is empty.") var target: String

        func run() async throws {
            let store = try AccountStore.existing(folder)
            guard let known = try await store.apps().first(where: { $0.id == app }) else {
                throw ValidationError("There is no app '\(app)'.")
            }
            let (project, notes) = try AppServicesProject.exported(known, try await store.documents(of: app))
            try project.write(target)
            notes.forEach { print($0) }
            print("The project is in \(target).")
        }
    }
}
