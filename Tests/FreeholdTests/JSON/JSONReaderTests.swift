import Foundation
import Testing

@testable import Freehold

/// Compares structure and texts; places don't matter.
private func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .number(let digits): digits
    case .string(let string): string.debugDescription
    case .array(let elements): "[" + elements.map(text).joined(separator: ",") + "]"
    case .object(let members):
        "{" + members.map { "\($0.key.debugDescription):\(text($0.value))" }.joined(separator: ",") + "}"
    }
}

/// Reads one value and the end, in chunks of a given size.
private func read(_ bytes: [UInt8], chunk: Int = 1 << 16) throws(JSONError) -> JSONValue {
    var rest = bytes[...]
    var reader = JSONReader(
        JSONInput {
            defer { rest = rest.dropFirst(chunk) }
            return Data(rest.prefix(chunk))
        }
    )
    try reader.skipByteOrderMark()
    let value = try reader.value()
    if let byte = try reader.nextToken() { throw reader.unexpected(byte, "the end") }
    return value
}

private func read(_ text: String, chunk: Int = 1 << 16) throws(JSONError) -> JSONValue {
    try read(Array(text.utf8), chunk: chunk)
}

private func failure(_ bytes: [UInt8]) -> JSONError? {
    do throws(JSONError) {
        _ = try read(bytes)
        return nil
    } catch {
        return error
    }
}

