import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

@Suite("BSON: documents and values")
struct DocumentTests {
    @Test func `a document keeps the order of its keys`() {
        var document: BSONDocument = ["b": 1, "a": 2]
        document["c"] = 3
        document["b"] = nil
        document["a"] = .null
        document["b"] = "again"
        expectEqual(document.keys, ["a", "c", "b"])
        expectEqual(document.values, [.null, 3, "again"])
        expectEqual(document["a"], .null)
        expect(document["x"] == nil)
        expectEqual(document["x", default: 7], 7)
        expect(document.contains(key: "a") && !document.contains(key: "x"))
        expectEqual(document.removeValue(forKey: "c"), 3)
        expectEqual(document[1].key, "b")
        expectEqual(BSONDocument(["z": 1, "é": nil, "a": 2] as [String: BSONValue?]).keys, ["a", "z", "é"])
        expect(document != ["b": "again", "a": .null])
    }

    @Test(arguments: [3, 40])
    func `repeated keys are refused, kept, or the last one counts`(_ count: Int) throws {
        var document = BSONDocument()
        for index in 0..<count { document.append("k\(index)", .int32(Int32(index))) }
        document.append("k1", "again")
        let bytes = try document.bytes()
        let text = try document.extendedJSON()

        let refused = failure { () throws(BSONError) in try BSONDocument(bytes: bytes) }
        expectEqual(refused?.code, .duplicateKey)
        expectEqual(refused?.path, ["k1"])
        expectEqual(failure { () throws(BSONError) in try BSONDocument(extendedJSON: text) }?.code, .duplicateKey)

        let kept = try BSONDocument(bytes: bytes, duplicateKeys: .keep)
        expectEqual(kept, document)
        expectEqual(kept["k1"], .int32(1))
        try expectEqual(kept.bytes(), bytes)
        try expectEqual(BSONDocument(extendedJSON: text, options: ExtendedJSONOptions(duplicateKeys: .keep)), document)

        var last = BSONDocument(document.dropLast())
        last["k1"] = "again"
        try expectEqual(BSONDocument(bytes: bytes, duplicateKeys: .last), last)
        try expectEqual(BSONDocument(extendedJSON: text, options: ExtendedJSONOptions(duplicateKeys: .last)), last)

        document["k1"] = true
        expect(document.count == count && document["k1"] == true)
    }

    @Test func `many keys are read in linear time, even if all are new`() throws {
        var document = BSONDocument()
        for index in 0..<100_000 { document.append("\(index)", .null) }
        try expectEqual(BSONDocument(bytes: document.bytes()), document)
        try expectEqual(BSONDocument(extendedJSON: document.extendedJSON()), document)
    }

    @Test func `thousands of keys that are equal in Swift are read in linear time`() throws {
        var document = BSONDocument()
        for bits in 0..<(1 << 15) {
            document.append((0..<15).map { bits >> $0 & 1 == 0 ? "\u{E9}" : "e\u{301}" }.joined(), .null)
        }
        try expectEqual(BSONDocument(bytes: document.bytes()), document)
        try expectEqual(BSONDocument(extendedJSON: document.extendedJSON()), document)
        expectEqual(Set(document.map { BSONValue.string($0.key) }).count, document.count)
    }

    @Test func `values are equal if their types and bytes are equal`() {
        let different: [BSONValue] = [
            .int32(1), .int64(1), .double(1), .decimal128("1"), .decimal128("1.0"), .bool(true), .double(0),
            .double(-0.0),
            .double(.nan), .double(Double(nan: 1, signaling: false)), .decimal128(.nan),
            .decimal128(Decimal128(lo: 1, hi: 0x7C00 << 48)),
            "é", "e\u{301}", .symbol("é"), .javaScript("é"), .null, .undefined, .minKey, .maxKey, [], .document([:]),
            .regex(BSONRegex(pattern: "é")), .regex(BSONRegex(pattern: "e\u{301}")), ["é": 1], ["e\u{301}": 1],
            .binary(BSONBinary(bytes: [])), .binary(BSONBinary(bytes: [], subtype: .uuid)),
            .datetime(BSONDateTime(milliseconds: 1)),
            .javaScriptWithScope(BSONCodeWithScope(code: "", scope: [:])),
            .timestamp(BSONTimestamp(seconds: 0, increment: 1)),
        ]
        for (x, a) in different.enumerated() {
            for (y, b) in different.enumerated() { expectEqual((a == b), (x == y), "\(a) \(b)") }
        }
        expectEqual(Set(different + different).count, different.count)
        expect(["é": 1] as BSONDocument != ["e\u{301}": 1])
        expect((["e\u{301}": 1] as BSONDocument)["é"] == nil)
    }

