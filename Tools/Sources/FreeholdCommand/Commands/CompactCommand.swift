import ArgumentParser
import Foundation
import Freehold

struct CompactCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Rewrites a file in place, without its free space.",
        discussion: """
            Nobody may have the file open; who opens it meanwhile waits. The new file takes the old one's place when it is \
            complete, so there must be room for both. A file that is always in use needn't be compacted to stop growing: \
            its free space is used again.

            EXAMPLES:
              freehold info app.realm        # how much is free
              freehold compact app.realm
            """
    )

    @OptionGroup var file: FileOptions

    func run() throws {
        var configuration = try file.configuration()
        configuration.readOnly = false
        Progress.show("compacting")
        let sizes = try Realm.compact(for: configuration)
        Progress.clear()
        try StandardOutput.shared.line(
            "\(TerminalText.escaped(file.file)): \(Units.bytes(sizes.sizeBefore)) before, "
                + "\(Units.bytes(sizes.sizeAfter)) now"
        )
    }
}
