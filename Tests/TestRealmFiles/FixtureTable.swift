package import Foundation
package import FreeholdEngine

/// The content of the fixtures, by the rule of the program that wrote them.
package enum FixtureTable {
    /// The numbers 0 to 11 without that of the object that was deleted.
    package static let rows = (0..<12).filter { $0 != 6 }
    package static let deletedWord = 7
    package static let words = (0..<20).filter { $0 != deletedWord }

    package static func objectId(_ i: Int) -> ObjectId {
        ObjectId("5f0000000000000000" + hex(i, 6) as String)!
    }

    package static func uuid(_ i: Int) -> UUID { UUID(uuidString: "00112233-4455-6677-8899-" + hex(i, 12))! }

    private static func hex(_ i: Int, _ count: Int) -> String {
        let digits = String(i, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    /// The values of the row, without links except those to embedded objects.
    package static func values(_ i: Int) -> [String: Value] {
        let isOdd = i % 2 == 1
        func optional(_ value: Value) -> Value { isOdd ? value : .null }
        let bytes = Data((0..<i).map { UInt8(truncatingIfNeeded: $0 * 37) })
        let few: [Value] = i == 0 ? [] : [.bool(true), .null, .bool(false)]
        var values: [String: Value] = [
            "id": .int(Int64(i * 10)),
            "bool": .bool(isOdd),
            "optBool": optional(.bool(i % 3 == 0)),
            "int": .int(Int64(i) * (i % 4 == 3 ? 1_000_000_007 : 1)),
            "optInt": optional(.int(Int64(-i))),
            "float": .float(Float(i) + 0.5),
            "optFloat": optional(.float(-Float(i))),
            "double": .double(Double(i) * 0.25),
            "optDouble": optional(.double(Double(i) * 1e100)),
            "string": .string("s" + String(repeating: "x", count: i * 7)),
            "optString": optional(.string(i == 1 ? "" : "é \(i)")),
            "data": .data(bytes),
            "optData": optional(.data(bytes)),
            "date": .timestamp(Timestamp(seconds: Int64(1_600_000_000 + i), nanoseconds: Int32(i * 1000))),
            "optDate": optional(.timestamp(Timestamp(seconds: Int64(-i), nanoseconds: Int32(-i * 500_000)))),
            "decimal": .decimal128(Decimal128("\(i).50" as String)!),
            "optDecimal": optional(
                .decimal128(Decimal128((i == 3 ? "-1234567890123456789012345.6789E+100" : "1E-3") as String)!)
            ),
            "oid": .objectId(objectId(i)),
            "optOid": optional(.objectId(objectId(i + 1000))),
            "uuid": .uuid(uuid(i)),
            "optUuid": optional(.uuid(uuid(i + 1000))),
            "kind": .string(isOdd ? "odd" : "even"),
            "ints": list((0..<i).map { .int(Int64($0 * $0 - 3)) }),
            "optStrings": list((0..<i).map { $0 % 3 == 1 ? .null : .string("e\($0)") }),
            "dates": list((0..<i).map { .timestamp(Timestamp(seconds: Int64($0), nanoseconds: Int32($0))) }),
            "optBools": list(few),
            "uuids": list((0..<i).map { .uuid(uuid($0)) }),
            "doubles": list((0..<i).map { .double(Double($0) / 8) }),
            "decimals": list((0..<i).map { .decimal128(Decimal128("\($0).5" as String)!) }),
            "optInts": list((0..<i).map { $0 == 1 ? .null : .int(Int64($0)) }),
            "intSet": list((0..<i).reversed().map { .int(Int64(100 - $0 * 30)) }),
            "stringSet": list(i == 0 ? [] : [.string("Z\(i)"), .string("a"), .string("b"), .string("é")]),
            "intMap": dictionary((0..<i).map { ("k\($0)", .int(Int64($0))) }),
            "optStringMap": dictionary(i == 0 ? [] : [("null", .null), ("some", .string("text"))]),
            "mixedMap": dictionary(i == 0 ? [] : [("a", .int(Int64(i))), ("b", .double(1.5))]),
        ]
        if let mixed = mixed(i) { values["mixed"] = mixed }
        return values
    }

    /// Returns `nil` for the row whose mixed value is a link.
    package static func mixed(_ i: Int) -> Value? {
        switch i {
        case 0: .null
        case 1: .int(5)
        case 2: .int(1 << 40)
        case 3: .bool(true)
        case 4: .string("mixed text")
        case 5: .data(Data([0x61, 0x62, 0, 0x63]))
        case 6: .timestamp(Timestamp(seconds: 77, nanoseconds: 88))
        case 7: .float(1.5)
        case 8: .double(2.5)
        case 9: .decimal128("12.75")
        case 10: .objectId(objectId(42))
        default: nil
        }
    }

    package static func list(_ values: [Value]) -> Value { .list(NestedList(values)) }
    package static func dictionary(_ entries: [(String, Value)]) -> Value {
        .dictionary(NestedDictionary(entries.map { .init($0.0, $0.1) }))
    }
}
