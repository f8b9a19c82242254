import ArgumentParser
import Foundation
import FreeholdBSON
import FreeholdServer
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncRules

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes an app's documents as Extended JSON, one a line, while the server runs or not.",
        discussion: """
            Links are the keys of their objects. All documents are of one moment, and have the names of the schema's newest version.
            --stored also writes properties that it doesn't have, under their stored names.

            Examples:
              freehold-server export /srv/freehold notes --output /tmp/notes
              freehold-server export /srv/freehold notes --class Dog --canonical > dogs.jsonl
              freehold-server export /srv/freehold notes --stream 5f0000000000000000000000 --output /tmp/ann
            """
    )

    @Argument(help: "The server's folder, or the address of its database.") var folder: String
    @Argument(help: "The app's id.") var app: String
    @Option(name: .customLong("class"), help: "Only documents of this class, to the standard output.")
    var className: String?
    @Option(help: "A folder that doesn't exist yet, for one file for each class.") var output: String?
    @Option(help: "The stream's value, of an app where each user has a stream: the user's id.") var stream: String?
    @Flag(help: "Writes all stored properties, under their stored names.") var stored = false
    @Flag(help: "Writes canonical Extended JSON, in which each number has its type. The default is relaxed.")
    var canonical = false
    @OptionGroup var store: StoreOption

    func validate() throws {
        guard (className == nil) != (output == nil) else {
            throw ValidationError("Name either a class, whose documents are printed, or a folder by --output.")
        }
    }

    func run() async throws {
        let store = try await self.store.documents(folder)
        let stream = StreamName(app: SyncString(app), value: self.stream.map { .string(SyncString($0)) })
        guard try await store.exists(stream) else {
            let isOfUsers = try await store.uses { _, _ in }.contains { $0.name.app == stream.app }
            throw ValidationError(
                "\(folder) has no documents of the app \(app)"
                    + (isOfUsers ? " in this stream: 'streams' shows which there are." : ".")
            )
        }
        let lens = try await lens()
        guard let output else {
            var lines = Lines(.standardOutput)
            let name = className.map { SyncString($0) }
            try await store.forEachDocument(
                of: stream,
                className: name.map { name in lens.map { $0.up(className: name) ?? name } ?? name }
            ) {
                if let shown = shown($0, $1, lens) { try lines.add(text(shown.document)) }
            }
            return try lines.end()
        }
        guard !FileManager.default.fileExists(atPath: output) else {
            throw ValidationError("\(output) exists. Name a folder that doesn't exist.")
        }
        try FileManager.default.createDirectory(
            atPath: output,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        var (current, lines): (SyncString?, Lines?) = (nil, nil)
        var count = 0
        try await store.forEachDocument(of: stream, className: nil) { name, document in
            guard let (name, document) = shown(name, document, lens) else { return }
            count += 1
            if name != current {
                try lines?.end()
                (current, lines) = (name, try Lines(creating: "\(output)/\(Self.fileName(name)).jsonl"))
            }
            try lines?.add(text(document))
        }
        try lines?.end()
        print("\(count) documents are in \(output).")
    }

    /// Returns the lens of the newest version. Returns `nil` if it shows the stored form.
    private func lens() async throws -> SchemaLens? {
        guard !stored, try hasAccounts(), let accounts = try? await store.accounts(folder),
            let versions = try? await accounts.documents(of: app).versions()
        else { return nil }
        return versions.lens(for: versions.newest.number)
    }

    /// Returns whether accounts exist. The function doesn't create a file of accounts.
    private func hasAccounts() throws -> Bool {
        try store.address(folder) != nil || FileManager.default.fileExists(atPath: folder + "/accounts.realm")
    }

    /// Returns a document in the form of the version. Returns `nil` if the version doesn't have the class.
    private func shown(
        _ className: SyncString,
        _ document: BSONDocument,
        _ lens: SchemaLens?
    ) -> (className: SyncString, document: BSONDocument)? {
        guard let lens else { return (className, document) }
        guard let name = lens.down(className: className), let document = lens.down(document, of: className) else {
            return nil
        }
        return (name, document)
    }

    private func text(_ document: BSONDocument) throws -> String {
        try document.extendedJSON(canonical ? .canonical : .relaxed)
    }

    /// Returns the name of a file for a class. Clients choose the names of classes, which may be invalid as names of
    /// files.
    static func fileName(_ name: SyncString) -> String {
        var text = ""
        for byte in name.string.utf8 {
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-": text.unicodeScalars.append(UnicodeScalar(byte))
            default: text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text.isEmpty ? "%" : text
    }
}

/// Lines that are written together.
private struct Lines {
    private let file: FileHandle
    private var bytes: [UInt8] = []

    init(_ file: FileHandle) { self.file = file }

    init(creating path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = FileHandle(forWritingAtPath: path)
        else { throw CocoaError(.fileWriteUnknown) }
        self.file = file
    }

    mutating func add(_ line: String) throws {
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
        if bytes.count > 1 << 18 { try end() }
    }

    mutating func end() throws {
        try file.write(contentsOf: Data(bytes))
        bytes = []
    }
}
