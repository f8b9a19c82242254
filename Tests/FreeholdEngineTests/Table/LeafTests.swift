import Testing

@testable import FreeholdEngine

struct LeafTests {
    static let counts = [0, 1, 63, 64, 65, 1000]

    /// Every third slot null, or none.
    static func bitmap(_ count: Int, _ isSet: (Int) -> Bool) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: (count + 63) / 64 + 1)
        for i in 0..<count where isSet(i) { words[i >> 6] |= 1 << UInt64(i & 63) }
        return words
    }

    func withLeaf(_ memory: UnsafeMutableRawBufferPointer, _ body: (Leaf) -> Void) {
        expectEqual(Int(bitPattern: memory.baseAddress!) % 16, 0)
        body(Leaf(UnsafeRawPointer(memory.baseAddress!)))
        memory.deallocate()
    }

    @Test(arguments: counts, [false, true])
    func `integers of every width are read as written`(count: Int, nullable: Bool) {
        let nulls = nullable ? Self.bitmap(count) { $0 % 3 == 0 } : nil
        let makers: [(Int) -> Int64] = [
            { _ in 7 }, { Int64($0 % 200) }, { Int64($0) * 60 }, { Int64($0) &* 4_000_000 }, { Int64($0) << 40 },
            { -5 - Int64($0 % 100) }, { 1_700_000_000_000 + Int64($0 % 9) },
            { $0 % 2 == 0 ? Int64.min : Int64.max }, { Int64.min + Int64($0) }, { Int64.max - Int64($0) },
        ]
        for make in makers {
            let values = (0..<count).map(make)
            let size = LeafEncoder.encodedSizeInts(values: values, nulls: nulls, count: count)
            let memory = LeafEncoder.encodeInts(values: values, nulls: nulls, count: count)
            expectEqual(memory.count, size)
            withLeaf(memory) { leaf in
                expectEqual(leaf.count, count)
                for i in 0..<count {
                    let null = nullable && i % 3 == 0
                    expectEqual(leaf.isNull(i), null)
                    if !null { expectEqual(leaf.int(i), values[i]) }
                }
            }
        }
    }

    @Test(
        arguments: [
            ([5, 5, 5], 0, 5), ([0, 255], 1, 0), ([0, 256], 2, 0), ([1000, 1255], 1, 1000), ([1, 65535], 2, 0),
            ([-1, 254], 1, -1), ([-1, 255], 2, -1), ([0, 65536], 4, 0), ([0, 0xffff_ffff], 4, 0),
            ([0, 0x1_0000_0000], 8, 0), ([Int64.max - 255, Int64.max], 1, Int64.max - 255),
            ([Int64.min, Int64.max], 8, 0), ([Int64.min, Int64.min + 0xffff_ffff], 4, Int64.min), ([], 0, 0),
        ] as [([Int64], Int, Int64)]
    )
    func `integers get the smallest width`(values: [Int64], width: Int, base: Int64) {
        let shape = LeafEncoder.intShape(values, nil, count: values.count)
        expectEqual(shape, LeafEncoder.IntShape(width: width, base: base))
    }

    @Test(arguments: counts, [false, true])
    func `booleans are read as written`(count: Int, nullable: Bool) {
        let nulls = nullable ? Self.bitmap(count) { $0 % 3 == 0 } : nil
        let bits = Self.bitmap(count) { $0 % 5 < 2 }
        withLeaf(LeafEncoder.encodeBools(values: bits, nulls: nulls, count: count)) { leaf in
            for i in 0..<count {
                let null = nullable && i % 3 == 0
                expectEqual(leaf.isNull(i), null)
                expectEqual(leaf.bool(i), (!null && i % 5 < 2))
            }
        }
    }

    @Test(arguments: counts, [false, true])
    func `floats and doubles are read bit for bit`(count: Int, nullable: Bool) {
        let nulls = nullable ? Self.bitmap(count) { $0 % 3 == 0 } : nil
        let special = [Double.nan, -0.0, .infinity, .leastNonzeroMagnitude, 1.5]
        let doubles = (0..<count).map { special[$0 % 5] }
        let floats = doubles.map { Float($0) }
        withLeaf(LeafEncoder.encodeDoubles(values: doubles, nulls: nulls, count: count)) { leaf in
            for i in 0..<count {
                let null = nullable && i % 3 == 0
                expectEqual(leaf.double(i).bitPattern, (null ? 0 : doubles[i].bitPattern))
            }
        }
        withLeaf(LeafEncoder.encodeFloats(values: floats, nulls: nulls, count: count)) { leaf in
            for i in 0..<count {
                let null = nullable && i % 3 == 0
                expectEqual(leaf.isNull(i), null)
                expectEqual(leaf.float(i).bitPattern, (null ? 0 : floats[i].bitPattern))
            }
        }
    }

    @Test(arguments: counts, [false, true])
    func `timestamps are read as written, with and without nanoseconds`(count: Int, nullable: Bool) {
        let nulls = nullable ? Self.bitmap(count) { $0 % 3 == 0 } : nil
        for precise in [false, true] {
            for step in [1, 300, 1 << 40] as [Int64] {
                let seconds = (0..<count).map { Int64($0) * step - 1000 }
                let nanoseconds = (0..<count).map { precise ? Int32($0) * 999_999 : 0 }
                let size = LeafEncoder.encodedSizeTimestamps(
                    seconds: seconds,
                    nanoseconds: nanoseconds,
                    nulls: nulls,
                    count: count
                )
                let memory = LeafEncoder.encodeTimestamps(
                    seconds: seconds,
                    nanoseconds: nanoseconds,
                    nulls: nulls,
                    count: count
                )
                expectEqual(memory.count, size)
                withLeaf(memory) { leaf in
                    expectEqual(leaf.hasNanoseconds, (precise && count > 1))
                    for i in 0..<count where !leaf.isNull(i) {
                        expect(leaf.timestamp(i) == (seconds[i], nanoseconds[i]))
                    }
                }
            }
        }
    }

    @Test(arguments: counts, [12, 16])
    func `fixed-width bytes are read as written`(count: Int, width: Int) {
        let nulls = Self.bitmap(count) { $0 % 7 == 0 }
        let bytes = (0..<count * width).map { UInt8(truncatingIfNeeded: $0 &* 31 + 1) }
        let memory = bytes.withUnsafeBytes { raw in
            LeafEncoder.encodeFixed(
                values: raw.baseAddress ?? UnsafeRawPointer(bitPattern: 16)!,
                width: width,
                nulls: nulls,
                count: count,
                codec: ColumnType.uuid.rawValue
            )
        }
        withLeaf(memory) { leaf in
            for i in 0..<count {
                let start = width == 12 ? leaf.fixed12(i) : leaf.fixed16(i)
                let stored = Array(UnsafeRawBufferPointer(start: start, count: width))
                let expected =
                    i % 7 == 0 ? [UInt8](repeating: 0, count: width) : Array(bytes[i * width..<(i + 1) * width])
                expectEqual(stored, expected)
            }
        }
    }

    @Test(arguments: counts, [false, true])
    func `byte strings are read as written, with references and nulls`(count: Int, nullable: Bool) {
        let nulls = nullable ? Self.bitmap(count) { $0 % 3 == 0 } : nil
        let text = (0..<count).map { i in (0..<(i * 7 % 25)).map { UInt8(truncatingIfNeeded: $0 + i) } }
        let reference: [UInt64] = [42, 1 << 40]
        for references in [false, true] {
            var storage: [UInt8] = []
            var starts: [Int] = []
            for t in text {
                starts.append(storage.count)
                storage += t
            }
            let memory = storage.withUnsafeBytes { raw in
                reference.withUnsafeBytes { ref in
                    let entries = (0..<count).map { i in
                        references && i % 4 == 1
                            ? LeafEntry(ref.baseAddress, 16, isReference: true)
                            : LeafEntry(raw.baseAddress.map { $0 + starts[i] }, text[i].count)
                    }
                    let memory = LeafEncoder.encodeBytes(
                        entries: entries,
                        nulls: nulls,
                        count: count,
                        codec: ColumnType.string.rawValue
                    )!
                    expectEqual(
                        memory.count,
                        LeafEncoder.encodedSizeBytes(entries: entries, nulls: nulls, count: count)
                    )
                    return memory
                }
            }
            withLeaf(memory) { leaf in
                for i in 0..<count {
                    let null = nullable && i % 3 == 0
                    expectEqual(leaf.isNull(i), null)
                    let outside = references && i % 4 == 1 && !null
                    expectEqual(leaf.isReference(i), outside)
                    if outside {
                        expect(leaf.reference(i) == (42, 1 << 40))
                    } else {
                        expectEqual(Array(leaf.bytes(i)), (null ? [] : text[i]))
                    }
                }
            }
        }
    }

    @Test func `long byte strings take four-byte offsets and stop at the limit`() {
        let bytes = [UInt8](repeating: 65, count: 70_000)
        bytes.withUnsafeBytes { raw in
            let entries = [LeafEntry(raw.baseAddress, 70_000), LeafEntry(raw.baseAddress, 3)]
            expect(LeafEncoder.encodeBytes(entries: entries, nulls: nil, count: 2, codec: 5) == nil)
            withLeaf(LeafEncoder.encodeBytes(entries: entries, nulls: nil, count: 2, codec: 5, limit: .max)!) { leaf in
                expectEqual(leaf.width, 4)
                expectEqual(leaf.bytes(0).count, 70_000)
                expectEqual(Array(leaf.bytes(1)), [65, 65, 65])
            }
        }
    }

    @Test func `a split head contains the number of parts`() {
        withLeaf(LeafEncoder.encodeSplitHead(codec: 5, count: 1000, partsLog2: 3)) { leaf in
            expect(leaf.isSplit)
            expectEqual(leaf.count, 1000)
            expectEqual(leaf.partsLog2, 3)
            expectEqual(Leaf.partSpan(clusterSpan: 1000, partsLog2: 3), 125)
            expectEqual(Leaf.partSpan(clusterSpan: 5, partsLog2: 1), 3)
        }
    }
}
