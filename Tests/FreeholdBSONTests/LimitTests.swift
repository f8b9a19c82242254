import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

@Suite("BSON: limits")
struct LimitTests {
    /// The bytes of documents, arrays and scopes nested in each other.
    private static func nested(_ depth: Int, type: UInt8) -> [UInt8] {
        let scopeHead = type == 0x0F ? 9 : 0
        let perLevel = 3 + scopeHead + 4 + 1
        var bytes: [UInt8] = []
        for level in 0..<depth {
            let length = Int32((depth - 1 - level) * perLevel + 5)
            if level > 0 {
                bytes += [type, UInt8(ascii: "0"), 0]
                if type == 0x0F {
                    withUnsafeBytes(of: (length + 9).littleEndian) { bytes += $0 }
                    bytes += [1, 0, 0, 0, 0]
                }
            }
            withUnsafeBytes(of: length.littleEndian) { bytes += $0 }
        }
        return bytes + [UInt8](repeating: 0, count: depth)
    }

    @Test(arguments: [0x03, 0x04] as [UInt8], [1, 7, 200, 1000])
    func `documents are read up to the permitted depth, on a small stack`(_ type: UInt8, _ depth: Int) {
        onSmallStack {
            let bytes = Self.nested(depth, type: type)
            let limits = BSONLimits(depth: depth)
            #expect(throws: Never.self) {
                let document = try BSONDocument(bytes: bytes, limits: limits)
                try expectEqual(document.bytes(limits: limits), bytes)
                let text = try document.extendedJSON(.canonical, limits: limits)
                let options = ExtendedJSONOptions(limits: limits)
                let same = try BSONDocument(extendedJSON: text, options: options)
                expectEqual(same, document)
                expectEqual(same.hashValue, document.hashValue)
            }
            let deeper = Self.nested(depth + 1, type: type)
            expectEqual(
                failure { () throws(BSONError) in try BSONDocument(bytes: deeper, limits: limits) }?.code,
                .tooDeep
            )
        }
    }

    @Test(arguments: [0x03, 0x04, 0x0F] as [UInt8])
    func `a deeply nested document is refused at the limit`(_ type: UInt8) {
        onSmallStack {
            let bytes = Self.nested(100_000, type: type)
            let error = failure { () throws(BSONError) in try BSONDocument(bytes: bytes) }
            expectEqual(error?.code, .tooDeep)
            expectEqual(error?.path.count, (type == 0x0F ? 100 : 200))
            let greatest = BSONLimits(depth: .max)
            expectEqual(
                failure { () throws(BSONError) in try BSONDocument(bytes: bytes, limits: greatest) }?.code,
                .tooDeep
            )
        }
    }

    @Test(arguments: ["[", #"{"a":"#, #"{"$code":"","$scope":"#, #"{"$oid":"#, #"{"$binary":["#, #"[{"$date":"#])
    func `a deeply nested text is refused at the limit`(_ part: String) {
        onSmallStack {
            let text = #"{"a":"# + String(repeating: part, count: 200_000)
            expectEqual(failure { () throws(BSONError) in try BSONDocument(extendedJSON: text) }?.code, .tooDeep)
            let options = ExtendedJSONOptions(limits: BSONLimits(depth: 1000))
            expectEqual(
                failure { () throws(BSONError) in try BSONDocument(extendedJSON: text, options: options) }?.code,
                .tooDeep
            )
        }
    }

    @Test func `a value at the maximum depth may be one with nested objects in text`() throws {
        let limits = BSONLimits(depth: 2)
        let options = ExtendedJSONOptions(limits: limits)
        let document: BSONDocument = [
            "a": [
                .binary(BSONBinary(bytes: [1])), .datetime(BSONDateTime(milliseconds: -1)),
                .dbPointer(BSONDBPointer(reference: "", id: ObjectId())),
                .timestamp(BSONTimestamp(seconds: 1, increment: 2)),
            ]
        ]
        let text = try document.extendedJSON(.canonical, limits: limits)
        try expectEqual(BSONDocument(extendedJSON: text, options: options), document)
        for deep in [
            #"{"a":[{"b":1}]}"#, #"{"a":[[]]}"#, #"{"a":[{}]}"#, #"{"a":{"$a":{}}}"#, #"{"a":{"$a":{"$b":{"$c":{}}}}}"#,
            #"{"a":[{"$code":"","$scope":{}}]}"#, #"{"a":{"$a":[1]}}"#, #"{"$a":{"$a":{"a":1}}}"#,
        ] {
            let error = failure { () throws(BSONError) in try BSONDocument(extendedJSON: deep, options: options) }
            expectEqual(error?.code, .tooDeep, "\(deep)")
        }
        let scope = BSONDocument(["a": .javaScriptWithScope(BSONCodeWithScope(code: "", scope: [:]))])
        expectEqual(failure { () throws(BSONError) in try scope.bytes(limits: limits) }?.code, .tooDeep)
        try expectEqual(scope.bytes(limits: BSONLimits(depth: 3)).count, 22)
    }

    @Test func `a value that is nested too deeply isn't written`() {
        onSmallStack {
            var document = BSONDocument()
            for _ in 0..<200 { document = ["a": [.document(document)]] }
            let nested = document
            expectEqual(failure { () throws(BSONError) in try nested.bytes() }?.code, .tooDeep)
            expectEqual(failure { () throws(BSONError) in try nested.extendedJSON() }?.code, .tooDeep)
            expect(nested.description.contains("nested deeper than 200"))
        }
    }

    @Test(arguments: [
        "1400000002610000000080", "14000000026100FFFFFF7F00", "FFFFFF7F0261000100000000", "14000000056100FFFFFF7F0000",
        "14000000036100FFFFFF7F00", "140000000461000000007F00", "140000000F6100FFFFFF7F0100000000",
    ])
    func `a length of 2 GiB in 20 bytes is refused`(_ start: String) throws {
        var bytes = bytes(start)
        bytes += [UInt8](repeating: 0, count: 20 - bytes.count)
        let error = try require(failure { () throws(BSONError) in try BSONDocument(bytes: bytes) })
        expect([.invalidLength, .truncated].contains(error.code))
    }

    @Test func `the size is limited in both directions`() throws {
        let document: BSONDocument = ["a": .string(String(repeating: "x", count: 100)), "b": .data(.init(count: 100))]
        let bytes = try document.bytes()
        let exact = BSONLimits(size: bytes.count)
        try expectEqual(document.bytes(limits: exact), bytes)
        try expectEqual(BSONDocument(bytes: bytes, limits: exact), document)
        for size in 5..<bytes.count {
            expectEqual(
                failure { () throws(BSONError) in try document.bytes(limits: BSONLimits(size: size)) }?.code,
                .tooLarge
            )
        }
        let small = BSONLimits(size: bytes.count - 1)
        expectEqual(failure { () throws(BSONError) in try BSONDocument(bytes: bytes, limits: small) }?.code, .tooLarge)
        let text = try document.extendedJSON()
        let options = ExtendedJSONOptions(limits: BSONLimits(size: text.utf8.count - 1))
        expectEqual(
            failure { () throws(BSONError) in try BSONDocument(extendedJSON: text, options: options) }?.code,
            .tooLarge
        )
    }

    @Test func `limits stay in their ranges`() {
        expectEqual(BSONLimits(depth: -1, size: -1), BSONLimits(depth: 1, size: 5))
        expectEqual(BSONLimits(depth: .max, size: .max), BSONLimits(depth: 1000, size: 2_147_483_647))
    }
}
