#if PostgreSQL
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import SyncWorlds

    /// Files of submissions in PostgreSQL, beside those of the store in memory.
    @Suite(.needsPostgres) struct WriterFileTests {
        private static let stream = StreamName(app: "writers")

        private static func secret(_ number: UInt64) -> SecretHash { SecretHash(FileSecret(high: 9, low: number)) }

        private struct Stores {
            var twin: PostgresTwin

            mutating func perform(_ kind: ServerStoreRequest.Kind) -> ServerStoreAnswer {
                twin.perform(ServerStoreRequest(stream, kind))
            }

            mutating func ident(_ kind: ServerStoreRequest.Kind) throws -> FileIdent {
                guard case .file(let row) = perform(kind) else { throw CodecError(.inconsistent, "There is no file.") }
                return row.ident
            }

            mutating func isKnown(_ ident: FileIdent) -> Bool {
                guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))) else {
                    return false
                }
                return answer.file != nil
            }

            /// Writes a commit of a file without changes.
            mutating func commit(_ ident: FileIdent, at time: Int64) {
                guard case .bind(let answer) = perform(.bind(FileQuery(ident: ident, acknowledged: 0))),
                    var row = answer.file
                else {
                    Issue.record("no file")
                    return
                }
                var head = answer.head
                (head.version, head.hash) = (head.version + 1, head.hash.appending([1], salt: UInt64(time)))
                head.now = time
                row.last += 1
                row.hash = row.hash.appending([2], salt: UInt64(time))
                var commit = StoreCommit(expected: answer.head, head: head)
                commit.files = [ident: row]
                let merged = MergeAnswer(commit: row.last, version: head.version, clock: .zero, refusals: [])
                commit.answers = [ident: [StoredAnswer(answer: merged, hash: row.hash)]]
                let author = PartName(ident: ident, commit: row.last)
                commit.entries = [
                    LogEntry(
                        version: head.version,
                        hash: head.hash,
                        clock: .zero,
                        time: time,
                        author: author,
                        changes: []
                    )
                ]
                guard case .done = perform(.commit(commit)) else {
                    Issue.record("the commit isn't kept")
                    return
                }
            }
        }

        @Test func `a secret has one file, and old files are removed when the horizon has passed them`() async throws {
            let store = try await PostgresStore.opened()
            defer { store.remove() }
            try await onThread {
                var stores = Stores(twin: PostgresTwin(store))
                func made(_ user: SyncString, _ number: UInt64, _ parents: [FileParent] = []) -> ServerStoreRequest.Kind
                {
                    .makeFile(user: user, secret: Self.secret(number), parents: parents, clock: .zero)
                }
                let device = try stores.ident(made("ann", 100))
                let earlier = try stores.ident(made("", 101))
                let unused = try stores.ident(made("", 102))
                let parent = try stores.ident(made("", 103))
                _ = try stores.ident(made("ann", 104, [FileParent(ident: parent, version: 0)]))
                let first = try stores.ident(.openWriter(Self.secret(1)))
                let other = try stores.ident(.openWriter(Self.secret(2)))
                #expect(first != other)
                #expect(try stores.ident(.openWriter(Self.secret(1))) == first)
                for ident in [device, earlier, parent, first, other] { stores.commit(ident, at: 1_000) }
                let all = [device, earlier, unused, parent, first, other]
                _ = stores.perform(.trimWriters(keeping: Self.secret(1)))
                #expect(all.map { stores.isKnown($0) } == [true, true, false, true, true, true])
                stores.commit(first, at: 9_000)
                _ = stores.perform(.trim(log: 5_000, horizon: 5_000))
                _ = stores.perform(.trimWriters(keeping: Self.secret(1)))
                #expect(all.map { stores.isKnown($0) } == [true, false, false, true, true, false])
                #expect(try stores.ident(.openWriter(Self.secret(2))) > other)
                #expect(try stores.ident(.openWriter(Self.secret(1))) == first)
                #expect(stores.twin.problems == [])
            }
        }

        @Test func `two nodes that open the file of a secret at once have one file`() async throws {
            let store = try await PostgresStore.opened()
            let second = try await PostgresStore.opened(schema: store.options.schema)
            defer {
                second.close()
                store.remove()
            }
            for number in 1...20 as ClosedRange<UInt64> {
                let idents = await withTaskGroup(of: FileIdent?.self, returning: [FileIdent?].self) { group in
                    for node in [store, second] {
                        group.addTask {
                            await withCheckedContinuation { done in
                                let kind = ServerStoreRequest.Kind.openWriter(Self.secret(number))
                                node.perform(ServerStoreRequest(Self.stream, kind)) { answer in
                                    if case .file(let row) = answer {
                                        done.resume(returning: row.ident)
                                    } else {
                                        done.resume(returning: nil)
                                    }
                                }
                            }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(idents.count == 2 && idents[0] != nil && idents[0] == idents[1], "\(idents)")
            }
        }
    }
#endif
