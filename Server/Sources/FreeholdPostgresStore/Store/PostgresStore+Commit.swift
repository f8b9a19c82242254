#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// A group of commits, as one statement.
    extension PostgresStore {
        func commit(_ commit: StoreCommit, _ stream: Int64) async throws -> ServerStoreAnswer {
            let parameters = try parameters(of: commit, stream)
            do {
                let result = try await pool.run(.writing, .commit, parameters)
                guard let row = result.first else { throw PostgresFailure.malformed("the row is missing") }
                return try row.word(0) == 1 ? .done : .failed(.moved)
            } catch let failure as PostgresFailure where failure.isStale {
                return .failed(.moved)
            }
        }

        /// The parameters of `Statement.commit`.
        ///
        /// - Throws: `RowLimit`
        private func parameters(of commit: StoreCommit, _ stream: Int64) throws -> [Parameter] {
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
            let groups = try entries.isEmpty ? [] : [StoredGroup.bytes(entries, options.compression)]
            parameters += [.words(groups.map { _ in head.version }), .blobs(groups)]
            parameters += try objects(of: commit)
            parameters += try ingested(of: commit)
            let growth = commit.growth.sorted { $0.key < $1.key }
            parameters += [.texts(growth.map(\.key)), .ints(growth.map(\.value))]
            parameters += [.idents(commit.finishedParts.map(\.ident)), .words(commit.finishedParts.map(\.commit))]
            return parameters
        }

        private func files(of commit: StoreCommit) -> [Parameter] {
            let idents = Set(commit.files.keys).union(commit.answers.keys).sorted()
            let rows = idents.map { commit.files[$0] }
            // The number of the last commit before the group.
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

        private func objects(of commit: StoreCommit) throws -> [Parameter] {
            var classes: [SyncString] = []
            var (keys, docs, metas) = ([[UInt8]?](), [[UInt8]?](), [[UInt8]?]())
            var (versions, born, dead) = ([UInt64](), [UInt64](), [Bool]())
            // In one order in all servers.
            for (name, object) in commit.objects.sorted(by: { $0.name < $1.name }) {
                let columns = try StoredDocument.columns(object, name.key)
                classes.append(name.className)
                keys.append(try StoredKey.checked(name))
                // A dead object that is deleted once more was dead before.
                versions.append(object.died ?? object.changed)
                born.append(object.born)
                dead.append(!object.isAlive)
                docs.append(columns.doc)
                metas.append(columns.meta)
            }
            return [
                .texts(classes), .blobs(keys), .words(versions), .words(born), .bools(dead), .blobs(docs),
                .blobs(metas),
            ]
        }

        private func ingested(of commit: StoreCommit) throws -> [Parameter] {
            var classes: [SyncString] = []
            var (keys, docs, metas) = ([[UInt8]?](), [[UInt8]?](), [[UInt8]?]())
            for (name, fields) in commit.ingested.sorted(by: { $0.key < $1.key }) {
                let columns = try StoredDocument.columns(MergedObject(ingested: fields), name.key)
                classes.append(name.className)
                keys.append(try StoredKey.checked(name))
                docs.append(columns.doc)
                metas.append(columns.meta)
            }
            return [
                .texts(classes), .blobs(keys), .ints(classes.indices.map { Int64($0) }), .blobs(docs), .blobs(metas),
            ]
        }
    }

    extension PostgresFailure {
        /// A Boolean value that indicates whether a commit did nothing because something else is stored than it expects: an answer to the same commit,
        /// or a file that was deleted in this moment (division by zero in the statement).
        fileprivate var isStale: Bool { isDuplicate || kind == .refused("22012") }
    }
#endif
