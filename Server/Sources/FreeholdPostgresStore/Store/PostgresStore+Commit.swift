#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The storing of a group of commits with one statement.
    extension PostgresStore {
        func commit(_ commit: StoreCommit, _ stream: Int64) async throws -> ServerStoreAnswer {
            let parameters = try await parameters(of: commit, stream)
            do {
                let result = try await pool.run(.writing, .commit, parameters)
                guard let row = result.first else { throw PostgresFailure.malformed("the row is missing") }
                if try row.word(0) == 1 { return .done }
                try refuseLaterFormat(row)
                // The state of the stream's JSON may have changed.
                forgetSQLState(stream)
                return .failed(.moved)
            } catch let failure as PostgresFailure {
                guard let answer = try await conflict(failure, of: commit, stream) else { throw failure }
                return answer
            }
        }

        /// - Throws: `PostgresFailure` if the commit wasn't executed because a later version of the server has changed the tables.
        func refuseLaterFormat(_ row: QueryResult.Row) throws(PostgresFailure) {
            let format = try row.small(3)
            guard format > Tables.format else { return }
            pool.replaceConnections()
            throw .laterFormat(format)
        }

        /// Returns the answer to a commit that wasn't executed because the stored state isn't the expected one. Returns `nil` for all other failures.
        func conflict(
            _ failure: PostgresFailure,
            of commit: StoreCommit,
            _ stream: Int64
        ) async throws -> ServerStoreAnswer? {
            // The statement divides by zero on purpose if a file was deleted while it ran.
            if failure.kind == .refused("22012") { return .failed(.moved) }
            guard failure.isDuplicate else { return nil }
            // A row that already exists belongs to another commit on the same head, or to no commit.
            let head = try head(await pool.run(.writing, .head, [.int(stream)]))
            guard head.cursor == commit.expected.cursor, head.horizon == commit.expected.horizon else {
                return .failed(.moved)
            }
            return .failed(
                .damaged(SyncString("PostgreSQL: There are rows after the newest version of the stream: \(failure)"))
            )
        }

        /// Returns the parameters of `Statement.commit`.
        ///
        /// - Throws: `RowLimit`
        func parameters(of commit: StoreCommit, _ stream: Int64) async throws -> [Parameter] {
            let state = try await sqlState(stream)
            let (expected, head) = (commit.expected, commit.head)
            var parameters: [Parameter] = [
                .int(stream), .word(expected.epoch), .word(expected.version), .hash(expected.hash),
                .word(expected.horizon),
                .word(head.version), .hash(head.hash), .word(head.clock.rawValue), .int(head.now),
            ]
            parameters += files(of: commit)
            let entries = commit.entries
            parameters += [
                .words(entries.map(\.version)), .hashes(entries.map(\.hash)), .words(entries.map(\.clock.rawValue)),
                .ints(entries.map(\.time)),
            ]
            parameters += try answers(of: commit)
            let images = StoredImages.Writer(options.compression, longList: options.longList)
            let groups = try entries.isEmpty ? [] : [StoredGroup.bytes(entries, images)]
            parameters += [.words(groups.map { _ in head.version }), .blobs(groups)]
            let (objects, texts) = try objects(of: commit, writesJSON: state.writesJSON)
            let (ingested, ingestedTexts) = try ingested(of: commit, writesJSON: state.writesJSON)
            parameters += objects + ingested
            let growth = commit.growth.sorted { $0.key < $1.key }
            parameters += [.texts(growth.map(\.key)), .ints(growth.map(\.value))]
            parameters += [.idents(commit.finishedParts.map(\.ident)), .words(commit.finishedParts.map(\.commit))]
            parameters.append(fronts(of: commit))
            return parameters + [.int(state.rawValue), texts, ingestedTexts]
        }

        /// Returns the files that a commit writes. All statements use the same order.
        private func idents(of commit: StoreCommit) -> [FileIdent] {
            Set(commit.files.keys).union(commit.answers.keys).sorted()
        }

        private func fronts(of commit: StoreCommit) -> Parameter {
            .blobs(idents(of: commit).map { commit.files[$0]?.front }.map { $0?.isEmpty == false ? $0 : nil })
        }

        private func files(of commit: StoreCommit) -> [Parameter] {
            let idents = idents(of: commit)
            let rows = idents.map { commit.files[$0] }
            // The number of the file's last commit before the group.
            let before = idents.map { ident in
                commit.answers[ident]?.first.map { Int64(clamping: $0.answer.commit &- 1).binary }
            }
            return [
                .idents(idents), .blobs(rows.map { row in row.map { StoredSecret.bytes($0.secret) } }),
                .optionalInts(before), .optionalInts(rows.map { row in row.map { Int64(bitPattern: $0.last).binary } }),
                .optionalHashes(rows.map { $0?.hash }),
                .optionalInts(rows.map { row in row.map { Int64(bitPattern: $0.clock.rawValue).binary } }),
                .blobs(rows.map { row in row.flatMap { Self.column($0.parents).bytes } }),
            ]
        }

        private func answers(of commit: StoreCommit) throws -> [Parameter] {
            let all = commit.answers.sorted { $0.key < $1.key }.flatMap { ident, answers in answers.map { (ident, $0) }
            }
            return [
                .idents(all.map(\.0)), .words(all.map(\.1.answer.commit)), .words(all.map(\.1.answer.version)),
                .words(all.map(\.1.answer.clock.rawValue)), .hashes(all.map(\.1.hash)),
                .blobs(try all.map { try $0.1.answer.refusals.isEmpty ? nil : StoredMessage.bytes($0.1) }),
            ]
        }

        /// - Returns: The columns, and the JSON of the objects.
        private func objects(of commit: StoreCommit, writesJSON: Bool) throws -> ([Parameter], texts: Parameter) {
            var texts: [[UInt8]?] = []
            var classes: [SyncString] = []
            var (keys, docs, metas) = ([[UInt8]?](), [[UInt8]?](), [[UInt8]?]())
            var (versions, born, dead) = ([UInt64](), [UInt64](), [Bool]())
            // All servers lock the rows in the same order, so that they can't deadlock.
            for (name, object) in commit.objects.sorted(by: { $0.name < $1.name }) {
                let columns = try StoredDocument.columns(object, name.key)
                classes.append(name.className)
                keys.append(try StoredKey.checked(name))
                // If a deleted object is deleted again, its version is that of the first deletion.
                versions.append(object.died ?? object.changed)
                born.append(object.born)
                dead.append(!object.isAlive)
                docs.append(columns.doc)
                metas.append(columns.meta)
                texts.append(writesJSON && object.isAlive ? PlainJSON.text(columns.document) : nil)
            }
            let parameters: [Parameter] = [
                .texts(classes), .blobs(keys), .words(versions), .words(born), .bools(dead), .blobs(docs),
                .blobs(metas),
            ]
            return (parameters, .optionalTexts(texts))
        }

        /// - Returns: The columns, and the JSON of the objects.
        private func ingested(of commit: StoreCommit, writesJSON: Bool) throws -> ([Parameter], texts: Parameter) {
            var texts: [[UInt8]?] = []
            var classes: [SyncString] = []
            var (keys, docs, metas) = ([[UInt8]?](), [[UInt8]?](), [[UInt8]?]())
            for (name, fields) in commit.ingested.sorted(by: { $0.key < $1.key }) {
                let columns = try StoredDocument.columns(MergedObject(ingested: fields), name.key)
                classes.append(name.className)
                keys.append(try StoredKey.checked(name))
                docs.append(columns.doc)
                metas.append(columns.meta)
                texts.append(writesJSON ? PlainJSON.text(columns.document) : nil)
            }
            let parameters: [Parameter] = [
                .texts(classes), .blobs(keys), .ints(classes.indices.map { Int64($0) }), .blobs(docs), .blobs(metas),
            ]
            return (parameters, .optionalTexts(texts))
        }
    }
#endif
