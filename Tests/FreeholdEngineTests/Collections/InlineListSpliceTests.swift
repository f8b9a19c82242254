import Foundation
import TestRandom
import Testing

@testable import FreeholdEngine

/// Small lists and dictionaries that are edited in their bytes, compared with those whose elements are decoded, edited
/// and encoded. `FREEHOLD_SEED` repeats a seed.
struct InlineListSpliceTests {
    static let seed =
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0 ... .max)

    static let types: [ColumnType] = [
        .int, .link, .bool, .float, .double, .timestamp, .decimal128, .objectId, .uuid, .string, .data, .mixed,
    ]

    private static func value(_ type: ColumnType, _ random: inout SeededRandom) -> Value {
        let number = [Int64.random(in: -3...3, using: &random), .random(in: -70_000...70_000, using: &random), .max][
            [0, 0, 0, 1, 2].randomElement(using: &random)!
        ]
        switch type {
        case .int: return .int(number)
        case .link: return .link(ObjectKey(abs(number)))
        case .bool: return .bool(number & 1 == 0)
        case .float: return .float(Float(number) / 3)
        case .double: return .double(Double(number) / 3)
        case .timestamp: return .timestamp(Timestamp(seconds: number, nanoseconds: Int32(number & 0xffff)))
        case .decimal128: return .decimal128(Decimal128(lo: UInt64(bitPattern: number), hi: 3))
        case .objectId: return .objectId(ObjectId())
        case .uuid: return .uuid(UUID())
        case .string: return .string(String(repeating: "ä\(number & 7)", count: .random(in: 0...20, using: &random)))
        case .data: return .data(Data(repeating: UInt8(number & 0xff), count: .random(in: 0...30, using: &random)))
        case .mixed: return .int(number)
        }
    }

    private static func list(_ type: ColumnType, _ random: inout SeededRandom, nulls: Bool) -> [Value] {
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
            nulls && Int.random(in: 0..<4, using: &random) == 0 ? .null : value(type, &random)
        }
    }

    private static func splice(
        _ bytes: [UInt8],
        _ type: ColumnType,
        _ range: Range<Int>,
        _ values: [Value]
    ) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(byteCount: InlineList.limit, alignment: 8) { room in
                InlineList(bytes, type: type).splice(range, with: values, to: room.baseAddress!).map {
                    Array(UnsafeRawBufferPointer(rebasing: room[0..<$0]))
                }
            }
        }
    }

    @Test(arguments: types) func `an edited list has the same bytes as a newly encoded one`(_ type: ColumnType) throws {
        var random = SeededRandom(seed: Self.seed)
        var (inPlace, anew) = (0, 0)
        for _ in 0..<2_000 {
            let hasNulls = Int.random(in: 0..<4, using: &random) == 0
            let old = Self.list(type, &random, nulls: hasNulls)
            let new = Self.list(type, &random, nulls: hasNulls)
            guard let bytes = InlineList.encode(old, type: type) else { continue }
            let start = Int.random(in: 0...old.count, using: &random)
            let range = start..<Int.random(in: start...old.count, using: &random)
            var all = old
            all.replaceSubrange(range, with: new)
            let (encoded, spliced) = (InlineList.encode(all, type: type), Self.splice(bytes, type, range, new))
            if let spliced {
                inPlace += 1
                expectEqual(spliced, encoded, "\(old) \(range) \(new), seed \(Self.seed)")
            } else {
                anew += 1
                let isLeftOut = type == .mixed || (old + new).contains { $0.isNull }
                expect(isLeftOut || encoded == nil, "\(old) \(range) \(new), seed \(Self.seed)")
            }
        }
        expect(anew > 0)
        expect(type == .mixed || inPlace > 500)
    }

    @Test func `a list up to the size limit fits, and a longer one doesn't`() throws {
        for (type, one, most) in [
            (ColumnType.double, Value.double(1), 124),
            (.timestamp, .timestamp(Timestamp(seconds: 1, nanoseconds: 2)), 83),
            (.int, .int(.max), 124), (.int, .int(1), 996), (.bool, .bool(true), 996), (.string, .string("abcd"), 166),
            (.data, .data(Data()), 498),
        ] {
            let full = Array(repeating: one, count: most)
            let bytes = try require(InlineList.encode(full, type: type), "\(type)")
            expect(Self.splice(bytes, type, most..<most, [one]) == nil, "\(type)")
            expectEqual(Self.splice(bytes, type, 0..<1, [one]), bytes, "\(type)")
            let less = try require(InlineList.encode(full.dropLast(), type: type))
            expectEqual(Self.splice(less, type, 1..<1, [one]), bytes, "\(type)")
            expectEqual(Self.splice(bytes, type, 0..<most, []), [], "\(type)")
            expectEqual(Self.splice([], type, 0..<0, full), bytes, "\(type)")
        }
    }

    @Test func `values of another type take the general path`() throws {
        for type in Self.types {
            let other: Value = type == .bool ? .double(1) : .bool(true)
            expect(Self.splice([], type, 0..<0, [other]) == nil)
            expect(Self.splice([], type, 0..<0, [.null]) == nil)
        }
    }

    @Test(arguments: types) func `an edited dictionary has the same bytes as a newly encoded one`(_ type: ColumnType)
        throws
    {
        var random = SeededRandom(seed: Self.seed)
        var inPlace = 0
        for _ in 0..<1_000 {
            func entries(_ count: ClosedRange<Int>) -> [(key: String, value: Value)] {
                (0..<Int.random(in: count, using: &random)).map { _ in
                    ("key \(Int.random(in: 0..<1_000, using: &random))", Self.value(type, &random))
                }
            }
            let (old, new) = (entries(0...8), entries(0...4))
            guard
                let bytes = StoredDictionary.encode(
                    keys: old.map { .string($0.key) },
                    values: old.map(\.value),
                    type: type
                )
            else { continue }
            let start = Int.random(in: 0...old.count, using: &random)
            // As many where the keys stay.
            let keysStay = start + new.count <= old.count && Bool.random(using: &random)
            let range = start..<(keysStay ? start + new.count : .random(in: start...old.count, using: &random))
            var (keys, values) = (old.map { Value.string($0.key) }, old.map(\.value))
            if !keysStay { keys.replaceSubrange(range, with: new.map { .string($0.key) }) }
            values.replaceSubrange(range, with: new.map(\.value))
            let encoded = StoredDictionary.encode(keys: keys, values: values, type: type)
            let spliced = bytes.withUnsafeBytes { bytes in
                withUnsafeTemporaryAllocation(byteCount: StoredDictionary.room, alignment: 8) { room in
                    StoredDictionary(inline: bytes, type: type).splice(
                        range,
                        keys: keysStay ? nil : new.map { .string($0.key) },
                        values: new.map(\.value),
                        to: room.baseAddress!
                    ).map { Array(UnsafeRawBufferPointer(rebasing: room[0..<$0])) }
                }
            }
            if let spliced {
                inPlace += 1
                expectEqual(spliced, encoded, "\(old) \(range) \(new), seed \(Self.seed)")
            } else {
                expect(type == .mixed || encoded == nil, "\(old) \(range) \(new), seed \(Self.seed)")
            }
        }
        expect(type == .mixed || inPlace > 300)
    }
}
