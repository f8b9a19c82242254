import Foundation
import FreeholdBSON
import FreeholdEngine

/// A generator whose seed a test prints (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// The seed of `FREEHOLD_SEED`, or a random one; printed with the test's name.
    static func named(_ name: String) -> SeededGenerator {
        let seed =
            ProcessInfo.processInfo.environment["FREEHOLD_SEED"].flatMap { UInt64($0) } ?? .random(in: 1...1_000_000)
        print("\(name): FREEHOLD_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    mutating func chance(_ oneIn: Int) -> Bool { Int.random(in: 0..<oneIn, using: &self) == 0 }
}

let isSoak = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] != nil

func bytes(_ hex: some StringProtocol) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: Int?
    for digit in hex {
        let value = digit.hexDigitValue!
        if let first = high {
            bytes.append(UInt8(first << 4 | value))
            high = nil
        } else {
            high = value
        }
    }
    return bytes
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

/// The error that reading throws; nil if it doesn't.
func failure<T>(_ body: () throws(BSONError) -> T) -> BSONError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Runs on a thread with the smallest stack that an app's threads usually have: 512 KiB.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
}
