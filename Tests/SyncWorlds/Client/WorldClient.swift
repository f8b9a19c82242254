@testable import FreeholdSyncCore

/// A client's file in a world: the one in memory, or another one with the same behaviour.
protocol WorldClient {
    var data: MemoryClientStore.Data { get }
    /// The crashes of the next transactions, with `nil` for transactions that don't crash.
    var crashes: [MemoryClientStore.Crash?] { get set }
    /// The problems that it found in itself.
    var problems: [String] { get }

    /// Performs the app's own transaction. Edits that an app can't make are left out.
    mutating func commit(_ edits: [LocalEdit], wall: Int64) throws
    mutating func perform(_ request: StoreRequest, now: Int64, random: inout SeededRandom) throws -> StoreOutcome
    /// Damages the file without the client's notice.
    mutating func tamper(_ body: (inout any ClientTransaction) throws -> Void) throws
    /// Another file with what is in this one.
    func copied() -> any WorldClient
}

extension MemoryClientStore: WorldClient {
    var problems: [String] { [] }

    mutating func commit(_ edits: [LocalEdit], wall: Int64) throws {
        try commit(edits, wall: wall, schemaVersion: 0)
    }

    mutating func tamper(_ body: (inout any ClientTransaction) throws -> Void) throws {
        try transact { data in
            var transaction: any ClientTransaction = data
            try body(&transaction)
            data = transaction as! MemoryClientStore.Data
        }
    }

    func copied() -> any WorldClient { self }
}
