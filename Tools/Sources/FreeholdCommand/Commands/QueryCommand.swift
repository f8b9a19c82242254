import ArgumentParser
import Foundation
import Freehold

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Finds objects of a class, or sums them up.",
        discussion: """
            The query is in the library's language (RQL, and NSPredicate's spellings); without one all objects are shown. \
            Arguments stand for $0, $1, … or for %@, in order. One that reads as a number, true, false, null or a date \
            (2024-05-01T00:00:00Z) is such a value where the property takes it, else text; in quotation marks ('"5"') it \
            is text only.

            Columns are properties, or follow links to one object: country.name. Tables fit the terminal; on a pipe \
            nothing is cut. Aggregates are of all objects that are found, or of each group; then --sort, --limit and \
            --offset are about the groups.

            EXAMPLES:
              freehold query app.realm Person
              freehold query app.realm Person 'age > $0 AND name == $1' --arg 17 --arg Bo
              freehold query app.realm Person 'ANY dogs.name == $0' --arg Rex
              freehold query app.realm City --sort population:desc --limit 10
              freehold query app.realm City --columns name,country.name,population
              freehold query app.realm City 'name BEGINSWITH "P"' --format csv > p.csv
              freehold query app.realm City 'population > 1000000' --explain
              freehold query app.realm City --count --sum population --avg elevation
              freehold query app.realm City --group-by country.name --sort count:desc
              freehold query app.realm City 'SORT(name ASC) LIMIT(3)' --format markdown
            """
    )

    @OptionGroup var file: FileOptions
    @OptionGroup var query: QueryOptions
    @Option(help: "The form of the output.") var format = RowFormat.table

    func run() throws { try query.run(in: try file.open(), format) }
}
