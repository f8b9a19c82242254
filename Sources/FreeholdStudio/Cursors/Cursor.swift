import FreeholdEngine

/// A table on the page: a followed query with the part of it that is on the screen, the window.
///
/// It is used on the loop of its session only.
final class Cursor {
    let number: Int
    let query: TableQuery
    /// The name of the table on the screen. A newer query with the same name replaces this one.
    let place: String?
    private(set) var compiled: TableQuery.Compiled
    /// The objects, or `nil` while the page is hidden or the query runs again.
    private(set) var rows: FollowedRows?
    /// The number of objects that was reported last.
    private(set) var count: Int

    private var window = 0..<0
    /// The rows of the window in the state that was sent last.
    private var shown: [ShownRow] = []
    /// The changes that haven't been sent.
    private var pending = Pending()
    /// A Boolean value that indicates whether the page hasn't acknowledged the last push.
    private var isWaiting = false
    /// A Boolean value that indicates whether that push reports moved rows.
    private var isWaitingForMoves = false
    /// The time before which no push is sent.
    var nextPush = ContinuousClock.Instant.now

    /// The number of rows up to which a push contains the window.
    static let pushedRows = 200
    /// The least time between two pushes.
    static let pushInterval = Duration.milliseconds(33)

    private struct ShownRow: Equatable {
        let key: ObjectKey
        /// A hash of each cell.
        let cells: [UInt64]
    }

    private struct Pending {
        var commits: UInt64 = 0
        var movedFrom: Int?
        var isModified = false
        var isForced = false

        var isEmpty: Bool { commits == 0 && !isForced }
    }

    init(_ number: Int, _ query: TableQuery, place: String?, compiled: TableQuery.Compiled, rows: FollowedRows) {
        (self.number, self.query, self.place, self.compiled, self.rows) = (number, query, place, compiled, rows)
        count = rows.count
    }

    var keyBytes: Int { rows?.keyBytes ?? 0 }

    // MARK: Reading

    /// Returns rows as an array of pairs of key and cells, and makes the range the window if `isWindow` is true.
    func read(_ range: Range<Int>, isWindow: Bool, in view: Snapshot, _ facts: SchemaFacts) -> StudioJSON {
        let range = range.clamped(to: 0..<count)
        let (text, read) = Self.write(rows?.keys(range) ?? [], compiled.columns, in: view, facts)
        if isWindow { (window, shown) = (range, read) }
        return .raw(text)
    }

    private static func write(
        _ keys: [ObjectKey],
        _ columns: [Column],
        in view: Snapshot,
        _ facts: SchemaFacts
    ) -> ([UInt8], [ShownRow]) {
        let writer = ValueWriter(view: view, facts: facts)
        var out = JSONText()
        var shown: [ShownRow] = []
        out.array(keys) { key, out in
            out.plain("[\(key.raw),")
            var hashes: [UInt64] = []
            out.array(columns) { column, out in
                let start = out.count
                writer.write(column, of: key, to: &out)
                hashes.append(hash(out.bytes[start...]))
            }
            out.mark("]")
            shown.append(ShownRow(key: key, cells: hashes))
        }
        return (out.bytes, shown)
    }

    /// Returns a number that is different for different bytes with great probability (FNV-1a).
    private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    // MARK: Changes

    /// Advances to a later version with the same schema.
    func advance(to next: Snapshot, _ changes: VersionChanges) {
        guard rows != nil else { return }
        let change = rows!.advance(to: next, changes)
        pending.commits += changes.to - changes.from
        pending.isModified = pending.isModified || change.isModified
        if let moved = change.movedFrom { pending.movedFrom = min(pending.movedFrom ?? .max, moved) }
    }

    /// Drops the objects, so that no version is held.
    func release() { rows = nil }

    /// Replaces the objects by those of a query that has run again.
    func replace(_ compiled: TableQuery.Compiled, _ rows: FollowedRows) {
        (self.compiled, self.rows) = (compiled, rows)
        pending.isForced = true
        pending.movedFrom = 0
    }

    /// Allows the next push.
    func acknowledge() { (isWaiting, isWaitingForMoves) = (false, false) }

    /// A Boolean value that indicates whether rows have moved since the last push that the page acknowledged, so that the positions on the screen
    /// are those of other objects.
    var hasMovedUnseen: Bool { isWaitingForMoves || pending.movedFrom != nil }

    /// A Boolean value that indicates whether there are changes that may be sent as soon as the interval is over.
    var isDue: Bool { rows != nil && !isWaiting && !pending.isEmpty }

    /// Returns the push for the pending changes, or `nil` if they don't concern the page.
    func push(version: UInt64, in view: Snapshot, _ facts: SchemaFacts) -> StudioJSON? {
        guard isDue, let rows else { return nil }
        let sent = pending
        pending = Pending()
        let newCount = rows.count
        let hasMoved = sent.movedFrom != nil || newCount != count
        count = newCount
        let end = min(window.lowerBound + max(window.count, Self.pushedRows / 4), newCount)
        let range = window.isEmpty && !sent.isForced ? window : min(window.lowerBound, end)..<end
        let (text, read) = Self.write(rows.keys(range), compiled.columns, in: view, facts)
        let cells = Self.changedCells(from: shown, to: read)
        let hasChanged = read != shown
        guard hasMoved || hasChanged || sent.isModified || sent.isForced else { return nil }
        shown = read
        if !window.isEmpty || sent.isForced { window = range }
        (isWaiting, isWaitingForMoves) = (true, hasMoved)
        nextPush = .now + Self.pushInterval
        let includesRows = hasChanged && range.count <= Self.pushedRows
        return .members([
            "push": "changed", "cursor": .int(number), "version": .int(version), "count": .int(newCount),
            "commits": .int(sent.commits), "moved": .bool(hasMoved),
            "movedFrom": sent.movedFrom.map { .int($0) }, "elsewhere": .bool(sent.isModified || hasMoved),
            "cells": cells,
            "from": includesRows ? .int(range.lowerBound) : nil, "rows": includesRows ? .raw(text) : nil,
        ])
    }

    /// Returns the changed cells of rows that were shown before and after.
    private static func changedCells(from old: [ShownRow], to new: [ShownRow]) -> StudioJSON {
        let before = Dictionary(old.map { ($0.key, $0.cells) }) { first, _ in first }
        return .array(
            new.compactMap { row in
                guard let cells = before[row.key], cells != row.cells, cells.count == row.cells.count else {
                    return nil
                }
                let changed = row.cells.indices.filter { row.cells[$0] != cells[$0] }
                return .array([.int(row.key.raw), .array(changed.map { .int($0) })])
            }
        )
    }
}
