import ArgumentParser
import Foundation
import Freehold

/// How the command ends: the numbers of `sysexits.h`, so that scripts can tell causes apart.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case unfinished = 2
    case usage = 64
    case data = 65
    case noInput = 66
    case cantCreate = 73
    case io = 74
    case busy = 75
    case noPermission = 77

    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "the file is damaged or of another format; what no other number stands for; diff: differences"
        case .unfinished: "convert: something was left alone, which somebody has to look at; diff: what else is 1"
        case .usage: "the command line is wrong"
        case .data: "what was given is wrong: a query, class, column or schema; JSON, CSV, Swift"
        case .noInput: "a file isn't there"
        case .cantCreate: "a file is there already, or can't be made"
        case .io: "reading or writing failed; the disk is full"
        case .busy: "the file is in use, and the command needs it for itself; what was waited for didn't come in time"
        case .noPermission: "this user may not read or write the file"
        }
    }

    static var table: String {
        allCases.map { "  \(String(repeating: " ", count: $0.rawValue < 10 ? 1 : 0))\($0.rawValue)  \($0.meaning)" }
            .joined(separator: "\n")
    }
}

extension ExitStatus {
    /// What the realm refused counts for more than that an input was being read.
    static func of(_ error: JSONError) -> ExitStatus {
        if let status = error.cause.flatMap({ statuses[$0.code] }), status != .data { return status }
        return error.kind == .io ? .io : .data
    }

    fileprivate static let statuses: [Realm.Error.Code: ExitStatus] = [
        .fileNotFound: .noInput, .filePermissionDenied: .noPermission, .fileExists: .cantCreate,
        .alreadyOpen: .busy, .outOfDiskSpace: .io, .fileAccess: .io, .readersExhausted: .busy,
        .schemaMismatch: .data, .invalidSchema: .data, .schemaVersionTooLow: .data, .invalidInput: .data,
        .duplicatePrimaryKey: .data, .uniqueConstraint: .data, .missingValue: .data, .invalidValue: .data,
        .limitExceeded: .data, .deletionDenied: .data, .unknownClass: .data, .unknownProperty: .data,
        .tooManyVersions: .busy,
    ]
}

/// What a command can't do: told in one line, or a few where a place in a text is shown.
struct Failure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Nil for those that the argument parser tells: help, version, usage.
    init?(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as Realm.Error: self.init(error)
        case let error as QueryError: self.init(.data, OptionNames.used(in: error.description))
        case let error as JSONError: self.init(.of(error), OptionNames.used(in: error.description))
        case is CancellationError: self.init(.failure, "interrupted")
        default: return nil
        }
    }

    private init(_ error: Realm.Error) {
        var text = error.message
        if let name = error.className { text = "\(error.property.map { "\(name).\($0)" } ?? name): \(text)" }
        if let path = error.fileURL?.relativePath, !text.contains(path) { text = "\(path): \(text)" }
        self.init(ExitStatus.statuses[error.code] ?? .failure, OptionNames.used(in: text))
    }

    /// Ends the process: with the error's one line, or as the argument parser ends it.
    static func exit(with error: any Error) -> Never {
        // What was found before the failure is worth having.
        do {
            try StandardOutput.shared.flush()
        } catch {
            finish(Failure(error) ?? Failure(.io, "\(error)"))
        }
        if let failure = Failure(error) { finish(failure) }
        if error is CleanExit || error is ExitCode || error is ValidationError || isParsers(error) {
            FreeholdCommand.exit(withError: error)
        }
        finish(Failure(.failure, "\(error)"))
    }

    /// The parser's errors of a wrong command line aren't public.
    private static func isParsers(_ error: any Error) -> Bool {
        FreeholdCommand.exitCode(for: error) != .failure
    }

    private static func finish(_ failure: Failure) -> Never {
        Progress.clear()
        StandardError.write("freehold: \(failure.message)\n")
        Foundation.exit(failure.status.rawValue)
    }
}

/// The library's messages speak of its functions. The command's user has options for them.
enum OptionNames {
    private static let names = [
        ("`update: .modified`", "--update modified"),
        ("The query was given no arguments.", "No value is given for it: give one with --arg."),
        ("is missing: the query was given", "is missing: give it with --arg. There are"),
    ]

    static func used(in message: String) -> String {
        names.reduce(message) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
