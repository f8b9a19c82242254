#if PostgreSQL
    internal import FreeholdBSON
    public import FreeholdServerStore
    public import FreeholdSyncCore

    /// The writing of streams that are copied from another store. A stream is invisible until its copy is complete.
    extension PostgresStore {
        /// The copy of one stream.
        public struct StreamCopy: Sendable {
            fileprivate let number: Int64
            fileprivate let outline: StreamOutline
            /// The number of objects of asymmetric classes that were copied so far.
            fileprivate var ingested: Int64 = 0
        }

        /// Begins the copy of a stream. Rows of an earlier copy that was interrupted are removed.
        ///
        /// - Throws: `PostgresStoreError`
        public func beginCopy(_ outline: StreamOutline) async throws(PostgresStoreError) -> StreamCopy {
            try await tool {
                let name: [Parameter] = [.text(outline.name.app), .bytes(outline.name.bytes)]
                for row in try await pool.run(.reading, .copies, name).rows {
                    _ = try await pool.run(.upkeep, .dropCopy, [.int(try row.int(0))])
                }
                let number = Int64.random(in: 1 ... .max)
                _ = try await pool.run(.writing, .beginCopy, [.int(number)] + name)
                return StreamCopy(number: number, outline: outline)
            }
        }

        /// Removes a stream.
        ///
        /// - Throws: `PostgresStoreError`
        public func remove(_ name: StreamName) async throws(PostgresStoreError) {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return }
                _ = try await pool.run(.writing, .hideStream, [.int(stream)])
                forget(name)
                _ = try await pool.run(.upkeep, .dropCopy, [.int(stream)])
            }
        }

        /// Writes records.
        ///
        /// - Throws: `PostgresStoreError`
        public func add(_ records: [StreamRecord], to copy: inout StreamCopy) async throws(PostgresStoreError) {
            var rows = CopiedRows(
                copy.number,
                copy.outline.head,
                compression: options.compression,
                ingested: copy.ingested
            )
            let calls = try await tool { () throws -> [Call] in
                for record in records { try rows.add(record) }
                return try rows.calls
            }
            copy.ingested = rows.ingested
            for call in calls { _ = try await tool { try await pool.run(.writing, [call]) } }
        }

        /// Makes the stream visible.
        ///
        /// - Throws: `PostgresStoreError`, also if another stream with the name was created during the copy.
        public func finish(_ copy: StreamCopy) async throws(PostgresStoreError) {
            try await tool {
                let (name, head) = (copy.outline.name, copy.outline.head)
                let parameters: [Parameter] = [
                    .int(copy.number), .text(name.app), .bytes(name.bytes), .int(Int64(copy.outline.lastIdent)),
                    .text(StreamLabel.text(name)), .word(head.epoch), .word(head.version), .hash(head.hash),
                    .word(head.clock.rawValue), .int(head.now), .word(head.horizon), .word(head.logStart),
                ]
                _ = try await pool.run(.writing, .finishCopy, parameters)
            }
        }
    }

    /// Records as parameters of statements, with a statement for each table.
    private struct CopiedRows {
        private let stream: Parameter
        private let head: StreamHead
        private let compression: (any MessageCompression)?
        private(set) var ingested: Int64
        private var marks: [(version: StreamVersion, hash: RunningHash, clock: Clock, time: Int64)] = []
        private var log: [StoredGroup.RawEntry] = []
        private var objects: [(name: ObjectName, object: MergedObject)] = []
        private var asymmetric: [(name: ObjectName, object: MergedObject)] = []
        private var files: [FileRow] = []
        private var answers: [(ident: FileIdent, answer: StoredAnswer)] = []
        private var parts: [(ident: FileIdent, part: UploadedCommit)] = []
        private var incoming: [(ident: FileIdent, message: PartedMessage, bytes: [UInt8], time: Int64)] = []
        private var users: [(user: SyncString, bytes: UInt64)] = []

        init(_ stream: Int64, _ head: StreamHead, compression: (any MessageCompression)?, ingested: Int64) {
            (self.stream, self.head, self.compression, self.ingested) = (.int(stream), head, compression, ingested)
        }

        mutating func add(_ record: StreamRecord) throws {
            switch record {
            case .mark(let version, let hash, let clock, let time): marks.append((version, hash, clock, time))
            case .log(let version, let author, let images):
                log.append(StoredGroup.RawEntry(version: version, author: author, images: images))
            case .object(let name, let object): objects.append((name, object))
            case .ingested(let name, let object): asymmetric.append((name, object))
            case .file(let file): files.append(file)
            case .answer(let ident, let answer): answers.append((ident, answer))
            case .part(let ident, let part): parts.append((ident, part))
            case .incoming(let ident, let message, let bytes, let time): incoming.append((ident, message, bytes, time))
            case .usage(let user, let bytes): users.append((user, bytes))
            }
        }

        typealias Call = PostgresJob.Call

        /// The statements.
        var calls: [Call] {
            mutating get throws {
                var calls: [Call] = []
                func add(_ statement: Statement, _ parameters: [Parameter]) {
                    calls.append(Call(statement, [stream] + parameters))
                }
                if !marks.isEmpty {
                    add(
                        .copyMarks,
                        [
                            .words(marks.map(\.version)), .hashes(marks.map(\.hash)),
                            .words(marks.map(\.clock.rawValue)), .ints(marks.map(\.time)),
                        ]
                    )
                }
                // The commits of a batch are stored as one row, like the commits of a group.
                if let last = log.last {
                    add(.copyLog, [.words([last.version]), .blobs([StoredGroup.bytes(raw: log)])])
                }
                if !objects.isEmpty { add(.copyObjects, try objectColumns()) }
                if !asymmetric.isEmpty { add(.copyIngested, try ingestedColumns()) }
                if !files.isEmpty { add(.copyFiles, try fileColumns()) }
                if !answers.isEmpty {
                    add(
                        .copyAnswers,
                        [
                            .idents(answers.map(\.ident)), .words(answers.map(\.answer.answer.commit)),
                            .words(answers.map(\.answer.answer.version)),
                            .words(answers.map(\.answer.answer.clock.rawValue)), .hashes(answers.map(\.answer.hash)),
                            .blobs(
                                try answers.map {
                                    try $0.answer.answer.refusals.isEmpty ? nil : StoredMessage.bytes($0.answer)
                                }
                            ),
                        ]
                    )
                }
                if !parts.isEmpty {
                    add(
                        .copyParts,
                        [
                            .idents(parts.map(\.ident)), .words(parts.map(\.part.commit.number)),
                            .ints(parts.map { Int64($0.part.part?.index ?? 0) }),
                            .blobs(try parts.map { try StoredMessage.bytes($0.part) }),
                        ]
                    )
                }
                for one in incoming {
                    let (message, pieces) = (one.message, Self.pieces(one.bytes))
                    add(
                        .copyIncoming,
                        [
                            .ident(one.ident), .word(message.number), .hash(message.hash), .word(message.count),
                            .int(one.bytes.count), .int(one.time), .ints(pieces.map { Int64($0.startIndex) }),
                            .blobs(pieces.map { Array($0) }),
                        ]
                    )
                }
                if !users.isEmpty { add(.copyUsers, [.texts(users.map(\.user)), .words(users.map(\.bytes))]) }
                return calls
            }
        }

        private static func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            let size = 1 << 20
            return bytes.isEmpty
                ? [bytes[...]]
                : stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        }

        private func objectColumns() throws -> [Parameter] {
            let columns = try objects.map { try StoredDocument.columns($0.object, $0.name.key) }
            return [
                .texts(objects.map(\.name.className)), .blobs(try objects.map { try StoredKey.checked($0.name) }),
                .words(objects.map { $0.object.died ?? $0.object.changed }), .words(objects.map(\.object.born)),
                .bools(objects.map { !$0.object.isAlive }), .blobs(columns.map(\.doc)), .blobs(columns.map(\.meta)),
            ]
        }

        /// Returns the columns of the objects of asymmetric classes. The objects get the version of the head, and
        /// ascending numbers.
        private mutating func ingestedColumns() throws -> [Parameter] {
            let columns = try asymmetric.map { try StoredDocument.columns($0.object, $0.name.key) }
            let numbers = asymmetric.indices.map { ingested + Int64($0) }
            ingested += Int64(asymmetric.count)
            return [
                .texts(asymmetric.map(\.name.className)), .blobs(try asymmetric.map { try StoredKey.checked($0.name) }),
                .words(asymmetric.map { _ in head.version }), .ints(numbers), .blobs(columns.map(\.doc)),
                .blobs(columns.map(\.meta)),
            ]
        }

        private func fileColumns() throws -> [Parameter] {
            func queries(_ queries: Queries?) throws -> [UInt8]? { try queries.map { try StoredMessage.bytes($0) } }
            let classes = files.map { file in
                let names = file.classes.sorted().map { BSONValue.string($0.string) }
                return PlainJSON.array(names)
            }
            return [
                .idents(files.map(\.ident)), .texts(files.map(\.user)),
                .blobs(files.map { StoredSecret.bytes($0.secret) }),
                .blobs(files.map { PostgresStore.column($0.parents).bytes }), .words(files.map(\.last)),
                .hashes(files.map(\.hash)), .words(files.map(\.clock.rawValue)),
                .optionalInts(files.map { $0.leastBase.map { Int64(bitPattern: $0).binary } }),
                .ints(files.map(\.time)), .blobs(try files.map { try queries($0.subscribed) }),
                .blobs(try files.map { try queries($0.pending) }), .optionalTexts(classes),
                .blobs(files.map { $0.front.isEmpty ? nil : $0.front }),
            ]
        }
    }
#endif
