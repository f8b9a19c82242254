import Foundation
import FreeholdEngine
import Synchronization

/// A flag by which a request is cancelled. Any thread may use it.
final class CancelFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}

/// The threads for requests that take time. All sessions of the program share them. Work of one kind doesn't wait for work of another one.
final class StudioPool: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// Work that ends after ten seconds at the latest: queries, dry runs of edits, and the opening of files.
        case queries
        /// Writes of edits and their undo. They are short except while another writer is active.
        case writes
        /// Work that may take up to an hour: exports, imports, backups, conversions, comparisons, migrations and verification.
        case transfers

        var threads: Int { self == .transfers ? 4 : 2 }
        /// The time after which the work is cancelled.
        var time: Duration { self == .queries ? .seconds(10) : .seconds(3_600) }
    }

    private let queues: [Kind: OperationQueue]

    init() {
        queues = Dictionary(
            uniqueKeysWithValues: Kind.allCases.map { kind in
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = kind.threads
                queue.name = "freehold.studio.\(kind.rawValue)"
                return (kind, queue)
            }
        )
    }

    /// Runs a closure on a thread for work of a kind.
    func run(_ kind: Kind, _ body: @escaping @Sendable () -> Void) { queues[kind]!.addOperation(body) }

    /// Runs a closure under a limit of time.
    ///
    /// - Throws: The errors of the closure, and `StudioError` with the codes `timedOut` and `cancelled` if the closure was ended early.
    static func limited<Result>(
        _ flag: CancelFlag,
        time: Duration,
        _ body: () throws -> Result
    ) throws -> Result {
        let limit = WorkLimit(deadline: .now + time, cutsQueries: true, isCancelled: { flag.isSet })
        let result = Swift.Result { try limit.run(body) }
        if limit.isOver, limit.hasCut || limit.reason == .cancelled {
            throw StudioError(
                limit.reason == .timedOut ? .timedOut : .cancelled,
                limit.reason == .timedOut
                    ? "The query was ended because it took longer than \(time.components.seconds) s."
                    : "The request was cancelled."
            )
        }
        return try result.get()
    }
}
