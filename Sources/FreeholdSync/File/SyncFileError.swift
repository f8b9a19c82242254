/// Why a file can't sync.
public struct SyncFileError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: Hashable, Sendable {
        /// What sync keeps in the file is damaged. The app's objects may be whole: a file that is made anew gets them from the server,
        /// without the work that wasn't sent.
        case damaged
        /// A newer program kept what this one doesn't know.
        case unsupported
        /// It isn't one that syncs.
        case notSynced
    }

    public let code: Code
    /// What can't be read, and why, in a sentence. It holds no data.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
