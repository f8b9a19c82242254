import FreeholdBSON
import FreeholdEngine
import Testing

@Suite("BSON: random documents")
struct RoundTripTests {
    private static let count = isSoak ? 200_000 : 3_000

    @Test func `documents are read from their bytes, and equal documents have equal bytes`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "RoundTripTests.bytes"))
        for _ in 0..<Self.count {
            let document = documents.document()
            let bytes = try document.bytes()
            let same = try BSONDocument(bytes: bytes)
            expectEqual(same, document)
            expectEqual(same.hashValue, document.hashValue)
            try expectEqual(same.bytes(), bytes)
            let other = documents.document()
            try expectEqual((other == document), (other.bytes() == bytes))
        }
    }

    @Test func `documents are read from canonical text with every type`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "RoundTripTests.canonical"), isTextSafe: true)
        for round in 0..<Self.count {
            let document = documents.document()
            let text = try document.extendedJSON(.canonical, pretty: round % 4 == 0)
            let same = try BSONDocument(extendedJSON: text)
            expectEqual(same, document, "\(text)")
        }
    }

    @Test func `relaxed text is written as the same text, and any bits become text`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "RoundTripTests.relaxed"))
        for _ in 0..<Self.count {
            let document = documents.document()
            let text = try document.extendedJSON()
            try expectEqual(BSONDocument(extendedJSON: text).extendedJSON(), text)
            let canonical = try document.extendedJSON(.canonical)
            try expectEqual(BSONDocument(extendedJSON: canonical).extendedJSON(.canonical), canonical)
        }
    }

    @Test func `decimals are read from the text that they write, with the same bits if canonical`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "RoundTripTests.decimals"), isTextSafe: true)
        for _ in 0..<Self.count {
            let value = BSONValue.decimal128(documents.decimal())
            try expectEqual(BSONValue(extendedJSON: value.extendedJSON()), value)
        }
    }

    @Test func `doubles are written with the shortest digits that have the same value`() throws {
        var random = SeededRandom(test: "RoundTripTests.doubles")
        for _ in 0..<Self.count {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            for format in [ExtendedJSONFormat.canonical, .relaxed] {
                let text = try BSONValue.double(number).extendedJSON(format)
                try expectEqual(BSONValue(extendedJSON: text), .double(number))
            }
        }
    }
}
