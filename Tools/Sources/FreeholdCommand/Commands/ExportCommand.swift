import ArgumentParser
import Foundation
import Freehold

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a whole file as JSON, or a class as JSON or CSV.",
        discussion: """
            Without a class everything is written, with the schema, as JSON that 'import' makes an equal file of. Links are \
            the primary keys of the objects they lead to, or else their position among the objects of their class.

            Of a class, objects without a primary key, and embedded ones, are written inside those that link to them; \
            lists, maps and embedded objects in CSV are JSON. Linking objects aren't written: they follow from links.

            EXAMPLES:
              freehold export app.realm --output app.json
              freehold export app.realm City --format jsonl | gzip > cities.jsonl.gz
              freehold export app.realm City --format csv --output cities.csv
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case json, jsonl, csv }

    @OptionGroup var file: FileOptions
    @Argument(help: "The class, as the file names it; none for the whole file.") var className: String?
    @Option(help: "The form of the output.") var format = Format.json
    @Option(help: ArgumentHelp("What to write: name,country.name.", valueName: "names")) var columns: [String] = []
    @OptionGroup var destination: OutputFile

    func validate() throws {
        if className == nil && (format != .json || !columns.isEmpty) {
            throw ValidationError("A whole file is written as JSON; --format and --columns go with a class.")
        }
    }

    func run() throws {
        let realm = try file.open()
        guard let className else {
            return try destination.write { Units.count(try realm.exportDocument(to: $0), "object") }
        }
        let schema = realm.storedSchema
        let object = try schema.requireClass(className)
        let names = columns.isEmpty ? nil : columns.joined(separator: ",")
        let columns = try Columns.parse(names, of: object, in: schema)
        try destination.write { write in
            let count = try ResultOutput(RowFormat(rawValue: format.rawValue)!, columns, output: write)
                .write(realm.dynamicObjects(object.className))
            return Units.count(count, "object")
        }
    }
}
