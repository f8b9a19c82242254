internal import Synchronization

/// Warnings about cursors that aren't moved. The file grows by the entries that they keep.
enum JournalWarning {
    /// The size in bytes above which a cursor causes a warning. Another warning follows whenever the size has doubled.
    static let size = 64 << 20
    /// The age above which a cursor that keeps entries causes a warning: seven days since it was last moved, in milliseconds.
    static let age: Int64 = 7 * 24 * 3600 * 1000

    /// The warnings that were given. Each process gives them once for each opening of the file.
    final class Told: Sendable {
        private let marks = Mutex<Set<String>>([])

        fileprivate func isNew(_ mark: String) -> Bool { marks.withLock { $0.insert(mark).inserted } }
    }

    /// Returns the cursors for which a warning is due.
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
