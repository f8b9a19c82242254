/// The reason why a Realm file, or a part of it, can't be read: a code, and a message with the remedy.
public struct RealmFileError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        case fileNotFound
        case permissionDenied
        /// The file is neither a Realm file nor, as far as this can be determined, an encrypted one.
        case notARealmFile
        /// The key is wrong, or the file isn't encrypted.
        case wrongKey
        /// The reader doesn't support the format. See `formatVersion`.
        case unsupportedFormat
        /// The file was written while it was read.
        case changed
        /// The content of the file is invalid. See `offset`.
        case damaged
        /// The operating system has reported another error.
        case io
    }

    public let code: Code
    public let message: String
    public let path: String?
    /// The format of the file, for `unsupportedFormat`.
    public let formatVersion: Int?
    /// The position in the file in bytes, for `damaged`.
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
