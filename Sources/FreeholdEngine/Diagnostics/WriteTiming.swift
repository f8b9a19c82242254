/// The times of one write transaction. It is created only if there are listeners to writes.
struct WriteTiming {
    let asked: ContinuousClock.Instant
    var began: ContinuousClock.Instant?
    var commitBegan: ContinuousClock.Instant?
    var bytes = 0
    var waiting = 0

    /// - Parameter asked: the time at which the writer lock was requested.
    init(asked: ContinuousClock.Instant) { self.asked = asked }

    /// Reports the end of the write to the listeners.
    func tell(_ outcome: DiagnosticEvent.Write.Outcome, _ core: DatabaseCore) {
        let now = ContinuousClock.now
        var write = DiagnosticEvent.Write(
            path: core.path,
            outcome: outcome,
            version: core.storage.lastVersion,
            waited: (began ?? now) - asked,
            lasted: began.map { now - $0 } ?? .zero,
            commit: commitBegan.map { now - $0 } ?? .zero,
            bytes: bytes,
            waiting: waiting,
            fileBytes: core.storage.fileSize
        )
        if Diagnostics.wants(.readers) {
            let held = core.storage.readerList().map(\.version).filter { $0 > 0 }
            write.readers = held.count
            write.activeVersions = write.version - min(held.min() ?? write.version, write.version) + 1
        }
        Diagnostics.send(.wrote(write))
    }
}

extension DatabaseCore {
    func tellOpened(isReadOnly: Bool) {
        let opening = DiagnosticEvent.Opening(
            path: path,
            version: storage.lastVersion,
            fileBytes: storage.fileSize,
            isReadOnly: isReadOnly,
            isEncrypted: cipher != nil
        )
        Diagnostics.send(.opened(opening))
    }
}
