import Foundation
import FreeholdEngine

// Stored values that aren't values of the Swift type: raw values without a case of an enum, and values that a failable
// custom type refuses. A newer version of the program may have written them. Only code that needs a value of the type
// ends the process.

extension RealmCollectionValue {
    /// Returns an element as plain data, even if its content isn't a value of the type.
    static func plainElement(_ content: _StoredContent) -> Any? {
        guard let value = _rlmFromContent(content) else { return content.plain }
        return _rlmAny(value)
    }

    /// Returns the text of an element, even if its content isn't a value of the type.
    static func text(_ content: _StoredContent) -> String {
        if let value = _rlmFromContent(content) { return "\(value)" }
        return content.plain.map { "\($0)" } ?? "nil"
    }
}

extension RealmCollection {
    /// The stored elements of a managed collection, or those that an unmanaged one keeps, if some may not be values of their
    /// type. Otherwise nil.
    var partialContents: [_StoredContent]? {
        guard Element._rlmShape.isPartial else { return nil }
        if let keeping = self as? any ContentKeeping, let kept = keeping.kept { return kept }
        if let values = _values {
            return values.core == nil ? nil : ValueResults(values).values.map { _StoredContent.value($0) }
        }
        return _source.map { Results<Element>(trapping: $0).objectContents }
    }

    /// The elements as plain data.
    var plainElements: [Any?] {
        if let partialContents { return partialContents.map { Element.plainElement($0) } }
        return map { Element._rlmAny($0) }
    }
}

extension Map {
    /// The stored values of a managed map, or those that an unmanaged one keeps, if some may not be values of their type.
    /// Otherwise nil.
    var partialContents: [_StoredContent]? {
        if let kept { return kept.sorted.map(\.value) }
        guard Value._rlmShape.isPartial, let at = place() else { return nil }
        return at.entries.map { at.table.content(of: $0.value, at.property) }
    }

    /// The values as plain data, in the order of the keys.
    var plainValues: [Any?] {
        if let partialContents { return partialContents.map { Value.plainElement($0) } }
        return values.map { Value._rlmAny($0) }
    }
}

/// A stored value that isn't a value of the Swift type, for encoding.
struct EncodedContent: Encodable {
    private let content: _StoredContent

    init(_ content: _StoredContent) { self.content = content }

    func encode(to encoder: any Encoder) throws {
        if case .object(let object?) = content, let object = object as? any ObjectBase & Encodable {
            return try ObjectEncoding.encode(object, to: encoder)
        }
        var container = encoder.singleValueContainer()
        guard case .value(let value) = content else { throw unencodable(encoder) }
        switch value {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .timestamp(let value): try container.encode(value.date)
        case .uuid(let value): try container.encode(value)
        case .objectId(let value): try container.encode(value)
        case .decimal128(let value): try container.encode(value)
        case .link, .objectLink, .list, .dictionary: throw unencodable(encoder)
        }
    }

    private func unencodable(_ encoder: any Encoder) -> EncodingError {
        EncodingError.invalidValue(
            content.plain as Any,
            EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "The stored value stands for no value of its type, and isn't Encodable itself"
            )
        )
    }
}
