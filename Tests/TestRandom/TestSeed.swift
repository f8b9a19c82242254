#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Seeds of random tests.
package enum TestSeed {
    /// Returns a seed for a test that wasn't given one.
    ///
    /// With `FREEHOLD_RUN_SEED`, each test has a seed of its own that is made of this number and the test's name: two runs of one commit try
    /// the same cases. Continuous integration sets it, so that a change isn't held up by a case that it has nothing to do with. Without it,
    /// every run tries new cases.
    package static func random(
        in range: ClosedRange<UInt64>,
        file: String = #fileID,
        function: String = #function
    ) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["FREEHOLD_RUN_SEED"].flatMap { UInt64($0) }
        guard let given else { return .random(in: range) }
        // FNV-1a: it is the same in each process.
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
