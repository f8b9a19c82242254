#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The first steps of a file that begins to sync.
extension FileClientTransaction {
    /// A Boolean value that indicates whether the file contains a sync state.
    var hasState: Bool { write.find(primaryKey: .string("state"), in: tables.values) != nil }

    /// Records the existing objects as work of the file.
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

    /// Makes a copy without its journal a new file, since it can't continue as the original file. The content that it
    /// shows will be replaced by the server's.
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
