#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The journal: what each commit did, whole and with values, kept until the named cursors have passed.
///
/// It is written in the commit itself, by every process that commits, as long as somebody has a cursor. An entry is
/// a run of blocks; its position is the number of the first. Block 0 of an entry begins with its header; the rest of it lies behind
/// that if it has room there, else in the blocks that follow.
enum Journal {
    /// Room in the first block for the header.
    static let headerSize = 64
    static let blockSize = BlockLimits.maximumSize
    /// Blocks that one commit takes away of those that every cursor has passed.
    static let trimmedBlocks: UInt64 = 1024
    private static let version: UInt8 = 1

    /// Returns the machine's clock, in milliseconds since 1970.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    struct Header {
        var number: UInt64
        /// Blocks of the entry, this one included.
        var blocks: UInt64
        var madeVersion: UInt64
        var time: Int64
        var logLength: Int
        var stateLength: Int

        func encoded() -> [UInt8] {
            var w = ByteWriter()
            w.u8(Journal.version)
            w.varint(number)
            w.varint(blocks)
            w.varint(madeVersion)
            w.signed(time)
            w.varint(UInt64(logLength))
            w.varint(UInt64(stateLength))
            return w.bytes
        }

        static func decode(_ r: inout ByteReader) -> Header? {
            guard r.u8() == Journal.version, let number = r.varint(), let blocks = r.varint(), blocks >= 1,
                let version = r.varint(), let time = r.signed(), let log = r.number(), let state = r.number(),
                log <= Int.max / 2, state <= Int.max / 2
            else { return nil }
            return Header(
                number: number,
                blocks: blocks,
                madeVersion: version,
                time: time,
                logLength: log,
                stateLength: state
            )
        }
    }
}

extension Snapshot {
    /// Those who read the journal; empty where there is none.
    public var journalCursors: [JournalCursor] { journalState?.cursors ?? [] }

    /// About the bytes that the journal's entries from a cursor on take: what the cursor keeps from being freed.
    public func journalSize(from cursor: JournalCursor) -> Int {
        journalState?.size(from: cursor) ?? 0
    }

    /// Returns the journal's entry at a position, which a cursor or the entry before it gave.
    ///
    /// - Returns: nil behind the last entry.
    /// - Throws: `.invalidArgument` for a position before the first that is kept; `.invalidDatabase` where the entry is
    ///   damaged, or none begins there.
    /// - Complexity: O(size of the entry)
    public func journalEntry(at position: UInt64) throws(EngineError) -> JournalEntry? {
        guard let (header, rest) = try journalHeader(at: position) else { return nil }
        var bytes = rest
        for i in 1..<max(1, header.blocks) {
            guard let part = journalBlock(position + i) else { throw damage(position) }
            bytes += part
        }
        guard header.logLength <= bytes.count, bytes.count - header.logLength == header.stateLength else {
            throw damage(position)
        }
        return JournalEntry(
            position: position,
            next: position + header.blocks,
            number: header.number,
            version: header.madeVersion,
            time: header.time,
            log: Array(bytes[..<header.logLength]),
            state: Array(bytes[header.logLength...])
        )
    }

    /// Returns the header, and what lies behind it in its block.
    func journalHeader(at position: UInt64) throws(EngineError) -> (header: Journal.Header, rest: [UInt8])? {
        guard let state = journalState, position < state.next else { return nil }
        guard position >= state.first else {
            throw EngineError(
                .invalidArgument,
                "The journal's entry at \(position) is gone: every cursor had passed it."
            )
        }
        guard let first = journalBlock(position) else { throw damage(position) }
        let found = first.withUnsafeBytes { raw -> (Journal.Header, [UInt8])? in
            var r = ByteReader(raw)
            guard let header = Journal.Header.decode(&r), header.blocks <= state.next - position else { return nil }
            return (header, Array(raw[r.offset...]))
        }
        guard let found else { throw damage(position) }
        return found
    }

    private func damage(_ position: UInt64) -> EngineError {
        EngineError(.invalidDatabase, "The journal's entry at \(position) is damaged.", path: core.path)
    }

    private func journalBlock(_ number: UInt64) -> [UInt8]? {
        guard number <= BlockAddress.maximumNumber else { return nil }
        let address = BlockAddress(segment: Catalogue.journalSegment, number: number)
        return storedBlock(address).flatMap { core.envelope.bytes($0, at: address) }
    }
}

