import Foundation
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// A commit in a file's journal, read as edits with stored positions.
struct FileCommitTests {
    @Test func `the edits of a commit lead from the version before it to its own`() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            try expectEqual(FileHistory.problems(seed: seed), [])
        }
    }
}
