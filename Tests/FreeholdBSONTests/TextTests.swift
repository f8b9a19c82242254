import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

@Suite("BSON: text")
struct TextTests {
    private static func error(_ text: String) -> BSONError? {
        failure { () throws(BSONError) in try BSONValue(extendedJSON: text) }
    }

    @Test(
        arguments: [
            ("0", .int32(0)), ("-0", .int32(0)), ("2147483647", .int32(.max)), ("-2147483648", .int32(.min)),
            ("2147483648", .int64(2_147_483_648)), ("-2147483649", .int64(-2_147_483_649)),
            ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
            ("9223372036854775808", .double(9_223_372_036_854_775_808)),
            ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
            ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("1.0", .double(1)), ("-0.0", .double(-0.0)),
            ("1e2", .double(100)), ("1E+2", .double(100)), ("25e-1", .double(2.5)), ("1e-400", .double(0)),
            ("0.1", .double(0.1)), ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        ] as [(String, BSONValue)]
    )
    func `JSON's numbers become the smallest type that represents them`(_ text: String, _ value: BSONValue) throws {
        try expectEqual(BSONValue(extendedJSON: text), value)
        try expectEqual(BSONValue(extendedJSON: "[ \(text) ]"), [value])
    }

    @Test(
        arguments: [
            ("", .truncated, 0), (" ", .truncated, 1), ("{", .truncated, 1), ("[1,", .truncated, 3),
            ("[1,]", .invalidJSON, 3),
            ("[,1]", .invalidJSON, 1), ("{,}", .invalidJSON, 1), (#"{"a"}"#, .invalidJSON, 4),
            (#"{"a":}"#, .invalidJSON, 5),
            (#"{"a":1,}"#, .invalidJSON, 7), (#"{a:1}"#, .invalidJSON, 1), ("[1 2]", .invalidJSON, 3),
            ("[1}", .invalidJSON, 2),
            (#"{"a":1]"#, .invalidJSON, 6), ("01", .trailingBytes, 1), ("-", .truncated, 1), ("+1", .invalidJSON, 0),
            (".5", .invalidJSON, 0), ("1.", .truncated, 2), ("1.e5", .invalidJSON, 2), ("1e", .truncated, 2),
            ("1e+", .truncated, 3), ("0x10", .trailingBytes, 1), ("NaN", .invalidJSON, 0),
            ("Infinity", .invalidJSON, 0),
            ("1e309", .numberOutOfRange, 0), ("[1, -1e999]", .numberOutOfRange, 4), ("tru", .invalidJSON, 0),
            ("true1", .trailingBytes, 4), ("nullnull", .trailingBytes, 4), ("TRUE", .invalidJSON, 0),
            ("'a'", .invalidJSON, 0),
            (#""a"#, .truncated, 2), (#""\"#, .truncated, 2), (#""\x""#, .invalidJSON, 1),
            (#""\u12""#, .invalidJSON, 5),
            (#""\ud800""#, .invalidJSON, 1), (#""\udc00""#, .invalidJSON, 1), (#""a\ud800\u0041""#, .invalidJSON, 2),
            (#""\ud800\ud800""#, .invalidJSON, 1), ("\"\n\"", .invalidJSON, 1), ("\"\u{0}\"", .invalidJSON, 1),
            ("// no\n1", .invalidJSON, 0), ("1 1", .trailingBytes, 2), ("\u{FEFF}1", .invalidJSON, 0),
            ("\u{A0}1", .invalidJSON, 0),
        ] as [(String, BSONError.Code, Int)]
    )
    func `text that isn't JSON is refused, with the place`(_ text: String, _ code: BSONError.Code, _ offset: Int) {
        let error = Self.error(text)
        expectEqual(error?.code, code)
        expectEqual(error?.offset, offset)
    }

    @Test func `text that isn't UTF-8 is refused`() {
        for wrong in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x98]] as [[UInt8]] {
            let key = Array(#"{"a"#.utf8) + wrong + Array(#"":1}"#.utf8)
            let value = Array(#"{"a":"\n"#.utf8) + wrong + Array(#""}"#.utf8)
            for text in [key, value] {
                expectEqual(
                    failure { () throws(BSONError) in try BSONDocument(extendedJSON: text) }?.code,
                    .invalidUTF8
                )
            }
        }
    }

    @Test func `errors name the path and the place`() throws {
        let error = try require(Self.error(#"{"people": [{}, {"born": {"at": {"$date": "yesterday"}}}]}"#))
        expectEqual(error.path, ["people", "1", "born", "at"])
        expectEqual(error.offset, 32)
        expect("\(error)".hasSuffix("at byte 32, in people.1.born.at"))
        let bytes = try BSONDocument(["a": [1, ["b": true]]]).bytes()
        var damaged = bytes
        damaged[damaged.count - 4] = 7
        let place = try require(failure { () throws(BSONError) in try BSONDocument(bytes: damaged) })
        expectEqual(place.path, ["a", "1", "b"])
        expectEqual(place.offset, damaged.count - 4)
        let written = try require(failure { () throws(BSONError) in try BSONDocument(["a": [["\0": 1]]]).bytes() })
        expectEqual(written.code, .embeddedNull)
        expectEqual(written.path, ["a", "0", "\0"])
    }

    @Test(arguments: [
        #"{"$numberInt":"2147483648"}"#, #"{"$numberInt":"1.0"}"#, #"{"$numberInt":""}"#, #"{"$numberInt":"+1"}"#,
        #"{"$numberInt":" 1"}"#, #"{"$numberLong":"9223372036854775808"}"#, #"{"$numberDouble":"inf"}"#,
        #"{"$numberDouble":"nan"}"#, #"{"$numberDouble":"0x1p3"}"#, #"{"$numberDouble":"1e999"}"#,
        #"{"$numberDouble":""}"#,
        #"{"$numberDecimal":"1.00000000000000000000000000000000001"}"#, #"{"$oid":"56e1fc72e0c917e9c471416"}"#,
        #"{"$oid":"56e1fc72e0c917e9c47141610"}"#, #"{"$oid":"56e1fc72e0c917e9c471416g"}"#, #"{"$oid":{"$symbol":"a"}}"#,
        #"{"$binary":{"base64":"//8","subType":"00"}}"#, #"{"$binary":{"base64":"//9=","subType":"00"}}"#,
        #"{"$binary":{"base64":"/===","subType":"00"}}"#, #"{"$binary":{"base64":"a=aa","subType":"00"}}"#,
        #"{"$binary":{"base64":"====","subType":"00"}}"#, #"{"$binary":{"base64":"","subType":"100"}}"#,
        #"{"$binary":{"base64":"","subType":""}}"#, #"{"$binary":{"base64":"","subType":"+1"}}"#,
        #"{"$binary":"","$type":"0"}"#,
        #"{"$timestamp":{"t":4294967296,"i":1}}"#, #"{"$timestamp":{"t":-1,"i":1}}"#,
        #"{"$timestamp":{"t":1.0,"i":1}}"#,
        #"{"$timestamp":{"t":{"$numberInt":"1"},"i":1}}"#, #"{"$minKey":{"$numberInt":"1"}}"#, #"{"$maxKey":1.0}"#,
        #"{"$undefined":false}"#, #"{"$undefined":1}"#, #"{"$scope":{}}"#, #"{"$code":"","$scope":{},"a":1}"#,
        #"{"$code":"","$scope":{"$numberInt":"1"}}"#, #"{"$date":{"$numberInt":"1"}}"#, #"{"$date":5000000000}"#,
        #"{"$date":"2012-12-24"}"#, #"{"$date":"2012-12-24T12:15:30"}"#, #"{"$date":"2012-02-30T12:15:30Z"}"#,
        #"{"$date":"2011-02-29T12:15:30Z"}"#, #"{"$date":"2012-12-24T24:00:00Z"}"#,
        #"{"$date":"2012-12-24T12:15:60Z"}"#,
        #"{"$date":"2012-12-24T12:15:30.0005Z"}"#, #"{"$date":"2012-12-24T12:15:30.Z"}"#,
        #"{"$date":"12012-12-24T12:15:30Z"}"#,
        #"{"$date":"2012-13-24T12:15:30Z"}"#, #"{"$date":"2012-12-24T12:15:30+25:00"}"#, #"{"$date":{"$date":"x"}}"#,
        #"{"$regularExpression":"a"}"#, #"{"$dbPointer":{"$ref":"a","$id":"b"}}"#, #"{"$symbol":1}"#,
        #"{"$uuid":"c8edabc3f7384ca3b68dab92a91478a3"}"#, #"{"a":1,"$oid":"56e1fc72e0c917e9c4714161"}"#,
    ])
    func `wrappers of another form are refused`(_ text: String) throws {
        let error = try require(Self.error(#"{"a":[\#(text)]}"#))
        expect([.invalidWrapper, .numberOutOfRange].contains(error.code))
        expect(error.path.starts(with: ["a", "0"]))
        expect((6...7 + text.utf8.count).contains(try require(error.offset)))
    }

    @Test(arguments: [
        #"{"$ref":"a"}"#, #"{"$ref":1,"$id":2,"$db":3}"#, #"{"$regex":"a","$options":"i"}"#, #"{"$type":"string"}"#,
        #"{"$":1}"#,
        #"{"$gt":{"$lt":1}}"#, #"{"$Oid":"a"}"#, #"{"oid":"a"}"#,
    ])
    func `other keys with a dollar sign stay documents`(_ text: String) throws {
        try expectEqual(BSONValue(extendedJSON: text).extendedJSON(), text)
        expect(try BSONValue(extendedJSON: text).documentValue != nil)
    }

    @Test func `the keys of a document's text are never a wrapper, and those of a value's text are`() throws {
        let text = #"{"$numberInt":"1"}"#
        try expectEqual(BSONDocument(extendedJSON: text), ["$numberInt": "1"])
        try expectEqual(BSONValue(extendedJSON: text), .int32(1))
        expectEqual(failure { () throws(BSONError) in try BSONDocument(extendedJSON: "[]") }?.code, .invalidJSON)
    }

    @Test(
        arguments: [
            (#"{"$regex":"a","$options":"xi"}"#, .regex(BSONRegex(pattern: "a", options: "ix"))),
            (#"{"$regex":"a"}"#, .regex(BSONRegex(pattern: "a"))),
            (
                #"{"$regex":{"$regularExpression":{"pattern":"a","options":""}},"$options":"i"}"#,
                ["$regex": .regex(BSONRegex(pattern: "a")), "$options": "i"]
            ),
            (#"{"$binary":"AQI=","$type":"05"}"#, .binary(BSONBinary(bytes: [1, 2], subtype: .md5))),
            (#"{"$type":128,"$binary":"AQI="}"#, .binary(BSONBinary(bytes: [1, 2], subtype: .userDefined))),
            (#"{"$type":2}"#, .document(["$type": .int32(2)])),
            (#"{"$date":-1}"#, .datetime(BSONDateTime(milliseconds: -1))),
            (#"{"$date":5000000000}"#, .datetime(BSONDateTime(milliseconds: 5_000_000_000))),
        ] as [(String, BSONValue)]
    )
    func `old forms are read on request`(_ text: String, _ value: BSONValue) throws {
        try expectEqual(BSONValue(extendedJSON: text, options: ExtendedJSONOptions(acceptsLegacy: true)), value)
    }

    @Test func `dates in text agree with Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "UTC")!
        var random = SeededRandom(test: "TextTests.dates")
        for _ in 0..<2_000 {
            let milliseconds = Int64.random(in: 0...253_402_300_799_999, using: &random)
            let value = BSONValue.datetime(BSONDateTime(milliseconds: milliseconds))
            let text = try value.extendedJSON()
            try expectEqual(BSONValue(extendedJSON: text), value)
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: value.dateValue!)
            let digits = text.split { !$0.isNumber }.prefix(6).map { Int($0)! }
            expectEqual(digits, [parts.year!, parts.month!, parts.day!, parts.hour!, parts.minute!, parts.second!])
        }
        try expectEqual(
            BSONValue(extendedJSON: #"{"$date":"0000-03-01T00:00:00Z"}"#),
            .datetime(BSONDateTime(milliseconds: -62_162_035_200_000))
        )
    }
}
