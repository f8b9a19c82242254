#if PostgreSQL
    public import FreeholdServerStore
    public import FreeholdSyncCore

    /// The reading of streams that are copied to another store. No server may use the database during a copy.
    extension PostgresStore {
        /// Returns the head of a stream and the greatest ident of its files. Returns `nil` if the stream doesn't exist.
        ///
        /// - Throws: `PostgresStoreError`
        public func outline(of name: StreamName) async throws(PostgresStoreError) -> StreamOutline? {
            try await tool {
                guard let stream = try await stream(name, making: false) else { return nil }
                let row = try await pool.run(.reading, .lastIdent, [.int(stream)]).first
                guard let row, let last = UInt32(exactly: try row.int(0)) else { throw MissingStream() }
                return StreamOutline(name: name, head: try await currentHead(stream), lastIdent: last)
            }
        }

        /// Calls a closure repeatedly with the records of a stream, in batches.
        ///
        /// - Throws: The errors of the closure, and `PostgresStoreError`.
        public func forEachRecord(of name: StreamName, _ body: ([StreamRecord]) throws -> Void) async throws {
            guard let stream = try await stream(name, making: false) else { return }
            let head = try await currentHead(stream)
            try await copyMarks(stream, head, body)
            try await copyLog(stream, head, body)
            try await copyFiles(stream, body)
            try await copyIncomplete(stream, body)
            try await copyUsers(stream, body)
            var last = SyncString("")
            while let row = try await pool.run(.reading, .nextClass, [.int(stream), .text(last)]).first,
                try row.optional(0) != nil
            {
                last = try row.text(0)
                try await copyObjects(of: last, stream, body)
                try await copyIngested(of: last, stream, body)
            }
        }

        private func copyMarks(_ stream: Int64, _ head: StreamHead, _ body: ([StreamRecord]) throws -> Void)
            async throws
        {
            var last: Int64 = -1
            while true {
                let parameters: [Parameter] = [.int(stream), .int(last), .word(head.version)]
                let rows = try await pool.run(.reading, .marksAfter, parameters).rows
                guard let end = rows.last else { return }
                last = try end.int(0)
                try body(
                    rows.map { row in
                        .mark(
                            try row.word(0),
                            hash: try row.hash(1),
                            clock: Clock(rawValue: try row.word(2)),
                            time: try row.int(3)
                        )
                    }
                )
            }
        }

        private func copyLog(_ stream: Int64, _ head: StreamHead, _ body: ([StreamRecord]) throws -> Void) async throws
        {
            var version = head.logStart
            while version < head.version {
                let parameters: [Parameter] = [.int(stream), .bound(version), .int(Self.pieceBytes)]
                let rows = try await pool.run(.reading, .log, parameters).rows
                guard !rows.isEmpty else { throw RowDamage("The log lacks the commits after the version \(version).") }
                var records: [StreamRecord] = []
                for row in rows {
                    for entry in try StoredGroup.wholeEntries(row.bytes(1), options.compression)
                    where entry.version > version {
                        guard entry.version == version + 1 else {
                            throw RowDamage("The log lacks the commits after the version \(version).")
                        }
                        version = entry.version
                        records.append(.log(version, author: entry.author, images: entry.images))
                    }
                }
                guard !records.isEmpty else { throw RowDamage("A row of the log is empty.") }
                try body(records)
            }
        }

        private func copyFiles(_ stream: Int64, _ body: ([StreamRecord]) throws -> Void) async throws {
            var last: Int64 = 0
            while true {
                let rows = try await pool.run(.reading, .filesAfter, [.int(stream), .int(last)]).rows
                guard let end = rows.last else { break }
                last = try end.int(0)
                try body(rows.map { .file(try $0.file()) })
            }
            var place: (ident: Int64, number: Int64) = (0, 0)
            while true {
                let parameters: [Parameter] = [.int(stream), .int(place.ident), .int(place.number)]
                let rows = try await pool.run(.reading, .answersAfter, parameters).rows
                guard let end = rows.last else { return }
                place = (try end.int(0), try end.int(1))
                try body(
                    rows.map { row in
                        let (ident, answer) = try row.answer()
                        return .answer(ident, answer)
                    }
                )
            }
        }

        private func copyIncomplete(_ stream: Int64, _ body: ([StreamRecord]) throws -> Void) async throws {
            var place: (ident: Int64, number: Int64, part: Int64) = (0, 0, -1)
            while true {
                let parameters: [Parameter] = [.int(stream), .int(place.ident), .int(place.number), .int(place.part)]
                let rows = try await pool.run(.reading, .partsAfter, parameters).rows
                guard let end = rows.last else { break }
                place = (try end.int(0), try end.int(1), try end.int(2))
                try body(rows.map { .part(try $0.ident(0), try StoredMessage.part($0.bytes(3))) })
            }
            var last: Int64 = 0
            while true {
                let rows = try await pool.run(.reading, .incomingAfter, [.int(stream), .int(last)]).rows
                guard !rows.isEmpty else { return }
                for row in rows {
                    last = try row.int(0)
                    let ident = try row.ident(0)
                    let message = PartedMessage(
                        number: try row.word(1),
                        hash: try row.hash(2),
                        count: try row.word(3)
                    )
                    guard let bytes = try await keptBytes(ident, stream) else { continue }
                    try body([.incoming(ident, message, bytes, time: try row.int(4))])
                }
            }
        }

        private func copyUsers(_ stream: Int64, _ body: ([StreamRecord]) throws -> Void) async throws {
            let rows = try await pool.run(.reading, .allUsers, [.int(stream)]).rows
            if !rows.isEmpty { try body(rows.map { .usage(try $0.text(0), try $0.word(1)) }) }
        }

        private func copyObjects(
            of className: SyncString,
            _ stream: Int64,
            _ body: ([StreamRecord]) throws -> Void
        ) async throws {
            var key: [UInt8]? = []
            while let start = key {
                // Deleted objects are included.
                let piece = try await piece(of: className, after: start, livingAt: nil, count: 1_000, stream)
                let records: [StreamRecord] = piece.objects.compactMap { name, current in
                    current.map { .object(name, $0.object) }
                }
                if !records.isEmpty { try body(records) }
                key = piece.next
            }
        }

        private func copyIngested(
            of className: SyncString,
            _ stream: Int64,
            _ body: ([StreamRecord]) throws -> Void
        ) async throws {
            var place: (version: Int64, seq: Int64) = (-1, -1)
            while true {
                let parameters: [Parameter] = [
                    .int(stream), .text(className), .int(place.version), .int(place.seq), .int(Self.pieceBytes),
                ]
                let rows = try await pool.run(.reading, .ingestedAfter, parameters).rows
                guard let end = rows.last else { return }
                place = (try end.int(0), try end.int(1))
                try body(
                    rows.map { row in
                        let name = ObjectName(className, try StoredKey.key(row.bytes(2)))
                        return .ingested(name, try StoredDocument.object(doc: row.bytes(3), meta: row.bytes(4)))
                    }
                )
            }
        }
    }

    extension StoredGroup {
        struct RawEntry {
            let version: StreamVersion
            let author: PartName
            let images: [UInt8]
        }

        /// Returns the commits of a row with complete before-images. In a row, an image can be the difference to an image of another commit of the
        /// same row. Another store can divide the commits into rows differently.
        static func wholeEntries(_ bytes: [UInt8], _ compression: (any MessageCompression)?) throws -> [RawEntry] {
            let entries = try forEachEntry(bytes) { RawEntry(version: $0, author: $1, images: $2) }
            let parsed = try self.entries(bytes, compression)
            return try zip(entries, parsed).map { raw, entry in
                if entry.images.root == nil { return raw }
                let whole = try entry.images.wholeBytes(compression) { try entry.earlier($0) }
                return RawEntry(version: raw.version, author: raw.author, images: whole)
            }
        }

        /// Returns the bytes of a row with commits whose before-images are already encoded.
        static func bytes(raw entries: [RawEntry]) -> [UInt8] {
            var bytes = beginning
            for entry in entries { append(entry.version, entry.author, entry.images, to: &bytes) }
            return bytes
        }
    }
#endif
