import Foundation
import Testing

@testable import FreeholdEngine

struct KeyRunsTests {
    @Test(arguments: UInt64(1)...20) func `appended keys are stored in runs that are as long as possible`(
        _ seed: UInt64
    ) {
        var random = RandomEngine(seed: seed)
        var runs = KeyRuns()
        var keys: [ObjectKey] = []
        var next: Int64 = 0
        for _ in 0..<60 {
            next += Int64(random.chance(30) ? 0 : random.below(random.chance(20) ? 5000 : 70))
            if random.chance(50) {
                let length = Int64(random.below(random.chance(20) ? 1000 : 70))
                runs.append(next..<next + length)
                keys += (next..<next + length).map { ObjectKey($0) }
                next += length
            } else {
                let bits = UInt64.random(in: .min ... .max, using: &random.generator)
                runs.append(bits: bits, at: next)
                keys += (0..<64).filter { bits >> UInt64($0) & 1 != 0 }.map { ObjectKey(next + Int64($0)) }
                next += 64
            }
        }
        expectEqual(runs.keys, keys)
        expectEqual(runs.count, keys.count)
        expectEqual(runs, KeyRuns(keys))
        var found: [Range<Int64>] = []
        runs.forEachRun { found.append($0) }
        for (a, b) in zip(found, found.dropFirst()) { expect(a.upperBound < b.lowerBound) }
    }

    @Test func `neighbouring keys take constant memory`() {
        var runs = KeyRuns()
        runs.append(0..<5_000_000)
        expectEqual(runs.count, 5_000_000)
        expect(runs.size < 100)
        var holes = KeyRuns()
        for key in stride(from: Int64(0), to: 640_000, by: 2) { holes.append(key..<key + 1) }
        expect(holes.size <= 10_000 * 24)
    }
}
