import AllocationMeter

/// The memory that a decoder allocates for an input.
package enum DecodingCost {
    /// The bytes of memory that a byte of an input may cost at most (`docs/sync-protocol.md`).
    package static let factor = 200
    /// The bytes that any input may cost: what a decoder has before it reads.
    package static let base = 16 << 10

    /// A Boolean value that indicates whether memory is measured on this system.
    package static var isMeasured: Bool { allocation_meter_is_available() }

    /// Returns the greatest number of bytes that the body had allocated at once. Bytes that it has freed don't count,
    /// and those that it keeps do.
    package static func measure<Result>(_ body: () -> Result) -> (result: Result, bytes: Int) {
        allocation_meter_begin()
        let result = body()
        return (result, Int(allocation_meter_end()))
    }

    /// Returns the most bytes that an input may cost.
    package static func limit(_ count: Int) -> Int { factor * count + base }
}

/// An input that costs more memory than it may.
package struct CostlyInput: Error, CustomStringConvertible {
    package let seed: UInt64
    package let cost: Int
    package let input: [UInt8]

    package var description: String { "seed \(seed): \(cost) bytes of memory for \(input.count): \(input)" }
}

/// Gives a decoder damaged inputs, and measures what each costs. An input that ends the process fails, too.
package struct DecodingFuzz {
    /// The number of inputs that are created from one corpus.
    private static let round = 250

    /// Returns the first input that costs too much.
    ///
    /// - Parameters:
    ///   - corpus: Makes valid inputs of a seed. Inputs are these, damaged at a few places.
    package static func costlyInput(
        _ test: String,
        usual: Int,
        soak: Int,
        corpus: (UInt64) throws -> [[UInt8]],
        decode: ([UInt8]) -> Void
    ) rethrows -> CostlyInput? {
        var seeds = SeededRandom(test: test)
        let count = TestBudget.cases(usual, soak: soak)
        var (cases, greatest, accepted) = (0, 0.0, 0)
        while cases < count {
            let seed = seeds.next()
            var damage = InputDamage(seed: seed)
            let valid = try corpus(seed)
            for index in 0..<round {
                var input = valid[index % valid.count]
                // One in ten inputs is undamaged.
                if index % 10 != 0 { damage.apply(to: &input, others: valid) } else { accepted += 1 }
                var cost = DecodingCost.measure { decode(input) }.bytes
                // The first use of a table creates it, once in the process.
                if cost > DecodingCost.limit(input.count) { cost = DecodingCost.measure { decode(input) }.bytes }
                if cost > DecodingCost.limit(input.count) { return CostlyInput(seed: seed, cost: cost, input: input) }
                if input.count > 1_000 { greatest = max(greatest, Double(cost) / Double(input.count)) }
                cases += 1
            }
        }
        print(
            "\(test): \(cases) inputs, \(accepted) undamaged, at most \(Int(greatest)) bytes for a byte of those above 1,000"
        )
        return nil
    }
}

/// Damages inputs of decoders: bits, bytes, false lengths, and pieces of other inputs.
package struct InputDamage {
    package var random: SeededRandom

    package init(seed: UInt64) { random = SeededRandom(seed: seed) }

    package mutating func apply(to bytes: inout [UInt8], others: [[UInt8]]) {
        for _ in 0..<random.number(1..<4) where !bytes.isEmpty { change(&bytes, others) }
    }

    private mutating func change(_ bytes: inout [UInt8], _ others: [[UInt8]]) {
        let place = random.below(bytes.count)
        switch random.below(9) {
        case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
        case 2: bytes[place] = random.pick([0, 1, 0x7F, 0x80, 0xFF])
        case 3: bytes.removeSubrange(place...)
        case 4:
            bytes.insert(
                contentsOf: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F].prefix(place % 10),
                at: place
            )
        case 5:
            let other = random.pick(others)
            bytes.replaceSubrange(place..., with: other[random.below(other.count + 1)...])
        case 6:
            // A piece again and again: what repeats is what costs.
            let piece = Array(bytes[place..<min(place + random.number(1..<20), bytes.count)])
            let times = random.pick([1, 1, 2, 10, 100])
            bytes.insert(contentsOf: repeatElement(piece, count: times).joined(), at: random.below(bytes.count + 1))
        case 7: bytes.swapAt(place, random.below(bytes.count))
        default: bytes.remove(at: place)
        }
    }
}
