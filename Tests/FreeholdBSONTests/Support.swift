import Foundation
import FreeholdBSON
import FreeholdEngine

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
