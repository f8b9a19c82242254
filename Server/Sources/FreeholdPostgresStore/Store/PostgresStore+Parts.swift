#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The storing of incomplete commits.
    extension PostgresStore {
        private static let missingPart = ServerStoreAnswer.failed(.unavailable("A part before this one is missing."))

        // MARK: Split commits

        func stage(_ part: UploadedCommit, of ident: FileIdent, in stream: Int64) async throws -> ServerStoreAnswer {
            let name: [Parameter] = [
                .int(stream), .ident(ident), .word(part.commit.number), .int(Int64(part.part?.index ?? 0)),
            ]
            let results = try await pool.run(
                .writing,
                [Call(.dropPartsBehind, name), Call(.stage, name + [.bytes(try StoredMessage.bytes(part))])]
            )
            return results[1].count == 1 ? .done : Self.missingPart
        }

        func parts(_ name: PartName, _ stream: Int64) async throws -> [UploadedCommit] {
            var parts: [UploadedCommit] = []
            while true {
                let parameters: [Parameter] = [.int(stream), .ident(name.ident), .word(name.commit), .int(parts.count)]
                let rows = try await pool.run(.reading, .parts, parameters).rows
                for row in rows {
                    guard try row.int(0) == parts.count else { throw RowDamage("A part of a commit is missing.") }
                    parts.append(try StoredMessage.part(row.bytes(1)))
                }
                if rows.isEmpty { return parts }
            }
        }

        // MARK: Commits in bytes

        func keep(
            _ part: MessagePart,
            of ident: FileIdent,
            at time: Int64,
            in stream: Int64
        ) async throws -> ServerStoreAnswer {
            let (id, message) = (Parameter.int(stream), part.message)
            let name: [Parameter] = [
                id, .ident(ident), .word(message.number), .hash(message.hash), .word(message.count),
            ]
            guard part.offset == 0 else {
                let parameters = name + [.word(part.offset), .word(part.end), .int(time), .bytes(part.bytes)]
                let row = try await pool.run(.writing, .appendIncoming, parameters).first
                return row == nil ? Self.missingPart : .done
            }
            let entries = try await pool.run(.reading, .incomingOfUser, [id, .ident(ident)]).rows.map { row in
                StagedParts.Entry(ident: try row.ident(0), count: try row.word(1), time: try row.int(2))
            }
            let evicted = StagedParts.evicted(entries, for: message.count)
            let results = try await pool.run(
                .writing,
                [
                    Call(.dropIncoming, [id, .idents(evicted + [ident])]),
                    Call(.beginIncoming, name + [.word(part.end), .int(time), .bytes(part.bytes)]),
                ]
            )
            return results[1].count == 1 ? .done : Self.missingPart
        }

        /// Returns the stored bytes of a file's incomplete commit, or `nil` if no bytes are stored.
        func keptBytes(_ ident: FileIdent, _ stream: Int64) async throws -> [UInt8]? {
            let name: [Parameter] = [.int(stream), .ident(ident)]
            guard let row = try await pool.run(.reading, .incoming, name).first else { return nil }
            let received = try row.word(3)
            var bytes: [UInt8] = []
            while UInt64(bytes.count) < received {
                let rows = try await pool.run(.reading, .incomingBytes, name + [.int(bytes.count)]).rows
                for row in rows {
                    guard try row.int(0) == bytes.count else { throw RowDamage("A part of a commit is missing.") }
                    bytes += try row.slice(1)
                }
                guard !rows.isEmpty else { throw RowDamage("A part of a commit is missing.") }
            }
            return bytes
        }
    }
#endif
