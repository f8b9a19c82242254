#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
internal import FreeholdEngine
internal import FreeholdSyncCore

/// The files of devices, with the answers to them, their queries, and parts of their commits.
extension StreamView {
    /// Returns the row of a file, or `nil` if it doesn't exist.
    func fileRow(_ ident: FileIdent) -> ObjectKey? {
        let key = ObjectKey(Int64(ident.rawValue) - 1)
        return ident.rawValue > 0 && view.contains(tables.hidden.file, key) ? key : nil
    }

    func column(_ column: FileColumn) -> Column { tables.hidden.file.columns[column.rawValue] }

    /// Returns the secret of a file and the number of its last commit, or `nil` if it doesn't exist.
    func identity(_ ident: FileIdent) throws -> (secret: SecretHash, last: UInt64)? {
        guard let key = fileRow(ident) else { return nil }
        return (try secret(ident, key), view.word(tables.hidden.file, FileColumn.last.rawValue, key))
    }

    private func secret(_ ident: FileIdent, _ key: ObjectKey) throws -> SecretHash {
        let secret = view.readData(column(.secret), key) ?? Data()
        guard secret.count == 32 else { throw StoreDamage("The secret of \(ident) isn't 32 bytes.") }
        let bytes = Array(secret)
        return SecretHash(
            words: stride(from: 0, to: 32, by: 4).map { start in
                bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            }
        )
    }

    func file(_ ident: FileIdent) throws -> FileRow? {
        guard let key = fileRow(ident) else { return nil }
        func word(_ column: FileColumn) -> UInt64 { view.word(tables.hidden.file, column.rawValue, key) }
        var file = FileRow(
            ident,
            user: SyncString(view.readString(column(.user), key) ?? ""),
            secret: try secret(ident, key),
            parents: try StoredParents.parents(view.pieces(column(.parents), key))
        )
        file.last = word(.last)
        file.hash = RunningHash(high: word(.hashHigh), low: word(.hashLow))
        file.clock = Clock(rawValue: word(.clock))
        file.leastBase = word(.leastBase) == 0 ? nil : word(.leastBase) - 1
        file.time = Int64(bitPattern: word(.time))
        file.subscribed = try StoredMessage.queries(view.pieces(column(.subscribed), key))
        file.pending = try StoredMessage.queries(view.pieces(column(.pending), key))
        for case .string(let name) in view.listValues(column(.classes), key) { file.classes.insert(SyncString(name)) }
        file.front = front(of: ident)
        return file
    }

    /// Returns the commits of files that were copied from the same files as the given one.
    /// - Complexity: O(files that were created after the oldest of the original files)
    func copies(of ident: FileIdent) throws -> [RunningHash: CopiedCommit] {
        guard let key = fileRow(ident) else { return [:] }
        let parents = try StoredParents.parents(view.pieces(column(.parents), key))
        let line = Set(parents.map(\.ident))
        guard let oldest = line.min() else { return [:] }
        var copies: [RunningHash: CopiedCommit] = [:]
        // Some rows between them may be missing: those of removed files that never uploaded anything.
        for row in view.keys(tables.hidden.file) where row.raw >= Int64(oldest.rawValue) {
            let other = FileIdent(rawValue: UInt32(row.raw + 1))
            guard other != ident, view.listCount(column(.parents), row) > 0 else { continue }
            let others = try StoredParents.parents(view.pieces(column(.parents), row))
            guard others.contains(where: { line.contains($0.ident) }) else { continue }
            for answer in try answers(other, behind: 0).later { copies[answer.hash] = CopiedCommit(other, answer) }
        }
        return copies
    }

    /// Returns the rows of files that never uploaded anything and weren't bound for a long time: see
    /// `ServerStoreRequest.Kind.trimFiles`.
    ///
    /// - Complexity: O(files)
    func unusedFiles(unused: Int64, idle: Int64) -> [ObjectKey] {
        view.keys(tables.hidden.file).filter { row in
            func word(_ column: FileColumn) -> UInt64 { view.word(tables.hidden.file, column.rawValue, row) }
            let time = Int64(bitPattern: word(.time))
            guard word(.last) == 0, time != 0, view.listCount(column(.parents), row) == 0 else { return false }
            return time < (view.listCount(column(.subscribed), row) == 0 ? unused : idle)
        }
    }

    // MARK: Answers

    /// Returns the answer to a commit, and the answers to later commits.
    ///
    /// - Complexity: O(answers to later commits)
    func answers(_ ident: FileIdent, behind commit: UInt64) throws -> (known: StoredAnswer?, later: [StoredAnswer]) {
        guard let key = fileRow(ident) else { return (nil, []) }
        var later: [StoredAnswer] = []
        for index in (0..<view.listCount(column(.answers), key)).reversed() {
            let answer = try answer(index, key)
            if answer.answer.commit <= commit {
                return (answer.answer.commit == commit ? answer : nil, later.reversed())
            }
            later.append(answer)
        }
        return (nil, later.reversed())
    }

