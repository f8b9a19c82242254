/// Why a Realm file, or a part of it, can't be read: a code to switch over, and a message that says what to do.
public struct RealmFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        case fileNotFound
        case permissionDenied
        /// Neither a Realm file nor, as far as can be told, an encrypted one.
        case notARealmFile
        /// The key doesn't open the file, or the file isn't encrypted.
        case wrongKey
        /// A format that this reader doesn't know: see `formatVersion`.
        case unsupportedFormat
        /// Somebody wrote the file while it was read.
        case changed
        /// What the file says of itself can't be: see `offset`.
        case damaged
        /// Another failure of the operating system.
        case io
    }

    public let code: Code
    public let message: String
    public let path: String?
    /// Of `unsupportedFormat`: the file's format.
    public let formatVersion: Int?
    /// Of `damaged`: where in the file, in bytes.
    public let offset: Int?

    public init(_ code: Code, _ message: String, path: String? = nil, formatVersion: Int? = nil, offset: Int? = nil) {
        self.code = code
        self.message = message
        self.path = path
        self.formatVersion = formatVersion
        self.offset = offset
    }

    public var description: String {
        var text = "\(code.rawValue): \(message)"
        if let offset { text += " (at byte \(offset))" }
        if let path { text += " [\(path)]" }
        return text
    }

    static func damaged(_ what: String, at offset: Int) -> RealmFileError {
        RealmFileError(.damaged, "The Realm file is damaged: \(what).", offset: offset)
    }

    func with(path: String) -> RealmFileError {
        RealmFileError(code, message, path: self.path ?? path, formatVersion: formatVersion, offset: offset)
    }
}
