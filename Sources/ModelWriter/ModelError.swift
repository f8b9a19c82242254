/// The reason why classes can't be generated in any language.
public struct ModelError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// A name is empty, contains the character 0, or is duplicated.
        case name
        /// A property contradicts itself or the classes, such as a link without a target or an inverse without a link.
        case property
        /// The name of the package or of the file isn't valid.
        case option
    }

    public let code: Code
    /// The stored name of the class.
    public let className: String?
    public let property: String?
    /// A sentence that describes the reason.
    public let reason: String

    init(_ code: Code, _ className: String? = nil, _ property: String? = nil, _ reason: String) {
        self.code = code
        self.className = className
        self.property = property
        self.reason = reason
    }
}

extension ModelError: CustomStringConvertible {
    public var description: String {
        let place = [className, property].compactMap { $0.map { SourceText.printable($0, limit: 60) } }
        return place.isEmpty ? reason : place.joined(separator: ".") + ": " + reason
    }
}
