/// The reason why a file can't sync.
public struct SyncFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// The data of sync in the file is damaged. The app's objects may be intact. A new file receives them from the
        /// server, without the unsent work.
        case damaged
        /// A newer version of the program stored data that this one doesn't support.
        case unsupported
        /// The file isn't a synced file.
        case notSynced
    }

    public let code: Code
    /// A description of the error, as a sentence. It contains no data of the app.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