    @Test func `typed accessors convert nothing, and numbers are converted if that is exact`() throws {
        expect(BSONValue.int32(1).int32Value == 1 && BSONValue.int32(1).int64Value == nil)
        expect(BSONValue.int32(1).asInt() == 1 && BSONValue.double(2).asInt64() == 2)
        expect(BSONValue.double(2.5).asInt() == nil && BSONValue.double(.nan).asInt64() == nil)
        expect(BSONValue.int64(1 << 40).asInt32() == nil && BSONValue.decimal128("7.0").asInt() == 7)
        expect(BSONValue.int64(.max).asDouble() == nil && BSONValue.decimal128("0.5").asDouble() == 0.5)
        expect(BSONValue.string("1").asInt() == nil && BSONValue.string("1").stringValue == "1")
        let id = UUID()
        expectEqual(BSONValue.uuid(id).uuidValue, id)
        expect(BSONValue.data(Data([1])).uuidValue == nil && BSONValue.data(Data([1])).binaryValue?.data == Data([1]))
        expect(BSONBinary(bytes: [1], subtype: .uuid).uuid == nil)
    }

    @Test(arguments: [0, 1, -1, 1_356_351_330_501, -62_135_596_800_000, 253_402_300_799_999, 1 << 51, -1 << 51])
    func `dates are converted to milliseconds and back`(_ milliseconds: Int64) {
        let date = BSONDateTime(milliseconds: milliseconds).date
        expectEqual(BSONDateTime(date)?.milliseconds, milliseconds)
        expect(abs(date.timeIntervalSince1970 * 1000 - Double(milliseconds)) < 1)
    }

    @Test func `dates that milliseconds can't represent become the nearest ones`() {
        expect(BSONDateTime(Date(timeIntervalSince1970: .infinity)) == nil)
        expect(BSONDateTime(Date(timeIntervalSince1970: .nan)) == nil)
        expect(BSONDateTime(Date(timeIntervalSince1970: 1e17)) == nil)
        expectEqual(BSONValue.date(.init(timeIntervalSince1970: 1e17)).datetimeValue?.milliseconds, .max)
        expectEqual(BSONValue.date(.init(timeIntervalSince1970: -.infinity)).datetimeValue?.milliseconds, .min)
        for extreme in [Int64.min, .max] {
            expect(BSONDateTime(milliseconds: extreme).date.timeIntervalSince1970.isFinite)
        }
    }

    @Test func `vectors are packed and read`() throws {
        for (vector, expected) in [
            (.int8([127, 7, -128]), "03007F0780"), (.int8([]), "0300"), (.float32([127, 7]), "27000000FE420000E040"),
            (.float32([-.infinity, 0, .infinity]), "2700000080FF000000000000807F"),
            (.packedBit(bytes: [], padding: 0), "1000"),
            (.packedBit(bytes: [127, 8], padding: 3), "10037F08"),
        ] as [(BSONVector, String)] {
            let binary = try BSONBinary(vector)
            expect(hex(binary.bytes) == expected && binary.subtype == .vector)
            try expectEqual(binary.vector(), vector)
        }
    }

    @Test(arguments: [
        "", "03", "03037F07", "2703000000", "27002A2A2A", "27002A2A2A2A2A", "1001", "1003FF", "1008FF", "10FF00",
        "0400",
    ])
    func `bytes that aren't a vector are refused`(_ text: String) {
        let binary = BSONBinary(bytes: bytes(text), subtype: .vector)
        expectEqual(failure { () throws(BSONError) in try binary.vector() }?.code, .invalidVector)
    }

    @Test func `vectors that can't be packed are refused`() {
        for (bytes, padding) in [([], 1), ([1], 8), ([1], -1), ([1], 1), ([0], 256)] as [([UInt8], Int)] {
            let vector = BSONVector.packedBit(bytes: bytes, padding: padding)
            expectEqual(failure { () throws(BSONError) in try BSONBinary(vector) }?.code, .invalidVector)
        }
        expectEqual(failure { () throws(BSONError) in try BSONBinary(bytes: [3, 0]).vector() }?.code, .invalidVector)
    }

    @Test func `a repeated key in a literal traps`() async {
        await #expect(processExitsWith: .failure) { _ = BSONDocument(dictionaryLiteral: ("a", 1), ("a", 2)) }
    }

    @Test func `documents are printed as relaxed Extended JSON`() throws {
        let document: BSONDocument = ["a": 1, "b": [true, nil, []], "c": ["d": 0.5], "e": [:]]
        expectEqual("\(document)", #"{"a":1,"b":[true,null,[]],"c":{"d":0.5},"e":{}}"#)
        expectEqual("\(document["b"]!)", "[true,null,[]]")
        let pretty = """
            {
              "a": 1,
              "b": [
                true,
                null,
                []
              ],
              "c": {
                "d": 0.5
              },
              "e": {}
            }
            """
        try expectEqual(document.extendedJSON(pretty: true), pretty)
    }
}