extension WriteTransaction {
    /// Journals what is committed after this transaction, for a reader of this name, until the cursor is dropped.
    ///
    /// - Throws: `.invalidArgument` if there is a cursor of that name, `.limitExceeded` for more than 1,024,
    ///   `.unsupportedFormat` in a file of format 4 that others had open when it was to become one of format 5: an older
    ///   Freehold would commit to it without its journal.
    /// - Complexity: O(cursors)
    public func addJournalCursor(_ name: String) throws(EngineError) {
        guard core.header.formatVersion >= 5 else {
            throw EngineError(
                .unsupportedFormat,
                "A file of format \(core.header.formatVersion) can't have a journal: open it while nobody else has it open.",
                path: core.path
            )
        }
        var state = journalState
        guard !state.cursors.contains(where: { $0.name == name }) else {
            throw EngineError(.invalidArgument, "The journal has a cursor named '\(name)'.", path: core.path)
        }
        guard state.cursors.count < JournalState.maximumCursors else {
            throw EngineError(
                .limitExceeded,
                "A journal has at most \(JournalState.maximumCursors) cursors: drop those that nobody moves.",
                path: core.path
            )
        }
        state.cursors.append(
            JournalCursor(name: name, position: JournalState.atEnd, number: JournalState.atEnd, movedAt: Journal.now())
        )
        pendingJournal = state
        guard !root.hasJournal else { return }
        root.hasJournal = true
        schemaChanged = true
    }

    /// Moves a cursor on: its owner has done with every entry before `position`, which is that of an entry or the end.
    ///
    /// - Throws: `.invalidArgument` if there is no such cursor, or the position is none of an entry that this transaction
    ///   began with, or lies before the cursor's.
    /// - Complexity: O(entries passed)
    public func moveJournalCursor(_ name: String, to position: UInt64) throws(EngineError) {
        var state = journalState
        guard let i = state.cursors.firstIndex(where: { $0.name == name }) else { throw noCursor(name) }
        var (at, number) = (state.cursors[i].position, state.cursors[i].number)
        while at < position, let entry = try base.journalHeader(at: at) {
            at += entry.header.blocks
            number = entry.header.number + 1
        }
        guard at == position else {
            throw EngineError(
                .invalidArgument,
                "The journal's cursor '\(name)' can't be moved to \(position): no entry that is behind it begins there.",
                path: core.path
            )
        }
        state.cursors[i].position = at
        state.cursors[i].number = number
        state.cursors[i].movedAt = Journal.now()
        pendingJournal = state
    }

    /// Drops a cursor. With the last one the journal ends, and its entries go.
    ///
    /// - Throws: `.invalidArgument` if there is no such cursor.
    public func dropJournalCursor(_ name: String) throws(EngineError) {
        var state = journalState
        guard let i = state.cursors.firstIndex(where: { $0.name == name }) else { throw noCursor(name) }
        state.cursors.remove(at: i)
        pendingJournal = state
    }

    /// A Boolean value that indicates whether what this transaction does goes to the file's journal.
    public var isJournalled: Bool { journal != nil }

    /// Says that the value which an object of this transaction holds is one that nobody chose, such as a model's default. The
    /// journal tells it, unless another value is set after it; elsewhere it does nothing.
    ///
    /// - Precondition: the column holds single values.
    /// - Complexity: O(1)
    public func markDefault(_ column: Column, _ key: ObjectKey) {
        precondition(column.collection == .none, "'\(column.name)' holds a collection, which is no default value.")
        guard let journal, !column.isHidden, !isOld(column, key) else { return }
        journal.markedDefault(column, key, value(column, key))
    }

    private func noCursor(_ name: String) -> EngineError {
        EngineError(.invalidArgument, "The journal has no cursor named '\(name)'.", path: core.path)
    }

    private var journalState: JournalState { pendingJournal ?? base.journalState ?? JournalState() }

    // MARK: At commit

    /// Adds this transaction's entry, and lets go of what every cursor has passed.
    func settleJournal() throws(EngineError) {
        guard root.hasJournal, hasChanges || pendingJournal != nil else { return }
        let old = base.journalState
        var state = pendingJournal ?? old ?? JournalState()
        if let journal, hasChanges {
            try journal.finish(in: self, &state)
        }
        for i in state.cursors.indices where state.cursors[i].position == JournalState.atEnd {
            state.cursors[i].position = state.next
            state.cursors[i].number = state.nextNumber
        }
        let kept = state.cursors.map(\.position).min() ?? state.next
        // A few at a time, so that no commit pays for many.
        let end = min(kept, state.first + Journal.trimmedBlocks)
        for number in state.first..<max(state.first, end) { removeBlock(Catalogue.journalSegment, number) }
        state.first = max(state.first, end)
        if state.cursors.isEmpty, state.first == state.next {
            root.hasJournal = false
            // Positions aren't used again, should there be another journal.
            putSchema()
        }
        journalWarnings = JournalWarning.due(state, now: Journal.now(), path: core.path, core.toldOfJournal)
        guard state != old else { return }
        state.encoded().withUnsafeBytes { putBlock(Catalogue.journalStateSegment, 0, $0) }
    }
}
