internal import Synchronization

/// What is known of a file's damage is said in one form, wherever it is found.
///
/// A file's numbers are checked where they are read: blocks when a version first reads them (`Snapshot+BlockCheck`), the
/// chunks and trees of large lists, whose blocks don't tell what they are, at each use, LMDB's own pages before LMDB
/// follows them (`PageTree`, `PageCheck`). What is damaged is never shown: it is read as if it weren't stored.
enum Damage {
    static func error(_ what: String, path: String) -> EngineError {
        EngineError(.invalidDatabase, "The file is damaged: \(what).", path: path)
    }

    /// Ends the process where damage is found and nothing can throw: a getter, a count. Nothing made up may be taken for
    /// what was stored.
    static func stop(_ error: EngineError) -> Never {
        fatalError("\(error) Restore it from a copy; `verify` says what is wrong with it.")
    }
}

/// Takes note of damage for somebody who can throw.
///
/// As long as a snapshot has one, damage in its blocks doesn't end the process: what is damaged is read as if it weren't
/// stored, and the error is thrown at the end. What was read in between is worth nothing.
final class DamageNote: Sendable {
    private let noted = Mutex<EngineError?>(nil)

    /// The first damage that was found.
    var error: EngineError? { noted.withLock { $0 } }

    func take(_ error: EngineError) { noted.withLock { if $0 == nil { $0 = error } } }

    /// - Throws: what was noted.
    func check() throws(EngineError) { if let error { throw error } }
}

extension Leaf {
    /// A leaf without slots in front of zeros: what is read of it in a damaged leaf's place is zero or empty, in as many
    /// slots as a leaf can have.
    static var blank: Leaf { Leaf(zeros) }

    /// Never written to again.
    nonisolated(unsafe) private static let zeros: UnsafeRawPointer = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: blankSize, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: blankSize)
        return UnsafeRawPointer(memory)
    }()

    /// The widest values have 16 bytes, and a cluster or chunk at most 1,024 slots.
    private static let blankSize = headerSize + 16 * 2048
}
