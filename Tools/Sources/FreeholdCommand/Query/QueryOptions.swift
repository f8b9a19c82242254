import ArgumentParser
import Foundation
import Freehold

/// A query of the command or the shell, and the options for its output.
struct QueryOptions: ParsableArguments, Sendable {
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(help: "The condition, and SORT, DISTINCT and LIMIT, as in the query language.") var query: String?
    @Option(name: .customLong("arg"), parsing: .unconditionalSingleValue, help: QueryArguments.help)
    var arguments: [String] = []
    @Option(
        name: .customLong("sort"),
        help: ArgumentHelp(
            "Properties to sort by: name,age:desc; of groups their columns. Several are one after the other.",
            valueName: "keys"
        )
    ) var sortKeys: [String] = []
    @Option(help: "At most so many objects, or groups.") var limit: Int?
    @Option(help: "Leaves out the first objects, or groups.") var offset: Int?
    @Option(
        name: .customLong("columns"),
        help: ArgumentHelp("What to show: name,country.name.", valueName: "names")
    ) var chosenColumns: [String] = []
    @Option(
        help: ArgumentHelp("Groups of objects that are equal in properties: country.name,year.", valueName: "names")
    ) var groupBy: [String] = []
    @Option(help: ArgumentHelp("The sum of a property's values.", valueName: "names")) var sum: [String] = []
    @Option(help: ArgumentHelp("The mean of a property's values.", valueName: "names")) var avg: [String] = []
    @Option(help: ArgumentHelp("The least of a property's values.", valueName: "names")) var min: [String] = []
    @Option(help: ArgumentHelp("The greatest of a property's values.", valueName: "names")) var max: [String] = []
    @Flag(help: "Prints only how many objects there are.") var count = false
    @Flag(help: "Runs the query and prints its plan: indexes, visited rows, time.") var explain = false

    /// An option that is given several times is equivalent to one with all names.
    var sort: String? { sortKeys.isEmpty ? nil : sortKeys.joined(separator: ",") }
    var columns: String? { chosenColumns.isEmpty ? nil : chosenColumns.joined(separator: ",") }

    var aggregates: AggregateOptions { AggregateOptions(groupBy: groupBy, sum: sum, avg: avg, min: min, max: max) }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit can't be negative.") }
        if let offset, offset < 0 { throw ValidationError("--offset can't be negative.") }
        if count && explain { throw ValidationError("--count and --explain can't be given together.") }
        if query == nil && !arguments.isEmpty { throw ValidationError("--arg needs a query that uses it.") }
        guard aggregates.isGiven else { return }
        if columns != nil {
            throw ValidationError("--columns is about objects, of which --group-by and the aggregates show none.")
        }
        if explain { throw ValidationError("--explain goes with neither --group-by nor aggregates.") }
        if aggregates.groupBy.isEmpty, sort != nil || limit != nil || offset != nil {
            throw ValidationError(
                "--sort, --limit and --offset have nothing to order without --group-by: write SORT and LIMIT in the query."
            )
        }
    }

    /// - Returns: The number of shown rows, or nil if the result has none.
    @discardableResult
    func run(in realm: Realm, _ format: RowFormat, columns chosen: String? = nil) throws -> Int? {
        var (object, results) = try Selection.find(className, query, arguments: arguments, in: realm)
        let schema = realm.storedSchema
        if aggregates.isGiven {
            return try Aggregation(aggregates, counts: count, of: object, in: schema)
                .write(results, format, sort: sort, offset: offset, limit: limit)
        }
        if let sort { results = try sorted(results, by: sort) }
        if let offset { results = results.offset(by: offset) }
        if let limit { results = results.limited(to: limit) }
        if explain {
            try StandardOutput.shared.line("\(results.explain())")
            return nil
        }
        if count {
            try write(count: results.count, format)
            return nil
        }
        let columns = try Columns.parse(columns ?? chosen, of: object, in: schema)
        return try ResultOutput(format, columns) { try StandardOutput.shared.write($0) }.write(results)
    }

    private func write(count: Int, _ format: RowFormat) throws {
        switch format {
        case .table: try StandardOutput.shared.line("\(count)")
        case .json, .jsonl: try StandardOutput.shared.line("{\"count\":\(count)}")
        case .csv, .markdown:
            var rows = RowOutput(format, ["count"], isNumber: [true]) { try StandardOutput.shared.write($0) }
            try rows.add([.scalar("\(count)")])
            try rows.finish()
        }
    }

    private func sorted(_ results: Results<DynamicObject>, by keys: String) throws -> Results<DynamicObject> {
        let terms = try SortKey.parse(keys).map { "\($0.name) \($0.isAscending ? "ASC" : "DESC")" }
        return try results.filter(validating: "TRUEPREDICATE SORT(\(terms.joined(separator: ", ")))")
    }
}

/// A key of `--sort`.
struct SortKey {
    let name: String
    let isAscending: Bool

    static func parse(_ keys: String) throws -> [SortKey] {
        try keys.split(separator: ",", omittingEmptySubsequences: false).map { key in
            let parts = key.split(separator: ":", omittingEmptySubsequences: false)
            let name = parts[0].trimmingCharacters(in: .whitespaces)
            let order = parts.count == 2 ? parts[1].lowercased() : "asc"
            guard !name.isEmpty, parts.count <= 2, order == "asc" || order == "desc" else {
                throw ValidationError("--sort takes names, each with ':desc' or ':asc' or nothing: name,age:desc.")
            }
            return SortKey(name: name, isAscending: order == "asc")
        }
    }
}

extension Columns {
    /// - Parameter text: The names, separated by commas, or nil for all properties.
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
