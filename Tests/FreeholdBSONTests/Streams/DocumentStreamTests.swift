import Foundation
import FreeholdBSON
import Testing

@Suite("Streams of documents")
struct DocumentStreamTests {
    private static let forms: [DocumentStreamWriter.Form] = [
        .bson, .lines(.canonical), .lines(.relaxed), .array(.canonical), .array(.relaxed),
    ]

    @Test(arguments: forms)
    func `written documents are read again, in pieces of any size`(_ form: DocumentStreamWriter.Form) throws {
        var documents = RandomDocuments(random: SeededRandom(test: "streams of documents"), isTextSafe: true)
        for _ in 0..<(isSoak ? 2_000 : 60) {
            let all = (0..<documents.int(0...8)).map { _ in documents.document() }
            let bytes = try written(all, form, pieceSize: documents.int(1...300))
            var stream = DocumentStreamReader(
                documents.random.oneIn(2) ? (form == .bson ? .bson : .json) : nil,
                options: DocumentStreamOptions(pieceSize: documents.int(1...40)),
                read: source(bytes, documents.random, most: 40)
            )
            let read = try stream.rest()
            expectEqual(read.count, all.count)
            switch form {
            case .lines(.relaxed), .array(.relaxed):
                try expectEqual(read.map { try $0.extendedJSON() }, all.map { try $0.extendedJSON() })
            default: try expectEqual(read.map { try $0.bytes() }, all.map { try $0.bytes() })
            }
            expect(stream.offset == bytes.count && stream.document == all.count)
            expect(try stream.next() == nil)
        }
    }

    @Test
    func `texts of export tools are read`() throws {
        let expected: [BSONDocument] = [["a": .int32(1)], ["b": [.int32(1), .int32(2)]]]
        for text in [
            "{\"a\":1}\n{\"b\":[1,2]}\n", "{\"a\":1}{\"b\":[1,2]}", "\u{FEFF}{\"a\": 1}\r\n\r\n{\"b\": [1, 2]}",
            "[{\"a\":1},{\"b\":[1,2]}]", "  [\n{\"a\":1}\n,\n{\"b\":[1,2]}\n]\n ",
            "{\n\t\"a\": 1\n}\n{\n\t\"b\": [\n\t\t1,\n\t\t2\n\t]\n}\n",
        ] {
            var stream = reader(Array(text.utf8))
            try expectEqual(stream.rest(), expected, "\(text)")
        }
        for text in ["", "  \n", "[]", "\u{FEFF}", " [ ] "] {
            var stream = reader(Array(text.utf8))
            expect(try stream.next() == nil, "\(text)")
        }
        // Braces and quotes in strings don't end a document.
        let tricky: BSONDocument = ["}": "{\"\\", "\\\"": "]", "x": ["[", "}"]]
        var stream = reader(try written([tricky, tricky], .lines(.canonical)))
        try expectEqual(stream.rest(), [tricky, tricky])
        // The first form of Extended JSON, as mongoexport wrote it before 4.2.
        var old = reader(
            Array(
                #"{"_id":{"$oid":"5a934e000102030405000000"},"d":{"$date":"2018-02-26T00:00:00.000Z"},"b":{"$binary":"AQI=","$type":"00"},"n":{"$numberLong":"5"}}"#
                    .utf8
            )
        )
        let document = try require(try old.next())
        expect(document["b"] == .binary(BSONBinary(bytes: [1, 2])) && document["n"] == .int64(5))
        var strict = reader(
            Array(#"{"b":{"$binary":"AQI=","$type":"00"}}"#.utf8),
            options: DocumentStreamOptions(acceptsLegacy: false)
        )
        #expect(throws: DocumentStreamError.self) { try strict.next() }
    }

    @Test(
        arguments: [
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0], [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0], [0x50, 0x4B, 3, 4, 0, 0, 0, 0],
            [0x6D, 0xE2, 0x99, 0x81, 0, 0, 0, 0],
        ] as [[UInt8]]
    )
    func `compressed streams and archives are recognised and refused`(_ bytes: [UInt8]) throws {
        var stream = reader(bytes)
        let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
        expect(error.reason.contains("unpack") || error.reason.contains("archive"))
    }

    struct Broken: Sendable {
        let text: String
        let document: Int
        let line: Int
        let offset: Int
        let canContinue: Bool
        let path: [String]
        /// The number of documents that are read if the reader continues.
        let more: Int
    }

    @Test(arguments: [
        Broken(
            text: "{\"a\":1}\n{\"b\": nul}\n{\"c\":1}\n",
            document: 2,
            line: 2,
            offset: 14,
            canContinue: true,
            path: ["b"],
            more: 1
        ),
        Broken(
            text: "{\"a\":1}\n\n{\"b\":\n {\"c\": [1, x]}}",
            document: 2,
            line: 4,
            offset: 26,
            canContinue: true,
            path: ["b", "c", "1"],
            more: 0
        ),
        Broken(
            text: "{\"a\":1}\noops\n{\"c\":1}",
            document: 2,
            line: 2,
            offset: 8,
            canContinue: true,
            path: [],
            more: 1
        ),
        Broken(text: "{\"a\":1}\n{\"b\":", document: 2, line: 2, offset: 8, canContinue: false, path: [], more: 0),
        Broken(
            text: "[{\"a\":1} {\"b\":1}]",
            document: 2,
            line: 1,
            offset: 9,
            canContinue: false,
            path: [],
            more: 0
        ),
        Broken(text: "[{\"a\":1},]", document: 2, line: 1, offset: 9, canContinue: false, path: [], more: 0),
        Broken(text: "[{\"a\":1}]\n{}", document: 2, line: 2, offset: 10, canContinue: false, path: [], more: 0),
        Broken(text: "[{\"a\":1}", document: 2, line: 1, offset: 8, canContinue: false, path: [], more: 0),
        Broken(
            text: "[{\"a\":1},{\"b\":1,\"b\":2},{}]",
            document: 2,
            line: 1,
            offset: 21,
            canContinue: true,
            path: ["b"],
            more: 1
        ),
    ])
    func `an error in JSON has its document, line, place and path`(_ broken: Broken) throws {
        var stream = reader(Array(broken.text.utf8), .json)
        try expectEqual(stream.next(), ["a": .int32(1)])
        let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
        expect(error.document == broken.document && error.line == broken.line, "\(error)")
        expectEqual(error.offset, broken.offset, "\(error)")
        expectEqual(error.canContinue, broken.canContinue, "\(error)")
        expectEqual(error.path, broken.path, "\(error)")
        try expectEqual(stream.rest().count, broken.more, "\(error)")
    }

