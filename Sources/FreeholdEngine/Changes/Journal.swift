#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The journal: the changes of each commit, complete and with values, kept until all named cursors have passed them.
///
/// Every committing process writes it in the commit itself, as long as the file has a cursor. An entry is a run of blocks. Its position is the number
/// of the first block. The first block begins with the entry's header. The rest of the entry follows in the same block if it fits, and otherwise in
/// the following blocks.
enum Journal {
    /// The number of bytes that are reserved for the header in the first block.
    static let headerSize = 64
    static let blockSize = BlockLimits.maximumSize
    /// The maximum number of blocks that one commit removes after all cursors have passed them.
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
        /// The number of the entry's blocks, including the first one.
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
    /// The cursors of the journal's readers. The array is empty without a journal.
    public var journalCursors: [JournalCursor] { journalState?.cursors ?? [] }

    /// Returns the approximate size of the journal's entries from a cursor on, in bytes. The cursor prevents their removal.
    public func journalSize(from cursor: JournalCursor) -> Int {
        journalState?.size(from: cursor) ?? 0
    }

    /// Returns the journal's entry at a position. The position is that of a cursor, or the `next` of the previous entry.
    ///
    /// - Returns: the entry, or `nil` after the last entry.
    /// - Throws: `.invalidArgument` for a position before the first stored entry; `.invalidDatabase` if the entry is damaged, or if no entry begins
    ///   at the position.
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

    /// Returns the header, and the bytes after it in its block.
    func journalHeader(at position: UInt64) throws(EngineError) -> (header: Journal.Header, rest: [UInt8])? {
        guard let state = journalState, position < state.next else { return nil }
        guard position >= state.first else {
            throw EngineError(
                .invalidArgument,
                "The journal's entry at \(position) was deleted: every cursor had passed it."
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
    /// Adds a cursor for a reader. Commits after this transaction are written to the journal until the cursor is dropped.
    ///
    /// - Throws: `.invalidArgument` if a cursor with that name exists; `.limitExceeded` for more than 1,024 cursors; `.unsupportedFormat` in a file
    ///   of format 4 that couldn't be upgraded because it was open elsewhere. An older Freehold version would commit to such a file without its
    ///   journal.
    /// - Complexity: O(cursors)
    public func addJournalCursor(_ name: String) throws(EngineError) {
        guard core.header.formatVersion >= 5 else {
            throw EngineError(
                .unsupportedFormat,
                "A file of format \(core.header.formatVersion) can't have a journal: open it while it isn't open elsewhere.",
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
                "A journal has at most \(JournalState.maximumCursors) cursors: remove those that aren't moved.",
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

    /// Moves a cursor. Its owner has processed every entry before `position`, which is the position of an entry or the end.
    ///
    /// - Throws: `.invalidArgument` if the cursor doesn't exist, if the position isn't that of an entry which existed at the beginning of this
    ///   transaction, or if it is before the cursor's position.
    /// - Complexity: O(passed entries)
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

    /// Removes a cursor. When the last cursor is removed, the journal ends and its entries are removed.
    ///
    /// - Throws: `.invalidArgument` if the cursor doesn't exist.
    public func dropJournalCursor(_ name: String) throws(EngineError) {
        var state = journalState
        guard let i = state.cursors.firstIndex(where: { $0.name == name }) else { throw noCursor(name) }
        state.cursors.remove(at: i)
        pendingJournal = state
    }

    /// A Boolean value that indicates whether the changes of this transaction are written to the file's journal.
    public var isJournalled: Bool { journal != nil }

    /// Marks the value of an object that this transaction created as a default, such as the default of a model's property, which the user didn't
    /// choose. The journal records the mark, unless another value is set afterwards. In files without a journal, the function does nothing.
    ///
    /// - Precondition: the column is single-valued.
    /// - Complexity: O(1)
    public func markDefault(_ column: Column, _ key: ObjectKey) {
        precondition(column.collection == .none, "'\(column.name)' holds a collection, which can't be a default value.")
        guard let journal, !column.isHidden, !isOld(column, key) else { return }
        journal.markedDefault(column, key, value: value(column, key))
    }

    private func noCursor(_ name: String) -> EngineError {
        EngineError(.invalidArgument, "The journal has no cursor named '\(name)'.", path: core.path)
    }

    private var journalState: JournalState { pendingJournal ?? base.journalState ?? JournalState() }

    // MARK: At commit

    /// Adds this transaction's entry, and removes blocks that all cursors have passed.
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
        // Only some blocks are removed, so that the cost is distributed over the commits.
        let end = min(kept, state.first + Journal.trimmedBlocks)
        for number in state.first..<max(state.first, end) { removeBlock(Catalogue.journalSegment, number) }
        state.first = max(state.first, end)
        if state.cursors.isEmpty, state.first == state.next {
            root.hasJournal = false
            // Positions aren't reused if a new journal begins later.
            putSchema()
        }
        journalWarnings = JournalWarning.due(state, now: Journal.now(), path: core.path, core.toldOfJournal)
        guard state != old else { return }
        state.encoded().withUnsafeBytes { putBlock(Catalogue.journalStateSegment, 0, bytes: $0) }
    }
}
