import Freehold
import FreeholdEngine

/// The error of a request, which the page shows.
public struct StudioError: Error, Sendable, Equatable {
    public enum Code: String, Sendable, CaseIterable {
        /// The program doesn't know the request.
        case unknown
        /// A part of the request is missing or wrong.
        case invalid
        case tooLarge
        /// No file is open.
        case noFile
        /// The key of an encrypted file is missing or wrong.
        case key
        /// The file has a newer format, or isn't a database.
        case format
        case damaged
        /// Another user owns the file, and opening it could lock that user out.
        case owner
        case permission
        case notFound
        /// The program was started without `--write`, or the file can't be written.
        case readOnly
        /// The query is wrong.
        case query
        /// Another process is writing.
        case busy
        case conflict
        case timedOut
        case cancelled
        case limit
        case synced
        case io
        case failed
    }

    public var code: Code
    public var message: String
    /// The position of the error in a query, in UTF-16 code units.
    public var position: Int?
    public var expected: [String] = []
    /// Existing names that are similar to an unknown one.
    public var meant: [String] = []
    /// Further members of the error in the message.
    var details: [StudioJSON.Member] = []

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error as a part of a message.
    public var json: StudioJSON {
        var members: [StudioJSON.Member] = [
            .init("code", .string(code.rawValue)), .init("message", .string(message)),
        ]
        if let position { members.append(.init("at", .int(position))) }
        if !expected.isEmpty { members.append(.init("expected", .array(expected.map { .string($0) }))) }
        if !meant.isEmpty { members.append(.init("meant", .array(meant.map { .string($0) }))) }
        return .object(members + details)
    }
}

extension StudioError {
    /// Creates the error of a request from any error of the library.
    init(_ error: any Error) {
        switch error {
        case let error as StudioError: self = error
        case let error as QueryError: self.init(error)
        case let error as EngineError: self.init(error)
        case let error as Realm.Error:
            if let cause = error.cause as? EngineError {
                self.init(cause)
            } else {
                self.init(Self.code(of: error), error.message)
            }
        case is CancellationError: self.init(.cancelled, "The request was cancelled.")
        default: self.init(.failed, "\(error)")
        }
    }

    private static func code(of error: Realm.Error) -> Code {
        switch error.code {
        case .fileNotFound: .notFound
        case .filePermissionDenied: .permission
        case .unsupportedFileFormatVersion: .format
        case .invalidDatabase: .damaged
        case .alreadyOpen: .busy
        default: .failed
        }
    }

    init(_ error: QueryError) {
        self.init(.query, error.message)
        expected = error.expected
        meant = error.suggestions
        if let text = error.text, let position = error.position {
            self.position = text.prefix(position).utf16.count
        } else {
            position = error.position
        }
    }

    init(_ error: EngineError) {
        let code: Code =
            switch error.code {
            // A wrong key has a code of its own, so that the page shows the field for it.
            case _ where error.detail?.concernsKey == true: .key
            case .invalidDatabase where error.detail == .foreignFile: .format
            case .fileNotFound: .notFound
            case .permissionDenied: .permission
            case .invalidDatabase: .damaged
            case .unsupportedFormat: .format
            case .readOnly: .readOnly
            case .busy, .fileInUse: .busy
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .io, .outOfDiskSpace, .mapFull, .mapResized, .environmentFailed, .environmentClosed: .io
            case .readersFull, .limitExceeded: .limit
            case .invalidArgument, .invalidValue, .missingValue: .invalid
            case .duplicatePrimaryKey, .uniqueConstraint, .deletionDenied: .conflict
            case .fileExists, .schemaMismatch: .failed
            }
        self.init(code, error.message)
    }
}

extension EngineError.Detail {
    fileprivate var concernsKey: Bool {
        switch self {
        case .keyIsMissing, .keyIsWrong, .keyIsUnneeded: true
        case .otherSettings, .foreignFile: false
        }
    }
}
