import ArgumentParser
import Foundation
import Freehold
import ModelWriter

/// The output of classes as source code, on standard output or in a folder.
struct ModelOutput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Model classes in this language: \(ModelLanguage.allCases.map(\.rawValue).joined(separator: ", ")).",
            valueName: "language"
        ),
        completion: .list(ModelLanguage.allCases.map(\.rawValue)),
        transform: { try choice($0) }
    )
    var language: ModelLanguage?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A folder for the source files, rather than standard output.", valueName: "folder"),
        completion: .directory
    )
    var output: String?
    @Flag(help: "Replaces existing source files.") var force = false
    @Option(
        help: "Names in code: as they are 'stored', or 'idiomatic', as the language's users spell them, and mapped.",
        completion: .list(ModelOptions.Naming.allCases.map(\.rawValue)),
        transform: { try choice($0) }
    )
    var names = ModelOptions.Naming.stored
    @Option(help: ArgumentHelp("The package of Kotlin and Java classes, the namespace of C# ones.", valueName: "name"))
    var package: String?
    @Flag(name: .customLong("public"), help: "Swift classes that other modules can use.") var isPublic = false

    func check(isCode: Bool) throws {
        if !isCode, output != nil || package != nil || names != .stored {
            throw ValidationError("--output, --package and --names go with --language.")
        }
        if force && output == nil { throw ValidationError("--force is about --output, which isn't given.") }
    }

    func write(_ classes: [ModelClass], in language: ModelLanguage) throws {
        let models: GeneratedModels
        do {
            models = try GeneratedModels(
                classes,
                in: language,
                options: ModelOptions(naming: names, isPublic: isPublic, package: package)
            )
        } catch {
            throw Failure(error.code == .option ? .usage : .data, TerminalText.escaped("\(error)"))
        }
        if let output { try write(models.files, to: output) } else { try print(models.files) }
        for note in models.notes { StandardError.write("\(language.rawValue): \(TerminalText.escaped("\(note)"))\n") }
    }

    /// Prints the files. If the output has several files, each has its name above it.
    private func print(_ files: [ModelFile]) throws {
        for (i, file) in files.enumerated() {
            if i > 0 { try StandardOutput.shared.line("") }
            if files.count > 1 { try StandardOutput.shared.line("// \(file.name)\n") }
            try StandardOutput.shared.write(file.text)
        }
        try StandardOutput.shared.flush()
    }

    /// Writes the files. If one of them exists already, none is written.
    private func write(_ files: [ModelFile], to folder: String) throws {
        let url = URL(fileURLWithPath: folder, isDirectory: true)
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            throw Failure(.cantCreate, "\(folder): the folder can't be made: \(error.localizedDescription)")
        }
        if !force, let there = files.first(where: { Self.isThere(url.appendingPathComponent($0.name).path) }) {
            let path = url.appendingPathComponent(there.name).relativePath
            throw Failure(.cantCreate, "\(path): there is such a file already; --force replaces it")
        }
        for file in files {
            let path = url.appendingPathComponent(file.name)
            do {
                try Data(file.text.utf8).write(to: path, options: .atomic)
            } catch {
                throw Failure(.io, "\(path.relativePath): \(error.localizedDescription)")
            }
            StandardError.write("\(path.relativePath)\n")
        }
    }

    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
}

/// Returns the value for a word of the command line.
private func choice<T: RawRepresentable & CaseIterable>(_ text: String) throws -> T where T.RawValue == String {
    if let found = T(rawValue: text) { return found }
    let names = T.allCases.map(\.rawValue)
    throw ValidationError("'\(text)' is none of them. \(Suggestions.text(for: text, among: names, "There are"))")
}
