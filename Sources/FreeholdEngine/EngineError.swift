/// What went wrong in the engine: a code to switch over, a message that says what to do, and where it happened.
///
/// Every throwing call of `FreeholdEngine` throws this type. A thrown error leaves the file as it was.
public struct EngineError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The file, or its folder, doesn't exist.
        case fileNotFound
        /// The file can't be opened or written by this user.
        case permissionDenied
        /// The file exists where it must not.
        case fileExists
        /// Somebody has the file open: it can't be exchanged or deleted now.
        case fileInUse
        /// Not a Freehold file, damaged, or shorter than its last page.
        case invalidDatabase
        /// Written by a newer format of Freehold.
        case unsupportedFormat
        /// The reserved map is full, or can't be reserved: raise `mapSize`.
        case mapFull
        /// Another process grew the map while this one holds snapshots.
        case mapResized
        /// Every reader slot is taken: raise `maximumReaders` or release old snapshots.
        case readersFull
        /// No room on the device, over quota, or over the file-size limit.
        case outOfDiskSpace
        /// An earlier write failed in a way that leaves the environment unusable for writing: reopen it.
        case environmentFailed
        /// The environment was opened before a fork, or is closed.
        case environmentClosed
        /// Written to a read-only database.
        case readOnly
        /// The schema asked for and the file's differ.
        case schemaMismatch
        /// A table or column that isn't there, or a column of another type.
        case invalidArgument
        /// A value of the right type that can't be stored: a date that is NaN or infinite.
        case invalidValue
        /// Two objects with one primary key.
        case duplicatePrimaryKey
        /// Two objects with the same values in columns of a unique compound index.
        case uniqueConstraint
        /// A link's rule denies that an object is deleted.
        case deletionDenied
        /// Null where a value is required.
        case missingValue
        /// A string, data value or collection over the limits.
        case limitExceeded
        /// Other writers took longer than the caller wants to wait.
        case busy
        /// The task was cancelled.
        case cancelled
        /// The work took longer than it may.
        case timedOut
        /// Another failure of the operating system.
        case io
    }

    public let code: Code
    public let message: String
    /// The file, where one is concerned.
    public let path: String?
    /// The operating system's or LMDB's number, where one is known.
    public let underlying: Int32?
    /// Of `uniqueConstraint`: the table and the index's columns.
    public let table: String?
    public let columns: [String]?

    public init(
        _ code: Code,
        _ message: String,
        path: String? = nil,
        underlying: Int32? = nil,
        table: String? = nil,
        columns: [String]? = nil
    ) {
        self.table = table
        self.columns = columns
        self.code = code
        self.message = message
        self.path = path
        self.underlying = underlying
    }

    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let path { text += " [\(path)]" }
        return text
    }
}
