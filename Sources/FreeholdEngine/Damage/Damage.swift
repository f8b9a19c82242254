internal import Synchronization

/// The handling of damage in a file. All errors for damage have the same form.
///
/// Numbers in a file are checked when they are read. Blocks are checked when a version first reads them (`Snapshot+BlockCheck`). The chunks and trees
/// of large lists are checked at each use, because their blocks don't contain their kind. LMDB's own pages are checked before LMDB uses them
/// (`PageTree`, `PageCheck`). Damaged data is never returned. It is read as if it weren't stored.
enum Damage {
    static func error(_ what: String, path: String) -> EngineError {
        EngineError(.invalidDatabase, "The file is damaged: \(what).", path: path)
    }

    /// Ends the process because damage was found by code that can't throw, such as a getter or a count. Invented values must not be returned in the
    /// place of stored ones.
    static func stop(_ error: EngineError) -> Never {
        fatalError("\(error) Restore it from a copy; `verify` says what is wrong with it.")
    }
}

/// A note of damage for a caller that can throw.
///
/// If a snapshot has a note, damage in its blocks doesn't end the process. Damaged data is read as if it weren't stored, and the error is thrown at
/// the end. The data that was read in between must not be used.
final class DamageNote: Sendable {
    private let noted = Mutex<EngineError?>(nil)

    /// The first damage that was found.
    var error: EngineError? { noted.withLock { $0 } }

    func take(_ error: EngineError) { noted.withLock { if $0 == nil { $0 = error } } }

    /// - Throws: the error that was recorded.
    func check() throws(EngineError) { if let error { throw error } }
}

extension Leaf {
    /// A leaf without slots, followed by zeros. It replaces a damaged leaf. Reads from it return zero or empty, for as many slots as a leaf can have.
    static var blank: Leaf { Leaf(zeros) }

    /// The memory is never written again.
    nonisolated(unsafe) private static let zeros: UnsafeRawPointer = {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: blankSize, alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: blankSize)
        return UnsafeRawPointer(memory)
    }()

    /// The size is sufficient because the widest values have 16 bytes, and a cluster or chunk has at most 1,024 slots.
    private static let blankSize = headerSize + 16 * 2048
}
