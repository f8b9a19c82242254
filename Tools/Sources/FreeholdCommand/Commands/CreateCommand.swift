import ArgumentParser
import Foundation
import Freehold

struct CreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Makes objects of JSON, or of property=value.",
        discussion: """
            Objects are given one after the other, or on standard input, as 'import' reads them. All of it is one \
            transaction: the first error leaves everything as it was. What isn't mentioned is null, 0, empty, or a new \
            identifier.

            EXAMPLES:
              freehold create app.realm Person '{"id": 4, "home": {"street": "Nile"}}'
              freehold create app.realm Person id=5 name=Dan age=40
              freehold create app.realm Pet '{"name": "Tom"}' '{"name": "Kim"}' --dry-run
              freehold create app.realm Person --update modified '{"id": 1, "age": 38}'
              echo '[{"id": 6}, {"id": 7}]' | freehold create app.realm Person
            """
    )

    @OptionGroup var file: FileOptions
    @OptionGroup var edit: CreateEdit

    func run() throws {
        guard edit.values.isEmpty else { return try edit.run(on: file) }
        // A terminal is read only after the file was found.
        try FileOptions.requireFile(file.file)
        try FromInput(edit: edit).run(on: file)
    }

    /// An edit with the objects of standard input.
    private struct FromInput: Edit {
        let edit: CreateEdit

        var dryRun: Bool { edit.dryRun }

        func apply(to realm: Realm) throws -> EditReport {
            try edit.apply(to: realm, from: try InputFile.standardInput())
        }
    }
}
