import ArgumentParser
import Foundation
import Freehold

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks everything in a file.",
        discussion: """
            Looked at are all values, links and inverse links, lists, indexes and counts of the newest version, and that each \
            block of the file belongs to something. What is wrong goes to standard output, a line each, and the exit code \
            is 1.

            EXAMPLES:
              freehold verify app.realm
              freehold verify --quiet backup.realm && rm app.realm.old
            """
    )

    @OptionGroup var file: FileOptions
    @Flag(name: .shortAndLong, help: "Prints only damage.") var quiet = false

    func run() throws {
        let realm = try file.open()
        let size = try realm.fileUse().usedBytes
        Progress.show("checking \(Units.bytes(size))")
        let start = ContinuousClock.now
        let problems = realm.verify()
        Progress.clear()
        for problem in problems { try StandardOutput.shared.line(TerminalText.escaped(problem)) }
        if !problems.isEmpty {
            throw Failure(
                .failure,
                "\(file.file): \(Units.count(problems.count, "thing is", plural: "things are")) wrong"
            )
        }
        if quiet { return }
        let schema = realm.storedSchema.objectSchema
        let objects = schema.reduce(0) { $0 + realm.dynamicObjects($1.className).count }
        let time = (ContinuousClock.now - start).formatted(.units(allowed: [.seconds, .milliseconds], width: .narrow))
        try StandardOutput.shared.line(
            "\(TerminalText.escaped(file.file)): sound. \(Units.count(schema.count, "class", plural: "classes")), "
                + "\(Units.count(objects, "object")), \(Units.bytes(size)), version \(realm.version), \(time)"
        )
    }
}
