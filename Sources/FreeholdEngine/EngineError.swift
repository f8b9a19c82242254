/// An error of the engine, with a code, a message that states a remedy, and the place.
///
/// All throwing functions of `FreeholdEngine` throw this type. A thrown error leaves the file unchanged.
public struct EngineError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// The file or its folder doesn't exist.
        case fileNotFound
        /// The file can't be opened or written by this user.
        case permissionDenied
        /// A file exists although none is allowed at the path.
        case fileExists
        /// The file is open, so it can't be replaced or deleted now.
        case fileInUse
        /// The file isn't a Freehold file, is damaged, or ends before its last page.
        case invalidDatabase
        /// The file was written in a newer format of Freehold.
        case unsupportedFormat
        /// The reserved map is full or can't be reserved. Increase `mapSize`.
        case mapFull
        /// Another process enlarged the map while this process holds snapshots.
        case mapResized
        /// All reader slots are in use. Increase `maximumReaders` or release old snapshots.
        case readersFull
        /// The device is full, the quota is used up, or the file-size limit is reached.
        case outOfDiskSpace
        /// After an earlier failure, the environment can't be used for writing. Open the file again.
        case environmentFailed
        /// The environment was opened before a fork, or is closed.
        case environmentClosed
        /// The database is read-only.
        case readOnly
        /// The requested schema differs from that of the file.
        case schemaMismatch
        /// A table or column that doesn't exist, or a column of another type.
        case invalidArgument
        /// A value of the correct type that can't be stored, such as a date that is NaN or infinite.
        case invalidValue
        /// Two objects have the same primary key.
        case duplicatePrimaryKey
        /// Two objects have the same values in the columns of a unique compound index.
        case uniqueConstraint
        /// A link's rule denies the deletion of an object.
        case deletionDenied
        /// A required value is null.
        case missingValue
        /// A string, data value or collection exceeds the limits.
        case limitExceeded
        /// Other writers didn't finish before the caller's deadline.
        case busy
        /// The task was cancelled.
        case cancelled
        /// The work exceeded its time limit.
        case timedOut
        /// Another failure of the operating system.
        case io
    }

    /// A case of a code that callers treat differently from the others.
    public enum Detail: String, Sendable, CaseIterable {
        /// The file is encrypted, and no key was given.
        case keyIsMissing
        /// The file is encrypted with another key, or this process has it open with another key or without one.
        case keyIsWrong
        /// A key was given, and the file isn't encrypted.
        case keyIsUnneeded
        /// This process has the file open in another way: read-only, immutable or in memory.
        case otherSettings
        /// The file was never a Freehold file.
        case foreignFile
    }

    public let code: Code
    /// The case of the code, if callers may distinguish it.
    public let detail: Detail?
    public let message: String
    /// The path of the file, if the error belongs to a file.
    public let path: String?
    /// The error number of the operating system or LMDB, if it is known.
    public let underlying: Int32?
    /// The table for `uniqueConstraint`. `columns` has the columns of the index.
    public let table: String?
    public let columns: [String]?

    public init(
        _ code: Code,
        _ message: String,
        detail: Detail? = nil,
        path: String? = nil,
        underlying: Int32? = nil,
        table: String? = nil,
        columns: [String]? = nil
    ) {
        self.table = table
        self.columns = columns
        self.code = code
        self.detail = detail
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
