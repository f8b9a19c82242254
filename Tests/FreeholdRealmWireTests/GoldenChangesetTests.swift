import Testing

@testable import FreeholdRealmWire

/// Changesets that the official client library recorded.
@Suite("Realm wire: golden changesets")
struct GoldenChangesetTests {
    /// The actions whose recorded bytes define strings that no instruction uses: the client interns the class of an embedded
    /// object before it changes one. The codec doesn't know the class, and readers need no definition of it.
    static let differences: Set<String> = [
        "a list in it", "a property of an element", "a property of it", "a set in an embedded object in a list of it",
        "an embedded object", "an embedded object in a dictionary", "an embedded object in it",
        "append embedded objects",
        "replace an element", "replace it", "replace it there",
    ]

    @Test func `recorded changesets decode to their instructions, and encode to their bytes`() throws {
        var (count, equal, instructions) = (0, 0, 0)
        var different: Set<String> = []
        for action in try Golden.lines("actions.jsonl") {
            for (hex, expected) in zip(action["changesets"]!.array, action["instructions"]!.array) {
                let bytes = Golden.bytes(hex.string!)
                let changeset = try Changeset(bytes: bytes)
                try expectEqual(changeset.instructions, expected.array.map { try Golden.instruction($0) })
                let written = try changeset.encoded()
                count += 1
                instructions += changeset.instructions.count
                if written == bytes {
                    equal += 1
                } else {
                    different.insert(action["does"]!.string!)
                    try Self.expectOnlyClassNames(bytes, written)
                }
                try expectEqual(Changeset(bytes: written).instructions, changeset.instructions)
                try expectEqual(
                    Changeset(bytes: changeset.encoded(layout: .stringsFirst)).instructions,
                    changeset.instructions
                )
            }
        }
        print("golden changesets: \(equal) of \(count) equal, \(instructions) instructions")
        expectEqual(different, Self.differences)
    }

    /// Expects that the recorded bytes have definitions of embedded classes in addition.
    static func expectOnlyClassNames(_ recorded: [UInt8], _ written: [UInt8]) throws {
        let (first, second) = (try strings(of: recorded), try strings(of: written))
        expect(first.subtracting(second).isSubset(of: ["E", "EE", "F"]))
        expect(second.isSubset(of: first))
    }

    /// Returns the interned strings by a search for their definitions, which the instructions of these changesets don't contain.
    private static func strings(of bytes: [UInt8]) throws -> Set<WireText> {
        var strings: Set<WireText> = []
        for position in bytes.indices.dropLast(2)
        where bytes[position] == 0x3F && bytes[position + 1] == UInt8(strings.count) {
            let end = position + 3 + Int(bytes[position + 2])
            guard end <= bytes.count else { continue }
            strings.insert(WireText(bytes: Array(bytes[position + 3..<end])))
        }
        return strings
    }

    @Test func `one changeset for each instruction and type has the documented bytes`() throws {
        let lines = try Golden.text("changesets.txt").split(separator: "\n")
        expectEqual(lines.count, 40)
        for line in lines {
            let parts = line.split(separator: "\t")
            let bytes = Golden.bytes(String(parts[1]))
            let changeset = try Changeset(bytes: bytes)
            expectEqual(changeset.instructions.count, 1, "\(parts[0])")
            expectEqual(try changeset.encoded(), bytes, "\(parts[0])")
            expectEqual(try changeset.encoded(layout: .stringsFirst), bytes, "\(parts[0])")
        }
    }

    @Test func `changesets without instructions are accepted and have no bytes`() throws {
        try expectEqual(Changeset(bytes: []), Changeset())
        try expectEqual(Changeset(bytes: [0x3F, 0x00, 0x01, 0x54]).instructions, [])
        try expectEqual(Changeset().encoded(), [])
    }

