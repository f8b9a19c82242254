import Foundation

/// Random numbers that `FREEHOLD_SEED` repeats.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    /// Prints the seed.
    init(test: String) {
        let given = ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(test): FREEHOLD_SEED=\(seed)")
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
    mutating func pick<T>(_ choices: [T]) -> T { choices.randomElement(using: &self)! }
}
