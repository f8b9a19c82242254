import ArgumentParser
import Foundation
import Freehold

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Finds objects of a class.",
        discussion: """
            The query is in the library's language (RQL, and NSPredicate's spellings); without one all objects are shown. \
            Arguments stand for $0, $1, … or for %@, in order. One that reads as a number, true, false, null or a date \
            (2024-05-01T00:00:00Z) is such a value where the property takes it, else text; in quotation marks ('"5"') it \
            is text only.

            Columns are properties, or follow links to one object: country.name. Tables fit the terminal; on a pipe \
            nothing is cut.

            EXAMPLES:
              freehold query app.realm Person
              freehold query app.realm Person 'age > $0 AND name == $1' --arg 17 --arg Bo
              freehold query app.realm Person 'ANY dogs.name == $0' --arg Rex
              freehold query app.realm City --sort population:desc --limit 10
              freehold query app.realm City --columns name,country.name,population
              freehold query app.realm City 'name BEGINSWITH "P"' --format csv > p.csv
              freehold query app.realm City 'population > 1000000' --explain
            """
    )

    @OptionGroup var file: FileOptions
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(help: "The condition, and SORT, DISTINCT and LIMIT, as in the query language.") var query: String?
    @Option(
        name: .customLong("arg"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A value for $0, $1, … or %@; may be given several times.", valueName: "value")
    ) var arguments: [String] = []
    @Option(help: ArgumentHelp("Properties to sort by: name,age:desc.", valueName: "keys")) var sort: String?
    @Option(help: "At most so many objects.") var limit: Int?
    @Option(help: "Leaves out the first objects.") var offset: Int?
    @Option(help: ArgumentHelp("What to show: name,country.name.", valueName: "names")) var columns: String?
    @Option(help: "The form of the output.") var format = RowFormat.table
    @Flag(help: "Prints only how many objects there are.") var count = false
    @Flag(help: "Runs the query and tells how it went: indexes, rows looked at, time.") var explain = false

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit can't be negative.") }
        if let offset, offset < 0 { throw ValidationError("--offset can't be negative.") }
        if count && explain { throw ValidationError("--count and --explain can't be given together.") }
        if query == nil && !arguments.isEmpty { throw ValidationError("--arg needs a query that uses it.") }
    }

    func run() throws {
        let realm = try file.open()
        let schema = realm.storedSchema
        let object = try schema.requireClass(className)
        var results = realm.dynamicObjects(object.className)
        if let query, !query.isEmpty { results = try QueryArguments(arguments).filter(results, query) }
        if let sort { results = try sorted(results, by: sort) }
        if let offset { results = results.offset(by: offset) }
        if let limit { results = results.limited(to: limit) }
        if explain { return try StandardOutput.shared.line("\(results.explain())") }
        if count { return try write(count: results.count) }
        let chosen = try Columns.parse(columns, of: object, in: schema)
        try ResultOutput(format, chosen) { try StandardOutput.shared.write($0) }.write(results)
    }

    private func write(count: Int) throws {
        switch format {
        case .table: try StandardOutput.shared.line("\(count)")
        case .json, .jsonl: try StandardOutput.shared.line("{\"count\":\(count)}")
        case .csv: try StandardOutput.shared.write("count\r\n\(count)\r\n")
        }
    }

    private func sorted(_ results: Results<DynamicObject>, by keys: String) throws -> Results<DynamicObject> {
        let terms = try keys.split(separator: ",", omittingEmptySubsequences: false).map { key -> String in
            let parts = key.split(separator: ":", omittingEmptySubsequences: false)
            let path = parts[0].trimmingCharacters(in: .whitespaces)
            let order = parts.count == 2 ? parts[1].lowercased() : "asc"
            guard !path.isEmpty, parts.count <= 2, order == "asc" || order == "desc" else {
                throw ValidationError("--sort takes names, each with ':desc' or ':asc' or nothing: name,age:desc.")
            }
            return "\(path) \(order.uppercased())"
        }
        return try results.filter(validating: "TRUEPREDICATE SORT(\(terms.joined(separator: ", ")))")
    }
}

extension Columns {
    /// - Parameter text: names with commas between, or nil for all properties.
    static func parse(_ text: String?, of object: ObjectSchema, in schema: Schema) throws -> Columns {
        guard let text else { return Columns(of: object) }
        let names = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard !names.isEmpty else { throw ValidationError("--columns names no column.") }
        if let twice = names.first(where: { name in names.filter { $0 == name }.count > 1 }) {
            throw ValidationError("--columns names '\(twice)' twice.")
        }
        return try Columns(named: names, of: object, in: schema)
    }
}
