import Foundation
import FreeholdEngine

/// Null, booleans, numbers and strings are encoded as themselves. Dates and data use the strategies of the coder.
/// Decimals, object ids and UUIDs are encoded as strings. Lists, dictionaries, and objects of `Encodable` classes are
/// encoded as themselves.
///
/// A decoded value is null, a boolean, an integer if the number is one or otherwise a double, a string, a list or a
/// dictionary. The original type of an encoded string isn't known.
extension AnyRealmValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: EntryKey.self) {
            let map = Map<String, AnyRealmValue>()
            for key in container.allKeys {
                map[key.stringValue] = try container.decode(AnyRealmValue.self, forKey: key)
            }
            self = .dictionary(map)
        } else if var container = try? decoder.unkeyedContainer() {
            let list = List<AnyRealmValue>()
            while !container.isAtEnd { list.append(try container.decode(AnyRealmValue.self)) }
            self = .list(list)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .none
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int.self) {
                self = .int(value)
            } else if let value = try? container.decode(Double.self) {
                self = .double(value)
            } else {
                self = .string(try container.decode(String.self))
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .list(let list): return try list.encode(to: encoder)
        case .dictionary(let map): return try map.encode(to: encoder)
        case .object(let object):
            guard let object = object as? any ObjectBase & Encodable else {
                throw EncodingError.invalidValue(
                    object,
                    .init(
                        codingPath: encoder.codingPath,
                        debugDescription:
                            "\(type(of: object)) isn't Encodable: conform it, so that mixed values can hold it"
                    )
                )
            }
            return try ObjectEncoding.encode(object, to: encoder)
        default: break
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .int(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .objectId(let value): try container.encode(value)
        case .decimal128(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .none, .object, .list, .dictionary: try container.encodeNil()
        }
    }

    private struct EntryKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
