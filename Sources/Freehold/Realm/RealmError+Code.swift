extension Realm.Error {
    /// The kind of an error. Numbers below 1,000 are those of RealmSwift.
    public enum Code: Int, Sendable, CaseIterable {
        case fail = 1
        case fileAccess = 2
        case filePermissionDenied = 3
        case fileExists = 4
        case fileNotFound = 5
        case fileFormatUpgradeRequired = 6
        case incompatibleLockFile = 8
        case addressSpaceExhausted = 9
        case schemaMismatch = 10
        case alreadyOpen = 12
        case invalidInput = 13
        case outOfDiskSpace = 14
        case incompatibleSession = 15
        case unsupportedFileFormatVersion = 16
        case multipleSyncAgents = 17
        case subscriptionFailed = 18
        case fileOperationFailed = 19
        case invalidDatabase = 20
        case incompatibleHistories = 21
        case noSubscriptionForWrite = 22

        /// The declarations of model classes can't be stored.
        case invalidSchema = 1001
        /// The configuration's schema version is lower than the file's.
        case schemaVersionTooLow = 1002
        /// Two objects of a class have the same primary key.
        case duplicatePrimaryKey = 1003
        /// A required value is null or missing.
        case missingValue = 1004
        /// A value has the wrong type or can't be stored.
        case invalidValue = 1005
        /// A string, data value or collection exceeds its limit.
        case limitExceeded = 1006
        /// A primary key was changed after its object was added.
        case primaryKeyChanged = 1007
        /// A key isn't the name of a property.
        case unknownProperty = 1008
        /// The realm's schema doesn't contain a class.
        case unknownClass = 1009
        /// A read-only realm was written to.
        case readOnly = 1010
        /// A write was begun inside a write, or a commit was made without a transaction.
        case invalidTransactionState = 1011
        /// All reader slots of the file are in use.
        case readersExhausted = 1012
        /// Another process has changed the size of the map during a read.
        case mapResized = 1013
        /// An earlier failure leaves the file open for reading only. Reopen it.
        case databaseFailed = 1014
        /// The file was opened before a fork, or it was closed.
        case databaseClosed = 1015
        /// A predicate, sort or aggregate can't be evaluated.
        case invalidQuery = 1016
        /// Two objects have the same values in the properties of a unique compound index.
        case uniqueConstraint = 1017
        /// More versions of the file are held than `maximumNumberOfActiveVersions` allows.
        case tooManyVersions = 1018
        /// An object can't be deleted because the rule of a link is `DeleteRule.deny`.
        case deletionDenied = 1019
        /// A version of the file was held for longer than ``Configuration/heldVersionPolicy`` allows.
        case versionHeldTooLong = 1020
        /// The wait for other writers of the file took longer than ``Configuration/busyTimeout``.
        case busy = 1030
        /// A read or write took longer than its `timeout`.
        case timedOut = 1031
        /// The ``Realm/pendingError`` of a write whose task was cancelled. The write itself throws `CancellationError`.
        case cancelled = 1032
    }

    public static var fail: Code { .fail }
    public static var fileAccess: Code { .fileAccess }
    public static var filePermissionDenied: Code { .filePermissionDenied }
    public static var fileExists: Code { .fileExists }
    public static var fileNotFound: Code { .fileNotFound }
    public static var fileFormatUpgradeRequired: Code { .fileFormatUpgradeRequired }
    public static var incompatibleLockFile: Code { .incompatibleLockFile }
    public static var addressSpaceExhausted: Code { .addressSpaceExhausted }
    public static var schemaMismatch: Code { .schemaMismatch }
    public static var alreadyOpen: Code { .alreadyOpen }
    public static var invalidInput: Code { .invalidInput }
    public static var outOfDiskSpace: Code { .outOfDiskSpace }
    public static var incompatibleSession: Code { .incompatibleSession }
    public static var unsupportedFileFormatVersion: Code { .unsupportedFileFormatVersion }
    public static var multipleSyncAgents: Code { .multipleSyncAgents }
    public static var subscriptionFailed: Code { .subscriptionFailed }
    public static var fileOperationFailed: Code { .fileOperationFailed }
    public static var invalidDatabase: Code { .invalidDatabase }
    public static var incompatibleHistories: Code { .incompatibleHistories }
    public static var noSubscriptionForWrite: Code { .noSubscriptionForWrite }
    public static var invalidSchema: Code { .invalidSchema }
    public static var schemaVersionTooLow: Code { .schemaVersionTooLow }
    public static var duplicatePrimaryKey: Code { .duplicatePrimaryKey }
    public static var missingValue: Code { .missingValue }
    public static var invalidValue: Code { .invalidValue }
    public static var limitExceeded: Code { .limitExceeded }
    public static var primaryKeyChanged: Code { .primaryKeyChanged }
    public static var unknownProperty: Code { .unknownProperty }
    public static var unknownClass: Code { .unknownClass }
    public static var readOnly: Code { .readOnly }
    public static var invalidTransactionState: Code { .invalidTransactionState }
    public static var readersExhausted: Code { .readersExhausted }
    public static var mapResized: Code { .mapResized }
    public static var databaseFailed: Code { .databaseFailed }
    public static var databaseClosed: Code { .databaseClosed }
    public static var invalidQuery: Code { .invalidQuery }
    public static var uniqueConstraint: Code { .uniqueConstraint }
    public static var tooManyVersions: Code { .tooManyVersions }
    public static var deletionDenied: Code { .deletionDenied }
    public static var versionHeldTooLong: Code { .versionHeldTooLong }
    public static var busy: Code { .busy }
    public static var timedOut: Code { .timedOut }
    public static var cancelled: Code { .cancelled }
}

extension Realm.Error.Code {
    /// Lets `catch Realm.Error.fileNotFound` match an error by its code.
    public static func ~= (code: Self, error: any Swift.Error) -> Bool {
        (error as? Realm.Error)?.code == code
    }

    var summary: String {
        switch self {
        case .fail: "The operation failed."
        case .fileAccess: "The file can't be accessed."
        case .filePermissionDenied: "The file can't be opened or written by this user."
        case .fileExists: "The file exists already."
        case .fileNotFound: "The file doesn't exist."
        case .schemaMismatch: "The classes differ from the file's schema."
        case .alreadyOpen: "The file is open elsewhere, or with other settings."
        case .outOfDiskSpace: "There is no room left on the device."
        case .invalidDatabase: "The file isn't a Freehold database, is damaged, or has another encryption key."
        case .duplicatePrimaryKey: "An object with this primary key exists already."
        case .uniqueConstraint: "Two objects have the same values in unique properties."
        case .deletionDenied: "An object can't be deleted because of its links."
        case .missingValue: "A required value is missing."
        case .readOnly: "The realm is read-only."
        case .busy: "Other writers of the file take too long."
        case .timedOut: "The time for it is over."
        case .cancelled: "The task was cancelled."
        default: "\(self)"
        }
    }
}
