public import Foundation

extension Realm {
    /// What opening, writing and file operations throw: a code to switch over, a message that says what to do, and
    /// where it happened.
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
    /// A thrown error leaves the file as it was before the transaction.
    public struct Error: Swift.Error, Sendable {
        public let code: Code
        /// What happened and what to do about it.
        public let message: String
        /// The model class, where one is concerned.
        public let className: String?
        /// The property of that class, where one is concerned.
        public let property: String?
        /// The file, where one is concerned.
        public let fileURL: URL?
        /// The error below, or, when a write block throws a `Realm.Error` of its own, the pending data error.
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
    /// Equal in everything but the cause.
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
        if let cause { text += " (cause: \(cause))" }
        return text
    }

    /// The class and property, unless the message begins with them.
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

    /// The same facts under Foundation's keys.
    public var userInfo: [String: Any] { errorUserInfo }
}
