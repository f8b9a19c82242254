import Dispatch
import Foundation
import Logging
import Synchronization

/// The last lines of the server's log, for administrators. Any thread may use it.
///
/// An entry has at most 16 values of a limited length each, so that the ring has a bounded size.
final class LogRing: Sendable {
    struct Line: Sendable {
        /// The time in milliseconds since 1970.
        let at: Int64
        let level: Logger.Level
        let message: String
        /// The values in ascending order of their names.
        let values: [(name: String, value: String)]

        func value(_ name: String) -> String? { values.first { $0.name == name }?.value }
    }

    /// The filter for the lines that a reader requests.
    struct Filter: Sendable {
        var level = Logger.Level.trace
        var app: String?
        var user: String?
        var connection: String?
        /// A part of the message or of a value, in lower case.
        var text: String?

        func accepts(_ line: Line) -> Bool {
            guard line.level >= level else { return false }
            for (name, wanted) in [("app", app), ("user", user), ("connection", connection)] {
                if let wanted, line.value(name) != wanted { return false }
            }
            guard let text else { return true }
            return line.message.lowercased().contains(text)
                || line.values.contains { $0.value.lowercased().contains(text) || $0.name == text }
        }
    }

    /// Some lines, and the number after which the next part begins.
    struct Part: Sendable {
        var lines: [(number: UInt64, entry: Line)]
        var next: UInt64
        /// The number of lines that were overwritten before they were read.
        var lost: UInt64
    }

    static let mostLines = 2_000
    private static let mostValues = 16
    private static let mostCharacters = 512
    /// The maximum number of waiting readers. Further readers are answered immediately.
    private static let mostReaders = 32

    private struct State {
        var ring = Ring<Line>(most: LogRing.mostLines)
        var readers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastReader: UInt64 = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Adds an event. The texts are already escaped.
    func add(_ event: LogEvent, _ metadata: Logger.Metadata) {
        let values = metadata.sorted { $0.key < $1.key }.prefix(Self.mostValues).map { name, value in
            (name: String(name.prefix(64)), value: String("\(value)".prefix(Self.mostCharacters)))
        }
        let line = Line(
            at: Int64(Date().timeIntervalSince1970 * 1_000),
            level: event.level,
            message: String(event.message.description.prefix(Self.mostCharacters)),
            values: values
        )
        let readers = state.withLock { state in
            state.ring.append(line)
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.resume() }
    }

    /// Returns the lines after a number that a filter accepts, the oldest first.
    ///
    /// - Parameter after: The number. With `nil`, the newest lines are returned.
    func lines(after: UInt64?, limit: Int, _ filter: Filter) -> Part {
        let ring = state.withLock { $0.ring }
        guard let after else {
            let newest = ring.newest(before: nil, limit: limit) { filter.accepts($0) }
            return Part(lines: newest.reversed(), next: ring.next - 1, lost: 0)
        }
        var part = Part(lines: [], next: min(after, ring.next - 1), lost: 0)
        if part.next + 1 < ring.first { (part.lost, part.next) = (ring.first - part.next - 1, ring.first - 1) }
        while part.next + 1 < ring.next, part.lines.count < limit {
            part.next += 1
            if let line = ring[part.next], filter.accepts(line) { part.lines.append((part.next, line)) }
        }
        return part
    }

    /// Waits until a line is added, but not longer than a time limit.
    ///
    /// - Parameter after: The number of the last line that the caller knows. If there is a newer one, the caller doesn't wait.
    func wait(after: UInt64, milliseconds: Int) async {
        let number = state.withLock { state -> UInt64 in
            state.lastReader += 1
            return state.lastReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.ring.next == after + 1, state.readers.count < Self.mostReaders, !Task.isCancelled else {
                        return false
                    }
                    state.readers[number] = continuation
                    return true
                }
                guard waits else { return continuation.resume() }
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
                    self?.release(number)
                }
            }
        } onCancel: {
            release(number)
        }
    }

    private func release(_ number: UInt64) {
        state.withLock { $0.readers.removeValue(forKey: number) }?.resume()
    }

    /// Answers all waiting readers. It is called when the server ends.
    func releaseAll() {
        let readers = state.withLock { state in
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in readers { reader.resume() }
    }
}
