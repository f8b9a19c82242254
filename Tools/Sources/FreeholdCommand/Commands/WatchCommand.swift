import ArgumentParser
import Foundation
import Freehold

struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Prints what changes among the objects of a class, as any process commits it.",
        discussion: """
            A line for each object: + for one that came, - for one that went, ~ for one with other values, which are shown \
            before and after. With a condition objects come and go as they begin and cease to meet it. Several commits may \
            come as one. Nothing is changed, but the user must be allowed to write the file, as observers in programs are. \
            Ctrl-C and SIGTERM end it with the exit code 0.

            EXAMPLES:
              freehold watch app.realm Person
              freehold watch app.realm Person 'age > 17' --format json | jq -c .after
              freehold watch app.realm Person --count 1 --timeout 60 && echo "changed"
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @OptionGroup var file: FileOptions
    @Argument(help: "The class, as the file names it.") var className: String
    @Argument(help: "The condition, and SORT and LIMIT, as in the query language.") var query: String?
    @Option(name: .customLong("arg"), parsing: .unconditionalSingleValue, help: QueryArguments.help)
    var arguments: [String] = []
    @Option(help: "The form of the output: text, or JSON, an object a line.") var format = Format.text
    @Option(help: "Ends after so many changes of objects.") var count: Int?
    @Option(help: "Ends after so many seconds; with --count the exit code is 75 where fewer changes have come.")
    var timeout: Double?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be over 0.") }
        // The range also excludes values that aren't numbers.
        if let timeout, !(0..<1e9).contains(timeout) {
            throw ValidationError("--timeout is a number of seconds from 0 to below 1e9.")
        }
        if query == nil && !arguments.isEmpty { throw ValidationError("--arg needs a query that uses it.") }
    }

    func run() throws {
        try FileOptions.requireFile(file.file)
        let realm = try FileOptions.openForWriting(file.file, file.key)
        // An invalid query is reported immediately.
        let (object, _) = try Selection.find(className, query, arguments: arguments, in: realm)
        let watch = Watch(
            configuration: realm.configuration,
            object: object,
            schema: realm.storedSchema,
            query: query,
            arguments: arguments,
            asJSON: format == .json,
            path: file.file,
            limit: count
        )
        realm.invalidate()
        let told = try watch.run(timeout: timeout.map { .seconds($0) })
        if let count, told < count, watch.isTimedOut {
            throw Failure(
                .busy,
                "\(file.file): \(Units.count(told, "change")) of \(Units.grouped(count)) came within \(timeout!) seconds"
            )
        }
    }
}
