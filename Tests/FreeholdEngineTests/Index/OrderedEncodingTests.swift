import Testing

@testable import FreeholdEngine

struct OrderedEncodingTests {
    private func encode(_ write: (UnsafeMutableRawPointer) -> Int) -> [UInt8] {
        OrderedEncoding.with(write) { Array($0) }
    }

    private func isOrdered(_ list: [[UInt8]]) -> Bool {
        zip(list, list.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }
    }

    @Test func `Types follow each other in the order of mixed values`() {
        let id = [UInt8](repeating: 7, count: 16)
        let list: [[UInt8]] = [
            encode(OrderedEncoding.null), encode { OrderedEncoding.bool(false, $0) },
            encode { OrderedEncoding.bool(true, $0) }, encodedInt(.min), encodedInt(.max), encodedString(""),
            encodedString(String(repeating: "\u{7F}", count: 80)),
            id.withUnsafeBytes { data in encode { OrderedEncoding.data(data, $0) } },
            encode { OrderedEncoding.timestamp(seconds: .min, nanoseconds: 0, $0) },
            id.withUnsafeBytes { data in encode { OrderedEncoding.objectId(data.baseAddress!, $0) } },
            id.withUnsafeBytes { data in encode { OrderedEncoding.uuid(data.baseAddress!, $0) } },
            encode { OrderedEncoding.link(-1, $0) }, encode { OrderedEncoding.link(0, $0) },
        ]
        expect(isOrdered(list))
    }

    @Test func `Ints and timestamps keep their order`() {
        var random = SeededRandom(seed: 1)
        var ints: Set<Int64> = [.min, .min + 1, -1, 0, 1, 255, 256, .max - 1, .max]
        for _ in 0..<500 { ints.insert(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<63, using: &random)) }
        let sorted = ints.sorted()
        expect(isOrdered(sorted.map(encodedInt)))
        let times = sorted.flatMap { seconds in
            [0, 1, 999_999_999].map { ns in
                encode { OrderedEncoding.timestamp(seconds: seconds, nanoseconds: ns, $0) }
            }
        }
        expect(isOrdered(times))
    }

    @Test func `Strings order by their bytes, a prefix first`() {
        let strings = ["", "a", "a\0", "a\0b", "aa", "ab", "b", "ä", "漢", "🙂", String(repeating: "🙂", count: 16)]
        expect(isOrdered(strings.map(encodedString)))
    }

    @Test func `only strings over 64 bytes are cut and need a check`() {
        let whole = String(repeating: "x", count: 64)
        let cut = whole + "a"
        let other = whole + "b"
        for (string, needsCheck) in [("", false), ("abc", false), (whole, false), (cut, true), (other, true)] {
            let bytes = encodedString(string)
            expectEqual(bytes.withUnsafeBytes { OrderedEncoding.needsCheck($0) }, needsCheck)
            expectEqual(bytes.count, (needsCheck ? OrderedEncoding.maximumLength : 1 + string.utf8.count))
        }
        expect(encodedString(cut) != encodedString(other))
        expect(encodedString(whole).lexicographicallyPrecedes(encodedString(cut)))
        let bytes = encodedString(cut)
        let low = bytes.withUnsafeBytes { OrderedEncoding.bound($0, upper: false, inclusive: false) }
        let high = bytes.withUnsafeBytes { OrderedEncoding.bound($0, upper: true, inclusive: false) }
        for string in [cut, other] {
            expect(low.bytes.lexicographicallyPrecedes(encodedString(string)))
            expect(encodedString(string).lexicographicallyPrecedes(high.bytes))
        }
        expect(low.inclusive && !high.inclusive)
    }

    @Test func `The hash of long values never changes`() {
        let bytes = (0..<100).map { UInt8($0) }
        expectEqual(bytes.withUnsafeBytes { OrderedEncoding.hash($0) }, 13460689360697884572)
        expectEqual(
            [UInt8](repeating: 0xFF, count: 65).withUnsafeBytes { OrderedEncoding.hash($0) },
            7376813755541243628
        )
    }

    @Test func `the successor of a prefix bounds the strings with that prefix`() {
        func successor(_ bytes: [UInt8]) -> [UInt8]? {
            bytes.withUnsafeBytes { OrderedEncoding.successor(ofPrefix: $0) }
        }
        expectEqual(successor([0x30, 0x61]), [0x30, 0x62])
        expectEqual(successor([0x30, 0xFF, 0xFF]), [0x31])
        expect(successor([0xFF, 0xFF]) == nil)
    }
}
