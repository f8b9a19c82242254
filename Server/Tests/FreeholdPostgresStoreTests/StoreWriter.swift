#if PostgreSQL
    import PostgresProcess
    import Testing

    @testable import FreeholdPostgresStore
    @testable import FreeholdSyncCore

    /// A file whose commits create an object each, merged as a server does. Its calls block.
    struct StoreWriter: Sendable {
        let stream: StreamName
        let ident: FileIdent
        private(set) var last: UInt64 = 0

        init(_ store: PostgresStore, _ stream: StreamName) throws {
            self.stream = stream
            let secret = SecretHash(FileSecret(high: 1, low: 2))
            let kind = ServerStoreRequest.Kind.makeFile(user: "ann", secret: secret, parents: [], clock: .zero)
            guard case .file(let file) = store.answer(stream, kind) else {
                throw PostgresServer.Failure(description: "There is no file.")
            }
            ident = file.ident
        }

        /// The object of a commit.
        static func name(_ ident: FileIdent, _ number: UInt64) -> ObjectName {
            ObjectName("Thing", .string(SyncString("\(ident.rawValue)/\(number)")))
        }

        /// Tries to commit the next number.
        ///
        /// - Parameter beforeCommit: Called when all is read.
        /// - Returns: The answer to the commit; `.done` without a commit if an earlier attempt did it; or the answer to a read that failed.
        mutating func attempt(_ store: PostgresStore, beforeCommit: () -> Void = {}) -> ServerStoreAnswer {
            let number = last + 1
            var query = RowQuery()
            (query.files, query.answers) = ([ident], [PartName(ident: ident, commit: number)])
            let answer = store.answer(stream, .read(query))
            guard case .rows(var rows) = answer else { return answer }
            if let file = rows.files[ident], file.last >= number {
                last = number
                return .done
            }
            let change = Change.create(Self.name(ident, number), [NewField("n", .value(.int(Int64(number))))])
            let commit = Commit(
                number: number,
                clock: Clock(milliseconds: 1),
                base: rows.head.version,
                seen: [:],
                changes: [change]
            )
            while true {
                var transaction = GroupTransaction(rows)
                do {
                    transaction.commitHash = RunningHash.empty.appending([1], salt: number)
                    transaction.salt = .random(in: 0 ... .max)
                    _ = try StreamMerge(MergeRules()).apply(commit, from: ident, now: 5, to: &transaction)
                } catch let missing as RowsMissing {
                    let answer = store.answer(stream, .read(missing.query))
                    guard case .rows(let new) = answer else { return answer }
                    guard new.head == rows.head else { return .failed(.moved) }
                    rows.objects.merge(new.objects) { $1 }
                    rows.clocks.merge(new.clocks) { $1 }
                    rows.answers.merge(new.answers) { $1 }
                    rows.files.merge(new.files) { $1 }
                    continue
                } catch { return .failed(.unavailable(SyncString("\(error)"))) }
                var group = StoreCommit(expected: transaction.expected, head: transaction.head)
                group.entries = transaction.entries
                group.objects = transaction.objects.map { ($0.name, $0.after) }
                (group.files, group.answers) = (transaction.files, transaction.answers)
                beforeCommit()
                let answer = store.answer(stream, .commit(group))
                if case .done = answer { last = number }
                return answer
            }
        }

        /// Tries until the next number is committed.
        mutating func commit(_ store: PostgresStore, attempts: Int = 10_000) throws {
            var answer = ServerStoreAnswer.done
            for _ in 0..<attempts {
                answer = attempt(store)
                if case .done = answer { return }
            }
            throw PostgresServer.Failure(description: "The commit isn't done: \(answer)")
        }
    }

    extension PostgresStore {
        /// Returns the violations of the log's rules: each commit is in it once, in the order of its file, and the hashes are those of the marks.
        func problems(in stream: StreamName, commits: [FileIdent: UInt64]) throws -> [String] {
            var problems: [String] = []
            let total = commits.values.reduce(0, +)
            guard case .rows(let rows) = answer(stream, .read(RowQuery())) else { return ["The head can't be read."] }
            if rows.head.version != total { problems.append("\(rows.head.version) versions for \(total) commits") }
            let start = Cursor(epoch: rows.head.epoch, version: 0, hash: .empty)
            guard case .step(let step?) = answer(stream, .step(after: start, objects: .max)) else { return ["no step"] }
            var names = Set(step.objects.map(\.name))
            var cursor = step.to
            while cursor.version < rows.head.version {
                guard case .step(let next?) = answer(stream, .step(after: cursor, objects: .max)) else {
                    return ["no step"]
                }
                names.formUnion(next.objects.map(\.name))
                cursor = next.to
            }
            let expected = Set(commits.flatMap { ident, last in (0..<last).map { StoreWriter.name(ident, $0 + 1) } })
            if names != expected { problems.append("\(names.count) objects instead of \(expected.count)") }
            if cursor.hash != rows.head.hash { problems.append("the hash isn't that of the head") }
            return problems
        }
    }
#endif
