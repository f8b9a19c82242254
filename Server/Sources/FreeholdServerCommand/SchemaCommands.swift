import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncRules
import ModelWriter

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "The classes of an app, as JSON schemas. A running server applies changes within a second.",
        discussion: """
            An app with a schema refuses clients with other classes and properties by name. With 'app set --adopt-schemas on' the app adopts
            them. Apps of several versions of a schema can sync at the same time: see 'schema push --help'.

            Examples:
              freehold-server schema push /srv/freehold notes schemas/
              freehold-server schema push /srv/freehold notes schemas/ --as-version 2 --renames renames.json --dry-run
              freehold-server schema list /srv/freehold notes
              freehold-server schema diff /srv/freehold notes schemas/
              freehold-server schema pull /srv/freehold notes --output schemas
              freehold-server schema infer /srv/freehold notes --push
              freehold-server schema remove /srv/freehold notes Draft
              freehold-server schema models /srv/freehold notes --language kotlin
            """,
        subcommands: [Push.self, Pull.self, List.self, Diff.self, Infer.self, Remove.self, Models.self]
    )

    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Lists the differences between files and the app's schema. The exit status is 1 if there are any.",
            discussion: "Example: freehold-server schema diff /srv/freehold notes schemas/"
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "Files with schemas, or folders of them.") var paths: [String]

        func run() async throws {
            let changes = try await store.accounts(folder).compared(app, try SchemaFiles.read(paths))
            changes.forEach { print($0) }
            if !changes.isEmpty { throw ExitCode(1) }
        }
    }

    struct Infer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Infers the schema of the stored documents.",
            discussion: """
                Links come out as the keys that they hold, and dictionaries as embedded classes: look at it before you push it.

                Example: freehold-server schema infer /srv/freehold notes --class Dog
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Option(name: .customLong("class"), help: "Only this class.") var className: String?
        @Flag(help: "Adds the classes that the app's schema doesn't have.") var push = false
        @OptionGroup var store: StoreOption

        func run() async throws {
            let store = try await store.documents(folder)
            let stream = StreamName(app: SyncString(app))
            guard try await store.exists(stream) else {
                throw ValidationError("\(folder) has no documents of the app \(app).")
            }
            var documents: [SyncString: [BSONDocument]] = [:]
            let most = 100_000
            try await store.forEachDocument(of: stream, className: className.map { SyncString($0) }) { name, document in
                if documents[name, default: []].count < most { documents[name, default: []].append(document) }
            }
            var content = SchemaFiles.Content()
            for (name, found) in documents.sorted(by: { $0.key < $1.key }) {
                let tables = try SchemaInference.tables(className: name.string, documents: found)
                content.documents += try SchemaDocument.documents(of: tables)
            }
            guard push else {
                for document in content.documents {
                    print(try SchemaFiles.text(document, isAsymmetric: false), terminator: "")
                }
                return
            }
            let accounts = try await self.store.accounts(folder)
            // Documents contain stored names. Each of the versions may have introduced some of them.
            let known = Set(try await accounts.documents(of: app).versions().storage.map(\.name))
            content.documents.removeAll { known.contains($0.className) }
            let new = content
            if !new.documents.isEmpty {
                try await accounts.changeDocuments(of: app) { try $0.push(new.documents) }
            }
            print("\(new.documents.count) classes were taken over.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Removes a class from the schema. Its documents are kept, and clients that have the class are refused.",
            discussion: """
                If the schema has several versions, the class is removed from the newest one. To serve its clients further, push a version without it.

                Example: freehold-server schema remove /srv/freehold notes Draft
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The class.") var className: String

        func run() async throws {
            let name = className
            try await store.accounts(folder).changeDocuments(of: app) { documents in
                guard try documents.remove(className: name) else {
                    throw ValidationError("The schema has no class '\(name)'.")
                }
            }
            print("Class \(name) was removed from the schema.")
        }
    }
}

extension SchemaCommand {
    struct Models: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Writes the app's classes as source code: \(ModelLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            discussion: """
                Properties that a language can't express are comments in the code, and are listed on the standard error stream. A schema doesn't have
                linking objects: declare them yourself.

                Example: freehold-server schema models /srv/freehold notes --language java --package model --output src/model
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @OptionGroup var store: StoreOption
        @Argument(help: "The app's id.") var app: String
        @Option(
            help: "The language.",
            transform: { text in
                guard let language = ModelLanguage(rawValue: text) else {
                    throw ValidationError("There is no language '\(text)'.")
                }
                return language
            }
        )
        var language: ModelLanguage
        @Option(help: "The package or namespace, if the language has them.") var package: String?
        @Option(help: "A folder for the files. Without it they are printed.") var output: String?

        func run() async throws {
            let tables = try await store.accounts(folder).documents(of: app).tables()
            guard !tables.isEmpty else { throw ValidationError("The app \(app) has no schema.") }
            let models = try GeneratedModels(
                tables.map { ModelClass($0) },
                in: language,
                options: ModelOptions(package: package)
            )
            for note in models.notes { StandardStream.error.write("\(note)\n") }
            guard let output else { return models.files.forEach { print($0.text, terminator: "") } }
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            for file in models.files {
                try Data(file.text.utf8).write(to: URL(filePath: "\(output)/\(file.name)"), options: .atomic)
                print("\(output)/\(file.name)")
            }
        }
    }
}

extension AccountStorage {
    /// Returns the changes that files would make to an app's newest version.
    fileprivate func compared(_ app: String, _ content: SchemaFiles.Content) async throws -> [SchemaChange] {
        let documents = try await documents(of: app)
        return try documents.compared(content)
    }
}
