import ArgumentParser
import Foundation
import Freehold

/// The exit codes of the command. They are the numbers of `sysexits.h`, so that scripts can distinguish causes.
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
        case .unfinished: "convert: a part was left alone and needs attention; diff: as 1 in other commands"
        case .usage: "the command line is wrong"
        case .data: "what was given is wrong: a query, class, column or schema; JSON, CSV, Swift"
        case .noInput: "a file is missing"
        case .cantCreate: "a file exists already, or can't be created"
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
    /// Returns the exit code of an error. The error of the realm has precedence over the fact that input was read.
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

/// An error of a command. Its message has one line, or a few lines if it shows a position in a text.
struct Failure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Returns nil for errors that the argument parser reports: help, version, usage.
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

    /// Ends the process, with the message of the error or like the argument parser does.
    static func exit(with error: any Error) -> Never {
        // The output before the error is written, because it can be useful.
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

    /// Returns a Boolean value that indicates whether an error is one of the parser for a wrong command line. These
    /// aren't public.
    private static func isParsers(_ error: any Error) -> Bool {
        FreeholdCommand.exitCode(for: error) != .failure
    }

    private static func finish(_ failure: Failure) -> Never {
        Progress.clear()
        StandardError.write("freehold: \(failure.message)\n")
        Foundation.exit(failure.status.rawValue)
    }
}

/// A replacement of the library's functions in messages by the options of the command.
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
