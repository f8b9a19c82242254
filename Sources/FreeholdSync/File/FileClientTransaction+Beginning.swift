#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// What a file needs when it begins to sync.
extension FileClientTransaction {
    /// Whether sync has kept anything.
    var hasState: Bool { write.find(primaryKey: .string("state"), in: tables.values) != nil }

    /// Objects that were there before sync began become work of the file's own.
    mutating func adopt(_ adopted: [Table]) throws {
        for table in adopted {
            let keys = write.keys(table)
            for start in stride(from: 0, to: keys.count, by: 500) {
                let contents = FileContents(write)
                let edits = keys[start..<min(start + 500, keys.count)].compactMap { key -> LocalEdit? in
                    guard let name = contents.name(table.id, key), let values = contents.contents(table, key) else {
                        return nil
                    }
                    return .create(name, values, defaults: [])
                }
                let wall = Int64(Date().timeIntervalSince1970 * 1_000) &- 1_420_070_400_000
                state.clock = Clock.ofCommit(wall: wall &+ state.offset, last: state.clock)
                let identity = UInt64.random(in: .min ... .max)
                try resolve(
                    LocalCommit(sequence: 0, clock: state.clock, identity: identity, edits: edits, before: [:])
                )
            }
        }
    }

    /// The file is a copy that has no journal: it can't go on as the one that it was copied of. What it shows gives way to what the server
    /// has.
    mutating func becomeNewFile() throws {
        for name in try shadowed() { try setShadow(nil, of: name) }
        write.delete(tables.commits, write.keys(tables.commits))
        try removeParts()
        for (name, found) in tables.classes.sorted(by: { $0.key < $1.key }) {
            let contents = FileContents(write)
            for key in write.keys(found.table) {
                write.setImage(found, key, false)
                if let name = contents.name(found.table.id, key) { try setVersion(0, of: name) }
            }
            forgetVersions(ofMissing: name)
        }
        var new = ClientState()
        new.clock = state.clock
        new.querySets = state.querySets.last.map { [QuerySet(version: $0.version, queries: $0.queries)] } ?? []
        (new.isReset, new.isPrepared) = (true, true)
        state = new
    }
}
