#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A search for a run of bytes.
enum ByteSearch {
    /// Returns the position of the first run at or after a start, or `nil` if the text doesn't contain the run.
    ///
    /// The search compares at each occurrence of the first byte. If too many of these comparisons fail, it continues with the two-way algorithm
    /// of Crochemore and Perrin.
    ///
    /// - Complexity: O(text + run), in constant memory.
    static func first(_ run: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard run.count > 0 else { return start <= text.count ? start : nil }
        let last = text.count - run.count
        guard start <= last, let base = text.baseAddress, let pattern = run.baseAddress else { return nil }
        var i = start
        var compared = 0
        while i <= last {
            guard let hit = memchr(base + i, Int32(run[0]), last - i + 1) else { return nil }
            i = UnsafeRawPointer(hit) - base
            if memcmp(base + i, pattern, run.count) == 0 { return i }
            compared += run.count
            i += 1
            if compared > 8 * (i - start + run.count) { return twoWay(run, in: text, from: i) }
        }
        return nil
    }

    /// - Precondition: the run isn't empty.
    static func twoWay(_ run: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
        precondition(run.count > 0)
        let count = run.count
        let (split, factorPeriod) = criticalFactorization(run)
        var period = factorPeriod
        // The number of bytes of the run that match after a shift by a whole period.
        var kept = 0
        if split + period <= count, memcmp(run.baseAddress!, run.baseAddress! + period, split) == 0 {
            kept = count - period
        } else {
            period = max(split, count - split) + 1
        }
        var position = start
        var known = 0
        while position <= text.count - count {
            var k = max(split, known)
            while k < count, run[k] == text[position + k] { k += 1 }
            if k < count {
                position += k - split + 1
                known = 0
                continue
            }
            k = split
            while k > known, run[k - 1] == text[position + k - 1] { k -= 1 }
            if k <= known { return position }
            position += period
            known = kept
        }
        return nil
    }

    /// Returns where the run's critical factorization splits it, and the period of the right part.
    private static func criticalFactorization(_ run: UnsafeRawBufferPointer) -> (split: Int, period: Int) {
        let (a, b) = (maximalSuffix(run, isReversed: false), maximalSuffix(run, isReversed: true))
        return b.split > a.split ? b : a
    }

    private static func maximalSuffix(_ run: UnsafeRawBufferPointer, isReversed: Bool) -> (split: Int, period: Int) {
        var (suffix, candidate, k, period) = (-1, 0, 1, 1)
        while candidate + k < run.count {
            let (a, b) = (run[suffix + k], run[candidate + k])
            if a == b {
                if k == period {
                    candidate += period
                    k = 1
                } else {
                    k += 1
                }
            } else if isReversed ? a < b : a > b {
                candidate += k
                k = 1
                period = candidate - suffix
            } else {
                suffix = candidate
                candidate += 1
                (k, period) = (1, 1)
            }
        }
        return (suffix + 1, period)
    }
}
