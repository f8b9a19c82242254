import ArgumentParser
import Foundation

/// The first argument of commands, which is the server's folder, or the address of its database. With a database that `--store` or the environment
/// names, the argument can be left out.
enum FolderArgument {
    /// The commands that have no arguments other than the folder and options. A word after the name of the command is the folder.
    private static let alone: Set<String> = ["serve", "status", "studio", "init", "streams", "verify"]
    /// The commands that need a folder.
    private static let local: Set<String> = ["backup", "restore", "migrate-store", "help"]

    /// Returns the arguments. If the folder is missing, the address of the database is inserted in its place.
    static func complete(
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        let start = length(ofPath: arguments)
        let words = arguments[start...]
        guard let name = arguments.first, start > 0, !local.contains(name), !words.contains("--help"),
            !words.contains("-h"), let address = address(words) ?? environment["FREEHOLD_STORE"],
            StoreOption.isAddress(address),
            !hasFolder(words, isAlone: alone.contains(name))
        else { return arguments }
        return Array(arguments[..<start]) + [address] + words
    }

    /// Returns the number of words that name the command.
    private static func length(ofPath arguments: [String]) -> Int {
        var (count, commands) = (0, FreeholdServerCommand.configuration.subcommands)
        while !commands.isEmpty, count < arguments.count,
            let command = commands.first(where: { Failure.name($0) == arguments[count] })
        {
            count += 1
            commands = command.configuration.subcommands
        }
        // The name of a group of commands without a command takes no folder.
        return commands.isEmpty ? count : 0
    }

    private static func address(_ words: ArraySlice<String>) -> String? {
        if let index = words.firstIndex(of: "--store"), words.indices.contains(index + 1) { return words[index + 1] }
        return words.first { $0.hasPrefix("--store=") }.map { String($0.dropFirst("--store=".count)) }
    }

    private static func hasFolder(_ words: ArraySlice<String>, isAlone: Bool) -> Bool {
        if let first = words.first, !first.hasPrefix("-") {
            if isAlone || StoreOption.isAddress(first) || ["/", ".", "~"].contains(where: first.hasPrefix) {
                return true
            }
        }
        return words.contains { FileManager.default.fileExists(atPath: "\($0)/\(SettingsReader.fileName)") }
    }
}
