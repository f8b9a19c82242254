#if PostgreSQL
    import Foundation
    import FreeholdCompression
    import FreeholdServerStore
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore
    @testable import SyncWorlds
    @testable import TestRandom

    /// Copies of streams from PostgreSQL to files and back.
    @Suite(.needsPostgres) struct CopyTests {
        private static let stream = StoreDriver<PostgresTwin>.stream

        private static func checksum(_ records: [[StreamRecord]]) throws -> StreamChecksum {
            var sums = StreamChecksum()
            for record in records.flatMap({ $0 }) { try sums.add(record) }
            return sums
        }

        /// Copies the stream into a new folder.
        private static func files(_ store: PostgresStore, _ folder: String) async throws -> (
            FileServerStore, StreamChecksum
        ) {
            let outline = try #require(try await store.outline(of: stream))
            var records: [[StreamRecord]] = []
            try await store.forEachRecord(of: stream) { records.append($0) }
            var options = FileServerStore.Options()
            options.compression = ZlibCompression.shared
            let files = try FileServerStore(at: folder, epoch: 99, options: options)
            try files.write(outline) { add in for batch in records { try add(batch) } }
            #expect(try files.outline(of: stream) == outline)
            return (files, try checksum(records))
        }

        /// Compares all answers of a store with those of the store in memory.
        private static func problems(_ twin: PostgresTwin, _ answer: (ServerStoreRequest) -> ServerStoreAnswer)
            -> [String]
        {
            var (memory, comparison, problems) = (twin.memory, StoreComparison(), [String]())
            for kind in StoreComparison.questions(about: stream, &memory) {
                let request = ServerStoreRequest(stream, kind)
                let head = memory.head(of: stream)
                let expected = memory.perform(request)
                if let difference = comparison.difference(answer(request), expected, to: request, at: head, &memory) {
                    problems.append("\(kind): \(difference)")
                }
            }
            return problems
        }

        @Test(arguments: WorldTests.histories)
        func `A copy answers as its source, in files and in a database`(options: HistoryGenerator.Options) async throws
        {
            for seed in StoreSeeds.seeds("CopyTests, \(options)", count: 1, soak: 50) {
                let store = try await PostgresStore.opened()
                defer { store.remove() }
                let twin = try await onThread { try WorldTests.play(seed, options, PostgresTwin(store)) }
                let folder = FileManager.default.temporaryDirectory.path + "/copy-\(UInt64.random(in: 0 ... .max))"
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let (files, sums) = try await Self.files(store, folder)
                let wrong = Self.problems(twin) { files.perform($0) }
                #expect(wrong.isEmpty, "seed \(seed): \(wrong.first?.prefix(3_000) ?? "")")
                #expect(try files.verify(Self.stream).isEmpty)
                // Back into another database.
                let other = try await PostgresStore.opened()
                defer { other.remove() }
                let outline = try #require(try files.outline(of: Self.stream))
                var records: [[StreamRecord]] = []
                try files.forEachRecord(of: Self.stream) { records.append($0) }
                #expect(sums.differences(to: try Self.checksum(records)).isEmpty, "seed \(seed)")
                // The first attempt ends early.
                var copy = try await other.beginCopy(outline)
                try await other.add(records[0], to: &copy)
                #expect(try await other.outline(of: Self.stream) == nil)
                copy = try await other.beginCopy(outline)
                for batch in records { try await other.add(batch, to: &copy) }
                try await other.finish(copy)
                #expect(try await other.outline(of: Self.stream) == outline)
                let again = try await onThread { Self.problems(twin) { other.answer($0) } }
                #expect(again.isEmpty, "seed \(seed): \(again.first?.prefix(3_000) ?? "")")
                #expect(try await other.verify(Self.stream).isEmpty)
                var last: [[StreamRecord]] = []
                try await other.forEachRecord(of: Self.stream) { last.append($0) }
                #expect(sums.differences(to: try Self.checksum(last)).isEmpty, "seed \(seed)")
                // The stream can be removed, so that it is copied again.
                try await other.remove(Self.stream)
                #expect(try await other.streams().isEmpty)
                let rows = "SELECT count(*) FROM \"\(other.options.schema)\".object"
                #expect(try PostgresServer.shared?.sql(rows) == "0")
            }
        }

        @Test func `A checksum differs if one record does`() throws {
            let mark = StreamRecord.mark(1, hash: .empty, clock: .zero, time: 5)
            let other = StreamRecord.mark(1, hash: .empty, clock: .zero, time: 6)
            let (one, two) = (try Self.checksum([[mark]]), try Self.checksum([[other]]))
            #expect(one.differences(to: two) == ["marks: 1 with other contents"])
            #expect(one.differences(to: StreamChecksum()) == ["marks: 1 and 0"])
            #expect(one.differences(to: one).isEmpty && one.count == 1 && "\(one)" == "marks: 1")
        }
    }
#endif
