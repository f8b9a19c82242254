package import FreeholdEngine
package import Foundation

extension Realm.Error {
    /// Converts an error of the engine to the terms of this module.
    package init(_ error: EngineError, className: String? = nil, property: String? = nil, fileURL: URL? = nil) {
        self.init(
            // RealmSwift uses the same code.
            error.underlying == ENOTDIR ? .fileOperationFailed : Code(error.code),
            error.message,
            className: className ?? error.table,
            property: property ?? error.columns?.joined(separator: ", "),
            fileURL: error.path.map { URL(fileURLWithPath: $0) } ?? fileURL,
            cause: error
        )
    }
}

extension Realm.Error {
    /// Returns the error of a write to a realm that was opened read-only.
    static func written(readOnly fileURL: URL?) -> Realm.Error {
        Realm.Error(
            .readOnly,
            "The realm was opened read-only. Open it without `readOnly` to write.",
            fileURL: fileURL
        )
    }
}

extension Realm.Error.Code {
    init(_ code: EngineError.Code) {
        self =
            switch code {
            case .fileNotFound: .fileNotFound
            case .permissionDenied: .filePermissionDenied
            case .fileExists: .fileExists
            case .fileInUse: .alreadyOpen
            case .invalidDatabase: .invalidDatabase
            case .unsupportedFormat: .unsupportedFileFormatVersion
            case .mapFull: .addressSpaceExhausted
            case .mapResized: .mapResized
            case .readersFull: .readersExhausted
            case .outOfDiskSpace: .outOfDiskSpace
            case .environmentFailed: .databaseFailed
            case .environmentClosed: .databaseClosed
            case .readOnly: .readOnly
            case .schemaMismatch: .schemaMismatch
            case .invalidArgument: .invalidInput
            case .invalidValue: .invalidValue
            case .duplicatePrimaryKey: .duplicatePrimaryKey
            case .uniqueConstraint: .uniqueConstraint
            case .deletionDenied: .deletionDenied
            case .missingValue: .missingValue
            case .limitExceeded: .limitExceeded
            case .busy: .busy
            case .cancelled: .cancelled
            case .timedOut: .timedOut
            case .io: .fileAccess
            }
    }
}