    @Test
    func `an error in BSON has its document, place and path; an impossible length ends the stream`() throws {
        let first = try (["a": 1] as BSONDocument).bytes()
        var bad = try (["b": ["c": true]] as BSONDocument).bytes()
        let place = try require(bad.lastIndex(of: 1))
        bad[place] = 7
        var stream = reader(first + bad + first)
        try expectEqual(stream.next(), ["a": 1])
        let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
        expect(error.document == 2 && error.line == nil && error.canContinue)
        expect(error.offset == first.count + place && error.path == ["b", "c"])
        try expectEqual(stream.rest(), [["a": 1]])

        for length in [Int32(0), 4, -1, .max, .min] {
            let bytes = first + withUnsafeBytes(of: length.littleEndian) { Array($0) } + first
            var stream = reader(bytes, .bson)
            try expectEqual(stream.next(), ["a": 1])
            let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
            expect(error.offset == first.count && !error.canContinue, "\(length)")
            expect(try stream.next() == nil)
        }
        // Cut off anywhere.
        for count in 1..<first.count {
            var stream = reader(first + first[..<count], .bson)
            try expectEqual(stream.next(), ["a": 1])
            let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
            expect(error.code == .truncated && error.document == 2)
        }
    }

    @Test(arguments: [DocumentFormat.bson, .json])
    func `a document above the limit takes no more memory than the limit`(_ format: DocumentFormat) throws {
        let limits = BSONLimits(depth: 20, size: 1_000)
        var given = 0
        let head: [UInt8] =
            format == .bson ? [0xFF, 0xFF, 0xFF, 0x03, 2, 97, 0] : Array("{\"a\": \"".utf8)
        var stream = DocumentStreamReader(
            format,
            options: DocumentStreamOptions(limits: limits, pieceSize: 100)
        ) { buffer in
            for index in buffer.indices { buffer[index] = given + index < head.count ? head[given + index] : 97 }
            given += buffer.count
            return buffer.count
        }
        let error = try #require(throws: DocumentStreamError.self) { try stream.next() }
        expect(error.code == .tooLarge && !error.canContinue)
        expect(given <= 1_200)
    }

    @Test
    func `an error of the source is passed on, and later documents are still read`() throws {
        struct Gone: Error {}
        let bytes = try written([["a": 1], ["b": 2]], .bson)
        var (calls, position) = (0, 0)
        var stream = DocumentStreamReader(.bson, options: DocumentStreamOptions(pieceSize: 5)) { buffer in
            calls += 1
            if calls % 2 == 0 { throw Gone() }
            let count = min(5, bytes.count - position)
            for index in 0..<count { buffer[index] = bytes[position + index] }
            position += count
            return count
        }
        var read: [BSONDocument] = []
        var failures = 0
        for _ in 0..<100 where read.count < 2 {
            do { if let document = try stream.next() { read.append(document) } } catch is Gone { failures += 1 }
        }
        expect(read == [["a": 1], ["b": 2]] && failures > 1)
        expectEqual(stream.document, 2)
    }

    @Test
    func `damaged streams end, with any content`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "spoilt streams"), isTextSafe: true)
        for _ in 0..<(isSoak ? 20_000 : 400) {
            let form = Self.forms.randomElement(using: &documents.random)!
            var bytes = try written((0..<3).map { _ in documents.document(3) }, form)
            for _ in 0..<documents.int(1...4) where !bytes.isEmpty {
                let place = documents.int(0...bytes.count - 1)
                switch documents.int(0...2) {
                case 0: bytes[place] = documents.bits(UInt8.self)
                case 1: bytes.remove(at: place)
                default: bytes.insert(documents.bits(UInt8.self), at: place)
                }
            }
            var stream = reader(bytes, form == .bson ? .bson : .json, seed: documents.random.next())
            var calls = 0
            while true {
                calls += 1
                do { if try stream.next() == nil { break } } catch is DocumentStreamError {}
                expect(calls <= bytes.count + 10)
                if calls > bytes.count + 10 { break }
            }
        }
    }

    @Test
    func `a file is read, and a missing file is an error with its name`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "freehold-\(UUID().uuidString).bson").path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: FileFailure.self) { try DocumentStreamReader(file: path) }
        expect(error?.path == path && error?.description.contains("No such file") == true)
        try Data(written([["a": 1]], .bson)).write(to: URL(filePath: path))
        var stream = try DocumentStreamReader(file: path)
        expect(try stream.rest() == [["a": 1]] && stream.format == .bson)
    }
}
