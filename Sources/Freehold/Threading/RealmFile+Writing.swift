import CFreeholdShims
import FreeholdEngine
import Synchronization

/// The place of a file's open write transaction. It prevents a wait for the transaction at the same place.
struct WritingPlace: Sendable {
    fileprivate let transaction: ObjectIdentifier
    fileprivate let confinement: Confinement
    /// The thread whose running block contains the transaction.
    fileprivate var blockThread: UInt64?

    /// A Boolean value that indicates whether the transaction can't end while the caller waits.
    fileprivate var isHere: Bool {
        if blockThread == fh_thread_serial() { return true }
        if case .thread(let serial) = confinement { return serial == fh_thread_serial() }
        return confinement.isSurelyHere
    }
}

extension RealmFile {
    /// Waits for other writers, then begins a transaction.
    ///
    /// - Throws: `.invalidTransactionState` if the caller itself is the writer, through another realm of the file or in
    ///   a migration. The wait would never end.
    func beginWrite(_ configuration: Realm.Configuration) throws(Realm.Error) -> WriteTransaction {
        do throws(EngineError) {
            if let begun = try database.beginWriteNow() { return begun }
        } catch {
            throw Realm.Error(error, fileURL: configuration.fileURL)
        }
        if writingPlace.withLock({ $0 })?.isHere ?? false {
            throw Realm.Error(
                .invalidTransactionState,
                "The file's write transaction is open in this very place, by another realm of the file or in its migration, "
                    + "so that waiting for its end would never end. Make the change in the transaction that is open.",
                fileURL: configuration.fileURL
            )
        }
        // A realm of the current queue or actor can't accept the offer for its asynchronous write while this function
        // runs.
        if let other = RealmCache.here(.database(database.identity)), other.hasAsyncWrites, other.transaction == nil,
            let overtaken = try other.asyncWrites.overtake()
        {
            return overtaken
        }
        return try database.beginWrite(configuration)
    }

    /// Records that the transaction belongs to a realm of the place.
    func didBeginWrite(_ transaction: WriteTransaction, _ confinement: Confinement) {
        guard transaction.holdsLock else { return }
        let place = WritingPlace(transaction: ObjectIdentifier(transaction), confinement: confinement)
        writingPlace.withLock { $0 = place }
    }

    /// Records that a block runs on this thread, and that the transaction ends with it.
    func willRunBlock(_ transaction: WriteTransaction?) {
        guard let transaction else { return }
        writingPlace.withLock { place in
            if place?.transaction == ObjectIdentifier(transaction) { place?.blockThread = fh_thread_serial() }
        }
    }

    func didEndWrite(_ transaction: WriteTransaction) {
        writingPlace.withLock { place in
            // The next transaction may have begun already.
            if place?.transaction == ObjectIdentifier(transaction) { place = nil }
        }
    }
}
