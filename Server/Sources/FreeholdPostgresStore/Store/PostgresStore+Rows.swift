#if PostgreSQL
    internal import FreeholdServerStore
    internal import FreeholdSyncCore

    /// The reading of the rows that a merge needs.
    extension PostgresStore {
        /// The maximum number of attempts to read rows. An attempt fails if the head changes during the read.
        private static let mostReads = 20
        /// The approximate maximum number of bytes of objects that one statement returns.
        static let pieceBytes = 4 << 20
        /// The maximum number of names of one statement.
        private static let pieceNames = 2_000

        /// The present state of an object.
        struct Current {
            /// The version of the last change, or of the deletion.
            let version: StreamVersion
            let object: MergedObject
        }

        /// An error that is thrown if the head has changed between two statements that have to read at the same head.
        private struct Moved: Error {}

        func rows(_ query: RowQuery, _ stream: Int64) async throws -> StoreRows {
            for _ in 0..<Self.mostReads {
                do { return try await rowsAtOneHead(query, stream) } catch is Moved {}
            }
            throw StoreFailure.unavailable("The stream changes faster than its rows can be read.")
        }

        private func rowsAtOneHead(_ query: RowQuery, _ stream: Int64) async throws -> StoreRows {
            let id = Parameter.int(stream)
            let names = query.answers.sorted { ($0.ident, $0.commit) < ($1.ident, $1.commit) }
            var calls = [Call(.head, [id])]
            /// Adds a statement if its rows are needed, and returns its index.
            func add(_ statement: Statement, _ isNeeded: Bool, _ parameters: [Parameter]) -> Int? {
                guard isNeeded else { return nil }
                calls.append(Call(statement, [id] + parameters))
                return calls.count - 1
            }
            let files = add(.files, !query.files.isEmpty, [.idents(query.files.sorted())])
            let answers = add(.answers, !names.isEmpty, [.idents(names.map(\.ident)), .words(names.map(\.commit))])
            let clocks = add(.marks, !query.clocks.isEmpty, [.ints(query.clocks.map { Int64(clamping: $0) })])
            let known = add(.marks, query.known != nil, [.ints([Int64(clamping: query.known ?? 0)])])
            let users = add(.users, !query.users.isEmpty, [.texts(query.users.sorted())])
            let results = try await pool.run(.reading, calls)
            func found(_ index: Int?) -> [QueryResult.Row] { index.map { results[$0].rows } ?? [] }
            let head = try head(results[0])
            var rows = StoreRows(at: head)
            for row in found(files) {
                let file = try row.file()
                rows.files[file.ident] = file
            }
            for row in found(answers) {
                let (ident, answer) = try row.answer()
                rows.answers[PartName(ident, answer.answer.commit)] = answer
            }
            rows.asked = query.answers
            for row in found(clocks) { rows.clocks[try row.word(0)] = Clock(rawValue: try row.word(2)) }
            rows.known = try found(known).first?.hash(1)
            for user in query.users { rows.users[user] = 0 }
            for row in found(users) { rows.users[try row.text(0)] = try row.word(1) }
            var bytes = 0
            for name in query.objects { rows.objects[name] = .some(nil) }
            try await read(query.objects.sorted(), stream) { other, name, current in
                guard other.cursor == head.cursor, other.horizon == head.horizon else { throw Moved() }
                bytes += current?.object.estimatedBytes ?? 0
                guard bytes <= query.mostBytes else { throw StoreFailure.limit(query.limitText) }
                rows.objects[name] = .some(current?.object)
            }
            try await readLinks(query, &rows, stream)
            for ident in query.copies { rows.copies[ident] = try await copies(of: ident, head, stream) }
            return rows
        }

        /// Reads objects in several parts. The objects of one part are read at the same head.
        ///
        /// - Parameter body: A closure that is called for each name in order, with the head of the part. The object is `nil` if it doesn't exist, or
        ///   was removed at the horizon.
        func read(
            _ names: [ObjectName],
            _ stream: Int64,
            _ body: (StreamHead, ObjectName, Current?) throws -> Void
        ) async throws {
            var rest = names[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Self.pieceNames)
                let parameters: [Parameter] = [
                    .int(stream), .texts(piece.map(\.className)), .blobs(piece.map { StoredKey.bytes($0.key) }),
                    .int(Self.pieceBytes),
                ]
                let results = try await pool.run(.reading, [Call(.head, [.int(stream)]), Call(.objects, parameters)])
                let head = try head(results[0])
                var (found, bytes, last) = ([Int: Current](), 0, 0)
                for row in results[1].rows {
                    let place = try row.int(0)
                    guard place > last, place <= piece.count else {
                        throw PostgresFailure.malformed("an object wasn't asked for")
                    }
                    last = Int(place)
                    bytes += try row.slice(3).count + row.slice(4).count
                    found[last - 1] = try Self.current(row, from: 1, horizon: head.horizon)
                }
                // If the limit of bytes was reached, the objects after the last row were not read.
                let count = bytes < Self.pieceBytes ? piece.count : last
                guard count > 0 else { throw PostgresFailure.malformed("an object is missing") }
                for (place, name) in piece.prefix(count).enumerated() { try body(head, name, found[place]) }
                rest = rest.dropFirst(count)
            }
        }

        /// Returns the object in the columns `version`, `dead`, `doc` and `meta`, or `nil` if it was removed at the horizon.
        static func current(_ row: QueryResult.Row, from column: Int, horizon: StreamVersion) throws -> Current? {
            var object = try StoredDocument.object(doc: row.bytes(column + 2), meta: row.bytes(column + 3))
            if horizon > 0, !object.trim(horizon: horizon) { return nil }
            return Current(version: try row.word(column), object: object)
        }

        // MARK: Links and values

        /// Adds the objects of some classes that link to given objects, or that contain given values.
        ///
        /// - Complexity: O(objects of the classes)
        private func readLinks(_ query: RowQuery, _ rows: inout StoreRows, _ stream: Int64) async throws {
            for link in query.links { rows.links[link] = [] }
            for holder in query.holders { rows.holders[holder] = [] }
            let classes = Set(query.links.map(\.property.className) + query.holders.map(\.className))
            for name in classes.sorted() {
                let links = query.links.filter { $0.property.className == name }
                let holders = query.holders.filter { $0.className == name }
                var key: [UInt8]? = []
                while let start = key {
                    let piece = try await piece(of: name, after: start, livingAt: .max, count: Self.pieceNames, stream)
                    guard piece.head.cursor == rows.head.cursor, piece.head.horizon == rows.head.horizon else {
                        throw Moved()
                    }
                    for (name, current) in piece.objects {
                        guard let object = current?.object else { continue }
                        for link in links where link.matches(name, object) { rows.links[link]?.append(name) }
                        for holder in holders where holder.matches(name, object) { rows.holders[holder]?.append(name) }
                    }
                    key = piece.next
                }
            }
        }

        /// The present rows of a class in a range of keys.
        struct Piece {
            var head: StreamHead
            var objects: [(name: ObjectName, current: Current?)] = []
            /// The key after which the next part begins, or `nil` if there are no more rows.
            var next: [UInt8]?
        }

        /// - Parameter version: Objects that were already deleted at this version are left out. If `nil`, all deleted objects are included.
        func piece(
            of className: SyncString,
            after key: [UInt8],
            livingAt version: StreamVersion?,
            count: Int,
            _ stream: Int64
        ) async throws -> Piece {
            let parameters: [Parameter] = [
                .int(stream), .text(className), .bytes(key), version.map { .bound($0) } ?? .int(-1), .int(count),
                .int(Self.pieceBytes),
            ]
            let results = try await pool.run(.reading, [Call(.head, [.int(stream)]), Call(.page, parameters)])
            var piece = Piece(head: try head(results[0]))
            var (bytes, last) = (0, key)
            for row in results[1].rows {
                last = try row.bytes(0)
                bytes += try row.slice(3).count + row.slice(4).count
                let name = ObjectName(className, try StoredKey.key(last))
                piece.objects.append((name, try Self.current(row, from: 1, horizon: piece.head.horizon)))
            }
            if piece.objects.count >= count || bytes >= Self.pieceBytes { piece.next = last }
            guard piece.next.map({ key.lexicographicallyPrecedes($0) }) ?? true else {
                throw PostgresFailure.malformed("the keys don't rise")
            }
            return piece
        }

        // MARK: Copies

        /// Returns the commits of files that are copies of the same origin as a file.
        ///
        /// - Complexity: O(copied files)
        private func copies(
            of ident: FileIdent,
            _ head: StreamHead,
            _ stream: Int64
        ) async throws -> [RunningHash: CopiedCommit] {
            let id = Parameter.int(stream)
            let file = try await pool.run(.reading, .files, [id, .idents([ident])]).first?.file()
            let line = Set(file?.parents.map(\.ident) ?? [])
            guard let oldest = line.min() else { return [:] }
            let others = try await pool.run(.reading, .copiedFiles, [id, .ident(oldest), .ident(ident)]).rows.compactMap
            { row in
                let parents = try StoredParents.parents(row.bytes(1))
                return parents.contains { line.contains($0.ident) } ? try row.ident(0) : nil
            }
            let results = try await pool.run(
                .reading,
                [Call(.head, [id]), Call(.answersOfFiles, [id, .idents(others)])]
            )
            guard try self.head(results[0]).cursor == head.cursor else { throw Moved() }
            var copies: [RunningHash: CopiedCommit] = [:]
            for row in results[1].rows {
                let (other, answer) = try row.answer()
                copies[answer.hash] = CopiedCommit(other, answer)
            }
            return copies
        }
    }
#endif
