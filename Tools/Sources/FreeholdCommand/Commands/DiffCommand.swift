import ArgumentParser
import Foundation
import Freehold

struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Prints the differences of two files: schemas, and objects by their primary keys.",
        discussion: """
            A line for each difference, from the first file to the second: - for what only the first has, + for what only \
            the second has, ~ for an object with other values. Objects of a class without a primary key are compared by \
            their content, in whatever order they stand. Embedded objects belong to the content of their owners, linked \
            ones are told apart by their primary keys. The memory it takes doesn't grow with the files.

            The exit code is 0 if nothing is different, 1 if something is, and over 1 for an error, as of diff(1).

            EXAMPLES:
              freehold diff old.realm new.realm
              freehold diff old.realm new.realm --class Person --format json | jq -c .after
              freehold diff app.realm backup.realm --quiet && echo "the same"
              freehold diff old.realm new.realm --schema-only
            """
    )

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Argument(help: "The first file.", completion: .file()) var first: String
    @Argument(help: "The second file.", completion: .file()) var second: String
    @OptionGroup var key: KeyOptions
    @Option(
        help: ArgumentHelp("The key of the second file, if it differs from that of the first.", valueName: "path"),
        completion: .file()
    ) var secondKeyFile: String?
    @Option(help: "The form of the output: text, or JSON, an object a line.") var format = Format.text
    @Option(name: .customLong("class"), help: "Only this class; may be given several times.") var classes: [String] = []
    @Flag(help: "Compares the schemas only.") var schemaOnly = false
    @Flag(name: .shortAndLong, help: "Prints nothing, and ends at the first difference.") var quiet = false

    func run() throws {
        do {
            let count = try compare()
            try StandardOutput.shared.flush()
            if count > 0 { throw ExitCode(1) }
        } catch let error where !(error is ExitCode) {
            // The exit code 1 means that the files differ.
            guard let failure = Failure(error), failure.status == .failure else { throw error }
            throw Failure(.unfinished, failure.message)
        }
    }

    private func compare() throws -> Int {
        let firstKey = try key.key()
        let secondKey = try secondKeyFile.map { try KeyOptions.read($0) } ?? firstKey
        let comparison = FileComparison(
            try Self.open(first, firstKey),
            and: try Self.open(second, secondKey),
            output: DifferenceOutput(asJSON: format == .json, isQuiet: quiet)
        )
        try comparison.run(only: classes, schemaOnly: schemaOnly)
        return comparison.output.count
    }

    /// Opens a file. The key is passed only for an encrypted file.
    private static func open(_ path: String, _ key: Data?) throws -> Realm {
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), readOnly: true)
        try FileOptions.requireFile(path)
        configuration.encryptionKey = key
        configuration.schema = Schema([])
        do {
            return try Realm(configuration: configuration)
        } catch  where key != nil {
            configuration.encryptionKey = nil
            guard let realm = try? Realm(configuration: configuration) else { throw error }
            return realm
        }
    }
}
