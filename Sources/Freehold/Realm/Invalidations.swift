import FreeholdEngine

/// A record of the accessors that became invalid although their rows don't show it.
struct Invalidations {
    struct Cancelled {
        var begin: UInt64
        var end: UInt64
        var firstCreated: [Int: ObjectKey]
    }

    var before: UInt64 = 0
    private var begin: UInt64 = 0
    private var firstCreated: [Int: ObjectKey] = [:]
    private var lastCreatedTable = -1
    private var cancelled: [Cancelled] = []

    mutating func didBegin(at version: UInt64) {
        begin = version
        lastCreatedTable = -1
        if !firstCreated.isEmpty { firstCreated = [:] }
    }

    /// Records a new object. Keys of a table are ascending, so only the first key is stored.
    @inline(__always)
    mutating func didCreate(_ key: ObjectKey, in table: Table) {
        if table.id == lastCreatedTable { return }
        lastCreatedTable = table.id
        if firstCreated[table.id] == nil { firstCreated[table.id] = key }
    }

    mutating func didCancel(at version: UInt64) {
        if firstCreated.isEmpty { return }
        cancelled.append(Cancelled(begin: begin, end: version, firstCreated: firstCreated))
        firstCreated = [:]
    }

    func contains(stamp: UInt64, _ table: Table, _ key: ObjectKey) -> Bool {
        if stamp < before { return true }
        for range in cancelled.reversed() {
            if stamp >= range.end { return false }
            if stamp >= range.begin { return range.firstCreated[table.id].map { $0 <= key } ?? false }
        }
        return false
    }
}
