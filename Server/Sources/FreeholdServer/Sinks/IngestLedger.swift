public import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore

/// The storage of a pump's position: a small document that is always replaced as a whole. One pump at a time uses it. Its methods may block, and are
/// called one after the other.
public protocol IngestLedger: AnyObject {
    /// The document that was written last. Empty if none was written.
    var document: BSONDocument { get }
    /// Replaces the document. It is durable when the call returns.
    ///
    /// - Throws: An error if the document wasn't written, or if it isn't known whether it was.
    func write(_ document: BSONDocument) throws
    /// Lets other pumps use the ledger.
    func close()
}

extension SlotFile: IngestLedger {}

/// The stored form of a pump's position.
struct IngestRecord: Equatable {
    /// A position, with the cursor of the stream at the time when everything up to the position was stored.
    struct Checkpoint: Equatable {
        var position: IngestPosition
        var cursor: Cursor
    }

    /// A batch that the receiver may have already.
    struct Batch: Equatable {
        var end: IngestPosition
        var cursor: Cursor
        var key: String
        var firstAttempt: Int64
    }

    /// The checkpoints, newest last. The older ones are for a store that was restored to an earlier state.
    var checkpoints: [Checkpoint] = []
    var batch: Batch?
    /// The notes of the sink.
    var notes: BSONDocument = [:]
    var delivered: Int64 = 0

    var position: IngestPosition { checkpoints.last?.position ?? .start }

    /// Adds a checkpoint. Older checkpoints are removed so that each one is at least twice as far back as the next one,
    /// and few are left. The first one stays.
    mutating func add(_ checkpoint: Checkpoint) {
        var kept: [Checkpoint] = [checkpoint]
        var distance: UInt64 = 0
        for old in checkpoints.reversed() where old.cursor.version < checkpoint.cursor.version {
            let back = checkpoint.cursor.version - old.cursor.version
            guard back >= 2 * distance || old == checkpoints.first else { continue }
            kept.append(old)
            distance = max(back, 1)
        }
        checkpoints = kept.reversed()
    }
}

extension IngestRecord {
    init(_ document: BSONDocument) {
        for value in document["checkpoints"]?.arrayValue ?? [] {
            guard let inner = value.documentValue, let checkpoint = Checkpoint(inner) else { continue }
            checkpoints.append(checkpoint)
        }
        if let inner = document["batch"]?.documentValue, let end = Checkpoint(inner),
            let key = inner["key"]?.stringValue,
            let first = inner["first"]?.int64Value
        {
            batch = Batch(end: end.position, cursor: end.cursor, key: key, firstAttempt: first)
        }
        notes = document["notes"]?.documentValue ?? [:]
        delivered = document["delivered"]?.int64Value ?? 0
    }

    var document: BSONDocument {
        var document: BSONDocument = [
            "checkpoints": .array(checkpoints.map { .document($0.document) }), "delivered": .int64(delivered),
            "notes": .document(notes),
        ]
        if let batch {
            var inner = Checkpoint(position: batch.end, cursor: batch.cursor).document
            inner["key"] = .string(batch.key)
            inner["first"] = .int64(batch.firstAttempt)
            document["batch"] = .document(inner)
        }
        return document
    }
}

extension IngestRecord.Checkpoint {
    fileprivate init?(_ document: BSONDocument) {
        func word(_ key: String) -> UInt64? { document[key]?.int64Value.map { UInt64(bitPattern: $0) } }
        guard let row = document["row"]?.int64Value, let other = document["other"]?.int64Value,
            let epoch = word("epoch"), let version = word("version"), let high = word("high"), let low = word("low")
        else { return nil }
        position = IngestPosition(row: row, other: other)
        cursor = Cursor(epoch: epoch, version: version, hash: RunningHash(high: high, low: low))
    }

    fileprivate var document: BSONDocument {
        func word(_ value: UInt64) -> BSONValue { .int64(Int64(bitPattern: value)) }
        return [
            "row": .int64(position.row), "other": .int64(position.other), "epoch": word(cursor.epoch),
            "version": word(cursor.version), "high": word(cursor.hash.high), "low": word(cursor.hash.low),
        ]
    }
}
