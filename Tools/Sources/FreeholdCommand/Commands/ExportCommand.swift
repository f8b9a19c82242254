import ArgumentParser
import Foundation
import Freehold

struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a whole class as JSON or CSV.",
        discussion: """
            Links are written as the primary keys of the objects they lead to; objects without a primary key, and \
            embedded ones, are written inside. Lists, maps and embedded objects in CSV are JSON. Linking objects aren't \
            written: they follow from links.

            EXAMPLES:
              freehold export app.realm City --format jsonl | gzip > cities.jsonl.gz
              freehold export app.realm City --format csv --output cities.csv
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case json, jsonl, csv }

    @OptionGroup var file: FileOptions
    @Argument(help: "The class, as the file names it.") var className: String
    @Option(help: "The form of the output.") var format = Format.json
    @Option(help: ArgumentHelp("What to write: name,country.name.", valueName: "names")) var columns: String?
    @OptionGroup var destination: OutputFile

    func run() throws {
        let realm = try file.open()
        let schema = realm.storedSchema
        let object = try schema.requireClass(className)
        let columns = try Columns.parse(columns, of: object, in: schema)
        try destination.write { write in
            let count = try ResultOutput(RowFormat(rawValue: format.rawValue)!, columns, output: write)
                .write(realm.dynamicObjects(object.className))
            return Units.count(count, "object")
        }
    }
}
