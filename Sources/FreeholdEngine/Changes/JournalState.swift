/// A reader of the journal, by name. Entries are kept until every cursor has passed them.
public struct JournalCursor: Equatable, Sendable {
    public let name: String
    /// The position of the first entry that its owner hasn't done with.
    public internal(set) var position: UInt64
    /// The number of that entry.
    public internal(set) var number: UInt64
    /// When it was made or last moved, by the machine's clock, in milliseconds since 1970.
    public internal(set) var movedAt: Int64
}

/// What the file knows of its journal: rewritten by every commit that adds an entry or moves a cursor.
struct JournalState: Equatable {
    /// The position and number of the next entry. Positions count blocks, and are never used again.
    var next: UInt64 = 0
    var nextNumber: UInt64 = 0
    /// Blocks before it are gone.
    var first: UInt64 = 0
    var cursors: [JournalCursor] = []

    static let maximumCursors = 1024
    /// The position and number of a cursor that stands behind the transaction that made it; never stored.
    static let atEnd = UInt64.max
    private static let version: UInt8 = 1

    /// About the bytes that a cursor keeps.
    func size(from cursor: JournalCursor) -> Int {
        Int(clamping: next - min(cursor.position, next)) * BlockLimits.pageSize
    }

    func encoded() -> [UInt8] {
        var w = ByteWriter()
        w.u8(Self.version)
        for number in [next, nextNumber, first, UInt64(cursors.count)] { w.varint(number) }
        for cursor in cursors {
            w.string(cursor.name)
            w.varint(cursor.position)
            w.varint(cursor.number)
            w.signed(cursor.movedAt)
        }
        return w.bytes
    }

    /// Nil where the bytes are damaged.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> JournalState? {
        var r = ByteReader(bytes)
        guard r.u8() == version, let next = r.varint(), let number = r.varint(), let first = r.varint(),
            let count = r.number(), count <= maximumCursors, first <= next, next <= BlockAddress.maximumNumber
        else { return nil }
        var state = JournalState(next: next, nextNumber: number, first: first)
        for _ in 0..<count {
            guard let name = r.string(), let position = r.varint(), let number = r.varint(), let moved = r.signed(),
                position >= first, position <= next, number <= state.nextNumber
            else { return nil }
            state.cursors.append(JournalCursor(name: name, position: position, number: number, movedAt: moved))
        }
        return r.isAtEnd ? state : nil
    }
}

extension Snapshot {
    /// Nil where there is no journal. A journal that has ended leaves its state, so that positions are never used again.
    var journalState: JournalState? {
        let address = BlockAddress(segment: Catalogue.journalStateSegment, number: 0)
        guard let stored = storedBlock(address) else { return nil }
        let bytes = core.envelope.bytes(stored, at: address)
        if let state = bytes.flatMap({ $0.withUnsafeBytes { JournalState.decode($0) } }) { return state }
        damaged("the journal's state can't be read")
        return nil
    }
}
