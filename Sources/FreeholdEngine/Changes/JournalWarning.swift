internal import Synchronization

/// Warns of cursors that nobody moves: the file grows by what they keep.
enum JournalWarning {
    /// A cursor that keeps more is warned of, and again whenever that has doubled.
    static let size = 64 << 20
    /// One that keeps anything and hasn't been moved for longer, too: seven days, in milliseconds.
    static let age: Int64 = 7 * 24 * 3600 * 1000

    /// What was warned of, once by each process for each opening of the file.
    final class Told: Sendable {
        private let marks = Mutex<Set<String>>([])

        fileprivate func isNew(_ mark: String) -> Bool { marks.withLock { $0.insert(mark).inserted } }
    }

    /// Returns the cursors that are to be warned of now.
    static func due(_ state: JournalState, now: Int64, path: String, _ told: Told) -> [DiagnosticEvent.HeldJournal] {
        var out: [DiagnosticEvent.HeldJournal] = []
        for cursor in state.cursors where cursor.position < state.next {
            let bytes = state.size(from: cursor)
            let doublings = bytes < size ? 0 : Int.bitWidth - (bytes / size).leadingZeroBitCount
            guard doublings > 0 || now - cursor.movedAt >= age else { continue }
            guard told.isNew("\(cursor.movedAt) \(doublings) \(cursor.name)") else { continue }
            out.append(.init(path: path, cursor: cursor.name, bytes: bytes, movedAt: cursor.movedAt))
        }
        return out
    }
}