@Suite("JSON: reading")
struct JSONReaderTests {
    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("false", "false"), ("0", "0"), ("-0", "-0"),
        ("-12.50e+30", "-12.50e+30"), ("1E5", "1E5"), ("123456789012345678901234567890.1", nil),
        (#""""#, #""""#), (#""aé漢😀""#, nil), (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u{08}\u{0C}\n\r\t""#),
        (#""\u00e9\uD83D\uDE00\u0000""#, "\"é😀\\0\""), ("[]", "[]"), ("[ ]", "[]"), ("[1,[2,[3]],{}]", nil),
        ("{}", "{}"), (#"{ "a" : 1 , "b" : [ true , null ] }"#, #"{"a":1,"b":[true,null]}"#),
        ("\u{FEFF}[1]", "[1]"), ("\r\n\t 5 \n", "5"), (#"{"":{"":""}}"#, nil),
    ])
    func `every kind of value is read, in any chunks`(json: String, expected: String?) throws {
        for chunk in [1, 2, 3, 7, 1 << 16] {
            expectEqual(text(try read(json, chunk: chunk)), expected ?? json)
        }
    }

    @Test(
        arguments: [
            ("", JSONError.Kind.malformed, 1, 1), ("   ", .malformed, 1, 4), ("nul", .malformed, 1, 1),
            ("nulls", .malformed, 1, 1), ("True", .malformed, 1, 1), ("01", .malformed, 1, 1), ("-", .malformed, 1, 1),
            ("1.", .malformed, 1, 1), (".5", .malformed, 1, 1), ("1e", .malformed, 1, 1), ("1e+", .malformed, 1, 1),
            ("+1", .malformed, 1, 1), ("0x10", .malformed, 1, 2), ("1.2.3", .malformed, 1, 4),
            ("NaN", .malformed, 1, 1), ("Infinity", .malformed, 1, 1), ("-Infinity", .malformed, 1, 1),
            ("[1,]", .malformed, 1, 4), ("[1 2]", .malformed, 1, 4), ("[", .malformed, 1, 2), ("[1", .malformed, 1, 3),
            ("]", .malformed, 1, 1), ("{", .malformed, 1, 2), (#"{"a"}"#, .malformed, 1, 5),
            (#"{"a":}"#, .malformed, 1, 6), (#"{"a":1,}"#, .malformed, 1, 8), ("{a:1}", .malformed, 1, 2),
            ("{'a':1}", .malformed, 1, 2), (#"{"a":1 "b":2}"#, .malformed, 1, 8), (#"{"a":1"#, .malformed, 1, 7),
            (#"{"a" 1}"#, .malformed, 1, 6), ("\"abc", .malformed, 1, 1), ("\"a\nb\"", .malformed, 1, 3),
            ("\"\u{01}\"", .malformed, 1, 2), (#""\x""#, .malformed, 1, 2), (#""\u12""#, .malformed, 1, 2),
            (#""\u12G4""#, .malformed, 1, 2), ("1 2", .malformed, 1, 3), ("[1] x", .malformed, 1, 5),
            ("// c\n1", .malformed, 1, 1), ("[\n 1,\n  x]", .malformed, 3, 3), (#""\uD800""#, .invalidText, 1, 2),
            (#""\uD800\n""#, .invalidText, 1, 2), (#""\uD800\u0041""#, .invalidText, 1, 2),
            (#""\uDC00""#, .invalidText, 1, 2), (#"{"a":1,"a":2}"#, .duplicateKey, 1, 8),
            ("{\"\u{00E9}\":1,\"e\u{0301}\":2}", .duplicateKey, 1, 9),
        ] as [(String, JSONError.Kind, Int, Int)]
    )
    func `text that isn't JSON is refused, with line and column`(
        json: String,
        kind: JSONError.Kind,
        line: Int,
        column: Int
    ) {
        for chunk in [1, 5, 1 << 16] {
            do throws(JSONError) {
                let value = try read(json, chunk: chunk)
                Issue.record("read as \(text(value))")
            } catch {
                expect(error.kind == kind && error.line == line && error.column == column, "\(error)")
            }
        }
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22], [0x22, 0x80, 0x22],
        ] as [[UInt8]]
    )
    func `bytes that aren't UTF-8 are refused`(bytes: [UInt8]) { expectEqual(failure(bytes)?.kind, .invalidText) }

    @Test
    func `bytes that only begin like a byte order mark are refused`() {
        expectEqual(failure([0xEF, 0xBB, 0x31])?.kind, .malformed)
    }

    @Test
    func `512 levels are read, and 513 and a million are refused`() throws {
        func nested(_ levels: Int, _ open: String, _ close: String) -> String {
            String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)
        }
        _ = try read(nested(512, "[", "]"))
        _ = try read(nested(512, #"{"a":"#, "}"))
        for levels in [513, 1_000_000] {
            expectEqual(failure(Array(nested(levels, "[", "]").utf8))?.kind, .tooDeep)
            expectEqual(failure(Array(nested(levels, #"{"a":"#, "}").utf8))?.kind, .tooDeep)
        }
    }

    @Test
    func `a repeated key is found among many`() throws {
        let members = (0..<40).map { #""k\#($0)":\#($0)"# }
        _ = try read("{" + members.joined(separator: ",") + "}")
        for repeated in [0, 15, 16, 39] {
            let json = "{" + (members + [members[repeated]]).joined(separator: ",") + "}"
            expectEqual(failure(Array(json.utf8))?.kind, .duplicateKey)
        }
    }

    @Test
    func `random bytes and damaged JSON never trap, and accepted text has Foundation's value`() throws {
        var generator = SeededRandom(test: "damaged JSON")
        func random(_ n: Int) -> Int { generator.below(n) }
        let sample = Array(
            #"{"a":[1,-2.5e3,true,null,"x\u00e9\uD83D\uDE00\n"],"b":{"c":"漢字","d":[]},"e":"\\\"","f":[[{}]]}"#.utf8
        )
        let marks = Array(#"{}[]",:\0123456789.eE+-tfnu \#n"#.utf8) + [0xEF, 0x80, 0xFF, 0x00]
        for _ in 0..<2000 {
            var bytes = random(3) == 0 ? (0..<random(40)).map { _ in marks[random(marks.count)] } : sample
            for _ in 0..<random(4) where !bytes.isEmpty {
                switch random(4) {
                case 0: bytes[random(bytes.count)] = UInt8(random(256))
                case 1: bytes[random(bytes.count)] = marks[random(marks.count)]
                case 2: bytes.remove(at: random(bytes.count))
                default: bytes.removeLast(random(bytes.count))
                }
            }
            guard failure(bytes) == nil else { continue }
            let known = try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            let json = String(decoding: bytes, as: UTF8.self)
            // Numbers beyond Double's range are numbers to this reader, and none to Foundation.
            let isHuge = json.contains(/[eE]\+?[0-9]{3}/)
            expect(known != nil || isHuge, "\(json)")
            for chunk in [1, 3] {
                expectEqual(text(try read(bytes, chunk: chunk)), text(try read(bytes)))
            }
        }
    }

    @Test
    func `a failing input is an error of its own`() {
        var reader = JSONReader(JSONInput { throw CocoaError(.fileReadNoSuchFile) })
        #expect(throws: JSONError.self) { try reader.value() }
    }
}
