#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The number of cases that random and enumerating tests run: few in the usual run, all in the soak (`FREEHOLD_SOAK`).
///
/// A suite that has a budget is matched by `SOAK_SUITES` of the Makefile.
package enum TestBudget {
    /// A Boolean value that indicates whether `FREEHOLD_SOAK` is set.
    package static let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

    /// Returns the budget of this run.
    package static func cases(_ usual: Int, soak: Int) -> Int { isSoak ? soak : usual }

    /// Prints the number of cases of this run, and returns their numbers.
    package static func range(_ test: String, usual: Int, soak: Int) -> Range<Int> {
        let count = cases(usual, soak: soak)
        precondition(count > 0)
        print("\(test): \(count) cases")
        return 0..<count
    }

    /// Returns the positions of a list of `count` cases that this run takes, in rising order.
    ///
    /// The soak takes all. The usual run takes the first, the last, the borders, and `usual` more that are spread evenly. Their
    /// offset is random, so that repeated runs cover every position.
    package static func sample(
        of count: Int,
        usual: Int,
        borders: [Int] = [],
        using random: inout some RandomNumberGenerator
    ) -> [Int] {
        precondition(count >= 0 && usual > 0)
        if isSoak || count <= usual { return Array(0..<count) }
        let offset = Double.random(in: 0..<1, using: &random)
        let spread = (0..<usual).map { min(Int((Double($0) + offset) * Double(count) / Double(usual)), count - 1) }
        return Set(spread + borders.filter { (0..<count).contains($0) } + [0, count - 1]).sorted()
    }

    /// Prints the number of cases that a test ran. Returns `false` if it is zero or below the budget.
    package static func isSpent(_ test: String, cases: Int, of budget: Int) -> Bool {
        print("\(test): \(cases) cases, with a budget of \(budget)")
        return cases > 0 && cases >= budget
    }
}
