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
            abstract: "Imports schemas, rules, sync settings, values and log-ins of a project into an app.",
            discussion: """
                A missing app is created. The command lists the imported parts, the differences, the omitted parts and the remaining tasks. Classes that
                the project doesn't have are kept. Rules and values are replaced. Changes that break existing clients need --breaking.

                Example: freehold-server project import /srv/freehold backend --app notes --dry-run
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The project's folder.") var project: String
        @Option(help: "The app's id.") var app: String
        @Option(help: "A JSON object with the values of secrets by their names, for values that rules use.")
        var secrets: String?
        @Flag(help: "Only lists the changes.") var dryRun = false
        @Flag(help: "Also makes changes that break clients.") var breaking = false

        func run() async throws {
            let read = try AppServicesProject.read(project)
            let store = try await self.store.accounts(folder)
            let known = try await store.apps().first { $0.id == app }
            let old = known == nil ? AppDocuments() : try await store.documents(of: app)
            let plan = try AppProjectImport(
                read,
                into: (known ?? AccountApp(id: app), old),
                secrets: try ProjectReport.secretValues(secrets)
            )
            let changes = SchemaChange.changes(from: try old.tables(), to: try plan.documents.tables())
            print("Project '\(read.name)', for the app \(app)\(known == nil ? ", which is new" : "").")
            ProjectReport.show(plan, changes)
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
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes an app's schemas, rules, sync settings, values and log-ins as a project.",
            discussion: """
                Secrets aren't written. What an imported project said of other things (data sources, where classes are kept) is written again.

                Example: freehold-server project export /srv/freehold notes backend
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "A folder that doesn't exist yet or is empty.") var target: String

        func run() async throws {
            let store = try await self.store.accounts(folder)
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
