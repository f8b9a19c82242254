import ArgumentParser
import Foundation
import Freehold

/// A change of a file's objects, from a command or a line of the shell.
protocol Edit: Sendable {
    var dryRun: Bool { get }

    /// Makes the change inside a write transaction.
    ///
    /// - Throws: `Failure` and the library's errors. The transaction must not be committed then.
    func apply(to realm: Realm) throws -> EditReport
}

/// The result of an edit or of a trial.
struct EditReport: Sendable {
    /// A sentence with the counts.
    var summary = ""
    /// The changes of a trial, line by line.
    var lines: [UInt8] = []

    mutating func add(_ change: ObjectChange, asJSON: Bool) {
        lines.append(contentsOf: (asJSON ? change.json() : change.text).utf8)
        lines.append(0x0A)
    }
}

/// An error that ends the transaction of a trial.
private struct TrialEnd: Error {
    let report: EditReport
}

extension Edit {
    /// Performs the edit in one transaction, which is rolled back after an error or a trial.
    func perform(in realm: Realm) throws -> EditReport {
        do {
            return try realm.write { try tried(realm) }
        } catch let end as TrialEnd {
            return end.report
        }
    }

    /// Performs the edit in a task that can be cancelled.
    func perform(_ configuration: Realm.Configuration) async throws -> EditReport {
        do {
            return try await Realm.write(configuration) { realm -> EditReport in try tried(realm) }
        } catch let end as TrialEnd {
            return end.report
        }
    }

    private func tried(_ realm: Realm) throws -> EditReport {
        let report = try apply(to: realm)
        if let error = realm.pendingError { throw error }
        if dryRun { throw TrialEnd(report: report) }
        return report
    }

    /// Performs the edit on a file, and reports the result.
    func run(on file: FileOptions) throws {
        let report = try perform(in: try FileOptions.openForWriting(file.file, file.key))
        Progress.clear()
        try StandardOutput.shared.write(report.lines)
        try StandardOutput.shared.flush()
        StandardError.write("\(TerminalText.escaped(file.file)): \(report.summary)\n")
    }
}

/// The common options of edits.
struct EditOptions: ParsableArguments {
    @Flag(help: "Shows what would change, and changes nothing.") var dryRun = false
    @Flag(help: "What --dry-run shows, as JSON, an object a line.") var json = false

    func validate() throws {
        if json && !dryRun { throw ValidationError("--json goes with --dry-run.") }
    }
}

/// The selection of the objects for an edit or another command.
enum Selection {
    static func find(
        _ className: String,
        _ query: String?,
        arguments: [String],
        in realm: Realm
    ) throws -> (object: ObjectSchema, found: Results<DynamicObject>) {
        let object = try realm.storedSchema.requireClass(className)
        let all = realm.dynamicObjects(object.className)
        guard let query, !query.allSatisfy(\.isWhitespace) else { return (object, all) }
        return (object, try QueryArguments(arguments).filter(all, QueryText.completed(query)))
    }
}

enum QueryText {
    /// Returns a query with a condition. A query that has only an order gets the condition that matches all objects.
    static func completed(_ query: String) -> String {
        let start = query.drop(while: \.isWhitespace)
        let word = start.prefix { $0.isLetter }
        guard ["SORT", "DISTINCT", "LIMIT", "OFFSET"].contains(word.uppercased()),
            start.dropFirst(word.count).first(where: { !$0.isWhitespace }) == "("
        else { return query }
        return "TRUEPREDICATE " + start
    }
}
