/// Why classes can't be written in any language.
public struct ModelError: Error, Hashable, Sendable {
    public enum Code: Hashable, Sendable {
        /// A name is empty, has the character 0 in it, or is there twice.
        case name
        /// A property contradicts itself or the classes: a link without a target, an inverse of no link.
        case property
        /// The package or the file's name isn't one.
        case option
    }

    public let code: Code
    /// By its stored name.
    public let className: String?
    public let property: String?
    /// In a sentence.
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
