import Testing

@testable import FreeholdStudio

/// The parser and the writer of messages.
struct JSONTests {
    @Test(arguments: [
        "null", "true", "[1,-2.5,3e10]", "{\"a\":{\"b\":[]},\"c\":\"x\"}", "\"\\u00e9\\ud83d\\ude00\\n\"", " [ ] ",
    ])
    func `Valid messages are parsed, and written text is parsed as the same value`(_ text: String) throws {
        let value = try StudioJSON(parsing: Array(text.utf8))
        expectEqual(try StudioJSON(parsing: value.bytes), value)
    }

    @Test(arguments: [
        "", "nul", "[1,]", "{\"a\":1,\"a\":2}", "{\"a\"}", "\"\\ud800\"", "\"\\x\"", "01", "1.", "-", "[1] 2",
        "\"\u{1}\"", "{", "\"",
        "[\"\\u12\"]", "+1", "NaN",
    ])
    func `Hostile messages are errors`(_ text: String) {
        #expect(throws: StudioError.self) { try StudioJSON(parsing: Array(text.utf8)) }
    }

    @Test func `Deep and wide messages are refused`() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: StudioError.self) { try StudioJSON(parsing: Array(deep.utf8)) }
        let wide = "[" + String(repeating: "0,", count: 1_000_000) + "0]"
        #expect(throws: StudioError.self) { try StudioJSON(parsing: Array(wide.utf8)) }
        #expect(throws: StudioError.self) { try StudioJSON(parsing: [0x22, 0xFF, 0x22]) }
    }

    @Test func `Damaged messages never trap`() {
        var random = SeededRandom(test: "studio damaged messages")
        let text = Array("{\"id\":7,\"do\":\"open\",\"sort\":[[\"name\",\"asc\"]],\"q\":\"a \\u0041 \u{e9}\"}".utf8)
        for _ in 0..<2_000 {
            var bytes = text
            for _ in 0..<random.number(1..<4) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = try? StudioJSON(parsing: bytes)
        }
    }
}
