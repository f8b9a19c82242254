import Foundation
import FreeholdEngine
import Testing

@testable import FreeholdStudio

/// Values in messages, in both directions.
struct ValueTests {
    private static let types: [ColumnType] = [
        .bool, .int, .float, .double, .string, .data, .timestamp, .decimal128, .objectId, .uuid, .mixed,
    ]

    private static func database() throws -> (Database, Table) {
        let database = try Database.inMemory(identifier: UUID().uuidString)
        let write = try database.beginWrite()
        try write.applySchema([
            TableSpec("All", columns: types.map { ColumnSpec($0.studioName, $0, optional: true) })
        ])
        return (database, try write.commit().schema.table(named: "All")!)
    }

    /// Values at the limits of each type.
    private static let limits: [Value] = [
        .bool(true), .bool(false), .int(.min), .int(.max), .int(1 << 53 + 1), .int(1 << 53 - 1), .int(0), .float(.nan),
        .float(-0.0), .float(.infinity), .float(.leastNonzeroMagnitude), .float(0.1), .double(.nan), .double(-0.0),
        .double(-.infinity), .double(.greatestFiniteMagnitude), .double(.leastNonzeroMagnitude), .double(0.1),
        .double(1e22),
        .string(""), .string("<script>alert(1)</script>]\"'\\\u{202E}\u{0}\n"), .string("😀é"), .data(Data()),
        .data(Data([0, 255])),
        .timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0)),
        .timestamp(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)),
        .timestamp(Timestamp(seconds: -1, nanoseconds: 5)),
        .decimal128(Decimal128("1.50" as String)!), .decimal128(Decimal128("NaN" as String)!),
        .decimal128(Decimal128("-Infinity" as String)!),
        .decimal128(Decimal128("9.999999999999999999999999999999999E+6144" as String)!),
        .objectId(ObjectId("0123456789abcdef01234567")),
        .uuid(UUID(uuidString: "00000000-0000-1000-8000-000000000000")!),
        .uuid(UUID(uuidString: "FFFFFFFF-FFFF-7FFF-BFFF-FFFFFFFFFFFF")!), .null,
    ]

    @Test func `Each value is read back exactly`() throws {
        let (database, table) = try Self.database()
        var random = SeededRandom(test: "studio values")
        let more: [Value] = (0..<300).flatMap { _ -> [Value] in
            [
                .int(Int64(bitPattern: random.next())), .double(Double(bitPattern: random.next())),
                .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))),
                .timestamp(
                    Timestamp(
                        seconds: Int64(bitPattern: random.next()) >> 8,
                        nanoseconds: Int32(random.below(1_000_000_000))
                    )
                ),
            ]
        }
        let write = try database.beginWrite()
        var stored: [(Column, ObjectKey, Value)] = []
        for value in Self.limits + more {
            for column in table.columns where value.isNull || column.type == value.type || column.type == .mixed {
                let key = try write.create(table)
                try write.set(column, key, to: value)
                stored.append((column, key, value))
            }
        }
        let view = try write.commit()
        let facts = SchemaFacts(view)
        let (writer, reader) = (ValueWriter(view: view, facts: facts), ValueReader(view: view, facts: facts))
        for (column, key, value) in stored {
            let json = try StudioJSON(parsing: writer.json(column, of: key).bytes)
            // The bytes of data are read in parts.
            if case .data = value { continue }
            let read = try reader.value(json, for: column)
            expect(Self.areSame(read, value), "\(value) became \(read) by \(json.written)")
        }
    }

    /// Compares values by their bits, except the kinds of NaN.
    private static func areSame(_ a: Value, _ b: Value) -> Bool {
        switch (a, b) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        default: a == b
        }
    }

    @Test func `A value of another type is refused, never rounded`() throws {
        let (database, table) = try Self.database()
        let view = try database.snapshot()
        let reader = ValueReader(view: view, facts: SchemaFacts(view))
        func refuses(_ json: StudioJSON, _ name: String) {
            #expect(throws: StudioError.self) { try reader.value(json, for: table.column(named: name)!) }
        }
        refuses("9223372036854775808", "int")
        refuses(.number("1.5"), "int")
        refuses(.number("1e999"), "double")
        refuses(.number("1e39"), "float")
        refuses("x", "bool")
        refuses(["text": "cut", "length": "999"], "string")
        refuses(["5", 1_000_000_000], "date")
        refuses(["count": 9, "head": []], "mixed")
        refuses(["is": "link", "value": ["to": "All", "key": 999]], "mixed")
        refuses("0123", "objectId")
    }

    @Test func `Long strings are cut at a character, and show their length`() throws {
        let (database, table) = try Self.database()
        let write = try database.beginWrite()
        let key = try write.create(table)
        let text = String(repeating: "é😀", count: 200_000)
        let column = table.column(named: "string")!
        try write.set(column, key, to: .string(text))
        let view = try write.commit()
        let writer = ValueWriter(view: view, facts: SchemaFacts(view))
        let json = try StudioJSON(parsing: writer.json(column, of: key).bytes)
        expectEqual(json["text"]?.text, String(text.prefix(256)))
        expectEqual(json["length"]?.int, text.utf8.count)
        for start in [0, 1, 2, 3, 7_999, 8_000, 8_001] {
            let part = view.withBytes(column, key, in: start..<start + 100) { bytes, length in
                expectEqual(length, text.utf8.count)
                return Array(bytes!)
            }
            expectEqual(part, Array(Array(text.utf8)[start..<start + 100]))
        }
    }

    @Test(arguments: [
        ("png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1] as [UInt8]), ("jpeg", [0xFF, 0xD8, 0xFF, 0xE0]),
        ("gif", Array("GIF89a".utf8)), ("webp", Array("RIFF1234WEBPVP8 ".utf8)), ("svg", Array("<svg xmlns=''>".utf8)),
        ("json", Array(" {\"a\":1}".utf8)), ("text", Array("hello".utf8)), ("binary", [0, 1, 2]), ("binary", []),
    ])
    func `The kind of data is detected by its first bytes`(_ kind: String, _ bytes: [UInt8]) {
        expectEqual(DataKind(bytes).rawValue, kind)
    }

    @Test(arguments: [
        ("2026-11-28", 1_795_824_000 as Int64, 0 as Int32),
        ("2026-11-28T20:15:00.25+01:00", 1_795_893_300, 250_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800, 0), ("9999-12-31T23:59:59Z", 253_402_300_799, 0),
    ])
    func `Dates are read as text and written as the same moment`(_ text: String, _ seconds: Int64, _ nanoseconds: Int32)
        throws
    {
        let date = try require(TypedText.date(text))
        expectEqual(date, Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        expectEqual(TypedText.date(ValueText.date(date)), date)
    }

    @Test(arguments: ["2026-02-30", "2026-13-01", "x", "2026-11-28T25:00", "2026-11-28T20:15+99:00", "20261128", ""])
    func `A text that isn't a date is refused`(_ text: String) { expect(TypedText.date(text) == nil) }
}
