import FreeholdServerStore
import Testing

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// Files that never uploaded anything, in the store in memory and in the one in files.
struct UnusedFileTests {
    private static let stream = StreamName(app: "files")

    private struct Stores {
        var twin: TwinStore

        init() throws { twin = try TwinStore() }

        mutating func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
            twin.perform(ServerStoreRequest(stream, kind))
        }

        mutating func file(seen time: Int64, parents: [FileParent] = []) throws -> FileIdent {
            let secret = SecretHash(FileSecret(high: 1, low: 2))
            guard case .file(let row) = perform(.makeFile(user: "ann", secret: secret, parents: parents, clock: .zero))
            else { throw CodecError(.inconsistent, "There is no file.") }
            if time > 0 { _ = perform(.noteFile(row.ident, acknowledged: 0, leastBase: nil, time: time)) }
            return row.ident
        }

        mutating func isKnown(_ ident: FileIdent) -> Bool {
            guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))) else {
                return false
            }
            return answer.file != nil
        }
    }

    @Test func `files that never uploaded anything are forgotten, and their numbers aren't used again`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let queries = Queries(version: 1, queries: [ClassQuery(className: "A", condition: "TRUEPREDICATE")])
        let author = try stores.file(seen: 100)
        let (unused, subscribed, idle) = (
            try stores.file(seen: 100), try stores.file(seen: 100), try stores.file(seen: 10)
        )
        for ident in [subscribed, idle] { _ = stores.perform(.noteQueries(ident, queries, isComplete: true)) }
        _ = stores.perform(.noteQueries(unused, queries, isComplete: false))
        let fresh = try stores.file(seen: 900)
        let new = try stores.file(seen: 0)
        let copy = try stores.file(seen: 10, parents: [FileParent(ident: author, version: 0)])
        // The author's row records an upload.
        guard case .bind(let answer) = stores.perform(.bind(FileQuery(ident: author, acknowledged: 0))),
            var row = answer.file
        else {
            Issue.record("no file")
            return
        }
        row.last = 1
        var commit = StoreCommit(expected: answer.head, head: answer.head)
        commit.files = [author: row]
        _ = stores.perform(.commit(commit))
        let last = try stores.file(seen: 100)
        _ = stores.perform(.trimFiles(unused: 500, idle: 50))
        let known = [author, unused, subscribed, idle, fresh, new, copy, last].map { stores.isKnown($0) }
        expectEqual(known, [true, false, true, false, true, true, true, false])
        stores.twin.reopen()
        let next = try stores.file(seen: 100)
        expect(next > last)
        // Copies are found although rows between them are missing.
        var query = RowQuery()
        query.copies = [try stores.file(seen: 100, parents: [FileParent(ident: author, version: 0)])]
        _ = stores.perform(.read(query))
        expectEqual(stores.twin.problems, [])
    }

    @Test func `a commit of a removed file isn't kept`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        let (forgotten, known) = (try stores.file(seen: 100), try stores.file(seen: 900))
        let answer = StoredAnswer(
            answer: MergeAnswer(commit: 1, version: 1, clock: Clock(milliseconds: 5), refusals: []),
            hash: RunningHash.empty.appending([1], salt: 1)
        )
        guard case .bind(let bound) = stores.perform(.bind(FileQuery(ident: forgotten, acknowledged: 0))),
            let row = bound.file
        else {
            Issue.record("no file")
            return
        }
        _ = stores.perform(.trimFiles(unused: 500, idle: 500))
        let head = stores.twin.head(of: Self.stream)
        for isRow in [true, false] {
            var commit = StoreCommit(expected: head, head: head)
            commit.head.clock = Clock(milliseconds: 5)
            if isRow {
                commit.files = [forgotten: row]
            } else {
                commit.answers = [forgotten: [answer], known: [answer]]
            }
            guard case .failed(.moved) = stores.perform(.commit(commit)) else {
                Issue.record("a commit of a removed file was kept")
                return
            }
        }
        expectEqual(stores.twin.head(of: Self.stream), head)
        expectEqual(stores.twin.problems, [])
    }

    @Test func `the bytes of users' documents are kept`() throws {
        var stores = try Stores()
        defer { stores.twin.remove() }
        func used() -> [SyncString: UInt64] {
            var query = RowQuery()
            query.users = ["ann", "ben"]
            guard case .rows(let rows) = stores.perform(.read(query)) else { return [:] }
            return rows.users
        }
        _ = try stores.file(seen: 100)
        expectEqual(used(), ["ann": 0, "ben": 0])
        for growth in [["ann": 70, "ben": 5], ["ann": -30], ["ben": -9]] as [[SyncString: Int64]] {
            let head = stores.twin.head(of: Self.stream)
            var commit = StoreCommit(expected: head, head: head)
            commit.growth = growth
            _ = stores.perform(.commit(commit))
        }
        expectEqual(used(), ["ann": 40, "ben": 0])
        stores.twin.reopen()
        expectEqual(used(), ["ann": 40, "ben": 0])
        expectEqual(stores.twin.problems, [])
    }
}
