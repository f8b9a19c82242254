import FreeholdBSON
import FreeholdEngine
import Foundation

/// The place of a document, or of an embedded object in it. As a text it is the key of an object in messages.
///
/// The key of a document is the text by which the server's paths name it: `5`, 24 hexadecimal digits, a UUID, or a text in quotation marks. The key
/// of an embedded object is the class and the key of the document and the path in it, with `/` between them: `Person/5/dogs/0`.
struct DocumentPlace: Hashable, Sendable {
    /// The class of the document.
    var className: String
    /// The key of the document, as a text.
    var key: String
    /// The path from the document to the embedded object. Empty for a document.
    var path: [String] = []

    private static let mostSteps = 64

    /// The key in messages.
    var text: String { path.isEmpty ? key : ([className, key] + path).map(Self.escaped).joined(separator: "/") }

    /// - Parameter table: The class of the object in the message.
    /// - Throws: `StudioError` for a text that isn't a key.
    init(_ text: String, in table: Table) throws(StudioError) {
        guard table.isEmbedded else {
            guard !text.isEmpty else { throw StudioError(.invalid, "The key of a document isn't empty.") }
            (className, key) = (table.name, text)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).removingPercentEncoding
        }
        guard (3...Self.mostSteps).contains(parts.count), let name = parts[0], let key = parts[1], !key.isEmpty,
            !parts.contains(nil)
        else { throw StudioError(.invalid, "The key of an embedded object names its document and its path.") }
        (className, self.key, path) = (name, key, parts.dropFirst(2).compactMap { $0 })
    }

    init(className: String, key: String) { (self.className, self.key) = (className, key) }

    func adding(_ step: String) -> DocumentPlace {
        var place = self
        place.path.append(step)
        return place
    }

    private static func escaped(_ part: String) -> String {
        part.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    private static let allowed = CharacterSet(charactersIn: "%/").union(.controlCharacters).inverted

    /// Returns the text of a key, or `nil` for a value that isn't one.
    static func text(ofKey key: BSONValue) -> String? {
        switch key {
        case .int32(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .objectId(let id): "\(id)"
        case .binary(let binary): binary.uuid?.uuidString.lowercased()
        // A text that looks like another key has quotation marks.
        case .string: try? key.extendedJSON()
        default: nil
        }
    }

    /// Returns the key that a text names.
    ///
    /// - Throws: `StudioError` if the text isn't a key of the column's type.
    static func key(_ text: String, _ column: Column) throws(StudioError) -> BSONValue {
        switch column.type {
        case .int: if let number = Int64(text) { return .int64(number) }
        case .objectId: if let id = ObjectId(text as String) { return .objectId(id) }
        case .uuid: if let id = UUID(uuidString: text) { return .binary(BSONBinary(id)) }
        case .string:
            guard text.hasPrefix("\"") else { return .string(text) }
            if case .string(let inner)? = try? BSONValue(extendedJSON: text) { return .string(inner) }
        default: break
        }
        throw StudioError(.invalid, "'\(text.prefix(60))' isn't a key of this class.")
    }

    /// Returns the value at the path of a document, or `nil` if the document doesn't have it.
    func value(in document: BSONDocument) -> BSONValue? { Self.value(.document(document), path[...]) }

    static func value(_ value: BSONValue, _ path: ArraySlice<String>) -> BSONValue? {
        guard let step = path.first else { return value }
        switch value {
        case .document(let document): return document[step].flatMap { Self.value($0, path.dropFirst()) }
        case .array(let elements):
            guard let index = Int(step), elements.indices.contains(index) else { return nil }
            return Self.value(elements[index], path.dropFirst())
        default: return nil
        }
    }

    /// Returns a copy of a value with another value at a path. Missing documents on the path are created.
    static func replacing(_ value: BSONValue?, _ path: ArraySlice<String>, with new: BSONValue) -> BSONValue? {
        guard let step = path.first else { return new }
        switch value {
        case .array(var elements)?:
            guard let index = Int(step), elements.indices.contains(index),
                let inner = replacing(elements[index], path.dropFirst(), with: new)
            else { return nil }
            elements[index] = inner
            return .array(elements)
        case .document(var document)?:
            guard let inner = replacing(document[step], path.dropFirst(), with: new) else { return nil }
            document[step] = inner
            return .document(document)
        case nil, .null?:
            return replacing(nil, path.dropFirst(), with: new).map { .document([step: $0]) }
        default: return nil
        }
    }
}
