import FreeholdEngine
public import Foundation

extension Realm {
    /// The error of opening, writing and file operations. It contains a code, a message with the remedy, and the
    /// location.
    ///
    /// ```swift
    /// do {
    ///     try realm.write { realm.add(person) }
    /// } catch Realm.Error.duplicatePrimaryKey {
    ///     …
    /// } catch let error as Realm.Error {
    ///     log(error.className, error.property, error.message)
    /// }
    /// ```
    ///
    /// After a thrown error, the file is unchanged since the begin of the transaction.
    public struct Error: Swift.Error, Sendable {
        public let code: Code
        /// A description of the error and its remedy.
        public let message: String
        /// The model class that the error concerns, or `nil`.
        public let className: String?
        /// The property of that class that the error concerns, or `nil`.
        public let property: String?
        /// The file that the error concerns, or `nil`.
        public let fileURL: URL?
        /// The underlying error. If a write block throws a `Realm.Error` of its own, it is the pending error of bad
        /// data.
        public let cause: (any Swift.Error)?

        public init(
            _ code: Code,
            _ message: String = "",
            className: String? = nil,
            property: String? = nil,
            fileURL: URL? = nil,
            cause: (any Swift.Error)? = nil
        ) {
            self.code = code
            self.message = message.isEmpty ? code.summary : message
            self.className = className
            self.property = property
            self.fileURL = fileURL
            self.cause = cause
        }

        func with(fileURL: URL?) -> Error {
            Error(
                code,
                message,
                className: className,
                property: property,
                fileURL: self.fileURL ?? fileURL,
                cause: cause
            )
        }

        func with(cause: any Swift.Error) -> Error {
            Error(code, message, className: className, property: property, fileURL: fileURL, cause: self.cause ?? cause)
        }
    }
}

extension Realm.Error: Equatable {
    /// Returns a Boolean value that indicates whether two errors are equal except for the cause.
    public static func == (a: Realm.Error, b: Realm.Error) -> Bool {
        a.code == b.code && a.message == b.message && a.className == b.className && a.property == b.property
            && a.fileURL == b.fileURL
    }
}

extension Realm.Error: CustomStringConvertible, LocalizedError, CustomNSError {
    public var description: String {
        var text = "Realm.Error.\(code): "
        if let place { text += "\(place): " }
        text += message
        if let fileURL { text += " [\(fileURL.path)]" }
        if let cause, !repeats(cause) { text += " (cause: \(cause))" }
        return text
    }

    /// Returns a Boolean value that indicates whether the description of a cause contains nothing more than this one.
    private func repeats(_ cause: any Swift.Error) -> Bool { (cause as? EngineError)?.message == message }

    /// The class and property, or nil if the message begins with them.
    private var place: String? {
        let place = [className, property].compactMap { $0 }.joined(separator: ".")
        return place.isEmpty || message.hasPrefix(place + " ") ? nil : place
    }

    public var errorDescription: String? {
        guard let place else { return message }
        return "\(place): \(message)"
    }

    public static var errorDomain: String { "io.realm" }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? message]
        if let fileURL { info[NSFilePathErrorKey] = fileURL.path }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        return info
    }

    /// The same information under the keys of Foundation.
    public var userInfo: [String: Any] { errorUserInfo }
}
