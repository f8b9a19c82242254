import FreeholdEngine
import Testing

@testable import FreeholdBSON

@Suite("BSON: the cases of the specification")
struct SpecificationTests {
    @Test(arguments: ValidCases.all)
    func `bytes are read and written again as the same bytes and as the canonical text`(_ test: ValidCase) throws {
        let document = try BSONDocument(bytes: bytes(test.hex))
        try expectEqual(hex(document.bytes()), test.hex)
        try expectEqual(document.extendedJSON(.canonical), test.canonical)
        try expectEqual(document.extendedJSON(), test.relaxed ?? document.extendedJSON(.relaxed))
    }

    @Test(arguments: ValidCases.all)
    func `the canonical text is read as the same document`(_ test: ValidCase) throws {
        let document = try BSONDocument(extendedJSON: test.canonical)
        try expectEqual(document.extendedJSON(.canonical), test.canonical)
        if !test.isLossy {
            try expectEqual(hex(document.bytes()), test.hex)
            try expectEqual(document, BSONDocument(bytes: bytes(test.hex)))
        }
        let pretty = try document.extendedJSON(.canonical, pretty: true)
        try expectEqual(BSONDocument(extendedJSON: pretty).extendedJSON(.canonical), test.canonical)
    }

    @Test(arguments: ValidCases.all)
    func `the relaxed text is read and written again as the same text`(_ test: ValidCase) throws {
        guard let relaxed = test.relaxed else { return }
        try expectEqual(BSONDocument(extendedJSON: relaxed).extendedJSON(), relaxed)
    }

    @Test(arguments: ValidCases.all)
    func `other notations are read as the same document`(_ test: ValidCase) throws {
        for text in test.otherTexts {
            let document = try BSONDocument(extendedJSON: text)
            try expectEqual(document.extendedJSON(.canonical), test.canonical)
            if !test.isLossy { try expectEqual(hex(document.bytes()), test.hex) }
        }
        for other in test.otherHex {
            try expectEqual(hex(BSONDocument(bytes: bytes(other)).bytes()), test.hex)
        }
    }

    @Test(arguments: DecimalCases.valid.split(separator: "\n"))
    func `decimals keep their digits and their exponent`(_ line: Substring) throws {
        let words = line.split(separator: " ")
        let isLossy = words.contains("~")
        let stored = "180000001364" + "00" + words[0] + "00"
        let document = try BSONDocument(bytes: bytes(stored))
        try expectEqual(hex(document.bytes()), stored)
        let text = #"{"d":{"$numberDecimal":"\#(words[1])"}}"#
        try expectEqual(document.extendedJSON(.canonical), text)
        try expectEqual(document.extendedJSON(.relaxed), text)
        for word in words.dropFirst() where word != "~" {
            let number = try Decimal128(exact: String(word))
            expect(number.exactText == words[1])
            if !isLossy { try expectEqual(hex(BSONDocument(["d": .decimal128(number)]).bytes()), stored) }
        }
    }

    @Test(arguments: DecimalCases.refused)
    func `a text that isn't an exact decimal is refused`(_ text: Substring) {
        expect(failure { () throws(BSONError) in try Decimal128(exact: String(text)) } != nil)
    }

    @Test func `long decimals are exact or refused`() throws {
        let zeros = String(repeating: "0", count: 100_000)
        try expectEqual(Decimal128(exact: zeros + "1." + "0").exactText, "1.0")
        try expectEqual(Decimal128(exact: "1" + zeros + "E-100000").exactText, "1.000000000000000000000000000000000")
        try expectEqual(Decimal128(exact: "0." + zeros + "E+999999999999999999999").exactText, "0E+6111")
        expectEqual(failure { () throws(BSONError) in try Decimal128(exact: "1" + zeros) }?.code, .numberOutOfRange)
        expectEqual(
            failure { () throws(BSONError) in try Decimal128(exact: "0." + zeros + "1") }?.code,
            .numberOutOfRange
        )
        expect(failure { () throws(BSONError) in try Decimal128(exact: "1E+99999999999999999999") } != nil)
    }

    @Test(arguments: HostileBytes.cases.indices)
    func `wrong bytes are refused, with the place`(_ index: Int) throws {
        let test = HostileBytes.cases[index]
        let error = try require(failure { () throws(BSONError) in try BSONDocument(bytes: bytes(test.hex)) })
        expectEqual(error.code, test.code)
        expectEqual(error.offset, test.offset)
    }

    @Test(arguments: HostileTexts.cases.indices)
    func `wrong Extended JSON is refused, with the path`(_ index: Int) throws {
        let test = HostileTexts.cases[index]
        let error = try require(failure { () throws(BSONError) in try BSONDocument(extendedJSON: test.text) })
        expectEqual(error.code, test.code)
        expectEqual(error.path, test.path)
        expect(error.offset != nil)
    }
}
