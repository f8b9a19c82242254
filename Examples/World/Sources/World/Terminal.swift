import Foundation

/// A bar that redraws itself on a terminal, and a line now and then elsewhere.
final class ProgressBar {
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var lastQuarter: [String: Int] = [:]

    func show(_ stage: String, done: Int, of total: Int) {
        let share = total == 0 ? 1 : Double(done) / Double(total)
        let label = stage.padding(toLength: 10, withPad: " ", startingAt: 0)
        if isTerminal {
            let filled = Int(share * 40)
            let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: 40 - filled)
            print("\r  \(label)\(bar) \(grouped(done)) of \(grouped(total))", terminator: done == total ? "\n" : "")
            fflush(nil)
        } else {
            let quarter = Int(share * 4)
            guard quarter != lastQuarter[stage] else { return }
            lastQuarter[stage] = quarter
            print("  \(label)\(grouped(done)) of \(grouped(total))")
        }
    }
}

func timed<R>(_ body: () throws -> R) rethrows -> (R, Duration) {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    return (result, clock.now - start)
}

func milliseconds(_ duration: Duration) -> String {
    let milliseconds = duration / .milliseconds(1)
    return String(format: milliseconds < 10 ? "%.2f ms" : "%.0f ms", milliseconds)
}

/// 1234567 as "1,234,567".
func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var text = number < 0 ? "-" : ""
    for (position, digit) in digits.enumerated() {
        if position > 0, (digits.count - position) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return text
}
