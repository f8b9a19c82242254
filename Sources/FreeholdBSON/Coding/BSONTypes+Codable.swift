// `BSONEncoder` and `BSONDecoder` store these types unchanged. Other coders store them as a string of canonical
// Extended JSON.

extension BSONValue: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONDocument: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONBinary: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONDateTime: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONTimestamp: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONRegex: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONDBPointer: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

extension BSONCodeWithScope: Codable {
    public init(from decoder: any Decoder) throws { self = try decodeRepresentable(decoder) }
    public func encode(to encoder: any Encoder) throws { try encodeRepresentable(self, encoder) }
}

private func encodeRepresentable(_ value: some BSONRepresentable, _ encoder: any Encoder) throws {
    if let encoder = encoder as? BSONValueEncoder {
        encoder.node.content = .value(value.bsonValue)
    } else {
        var container = encoder.singleValueContainer()
        try container.encode(value.bsonValue.extendedJSON(.canonical))
    }
}

private func decodeRepresentable<T: BSONRepresentable>(_ decoder: any Decoder) throws -> T {
    let value: BSONValue
    if let decoder = decoder as? BSONValueDecoder {
        value = decoder.value
    } else {
        let container = try decoder.singleValueContainer()
        do {
            value = try BSONValue(extendedJSON: container.decode(String.self))
        } catch let error as BSONError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }
    guard let result = T(bsonValue: value) else { throw mismatch(T.self, found: value, at: decoder.codingPath) }
    return result
}
