import ArgumentParser
import Foundation
import ModelConverter

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes models of RealmSwift's older notation with @Persisted.",
        discussion: """
            Swift files with '@objc dynamic var', '@objcMembers', RealmOptional, RealmProperty, 'let x = List<T>()', \
            LinkingObjects(fromType:property:), primaryKey(), indexedProperties() and ignoredProperties() become such with \
            @Persisted. Everything else stays byte for byte. Prints the difference, and changes files only with --write. \
            What was left alone, and what works otherwise now, is told on standard error with file and line.

            Models are found by inheritance, and uses of a RealmOptional's 'value' by the properties' names: give all \
            of a program's files, or its folder, at once. In folders, hidden ones and those of dependencies (Pods, \
            Carthage, DerivedData, SourcePackages) are passed over. '-' is standard input, whose conversion is printed.

            EXAMPLES:
              freehold convert Sources
              freehold convert Sources --write
              freehold convert Sources > models.patch
              freehold convert Models/Person.swift --text
              freehold convert - < Person.swift
              freehold convert App --base SyncObject
            """
    )

    @Argument(help: "Swift files, and folders with such.", completion: .file(extensions: ["swift"])) var paths: [String]
    @Flag(help: "Changes the files, rather than printing what would change.") var write = false
    @Flag(help: "Prints the whole text of one file, rather than a difference.") var text = false
    @Option(
        help: ArgumentHelp(
            "A class that is a model, though its file isn't given; may be given several times.",
            valueName: "class"
        )
    )
    var base: [String] = []
    @Flag(help: "Prints only findings that need attention, without notes.") var quiet = false

    func validate() throws {
        if write && text { throw ValidationError("--write and --text can't be given together.") }
        if paths.contains("-") {
            if paths.count > 1 { throw ValidationError("Standard input, '-', is converted alone.") }
            if write { throw ValidationError("--write is about files, and '-' is standard input.") }
        }
    }

    func run() throws {
        let isInput = paths == ["-"]
        let sources = try isInput ? [SwiftFiles.standardInput()] : SwiftFiles(paths).read()
        if text && sources.count != 1 {
            throw ValidationError("--text prints one file, and \(Units.count(sources.count, "file")) are given.")
        }
        let conversion = Conversion(sources, bases: Set(base))
        for file in conversion.files where file.isChanged || text || isInput {
            if write {
                try SwiftFiles.replace(file)
            } else if text || isInput {
                try StandardOutput.shared.write(file.new)
            } else {
                let name = SwiftFiles.patchName(file.path)
                try StandardOutput.shared.write(UnifiedDiff.text(from: file.old, to: file.new, path: name))
            }
        }
        try StandardOutput.shared.flush()
        try report(conversion)
    }

    private func report(_ conversion: Conversion) throws {
        for finding in conversion.findings where !quiet || finding.kind != .note {
            StandardError.write("\(TerminalText.escaped("\(finding)"))\n")
        }
        let counts = conversion.counts
        let changed = conversion.files.filter(\.isChanged).count
        let parts = [
            (counts.properties, "property", "properties"), (counts.classes, "class", "classes"),
            (counts.enums, "enum", "enums"),
            (counts.overrides, "override", "overrides"), (counts.uses, "use", "uses"),
        ].filter { $0.0 > 0 }.map { Units.count($0.0, $0.1, plural: $0.2) }
        let summary =
            changed == 0
            ? "nothing to convert in \(Units.count(conversion.files.count, "file"))"
            : "\(Units.count(changed, "file")) \(write ? "converted" : "to convert"): \(parts.joined(separator: ", "))"
        StandardError.write(summary + "\n")
        let unreadable = conversion.findings.filter { $0.kind == .unreadable }.count
        if unreadable > 0 {
            throw Failure(.data, "\(Units.count(unreadable, "file")) can't be read as Swift: see above")
        }
        let left = conversion.findings.filter { $0.kind == .left }.count
        if left > 0 { throw Failure(.unfinished, "\(Units.count(left, "place")) left alone: see above") }
    }
}
