/// A named cursor of a reader of the journal. Entries are kept until every cursor has passed them.
public struct JournalCursor: Equatable, Sendable {
    public let name: String
    /// The position of the first entry that its owner hasn't processed.
    public internal(set) var position: UInt64
    /// The number of that entry.
    public internal(set) var number: UInt64
    /// The time at which it was created or last moved, by the machine's clock, in milliseconds since 1970.
    public internal(set) var movedAt: Int64
}

/// The state of a file's journal. Every commit that adds an entry or moves a cursor rewrites it.
struct JournalState: Equatable {
    /// The position and number of the next entry. Positions count blocks and are never reused.
    var next: UInt64 = 0
    var nextNumber: UInt64 = 0
    /// The first position that is still stored.
    var first: UInt64 = 0
    var cursors: [JournalCursor] = []

    static let maximumCursors = 1024
    /// The position and number of a cursor that begins after the transaction that created it. They are never stored.
    static let atEnd = UInt64.max
    private static let version: UInt8 = 1

    /// Returns the approximate number of bytes that a cursor keeps from being removed.
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

    /// Returns `nil` if the bytes are damaged.
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
    /// The journal's state, or `nil` if the file never had a journal. A journal that has ended leaves its state, so that positions are never reused.
    var journalState: JournalState? {
        let address = BlockAddress(segment: Catalogue.journalStateSegment, number: 0)
        guard let stored = storedBlock(address) else { return nil }
        let bytes = core.envelope.bytes(stored, at: address)
        if let state = bytes.flatMap({ $0.withUnsafeBytes { JournalState.decode($0) } }) { return state }
        damaged("the journal's state can't be read")
        return nil
    }
}
