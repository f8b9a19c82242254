#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore
    internal import Synchronization

    /// Files that wait until they are created. One statement creates the files of a stream that wait at the same time. Any thread may use it.
    final class FileCreations: Sendable {
        struct Creation: Sendable {
            let user: SyncString
            let secret: SecretHash
            let parents: [FileParent]
            let clock: Clock
            let answer: @Sendable (ServerStoreAnswer) -> Void
        }

        /// The maximum number of files of one statement.
        static let most = 500

        private let waiting = Mutex<[StreamName: ArraySlice<Creation>]>([:])

        /// Adds a file.
        ///
        /// - Returns: A Boolean value that indicates whether no other file of the stream waited. The caller then takes the files.
        func add(_ creation: Creation, to stream: StreamName) -> Bool {
            waiting.withLock { waiting in
                waiting[stream, default: []].append(creation)
                return waiting[stream]?.count == 1
            }
        }

        /// Returns the files that have waited longest, and a Boolean value that indicates whether others still wait. The caller then takes them, too.
        func take(_ stream: StreamName) -> (creations: [Creation], isMore: Bool) {
            waiting.withLock { waiting in
                let all = waiting[stream] ?? []
                let (first, rest) = (all.prefix(Self.most), all.dropFirst(Self.most))
                waiting[stream] = rest.isEmpty ? nil : rest
                return (Array(first), !rest.isEmpty)
            }
        }
    }

    extension PostgresStore {
        /// Creates the waiting files of a stream, after the writes that were requested before.
        func createFiles(of name: StreamName) {
            turns.add(name, isWrite: true) {
                Task {
                    let (creations, isMore) = self.creations.take(name)
                    for (creation, answer) in zip(creations, await self.answers(to: creations, name)) {
                        creation.answer(answer)
                    }
                    self.turns.end(name, isWrite: true)
                    if isMore { self.createFiles(of: name) }
                }
            }
        }

        private func answers(to creations: [FileCreations.Creation], _ name: StreamName) async -> [ServerStoreAnswer] {
            var files: [ServerStoreAnswer] = []
            let answer = await answer(about: name, isWrite: true) {
                guard let stream = try await self.stream(name, making: true) else { throw MissingStream() }
                files = try await create(creations[...], in: stream)
                return .done
            }
            return answer.isFailure ? creations.map { _ in answer } : files
        }

        /// Returns an answer for each file.
        private func create(
            _ creations: ArraySlice<FileCreations.Creation>,
            in stream: Int64
        ) async throws -> [ServerStoreAnswer] {
            let parameters: [Parameter] = [
                .int(stream), .int(creations.count), .texts(creations.map(\.user)),
                .blobs(creations.map { StoredSecret.bytes($0.secret) }),
                .blobs(creations.map { Self.column($0.parents).bytes }),
                .words(creations.map(\.clock.rawValue)),
            ]
            // The numbers have the order of the files.
            let idents = try await pool.run(.writing, .makeFiles, parameters).rows.map { try $0.ident(0) }.sorted()
            guard !idents.isEmpty else {
                guard creations.count > 1 else {
                    return [.failed(.unavailable("The stream has no numbers left for files."))]
                }
                // There may be numbers for some of the files.
                var answers: [ServerStoreAnswer] = []
                for index in creations.indices { answers += try await create(creations[index...index], in: stream) }
                return answers
            }
            guard idents.count == creations.count else { throw PostgresFailure.malformed("files are missing") }
            return zip(creations, idents).map { creation, ident in
                var file = FileRow(ident, user: creation.user, secret: creation.secret, parents: creation.parents)
                file.clock = creation.clock
                return .file(file)
            }
        }
    }
#endif
