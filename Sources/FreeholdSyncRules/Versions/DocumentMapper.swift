public import FreeholdBSON
import FreeholdEngine
public import FreeholdSyncCore

extension SchemaLens {
    /// Returns an object's stored document (``StoredObject/doc``) in the form of the version. Returns `nil` if the
    /// version doesn't have the class.
    ///
    /// - Complexity: O(size of the document)
    public func down(_ document: BSONDocument, of className: SyncString) -> BSONDocument? {
        guard let found = map.stored(className), !found.isEmbedded else { return nil }
        return map.isPlain ? document : DocumentMapper(map: map).mapped(document, found)
    }
}

/// Translates stored documents into the form of a version.
struct DocumentMapper {
    let map: VersionMap

    func mapped(_ document: BSONDocument, _ found: ClassMap) -> BSONDocument {
        var new: BSONDocument = [:]
        for (key, value) in document {
            if key == "_id", !found.isEmbedded {
                new.append(key, value)
            } else if let property = found.stored(SyncString(key)) {
                new.append(property.name.string, mapped(value, property))
            }
        }
        for property in found.filled where document[property.stored.string] == nil {
            if let fill = property.fill { new.append(property.name.string, BSONValue(fill)) }
        }
        return new
    }

    private func mapped(_ value: BSONValue, _ property: PropertyMap) -> BSONValue {
        switch (property.collection, value) {
        case (.list, .array(let elements)):
            return .array(elements.map { single($0, property, isElement: true) })
        case (.set, .array(let elements)):
            let shown = elements.filter { !property.hidesNull || $0 != .null }
            return .array(shown.map { single($0, property, isElement: true) })
        case (.dictionary, .document(let entries)):
            let shown = entries.map { (key: $0.key, value: single($0.value, property, isElement: true)) }
            return .document(BSONDocument(shown))
        default: return single(value, property, isElement: false)
        }
    }

    private func single(_ value: BSONValue, _ property: PropertyMap, isElement: Bool) -> BSONValue {
        switch value {
        case .null: return property.fill(isElement: isElement).map { BSONValue($0) } ?? .null
        case .document(let document):
            return map.embedded(property).map { .document(mapped(document, $0)) } ?? value
        default:
            guard let numbers = property.numbers, let number = SyncValue(number: value) else { return value }
            return BSONValue(numbers.shown(number))
        }
    }
}

extension SyncValue {
    /// Returns `nil` for values that aren't numbers.
    fileprivate init?(number value: BSONValue) {
        switch value {
        case .int32(let number): self = .int(Int64(number))
        case .int64(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .decimal128(let number): self = .decimal128(number)
        default: return nil
        }
    }
}
