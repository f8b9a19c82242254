import ArgumentParser
import Foundation
import FreeholdServer
import FreeholdServerStore

#if PostgreSQL
    import FreeholdPostgresStore
#endif

struct SQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "The views of an app's documents in PostgreSQL, for programs that use SQL.",
        discussion: """
            Examples:
              freehold-server app set /srv/freehold notes --sql json
              freehold-server sql views /srv/freehold notes --index Dog.age
              freehold-server sql views /srv/freehold notes --writable
            """,
        subcommands: [Views.self]
    )

    struct Views: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a view for each class of an app, in a schema with the name 'app_' and the app's id.",
            discussion: """
                A running server changes the views when the classes of the app change. Options that aren't named are kept.

                Example: freehold-server sql views /srv/freehold notes --index Dog.age --index Dog.name
                """
        )

        @Argument(help: "The server's folder, or the address of its database.") var folder: String
        @Argument(help: "The app's id.") var app: String
        @Flag(inversion: .prefixedNo, help: "Makes the views writable. Changes are inserted into the inbox.")
        var writable: Bool?
        @Option(help: "A property that gets an index, as CLASS.PROPERTY. Keys and links have one in any case.")
        var index: [String] = []
        @Option(help: "A property whose index is removed.")
        var dropIndex: [String] = []
        @Flag(help: "Removes the views and indexes.") var remove = false
        @OptionGroup var store: StoreOption

        func run() async throws {
            let change = SQLSwitch(
                folder: folder,
                app: app,
                accounts: try await store.accounts(folder),
                store: store
            )
            guard !remove else { return try await change.removeViews() }
            try await change.makeViews { options in
                options.isWritable = writable ?? options.isWritable
                options.indexes = options.indexes.union(index).subtracting(dropIndex)
            }
        }
    }
}

/// Enables and disables the reading of an app's documents with SQL. The documents must be in PostgreSQL.
struct SQLSwitch {
    let folder: String
    let app: String
    let accounts: any AccountStorage
    let store: StoreOption

    #if PostgreSQL
        /// Enables or disables the JSON of documents, and waits until all documents are converted.
        func turn(_ isOn: Bool) async throws {
            let database = try await store.database(folder)
            defer { database.close() }
            let known = try await accounts.documents(of: app).sql
            guard isOn || known?.views == nil else {
                throw ValidationError(
                    "The app has views. Remove them first: freehold-server sql views \(folder) \(app) --remove"
                )
            }
            try await accounts.changeDocuments(of: app) { documents in
                documents.sql = isOn ? documents.sql ?? SQLSettings() : nil
            }
            try await database.setJSON(isOn, app: app)
            let count = try await database.convert(app)
            print("\(count) documents were converted.")
        }

        func makeViews(_ change: (inout SQLViewOptions) -> Void) async throws {
            let database = try await store.database(folder)
            defer { database.close() }
            let documents = try await accounts.documents(of: app)
            guard let settings = documents.sql else {
                throw ValidationError(
                    "SQL can't read the app's documents yet: freehold-server app set \(folder) \(app) --sql json"
                )
            }
            var options = settings.views ?? SQLViewOptions()
            change(&options)
            try await database.convert(app)
            let report = try await database.updateViews(app: app, documents.sqlSchema(), options)
            // Indexes that can't be created aren't stored in the options.
            let kept = SQLViewOptions(
                isWritable: options.isWritable,
                indexes: options.indexes.subtracting(report.unknownIndexes)
            )
            try await accounts.changeDocuments(of: app) { $0.sql?.views = kept }
            for view in report.views { print("\"\(report.schema)\".\"\(view)\"") }
            for name in report.unknownIndexes {
                Failure.note("'\(name)' can't have an index: it isn't a single value of a class.")
            }
            if !report.unknownIndexes.isEmpty { throw ExitCode(1) }
        }

        func removeViews() async throws {
            let database = try await store.database(folder)
            defer { database.close() }
            try await accounts.changeDocuments(of: app) { $0.sql?.views = nil }
            try await database.removeViews(app: app)
        }
    #else
        func turn(_ isOn: Bool) async throws { throw StoreOption.missing }
        func makeViews(_ change: (inout SQLViewOptions) -> Void) async throws { throw StoreOption.missing }
        func removeViews() async throws { throw StoreOption.missing }
    #endif
}
