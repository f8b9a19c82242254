import ArgumentParser
import Foundation
import Freehold

struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Prints a file's size, versions, classes and readers.",
        discussion: """
            Of a file that Realm wrote it tells format, schema version and classes, and how it is imported.

            EXAMPLES:
              freehold info app.realm
              freehold info app.realm --format json | jq '.classes[].name'
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @OptionGroup var file: FileOptions
    @Option(help: "The form of the output.") var format = Format.text

    func run() throws {
        try FileOptions.requireFile(file.file)
        if let other = try RealmFileOutput(file) { return try other.writeInfo(asJSON: format == .json) }
        let realm = try file.open()
        let info = try FileInfo(realm, path: file.file)
        switch format {
        case .text: try info.writeText()
        case .json: try info.writeJSON()
        }
    }
}

struct FileInfo: Encodable {
    struct Class: Encodable {
        let name: String
        let embedded: Bool
        let asymmetric: Bool
        let objects: Int
        let primaryKey: String?
        let indexes: [String]
    }

    let path: String
    let bytes: Int
    let usedBytes: Int
    let freeBytes: Int
    /// The version of the newest commit.
    let version: UInt64
    let schemaVersion: UInt64
    let readers: [PinnedReader]
    let classes: [Class]

    init(_ realm: Realm, path: String) throws {
        self.path = path
        let use = try realm.fileUse()
        bytes = use.totalBytes
        usedBytes = use.usedBytes
        freeBytes = use.freeBytes
        version = realm.version
        schemaVersion = realm.storedSchemaVersion
        readers = PinnedReader.others(of: realm)
        classes = Self.classes(realm)
    }

    static func classes(_ realm: Realm) -> [Class] {
        realm.storedSchema.objectSchema.map { object in
            Class(
                name: object.className,
                embedded: object.isEmbedded,
                asymmetric: object.isAsymmetric,
                objects: realm.dynamicObjects(object.className).count,
                primaryKey: object.primaryKeyProperty?.name,
                indexes: object.properties.compactMap { property in
                    switch property.index {
                    case .none: nil
                    case .values: property.name
                    case .fullText: "\(property.name) (full text)"
                    case .places: "\(property.name) (places)"
                    }
                }
                    + object.compoundIndexes.map {
                        "\($0.properties.joined(separator: " + "))\($0.isUnique ? " (unique)" : "")"
                    }
            )
        }
    }

    func writeText() throws {
        let output = StandardOutput.shared
        try output.line("File            \(TerminalText.escaped(path))")
        try output.line("Size            \(Units.bytes(bytes)) (\(Units.grouped(bytes)) bytes)")
        try output.line("  in use        \(Units.bytes(usedBytes))")
        try output.line("  free          \(Units.bytes(freeBytes))")
        try output.line("Version         \(version)")
        try output.line("Schema version  \(schemaVersion)")
        let held = readers.map(\.version).min().map {
            version > $0 ? ", the oldest \(version - $0) versions behind" : ""
        }
        try output.line("Readers         \(readers.count)\(held ?? "")")
        try output.line("Classes         \(classes.count)\(classes.isEmpty ? "" : "\n")")
        if classes.isEmpty { return }
        try ClassTable.write(classes)
    }

    func writeJSON() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try StandardOutput.shared.write(try encoder.encode(self))
        try StandardOutput.shared.line("")
    }
}
