#if PostgreSQL
    public import FreeholdBSON
    public import FreeholdServerStore
    public import FreeholdSyncCore

    /// The functions for the commands of a server.
    extension PostgresStore {
        // MARK: Streams

        /// Returns the names of all streams.
        ///
        /// - Throws: `PostgresStoreError`
        public func streams() async throws(PostgresStoreError) -> [StreamName] {
            try await tool {
                var (names, last) = ([StreamName](), Int64(0))
                while true {
                    let rows = try await pool.run(.reading, .streams, [.int(last)]).rows
                    for row in rows {
                        last = try row.int(0)
                        names.append(try StreamName(row.bytes(1)))
                    }
                    guard !rows.isEmpty else { return names }
                }
            }
        }

        /// Returns a Boolean value that indicates whether a stream exists. It is created by the first write.
        ///
        /// - Throws: `PostgresStoreError`
        public func exists(_ name: StreamName) async throws(PostgresStoreError) -> Bool {
            try await tool { try await stream(name, making: false) != nil }
        }

        /// Returns the streams with their contents. The bytes are those of objects and of the log, without indexes.
        ///
        /// - Throws: `PostgresStoreError`
        /// - Complexity: O(objects)
        public func streamUses() async throws(PostgresStoreError) -> [StreamFileUse] {
            try await tool {
                var (uses, last) = ([StreamFileUse](), Int64(0))
                while true {
                    let rows = try await pool.run(.reading, .streamUses, [.int(last)]).rows
                    for row in rows {
                        last = try row.int(0)
                        uses.append(
                            StreamFileUse(
                                name: try StreamName(row.bytes(1)),
                                version: try row.word(2),
                                files: Int(try row.int(3)),
                                bytes: Int(try row.int(4))
                            )
                        )
                    }
                    guard !rows.isEmpty else { return uses }
                }
            }
        }

        /// Returns figures of the database.
        ///
        /// - Throws: `PostgresStoreError`, also if the database has no such figures.
        public func figures() async throws(PostgresStoreError) -> DatabaseFigures {
            try await tool {
                let start = ContinuousClock.now
                let rows = try await pool.run(.reading, .figures, []).rows
                guard let row = rows.first else { throw PostgresStoreError("The database has no figures.") }
                return DatabaseFigures(
                    version: try row.text(0).string,
                    name: try row.text(1).string,
                    bytes: try row.int(2),
                    connections: try row.int(3),
                    mostConnections: try row.int(4),
                    isReadOnly: try row.bool(5),
                    roundTrip: start.duration(to: .now)
                )
            }
        }

        // MARK: Documents

        /// Calls a closure with the document of each object, like `FileServerStore.forEachDocument(of:className:_:)`. All documents have the state of
        /// one version, which is computed with the log. Writers therefore don't wait, and no transaction stays open.
        ///
        /// - Returns: The number of documents.
        /// - Throws: The errors of the closure, and `PostgresStoreError`, for example if the log is trimmed during the call.
        @discardableResult
        public func forEachDocument(
            of name: StreamName,
            className: SyncString? = nil,
            _ body: (_ className: SyncString, _ document: BSONDocument) throws -> Void
        ) async throws -> Int {
            let known = try await tool { () async throws -> Int64? in try await stream(name, making: false) }
            guard let stream = known else { return 0 }
            let past = PastKey(name: name, stream: stream)
            let version = try await tool { () async throws -> StreamVersion in try await currentHead(stream).version }
            var count = 0
            for className in try await classes(className, stream) {
                var key: PrimaryKey?
                while true {
                    let found = try await tool { () async throws -> ObjectPage? in
                        try await page(of: className, after: key, at: version, objects: 1_000, past)
                    }
                    guard let page = found else {
                        throw PostgresStoreError("The log doesn't contain the version any more.")
                    }
                    for (name, object) in page.objects { try body(className, object.stored(name.key).doc) }
                    count += page.objects.count
                    guard !page.isLast, let last = page.objects.last else { break }
                    key = last.name.key
                }
                var start: [UInt8] = []
                while true {
                    let parameters: [Parameter] = [
                        .int(stream), .text(className), .bytes(start), .bound(version), .int(Self.pieceBytes),
                    ]
                    let rows = try await tool { () async throws -> [QueryResult.Row] in
                        try await pool.run(.reading, .ingestedDocuments, parameters).rows
                    }
                    for row in rows {
                        start = try row.bytes(0)
                        try body(className, try StoredDocument.document(row.bytes(1)))
                    }
                    count += rows.count
                    guard !rows.isEmpty else { break }
                }
            }
            return count
        }

        /// Returns the classes that have objects, or only the given class.
        private func classes(_ only: SyncString?, _ stream: Int64) async throws -> [SyncString] {
            if let only { return [only] }
            return try await tool {
                var classes: [SyncString] = []
                while true {
                    let parameters: [Parameter] = [.int(stream), .text(classes.last ?? "")]
                    let row = try await pool.run(.reading, .nextClass, parameters).first
                    guard let row, try row.optional(0) != nil else { return classes }
                    classes.append(try row.text(0))
                }
            }
        }

        // MARK: Checks

        /// Checks that each row of a stream can be read, and that the rows are consistent. Servers may write during the check.
        ///
        /// - Returns: Descriptions of the problems. The array is empty if the stream has none.
        /// - Throws: `PostgresStoreError` if the database can't be read.
        /// - Complexity: O(rows of the stream)
        public func verify(_ name: StreamName) async throws(PostgresStoreError) -> [String] {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return [] }
                var problems: [String] = []
                guard try await verifyHead(stream, &problems) else { return problems }
                try await verifyFiles(stream, &problems)
                try await verifyLog(stream, &problems)
                for className in try await classes(nil, stream) { try await verify(className, stream, &problems) }
                return problems
            }
        }

        /// The maximum number of reported problems.
        private static let mostProblems = 100

        /// Calls a closure, and adds a problem if it throws an error about damaged rows. All other errors are thrown.
        private func noting(_ what: String, _ problems: inout [String], _ body: () throws -> Void) throws {
            do { try body() } catch {
                if let failure = error as? PostgresFailure, failure.kind != .malformed { throw failure }
                if problems.count < Self.mostProblems { problems.append("\(what): \(error)") }
            }
        }

        /// - Returns: false if the head can't be read.
        private func verifyHead(_ stream: Int64, _ problems: inout [String]) async throws -> Bool {
            let id = Parameter.int(stream)
            let results = try await pool.run(
                .reading,
                [
                    Call(.head, [id]), Call(.markCount, [id]), Call(.wrongAnswers, [id]), Call(.partsWithoutFile, [id]),
                    Call(.wrongJSON, [id]),
                ]
            )
            try noting("head", &problems) {
                let head = try head(results[0])
                if let row = results[1].first, try row.word(0) != head.version + 1 || row.int(1) != 0 {
                    throw RowDamage("\(try row.word(0)) marks for the versions 0 to \(head.version)")
                }
            }
            for row in results[2].rows {
                problems.append(
                    "the answer to the commit \(try row.word(1)) of the file \(try row.word(0)) has no commit"
                )
            }
            for row in results[3].rows {
                problems.append("the part of a commit of the file \(try row.word(0)) has no row")
            }
            if let count = try results[4].first?.int(0), count > 0 {
                problems.append("\(count) objects have no JSON, or have one although SQL is off or they are deleted")
            }
            guard let head = try? head(results[0]) else { return false }
            let mark = try await pool.run(.reading, .marks, [id, .ints([Int64(clamping: head.version)])]).first
            try noting("mark", &problems) {
                guard let mark, try mark.hash(1) == head.hash, try mark.word(2) == head.clock.rawValue else {
                    throw RowDamage("the mark of the version \(head.version) isn't that of the head")
                }
            }
            return true
        }

        private func verifyFiles(_ stream: Int64, _ problems: inout [String]) async throws {
            var last: Int64 = 0
            while true {
                let rows = try await pool.run(.reading, .filesAfter, [.int(stream), .int(last)]).rows
                for row in rows {
                    last = try row.int(0)
                    try noting("file \(last)", &problems) { _ = try row.file() }
                }
                guard !rows.isEmpty else { return }
            }
        }

        private func verifyLog(_ stream: Int64, _ problems: inout [String]) async throws {
            let head = try await currentHead(stream)
            var version = head.logStart
            while version < head.version {
                do {
                    guard let log = try await log(after: version, stream) else {
                        // The log was trimmed during the check.
                        version = try await currentHead(stream).logStart
                        continue
                    }
                    for entry in log.entries {
                        version = entry.version
                        for index in entry.images.names.indices { _ = try entry.object(index, horizon: 0) }
                    }
                } catch {
                    if let failure = error as? PostgresFailure, failure.kind != .malformed { throw failure }
                    return problems.append("log: \(error)")
                }
            }
        }

        private func verify(_ className: SyncString, _ stream: Int64, _ problems: inout [String]) async throws {
            let id = Parameter.int(stream)
            var key: [UInt8] = []
            while true {
                let parameters: [Parameter] = [
                    // Deleted objects are included.
                    id, .text(className), .bytes(key), .int(-1), .int(1_000), .int(Self.pieceBytes),
                ]
                let results = try await pool.run(.reading, [Call(.head, [id]), Call(.page, parameters)])
                let head = try? head(results[0])
                for row in results[1].rows {
                    key = try row.bytes(0)
                    try noting("\(className) \(Self.hex(key))", &problems) {
                        _ = try StoredKey.key(key)
                        let object = try StoredDocument.object(doc: row.bytes(3), meta: row.bytes(4))
                        guard try row.bool(2) == !object.isAlive else {
                            throw RowDamage("the column 'dead' isn't what the object says")
                        }
                        guard let head, try row.word(1) <= head.version else {
                            throw RowDamage("the object is of a later version than the head")
                        }
                    }
                }
                guard results[1].count > 0 else { break }
            }
            key = []
            while true {
                let parameters: [Parameter] = [
                    id, .text(className), .bytes(key), .int(Int64.max), .int(Self.pieceBytes),
                ]
                let rows = try await pool.run(.reading, .ingestedDocuments, parameters).rows
                for row in rows {
                    key = try row.bytes(0)
                    try noting("\(className) \(Self.hex(key))", &problems) {
                        _ = try (StoredKey.key(key), StoredDocument.document(row.bytes(1)))
                    }
                }
                guard !rows.isEmpty else { return }
            }
        }

        private static func hex(_ bytes: [UInt8]) -> String {
            bytes.prefix(40).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
#endif
