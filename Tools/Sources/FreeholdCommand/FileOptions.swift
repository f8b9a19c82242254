import ArgumentParser
import Foundation
import Freehold

/// The file of a command.
///
/// Groups of options contain no groups, because the parser validates a group several times for each enclosing group in
/// a debug build.
struct FileOptions: ParsableArguments {
    @Argument(help: "The database file.", completion: .file())
    var file: String
    @Option(help: KeyOptions.help, completion: .file()) var encryptionKeyFile: String?

    var key: KeyOptions {
        get { KeyOptions(file: encryptionKeyFile) }
        set { encryptionKeyFile = newValue.encryptionKeyFile }
    }

    /// Opens the file for reading. The file is never created or changed.
    func open() throws -> Realm { try Realm(configuration: try configuration()) }

    func configuration() throws -> Realm.Configuration { try Self.configuration(file, key) }

    /// Opens a file with any schema and version for writing. The file is never created.
    static func openForWriting(_ path: String, _ key: KeyOptions) throws -> Realm {
        var configuration = try configuration(path, key)
        configuration.readOnly = false
        // The configuration requests no classes, so no classes are added.
        configuration.schemaMode = .additive
        return try Realm(configuration: configuration)
    }

    private static func configuration(_ path: String, _ key: KeyOptions) throws -> Realm.Configuration {
        try requireFile(path)
        var configuration = Realm.Configuration(fileURL: URL(fileURLWithPath: path), readOnly: true)
        configuration.encryptionKey = try key.key()
        configuration.schema = Schema([])
        return configuration
    }

    static func requireFile(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Failure(.noInput, "\(path): there is no such file")
        }
        if isFolder.boolValue { throw Failure(.noInput, "\(path): this is a folder") }
    }
}

extension Schema {
    /// Returns a class of the file by its name.
    func requireClass(_ name: String) throws -> ObjectSchema {
        if let found = self[name] { return found }
        let names = objectSchema.map(\.className)
        throw Failure(
            .data,
            "there is no class '\(name)' in the file. "
                + (names.isEmpty ? "It has none at all." : Suggestions.text(for: name, among: names, "It has"))
        )
    }
}

extension ObjectSchema {
    /// The text after the name of a class that isn't an ordinary one.
    var kindText: String { isEmbedded ? " (embedded)" : isAsymmetric ? " (asymmetric)" : "" }
}

/// Suggestions of similar names.
enum Suggestions {
    static func text(for name: String, among names: [String], _ otherwise: String) -> String {
        let near = names.filter { distance(from: $0.lowercased(), to: name.lowercased()) <= max(1, name.count / 3) }
        if !near.isEmpty { return "Did you mean \(near.sorted().joined(separator: ", "))?" }
        return "\(otherwise) \(names.sorted().joined(separator: ", "))."
    }

    /// Returns the number of insertions, deletions, replacements, and transpositions of neighbours.
    private static func distance(from a: String, to b: String) -> Int {
        let (a, b) = (Array(a), Array(b))
        var (last, row) = ([Int](), Array(0...b.count))
        for i in a.indices {
            var next = [i + 1]
            for j in b.indices {
                var best = a[i] == b[j] ? row[j] : min(row[j], row[j + 1], next[j]) + 1
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, last[j - 1] + 1) }
                next.append(best)
            }
            (last, row) = (row, next)
        }
        return row[b.count]
    }
}
