import ArgumentParser
import Foundation
import Freehold
import FreeholdImport

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints a file's classes, as Swift or as JSON.",
        discussion: """
            The Swift classes compile as they are: names that Swift doesn't take are mapped. Linking objects aren't stored \
            in files; declare those you want. JSON is what 'migrate --to' and 'import --schema' read. \
            The file may be one that Realm wrote.

            EXAMPLES:
              freehold schema app.realm
              freehold schema app.realm --format json > schema.json
              freehold schema app.realm --format swift --public > Models.swift
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, swift, json }

    @OptionGroup var file: FileOptions
    @Option(help: "The form of the output.") var format = Format.text
    @Option(name: .customLong("class"), help: "Only this class; may be given several times.") var classes: [String] = []
    @Flag(name: .customLong("public"), help: "Swift classes that other modules can use.") var isPublic = false

    func run() throws {
        var (schema, version) = try read()
        if !classes.isEmpty { schema = Schema(try classes.map { try schema.requireClass($0) }) }
        switch format {
        case .text: try SchemaText.write(schema)
        case .json:
            try StandardOutput.shared.write(schema.jsonData(schemaVersion: version))
        case .swift: try StandardOutput.shared.write(SwiftClasses(schema, isPublic: isPublic).text)
        }
    }

    /// Also of a file that Realm wrote.
    private func read() throws -> (schema: Schema, version: UInt64) {
        try FileOptions.requireFile(file.file)
        if let summary = try RealmFileOutput(file)?.summary { return (summary.schema, summary.schemaVersion ?? 0) }
        let realm = try file.open()
        return (realm.storedSchema, realm.storedSchemaVersion)
    }
}

/// A schema for people.
enum SchemaText {
    static func write(_ schema: Schema) throws {
        for (i, object) in schema.objectSchema.enumerated() {
            if i > 0 { try StandardOutput.shared.line("") }
            try StandardOutput.shared.line(
                TerminalText.escaped(object.className) + object.kindText
            )
            let width = object.allProperties.map { TerminalText.width($0.name) }.max() ?? 0
            for property in object.allProperties {
                let space = String(repeating: " ", count: width - TerminalText.width(property.name))
                try StandardOutput.shared.line(
                    "  \(TerminalText.escaped(property.name))\(space)  \(TypeText.of(property))"
                )
            }
            for index in object.compoundIndexes { try StandardOutput.shared.line("  \(index)") }
        }
    }
}

/// A property's type for people.
enum TypeText {
    static func of(_ property: Property) -> String {
        var text =
            property.type == .object ? property.objectClassName ?? "object" : "\(property.type)"
        if property.isOptional && property.type != .any && !(property.type == .object && property.collection != .list) {
            text += "?"
        }
        switch property.collection {
        case .none: break
        case .list: text = "list of \(text)"
        case .set: text = "set of \(text)"
        case .map: text = "map of \(text)"
        }
        if property.isPrimaryKey { text += ", primary key" }
        switch property.index {
        case .none: break
        case .values: text += ", indexed"
        case .fullText: text += ", full text"
        case .places: text += ", index of places"
        }
        if property.deleteRule != .nullify { text += ", \(property.deleteRule)" }
        if property.inverseDeleteRule != .nullify { text += ", \(property.inverseDeleteRule) of origins" }
        return text
    }
}
