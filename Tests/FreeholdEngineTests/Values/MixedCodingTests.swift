import Foundation
import Testing

@testable import FreeholdEngine

@Suite struct MixedCodingTests {
    @Test(arguments: [
        Value.null, .bool(true), .bool(false), .int(0), .int(.min), .int(.max), .float(.nan), .float(1.5),
        .double(-0.0),
        .double(.infinity), .string(""), .string("日本\0"), .data(Data()), .data(Data([0, 255])),
        .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999)), .decimal128(Decimal128("NaN")),
        .decimal128(Decimal128("1.50")), .objectId(ObjectId(high: 1 << 40, low: 7)), .uuid(UUID()),
        .objectLink(ObjectLink(tableID: 300, key: ObjectKey(1 << 37))),
        .list(NestedList(id: 1 << 50, [.int(1), .null, .list(NestedList([]))])),
        .dictionary(NestedDictionary(id: 3, [.init("b", .int(1)), .init("a", .dictionary(NestedDictionary([])))])),
    ])
    func everyValueIsReadBackFromItsBytes(_ value: Value) throws {
        let bytes = MixedCoding.encode(value)
        #expect(bytes.withUnsafeBytes { MixedCoding.decode($0) } == value)
        for count in bytes.indices {
            #expect(bytes[..<count].withUnsafeBytes { MixedCoding.decode($0) } == nil, "cut at \(count)")
        }
    }

    @Test func nestedDictionariesAreSortedByKeyBytesAndKeepTheLastOfEqualKeys() {
        let dictionary = NestedDictionary([
            .init("é", .int(1)), .init("b", .int(2)), .init("a", .int(3)), .init("b", .int(4)),
        ])
        #expect(dictionary.entries.map(\.key) == ["a", "b", "é"])
        #expect(dictionary["b"] == .int(4))
        #expect(dictionary["c"] == nil)
    }
}
