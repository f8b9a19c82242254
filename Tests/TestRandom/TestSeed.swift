#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seeds of random tests.
package enum TestSeed {
    /// Returns a seed for a test that wasn't given one.
    ///
    /// With the variable `FREEHOLD_RUN_SEED`, the seed depends on this number and the test's name, so that two runs of
    /// one commit test the same cases. Continuous integration sets the variable, so that a change isn't held up by an
    /// unrelated case. Without the variable, every run tests new cases.
    package static func random(
        in range: ClosedRange<UInt64>,
        file: String = #fileID,
        function: String = #function
    ) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["FREEHOLD_RUN_SEED"].flatMap { UInt64($0) }
        guard let given else { return .random(in: range) }
        // The hash is FNV-1a, which is the same in each process.
        var seed = 0xCBF2_9CE4_8422_2325 as UInt64
        for byte in "\(given) \(range) \(file) \(function)".utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var numbers = SeededRandom(seed: seed)
        return .random(in: range, using: &numbers)
    }

    package static func random(
        in range: Range<UInt64>,
        file: String = #fileID,
        function: String = #function
    ) -> UInt64 {
        random(in: range.lowerBound...(range.upperBound - 1), file: file, function: function)
    }
}