    @Test(arguments: refusedBytes)
    func `bytes that the official client refuses are refused`(_ hex: String, _ code: WireError.Code) {
        let error = #expect(throws: WireError.self) { try Changeset(bytes: Golden.bytes(hex)) }
        expectEqual(error?.code, code, "\(hex): \(error?.description ?? "")")
    }

    @Test(arguments: [
        (Int64(0), "00"), (1, "01"), (63, "3f"), (-1, "40"), (-64, "7f"), (64, "c000"), (127, "ff00"), (128, "8001"),
        (-65, "c040"), (8191, "ff3f"), (8192, "80c000"), (.max, "ffffffffffffffffff00"), (.min, "ffffffffffffffffff40"),
    ])
    func `integers have the shortest form`(_ value: Int64, _ hex: String) throws {
        var writer = WireWriter()
        writer.signed(value)
        expectEqual(writer.bytes, Golden.bytes(hex))
        var reader = WireReader(writer.bytes[...])
        try expectEqual(reader.int64(), value)
        expect(reader.isAtEnd)
    }

    @Test func `integers with too many bytes or out of range are refused`() throws {
        func read(_ hex: String, _ body: (inout WireReader) throws(WireError) -> Void) -> WireError.Code? {
            var reader = WireReader(Golden.bytes(hex)[...])
            do throws(WireError) { try body(&reader) } catch { return error.code }
            return nil
        }
        expectEqual(read("") { reader throws(WireError) in _ = try reader.int64() }, .truncated)
        expectEqual(
            read("8080808080808080808000") { reader throws(WireError) in _ = try reader.int64() },
            .invalidInteger
        )
        expectEqual(read("808080808000") { reader throws(WireError) in _ = try reader.uint32() }, .invalidInteger)
        expectEqual(read("40") { reader throws(WireError) in _ = try reader.uint64() }, .invalidInteger)
        expectEqual(
            read("ffffffffffffffffff02") { reader throws(WireError) in _ = try reader.int64() },
            .invalidInteger
        )
        expectEqual(read("ffffffffffffffffff01") { reader throws(WireError) in _ = try reader.uint64() }, nil)
        expectEqual(read("808000") { reader throws(WireError) in _ = try reader.uint8() }, .invalidInteger)
        expectEqual(read("8000") { reader throws(WireError) in _ = try reader.uint8() }, nil)
    }

    @Test func `decimals have the documented bytes`() throws {
        let cases = [
            ("fd004001", WireDecimal(low: 125, exponent: -1, isNegative: true)),
            ("00e0cb0000", WireDecimal(low: 0, exponent: WireDecimal.notANumberExponent, isNegative: false)),
        ]
        for (hex, decimal) in cases {
            var writer = WireWriter()
            writer.decimal(decimal)
            expectEqual(writer.bytes, Golden.bytes(hex))
            var reader = WireReader(writer.bytes[...])
            try expectEqual(reader.decimal(), decimal)
        }
    }
}

private let refusedBytes: [(String, WireError.Code)] = [
    ("3e", .unknownTag),
    ("3f010154", .invalidString),
    ("3f0001543f000155", .invalidString),
    ("3f0001543f010154", .invalidString),
    ("02000105", .invalidString),
    ("3f00f0ffff07", .tooLarge),
    ("3f000554", .truncated),
    ("3f0001543f01016c080001050100", .invalidValue),
    ("3f0001543f01035f6964000000010200", .invalidValue),
    ("3f0001543f01035f6964000003010100", .unknownTag),
    ("3f0001543f01016d0b000105010004", .unknownTag),
    ("3f0001543f01016e04000105010040", .unsupported),
    ("3f0001543f01016e04000105010046", .unknownTag),
    ("3f0001543f01016e0400010501000c", .unknownTag),
    ("3f0001543f01016e0400010501004500", .invalidValue),
    ("3f00015402000201", .unknownTag),
    ("3f000154020040", .unsupported),
    ("3f0001543f01017404000105010005014000", .invalidValue),
]
