import ArgumentParser
import Foundation
import Freehold

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes a copy of a file, also while others use it.",
        discussion: """
            The copy is one version: that of the last commit when it begins. Readers and writers go on. It has no free \
            space and no history of changes, and gets its name when it is complete.

            EXAMPLES:
              freehold backup app.realm backups/app-$(date +%F).realm
            """
    )

    @OptionGroup var file: FileOptions
    @Argument(help: "The new file, in a folder that exists.", completion: .file()) var destination: String

    func run() throws {
        let realm = try file.open()
        let use = try realm.fileUse()
        Progress.show("copying \(Units.bytes(use.usedBytes))")
        let url = URL(fileURLWithPath: destination)
        guard FileManager.default.fileExists(atPath: url.deletingLastPathComponent().path) else {
            throw Failure(.cantCreate, "\(destination): there is no such folder")
        }
        // The library's name for an incomplete copy.
        let drafts = Drafts.begin("\(url.path).copy-\(ProcessInfo.processInfo.processIdentifier)-", .own)
        defer { drafts.end() }
        // The copy must have the version that is reported.
        try realm.writeCopy(toFile: url, encryptionKey: try file.key.key())
        Progress.clear()
        let size = (try? FileManager.default.attributesOfItem(atPath: destination))?[.size] as? Int ?? 0
        try StandardOutput.shared.line(
            "\(TerminalText.escaped(destination)): version \(realm.version), \(Units.bytes(size))"
        )
    }
}
