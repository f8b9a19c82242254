#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processor time of work on its thread. Tests compare it at two sizes, and never with a number of seconds.
package enum CPUTime {
    /// The seconds of processor time of this thread.
    package static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the result of some work and its seconds.
    package static func spent<Result>(_ work: () throws -> Result) rethrows -> (result: Result, seconds: Double) {
        let start = now
        let result = try work()
        return (result, now - start)
    }

    /// Returns the least cost of several runs, each of which creates its input.
    package static func least(of runs: Int = 2, _ run: () throws -> Double) rethrows -> Double {
        var least = Double.infinity
        for _ in 0..<runs { least = min(least, try run()) }
        return least
    }

    /// A Boolean value that indicates whether the cost at `factor` times the size is at most twice `factor` times as
    /// great. A cost that grows with the square of the size exceeds that for a factor of 4 or more. Costs below a few
    /// milliseconds count as equal.
    package static func isLinear(_ small: Double, _ large: Double, factor: Double = 4) -> Bool {
        large <= max(small, 0.004) * factor * 2
    }
}
