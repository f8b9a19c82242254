import Foundation
import FreeholdEngine
import FreeholdSyncCore
import Testing

@testable import SyncWorlds

/// A commit in a file's journal, read as edits with stored positions.
struct FileCommitTests {
    @Test func `The edits of a commit make of the version before it the version that it made`() throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            try expectEqual(FileHistory.problems(seed: seed), [])
        }
    }
}