    /// Returns the stored answer to a commit, or `nil` if it isn't stored. The answers to all commits in the log are
    /// stored.
    /// - Complexity: O(log *n*) for *n* stored answers
    func answer(to commit: PartName) throws -> StoredAnswer? {
        guard let key = fileRow(commit.ident) else { return nil }
        var (low, high) = (0, view.listCount(column(.answers), key))
        while low < high {
            let middle = (low + high) / 2
            let answer = try answer(middle, key)
            if answer.answer.commit == commit.commit { return answer }
            if answer.answer.commit > commit.commit { high = middle } else { low = middle + 1 }
        }
        return nil
    }

    func answer(_ index: Int, _ key: ObjectKey) throws -> StoredAnswer {
        guard case .data(let data) = view.listValue(column(.answers), key, at: index) else {
            throw StoreDamage("An answer isn't data.")
        }
        return try StoredMessage.answer(Array(data))
    }

    func bind(_ query: FileQuery) throws -> FileAnswer {
        var answer = FileAnswer(head)
        if let ident = query.ident {
            answer.file = try file(ident)
            answer.staged = try staged(ident)
            let (known, later) = try answers(ident, behind: query.acknowledged)
            (answer.answers, answer.known, answer.hash) = (later, known, known?.hash)
        }
        if let file = answer.file, file.last == query.acknowledged { answer.hash = file.hash }
        if query.acknowledged == 0 { answer.hash = .empty }
        answer.cursor = query.cursor.flatMap { mark($0)?.hash }
        answer.bootstrap = query.bootstrap.flatMap { mark($0)?.hash }
        return answer
    }

    // MARK: Writing

    func makeFile(
        user: SyncString,
        secret: SecretHash,
        parents: [FileParent],
        clock: Clock,
        in transaction: WriteTransaction
    ) throws -> FileRow? {
        let key = try transaction.create(tables.hidden.file)
        guard let raw = UInt32(exactly: key.raw + 1) else { return nil }
        let bytes = secret.words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
        try transaction.set(column(.user), key, to: .string(user.string))
        try transaction.set(column(.secret), key, to: .data(Data(bytes)))
        if !parents.isEmpty {
            try transaction.setPieces(column(.parents), key, to: StoredParents.bytes(parents))
        }
        transaction.setWord(tables.hidden.file, FileColumn.clock.rawValue, key, clock.rawValue)
        var file = FileRow(FileIdent(rawValue: raw), user: user, secret: secret, parents: parents)
        file.clock = clock
        return file
    }

    func note(
        _ ident: FileIdent,
        acknowledged: UInt64,
        leastBase: StreamVersion?,
        time: Int64,
        in transaction: WriteTransaction
    ) throws {
        guard let key = fileRow(ident) else { return }
        transaction.setWord(tables.hidden.file, FileColumn.leastBase.rawValue, key, leastBase.map { $0 &+ 1 } ?? 0)
        transaction.setInt(column(.time), key, to: time)
        var known = 0
        let count = view.listCount(column(.answers), key)
        while known < count {
            let answer = try answer(known, key).answer
            guard answer.commit < acknowledged, answer.version <= head.horizon else { break }
            known += 1
        }
        if known > 0 { try transaction.listRemove(column(.answers), key, range: 0..<known) }
    }

    func note(_ ident: FileIdent, _ queries: Queries, isComplete: Bool, in transaction: WriteTransaction) throws {
        guard let key = fileRow(ident) else { return }
        var classes = Set(queries.queries.map(\.className))
        let bytes = try StoredMessage.bytes(queries)
        if isComplete {
            try transaction.setPieces(column(.subscribed), key, to: bytes)
            try transaction.setPieces(column(.pending), key, to: [])
        } else {
            try transaction.setPieces(column(.pending), key, to: bytes)
            for case .string(let name) in view.listValues(column(.classes), key) { classes.insert(SyncString(name)) }
        }
        try transaction.listAssign(column(.classes), key, values: classes.sorted().map { .string($0.string) })
    }

    /// Writes the state of a file after commits.
    func set(_ row: FileRow, in transaction: WriteTransaction) throws {
        guard let key = fileRow(row.ident) else { return }
        let table = tables.hidden.file
        transaction.setWord(table, FileColumn.last.rawValue, key, row.last)
        transaction.setWord(table, FileColumn.hashHigh.rawValue, key, row.hash.high)
        transaction.setWord(table, FileColumn.hashLow.rawValue, key, row.hash.low)
        transaction.setWord(table, FileColumn.clock.rawValue, key, row.clock.rawValue)
        if !row.front.isEmpty { try setFront(row.front, of: row.ident, in: transaction) }
        let parents = StoredParents.bytes(row.parents)
        if !parents.isEmpty, view.pieces(column(.parents), key) != parents {
            try transaction.setPieces(column(.parents), key, to: parents)
        }
    }

    func add(_ answers: [StoredAnswer], to ident: FileIdent, in transaction: WriteTransaction) throws {
        guard let key = fileRow(ident) else { return }
        try transaction.listAppend(
            column(.answers),
            key,
            values: try answers.map { .data(Data(try StoredMessage.bytes($0))) }
        )
    }
}
