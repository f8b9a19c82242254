#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdEngine

/// A type that corresponds to one BSON value, which the encoder and the decoder use unchanged.
protocol BSONRepresentable {
    var bsonValue: BSONValue { get }
    /// Returns nil if the value has another type.
    init?(bsonValue: BSONValue)
}

extension BSONValue: BSONRepresentable {
    var bsonValue: BSONValue { self }
    init?(bsonValue: BSONValue) { self = bsonValue }
}

extension BSONDocument: BSONRepresentable {
    var bsonValue: BSONValue { .document(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.documentValue else { return nil }
        self = value
    }
}

extension BSONBinary: BSONRepresentable {
    var bsonValue: BSONValue { .binary(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.binaryValue else { return nil }
        self = value
    }
}

extension BSONDateTime: BSONRepresentable {
    var bsonValue: BSONValue { .datetime(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.datetimeValue else { return nil }
        self = value
    }
}

extension BSONTimestamp: BSONRepresentable {
    var bsonValue: BSONValue { .timestamp(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.timestampValue else { return nil }
        self = value
    }
}

extension BSONRegex: BSONRepresentable {
    var bsonValue: BSONValue { .regex(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.regexValue else { return nil }
        self = value
    }
}

extension BSONDBPointer: BSONRepresentable {
    var bsonValue: BSONValue { .dbPointer(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.dbPointerValue else { return nil }
        self = value
    }
}

extension BSONCodeWithScope: BSONRepresentable {
    var bsonValue: BSONValue { .javaScriptWithScope(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.javaScriptWithScopeValue else { return nil }
        self = value
    }
}

extension ObjectId: BSONRepresentable {
    var bsonValue: BSONValue { .objectId(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.objectIdValue else { return nil }
        self = value
    }
}

extension Decimal128: BSONRepresentable {
    var bsonValue: BSONValue { .decimal128(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.decimal128Value else { return nil }
        self = value
    }
}

extension Date: BSONRepresentable {
    var bsonValue: BSONValue { .date(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.dateValue else { return nil }
        self = value
    }
}

extension UUID: BSONRepresentable {
    var bsonValue: BSONValue { .uuid(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.uuidValue else { return nil }
        self = value
    }
}

extension Data: BSONRepresentable {
    var bsonValue: BSONValue { .data(self) }
    init?(bsonValue: BSONValue) {
        guard let value = bsonValue.binaryValue, value.subtype == .generic || value.subtype == .old else { return nil }
        self = value.data
    }
}
