import Testing

@testable import FreeholdBSON

/// Damaged documents: reading must end with a document or an error, and never trap. An accepted document is written as
/// bytes that are read as the same document.
@Suite("BSON: fuzz")
struct FuzzTests {
    private static let count = TestBudget.cases(6_000, soak: 3_000_000)

    @Test(arguments: [BSONDuplicateKeys.refuse, .keep, .last])
    func `damaged bytes give an error or a document that can be written`(_ policy: BSONDuplicateKeys) throws {
        var documents = RandomDocuments(random: SeededRandom(test: "FuzzTests.bytes"))
        var accepted = 0
        var valid: [UInt8] = []
        for round in 0..<Self.count {
            if round % 20 == 0 { valid = try documents.document().bytes() }
            var bytes = valid
            damage(&bytes, &documents)
            guard let document = try? BSONDocument(bytes: bytes, duplicateKeys: policy) else { continue }
            accepted += 1
            let written = try document.bytes()
            try expectEqual(BSONDocument(bytes: written, duplicateKeys: policy), document)
            // Only keys of arrays, order of options and repeated keys may differ.
            if policy != .last { expect(written.count <= bytes.count + 4 * bytes.count) }
            let text = try document.extendedJSON(.canonical)
            _ = failure { () throws(BSONError) in try BSONDocument(extendedJSON: text) }
        }
        print("FuzzTests: \(Self.count) cases, \(accepted) accepted")
        expect(accepted > Self.count / 50)
    }

    @Test func `damaged text gives an error or a document that can be written`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "FuzzTests.text"))
        var accepted = 0
        var valid: [UInt8] = []
        for round in 0..<Self.count {
            if round % 20 == 0 {
                let document = documents.document()
                valid = try Array(document.extendedJSON(round % 40 == 0 ? .canonical : .relaxed).utf8)
            }
            var text = valid
            damageText(&text, &documents)
            let options = ExtendedJSONOptions(acceptsLegacy: round % 3 == 0)
            guard let document = try? BSONDocument(extendedJSON: text, options: options) else { continue }
            accepted += 1
            let written = try document.bytes()
            try expectEqual(BSONDocument(bytes: written), document)
        }
        print("FuzzTests: \(Self.count) cases, \(accepted) accepted")
        expect(accepted > Self.count / 50)
    }

    @Test func `every proper prefix of a document is refused`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "FuzzTests.beginnings"))
        for _ in TestBudget.range("FuzzTests.beginnings", usual: 12, soak: 30) {
            let document = documents.document()
            let bytes = try document.bytes()
            for count in 0..<bytes.count {
                expect(failure { () throws(BSONError) in try BSONDocument(bytes: Array(bytes.prefix(count))) } != nil)
            }
            let text = try Array(document.extendedJSON(.canonical).utf8)
            for count in 0..<text.count {
                let beginning = Array(text.prefix(count))
                expect(failure { () throws(BSONError) in try BSONDocument(extendedJSON: beginning) } != nil)
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ documents: inout RandomDocuments) {
        for _ in 0..<documents.int(1...3) {
            let place = documents.int(0...bytes.count - 1)
            switch documents.int(0...6) {
            case 0: bytes[place] = documents.bits(UInt8.self)
            case 1: bytes[place] ^= 1 << UInt8(documents.int(0...7))
            case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF, 4, 5, 0x0F].randomElement(using: &documents.random)!
            case 3:
                // A length that is off by a little, or huge.
                let number = [-1, 0, 4, 5, 6, .max, .min, Int32(documents.int(0...100))]
                    .randomElement(using: &documents.random)!
                withUnsafeBytes(of: number.littleEndian) { source in
                    for index in 0..<4 where place + index < bytes.count { bytes[place + index] = source[index] }
                }
            case 4 where bytes.count > 6: bytes.remove(at: place)
            case 5: bytes.insert(documents.bits(UInt8.self), at: place)
            default:
                let other = documents.int(0...bytes.count - 1)
                bytes.swapAt(place, other)
            }
        }
        // Half of the time the outer length is right, so that the damage inside is reached.
        if documents.random.oneIn(2), bytes.count >= 5 {
            withUnsafeBytes(of: Int32(bytes.count).littleEndian) { source in
                for index in 0..<4 { bytes[index] = source[index] }
            }
        }
    }

    private func damageText(_ text: inout [UInt8], _ documents: inout RandomDocuments) {
        let parts = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "0", "-", "1e999", ".", "null", "$",
            "\"$oid\":",
            "{\"$date\":", "{\"$code\":\"\",\"$scope\":", "\u{0}", "\u{1F}", " ",
        ]
        for _ in 0..<documents.int(1...2) {
            let place = documents.int(0...text.count - 1)
            switch documents.int(0...4) {
            case 0: text[place] = documents.bits(UInt8.self)
            case 1 where text.count > 2: text.remove(at: place)
            case 2: text.insert(contentsOf: parts.randomElement(using: &documents.random)!.utf8, at: place)
            case 3: text[place] = UInt8(documents.int(0x20...0x7E))
            default: text.swapAt(place, documents.int(0...text.count - 1))
            }
        }
    }
}
