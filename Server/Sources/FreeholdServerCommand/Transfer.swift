import ArgumentParser
import Foundation
import FreeholdEngine
import FreeholdServer
import FreeholdSyncDocuments
import FreeholdSyncRules

struct Transfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Moves an app from App Services: its project, its documents and its users, and then opens it.",
        discussion: """
            The order is: classes, rules and log-ins; documents; users with their ids. Until the end the app refuses log-ins, because a device that \
            connects earlier would drop its unsent work on objects that aren't imported yet. An interrupted command is repeated with the same arguments. \
            The guide docs/moving-from-atlas.md describes all steps.

            Examples:
              freehold-server transfer /srv/freehold backend --app notes-abcde --documents dump --users users.jsonl --dry-run
              freehold-server transfer /srv/freehold backend --app notes-abcde --documents dump --users users.jsonl
            """
    )

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Argument(help: "The project's folder, as 'appservices pull' wrote it.") var project: String
    @Option(help: "The app's id: the one that the clients have in their code.") var app: String
    @Option(help: "A folder that 'mongodump' or 'mongoexport' wrote.") var documents: String
    @Option(help: "A file with users: see 'user import'.") var users: String?
    @Option(help: "A JSON object with the values of secrets by their names, for values that rules use.") var secrets:
        String?
    @Option(help: "How existing documents change: see 'import'.") var mode = Import.Mode.upsert
    @Flag(help: "Reads and checks everything, and writes nothing.") var dryRun = false
    @Flag(help: "Leaves the app closed, for a later import of newer data.") var keepClosed = false
    @Flag(help: "Opens the app also if documents or users were left out.") var acceptLosses = false
    @Flag(help: "Imports into an app that is open, over the work of its users.") var again = false
    @Flag(help: "Also makes changes of the schema that break clients.") var breaking = false
    @OptionGroup var store: StoreOption

    func run() async throws {
        let read = try AppServicesProject.read(project)
        let accounts = try await store.accounts(folder)
        let known = try await accounts.apps().first { $0.id == app }
        let old = known == nil ? AppDocuments() : try await accounts.documents(of: app)
        // A killed command leaves such an app if it had only created it. No user has access to it.
        let isUnused = known == AccountApp(id: app) && old == AppDocuments()
        let isOpen = known != nil && !isUnused && old.transfer?.isOver != false
        guard !isOpen || again else {
            throw ValidationError(
                "The app \(app) is open. --again imports over the work of its users; documents become as they are in the dump."
            )
        }
        let secretValues = try ProjectReport.secretValues(secrets)
        let plan = try AppProjectImport(read, into: (known ?? AccountApp(id: app), old), secrets: secretValues)
        let changes = SchemaChange.changes(from: try old.tables(), to: try plan.documents.tables())
        print("Project '\(read.name)', for the app \(app)\(known == nil ? ", which is new" : "").")
        ProjectReport.show(plan, changes)
        guard breaking || dryRun || changes.allSatisfy({ $0.kind == .additive }) else {
            throw ValidationError("Nothing was written: what is breaking needs --breaking.")
        }
        if !dryRun { try await begin(plan, old, accounts, isNew: known == nil, isOpen: isOpen, project: read.name) }
        var losses = try await importDocuments(read, try plan.documents.versions())
        if !dryRun, !isOpen { try await set(.users, accounts) }
        losses += try await importUsers(read, accounts)
        if dryRun { return print("\nNothing was written.") }
        if isOpen { return print("\nThe app \(app) is as the project says.") }
        if keepClosed {
            return print("\nThe app \(app) stays closed. Repeat the command without --keep-closed to open it.")
        }
        guard losses == 0 || acceptLosses else {
            throw CommandFailure(
                "\(losses) documents or users were left out, so the app \(app) stays closed. Mend the data and repeat the command, or repeat it "
                    + "with --accept-losses."
            )
        }
        try await set(.over, accounts)
        print("\nThe app \(app) is open.")
    }

    /// Writes the classes, the rules and the settings of log-ins. The app is closed before log-ins are permitted.
    private func begin(
        _ plan: AppProjectImport,
        _ old: AppDocuments,
        _ accounts: any AccountStorage,
        isNew: Bool,
        isOpen: Bool,
        project: String
    ) async throws {
        if isNew { try await accounts.createApp(AccountApp(id: app)) }
        let transfer = isOpen ? old.transfer : AppTransfer(next: .documents, project: project)
        try await accounts.changeDocuments(of: app) { documents in
            guard documents == old else { throw ValidationError("The app was changed meanwhile: try again.") }
            documents = plan.documents
            documents.transfer = transfer
        }
        try await accounts.changeApp(app) { $0 = plan.app }
    }

    private func set(_ step: AppTransfer.Step, _ accounts: any AccountStorage) async throws {
        try await accounts.changeDocuments(of: app) { $0.transfer?.next = step }
    }

    /// Imports the documents of each class.
    ///
    /// - Returns: The number of documents that were left out or refused.
    private func importDocuments(_ read: AppServicesProject, _ versions: SchemaVersions) async throws -> Int {
        let secret = try await store.secret(folder)
        let (files, target) = (DumpFiles(folder: documents), try await store.documents(folder, makes: true))
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: documents, isDirectory: &isFolder), isFolder.boolValue else {
            throw ValidationError("There is no folder \(documents).")
        }
        var losses = 0
        print("\nDocuments:")
        for table in versions.newest.tables where !table.isEmbedded && !table.isAsymmetric {
            guard let file = files.file(of: table.name, in: read) else {
                print("  \(table.name): the dump has no file")
                continue
            }
            let job = ClassImport(
                folder: folder,
                secret: secret,
                app: app,
                className: table.name,
                file: file,
                mode: mode,
                isDry: dryRun
            )
            let count = Counter()
            try await job.run(versions, target) { report, refused in
                count.add(report.misfitCount + refused)
                for (index, line) in Import.lines(report, refused: refused, dryRun).enumerated() {
                    print(index == 0 ? "  \(table.name): \(line)" : "  \(line)")
                }
            }
            losses += count.value
        }
        return losses
    }

    /// Imports the users, with their custom data.
    ///
    /// - Returns: The number of users and parts of users that were left out.
    private func importUsers(_ read: AppServicesProject, _ accounts: any AccountStorage) async throws -> Int {
        guard let users else {
            print("\nUsers: no file was named, so no user can log in with an earlier id.")
            return 0
        }
        print("\nUsers:")
        var data = CustomDataFile.none
        if let settings = read.customUserData, settings.isEnabled, let collection = settings.collection,
            let field = settings.userIdField
        {
            if let file = DumpFiles(folder: documents).file(database: settings.database, collection: collection) {
                data = try CustomDataFile(file, field: field)
            } else {
                print("  custom data: the dump has no file of the collection '\(collection)'")
            }
        }
        for misfit in data.misfits { print("  custom data: \(misfit)") }
        let custom = data
        let outcome = try await UserFile.load(users, into: accounts, app: app, isDry: dryRun) { custom[$0] }
        for line in outcome.lines(isDry: dryRun) { print("  \(line)") }
        return outcome.misfitCount + outcome.report.refusalCount + data.misfits.count
    }
}

/// A counter that another thread increments.
private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var sum = 0

    var value: Int { lock.withLock { sum } }

    func add(_ number: Int) { lock.withLock { sum += number } }
}
