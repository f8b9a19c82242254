#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Random numbers that depend on the seed only (SplitMix64). The sequence of a seed never changes, because tests
/// contain seeds of earlier failures.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Uses the seed in `FREEHOLD_SEED`, or a seed of `TestSeed`, and prints it with the test's name.
    package init(test: String) {
        let given = ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
        let seed = given ?? TestSeed.random(in: 0...UInt64(UInt32.max), function: test)
        print("\(test): FREEHOLD_SEED=\(seed)")
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns `true` with this probability in percent.
    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// Returns `true` in one of this number of cases on average.
    package mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns a number from 0 to the bound, without the bound. Uses one number of the sequence; `number(_:)` may use
    /// several.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    package mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices.randomElement(using: &self)! }
}
