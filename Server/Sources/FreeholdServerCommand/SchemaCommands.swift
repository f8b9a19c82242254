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
        abstract: "The classes of an app, as JSON schemas. A server that runs follows within a second.",
        discussion: """
            An app with a schema refuses clients whose classes have more, by name; one that adopts schemas ('app set --adopt-schemas') takes
            new classes and properties over.

            Examples:
              freehold-server schema push /srv/freehold notes schemas/
              freehold-server schema diff /srv/freehold notes schemas/
              freehold-server schema pull /srv/freehold notes --output schemas
              freehold-server schema infer /srv/freehold notes --push
              freehold-server schema remove /srv/freehold notes Draft
              freehold-server schema models /srv/freehold notes --language kotlin
            """,
        subcommands: [Push.self, Pull.self, Diff.self, Infer.self, Remove.self, Models.self]
    )

    struct Push: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes classes over from files; those that no file names stay.",
            discussion: """
                What breaks clients that are there (a type that changes, a property that goes) is refused, and listed, unless --breaking says that it is meant.

                Example: freehold-server schema push /srv/freehold notes schemas/ --dry-run
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "Files with schemas, or folders of them.") var paths: [String]
        @Flag(help: "Only says what would change.") var dryRun = false
        @Flag(help: "Changes what breaks clients, too.") var breaking = false

        func validate() throws {
            guard !paths.isEmpty else { throw ValidationError("Name a file or a folder.") }
        }

        func run() async throws {
            let store = try AccountStore.existing(folder)
            let content = try SchemaFiles.read(paths)
            let changes = try await store.compared(app, content)
            changes.forEach { print($0) }
            if changes.isEmpty { print("Nothing changes.") }
            if dryRun { return }
            guard breaking || changes.allSatisfy({ $0.kind == .additive }) else {
                throw ValidationError("Nothing was changed: what is breaking needs --breaking.")
            }
            try await store.changeDocuments(of: app) { $0.take(content) }
        }
    }

    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Says how files differ from the app's schema. Exits with 1 if they do.",
            discussion: "Example: freehold-server schema diff /srv/freehold notes schemas/"
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "Files with schemas, or folders of them.") var paths: [String]

        func run() async throws {
            let changes = try await AccountStore.existing(folder).compared(app, try SchemaFiles.read(paths))
            changes.forEach { print($0) }
            if !changes.isEmpty { throw ExitCode(1) }
        }
    }

    struct Pull: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes the app's schema: a file a class, or all of it to the standard output.",
            discussion: "Example: freehold-server schema pull /srv/freehold notes --output schemas"
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Option(help: "A folder; it is made if it isn't there.") var output: String?

        func run() async throws {
            let documents = try await AccountStore.existing(folder).documents(of: app)
            if let output {
                try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            }
            for document in documents.schemas {
                let name = document.className
                let text = try SchemaFiles.text(document, isAsymmetric: documents.asymmetric.contains(name))
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

    struct Infer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Finds the schema of the documents that are there.",
            discussion: """
                Links come out as the keys that they hold, and dictionaries as embedded classes: look at it before you push it.

                Example: freehold-server schema infer /srv/freehold notes --class Dog
                """
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Option(name: .customLong("class"), help: "Only this class.") var className: String?
        @Flag(help: "Takes it over for classes that the app's schema doesn't have.") var push = false

        func run() async throws {
            let store = try FileServerStore(ofServer: folder, epoch: 0)
            let stream = StreamName(app: SyncString(app))
            guard try store.streams().contains(stream) else {
                throw ValidationError("\(folder) has no documents of the app \(app).")
            }
            var documents: [SyncString: [BSONDocument]] = [:]
            let most = 100_000
            try store.forEachDocument(of: stream, className: className.map { SyncString($0) }) { name, document in
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
            let accounts = try AccountStore.existing(folder)
            let known = Set(try await accounts.documents(of: app).schemas.map(\.className))
            content.documents.removeAll { known.contains($0.className) }
            let new = content
            try await accounts.changeDocuments(of: app) { $0.take(new) }
            print("\(new.documents.count) classes were taken over.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Takes a class out of the schema. Its documents stay; clients that have the class are refused.",
            discussion: "Example: freehold-server schema remove /srv/freehold notes Draft"
        )

        @Argument(help: "The server's folder.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Argument(help: "The class.") var className: String

        func run() async throws {
            let name = className
            try await AccountStore.existing(folder).changeDocuments(of: app) { documents in
                guard documents.schemas.contains(where: { $0.className == name }) else {
                    throw ValidationError("The schema has no class '\(name)'.")
                }
                documents.schemas.removeAll { $0.className == name }
                documents.asymmetric.remove(name)
            }
            print("Class \(name) is out of the schema.")
        }
    }
}

extension SchemaCommand {
    struct Models: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Writes the app's classes as source code: \(ModelLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            discussion: """
                What a language can't say stands as a comment in the code, and is told on standard error. Linking objects aren't in a schema: declare
                those you want.

                Example: freehold-server schema models /srv/freehold notes --language java --package model --output src/model
                """
        )

        @Argument(help: "The server's folder.") var folder: String
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
        @Option(help: "The package or namespace, where the language has such.") var package: String?
        @Option(help: "A folder for the files; without it they are printed.") var output: String?

        func run() async throws {
            let tables = try await AccountStore.existing(folder).documents(of: app).tables()
            guard !tables.isEmpty else { throw ValidationError("The app \(app) has no schema.") }
            let models = try GeneratedModels(
                tables.map { ModelClass($0) },
                in: language,
                options: ModelOptions(package: package)
            )
            for note in models.notes { FileHandle.standardError.write(Data("\(note)\n".utf8)) }
            guard let output else { return models.files.forEach { print($0.text, terminator: "") } }
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            for file in models.files {
                try Data(file.text.utf8).write(to: URL(filePath: "\(output)/\(file.name)"), options: .atomic)
                print("\(output)/\(file.name)")
            }
        }
    }
}

extension AppDocuments {
    /// Takes classes over; those that were there under their names go.
    fileprivate mutating func take(_ content: SchemaFiles.Content) {
        let names = Set(content.documents.map(\.className))
        schemas.removeAll { names.contains($0.className) }
        schemas += content.documents
        schemas.sort { $0.className < $1.className }
        asymmetric = asymmetric.subtracting(names).union(content.asymmetric)
    }
}

extension AccountStore {
    /// What files would change in an app's schema.
    fileprivate func compared(_ app: String, _ content: SchemaFiles.Content) async throws -> [SchemaChange] {
        let old = try await documents(of: app)
        var new = old
        new.take(content)
        return SchemaChange.changes(from: try old.tables(), to: try new.tables())
    }
}
