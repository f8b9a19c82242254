#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// Binds, files and their queries.
    extension PostgresStore {
        typealias Call = PostgresJob.Call

        /// Returns the head in a result.
        ///
        /// - Throws: `MissingStream`
        func head(_ result: QueryResult) throws -> StreamHead {
            guard let row = result.first else { throw MissingStream() }
            return try row.head()
        }

        /// Reads all data that a bind needs in one transaction.
        func bind(_ query: FileQuery, _ stream: Int64) async throws -> FileAnswer {
            let versions = [query.cursor, query.bootstrap].compactMap { $0 }
            var calls = [
                Call(.head, [.int(stream)]), Call(.marks, [.int(stream), .ints(versions.map { Int64(clamping: $0) })]),
            ]
            if let ident = query.ident {
                calls.append(Call(.files, [.int(stream), .idents([ident])]))
                calls.append(Call(.answersBehind, [.int(stream), .ident(ident), .bound(query.acknowledged)]))
                calls.append(Call(.incoming, [.int(stream), .ident(ident)]))
            }
            let results = try await pool.run(.reading, calls)
            var answer = FileAnswer(try head(results[0]))
            let marks = try hashes(results[1])
            (answer.cursor, answer.bootstrap) = (
                query.cursor.flatMap { marks[$0] }, query.bootstrap.flatMap { marks[$0] }
            )
            if query.ident != nil {
                answer.file = try results[2].first?.file()
                let kept = try results[3].rows.map { try $0.answer().answer }
                answer.known = kept.first { $0.answer.commit == query.acknowledged }
                answer.answers = kept.filter { $0.answer.commit > query.acknowledged }
                answer.hash = answer.known?.hash
                answer.staged = try results[4].first.map { row in
                    let message = PartedMessage(number: try row.word(0), hash: try row.hash(1), count: try row.word(2))
                    return PartialMessage(message: message, received: try row.word(3))
                }
            }
            if let file = answer.file, file.last == query.acknowledged { answer.hash = file.hash }
            if query.acknowledged == 0 { answer.hash = .empty }
            return answer
        }

        private func hashes(_ marks: QueryResult) throws -> [StreamVersion: RunningHash] {
            var hashes: [StreamVersion: RunningHash] = [:]
            for row in marks.rows { hashes[try row.word(0)] = try row.hash(1) }
            return hashes
        }

        /// Returns the file for submissions that belongs to a secret. The file is created if it doesn't exist.
        func openWriter(_ secret: SecretHash, _ stream: Int64) async throws -> ServerStoreAnswer {
            let parameters: [Parameter] = [.int(stream), .bytes(StoredSecret.bytes(secret))]
            if let known = try await pool.run(.reading, .writer, parameters).first { return .file(try known.file()) }
            // If another node creates the file at the same time, this statement inserts nothing.
            _ = try await pool.run(.writing, .makeWriter, parameters)
            guard let row = try await pool.run(.writing, .writer, parameters).first else {
                return .failed(.unavailable("The stream has no numbers left for files."))
            }
            return .file(try row.file())
        }

        /// Removes the files for submissions that belong to other secrets, if all of their answers are at or before the horizon and they aren't the
        /// origin of a copied file.
        func trimWriters(keeping secret: SecretHash, _ stream: Int64) async throws {
            let parameters: [Parameter] = [.int(stream), .bytes(StoredSecret.bytes(secret))]
            let old = try await pool.run(.reading, .oldWriters, parameters).rows.map { try $0.ident(0) }
            guard !old.isEmpty else { return }
            var named: Set<FileIdent> = []
            for row in try await pool.run(.reading, .copiedFiles, [.int(stream), .int(0), .int(0)]).rows {
                named.formUnion(try StoredParents.parents(try row.bytes(1)).map(\.ident))
            }
            let unused = old.filter { !named.contains($0) }
            if !unused.isEmpty { _ = try await pool.run(.writing, .dropWriters, parameters + [.idents(unused)]) }
        }

        /// Returns the column with the origins of a copied file, or NULL for a file that isn't a copy.
        static func column(_ parents: [FileParent]) -> Parameter {
            parents.isEmpty ? .null : .bytes(StoredParents.bytes(parents))
        }

        func note(_ queries: Queries, of ident: FileIdent, isComplete: Bool, in stream: Int64) async throws {
            let classes = Set(queries.queries.map(\.className)).sorted()
            let parameters: [Parameter] = [
                .int(stream), .ident(ident), .bytes(try StoredMessage.bytes(queries)), .texts(classes),
            ]
            _ = try await pool.run(.writing, isComplete ? .noteComplete : .notePending, parameters)
        }

        func noteFront(_ bytes: [UInt8], of ident: FileIdent, in stream: Int64) async throws {
            let parameters: [Parameter] = [.int(stream), .ident(ident), .bytes(FrontRow.stored(bytes, version: 0))]
            _ = try await pool.run(.writing, .noteFront, parameters)
        }
    }
#endif
