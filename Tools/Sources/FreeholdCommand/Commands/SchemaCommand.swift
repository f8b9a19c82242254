import ArgumentParser
import Foundation
import Freehold
import FreeholdImport
import ModelWriter

struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints classes, or writes them as source code in ten languages.",
        discussion: """
            The classes are those of a file, which may be one that Realm wrote, or those of JSON schemas as App Services \
            has them: a schema.json (with the relationships.json beside it), or an exported project's folder.

            Source code declares what is stored: names that the language doesn't take are mapped. What a language can't \
            say stands as a comment in the code, and is told on standard error. Linking objects aren't stored in files; \
            declare those you want. JSON is what 'migrate --to' and 'import --schema' read.

            EXAMPLES:
              freehold schema app.realm
              freehold schema app.realm --format json > schema.json
              freehold schema app.realm --language swift --public > Models.swift
              freehold schema app.realm --language java --package model --output src/model
              freehold schema --from-json-schema data_sources --language kotlin
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, swift, json }

    @Argument(help: "The database file, or one that Realm wrote.", completion: .file()) var file: String?
    @OptionGroup var key: KeyOptions
    @Option(
        name: .customLong("from-json-schema"),
        parsing: .upToNextOption,
        help: ArgumentHelp("JSON schemas rather than a database file: files, or folders with such.", valueName: "path"),
        completion: .file(extensions: ["json"])
    )
    var documents: [String] = []
    @Option(help: "The form of the output: for people, Swift classes (--language swift), JSON.") var format: Format?
    @OptionGroup var models: ModelOutput
    @Option(name: .customLong("class"), help: "Only this class; may be given several times.") var classes: [String] = []

    private var language: ModelLanguage? { models.language ?? (format == .swift ? .swift : nil) }

    func validate() throws {
        if (file == nil) == documents.isEmpty {
            throw ValidationError("Name a database file, or JSON schemas with --from-json-schema, and not both.")
        }
        if let format, let language = models.language, format != .swift || language != .swift {
            throw ValidationError(
                "--format \(format.rawValue) and --language \(language.rawValue) can't be given together."
            )
        }
        try models.check(isCode: language != nil)
    }

    func run() throws {
        var (schema, version) = try read()
        if !classes.isEmpty { schema = Schema(try classes.map { try schema.requireClass($0) }) }
        if let language { return try models.write(schema.modelClasses, in: language) }
        switch format ?? .text {
        case .text: try SchemaText.write(schema)
        case .json: try StandardOutput.shared.write(schema.jsonData(schemaVersion: version))
        case .swift: break
        }
    }

    /// Reads the schema, also of a file that Realm wrote. Documents have no version.
    private func read() throws -> (schema: Schema, version: UInt64?) {
        guard let file else { return (Schema(tables: try SchemaFiles(documents).tables()), nil) }
        try FileOptions.requireFile(file)
        var options = FileOptions()
        (options.file, options.key) = (file, key)
        if let summary = try RealmFileOutput(options)?.summary { return (summary.schema, summary.schemaVersion ?? 0) }
        let realm = try options.open()
        return (realm.storedSchema, realm.storedSchemaVersion)
    }
}

/// The text of a schema for people.
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

/// The text of a property's type for people.
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
