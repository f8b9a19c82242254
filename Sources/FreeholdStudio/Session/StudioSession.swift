import Dispatch
import Foundation
import FreeholdEngine

/// The session of a page: its open file, its cursors and its waiting edits.
///
/// Any thread may call the public methods. Everything else runs on the session's loop, one request after the other. Requests that can take long run
/// on the threads of the program.
public final class StudioSession: @unchecked Sendable {
    // It is Sendable because all stored properties except constants are used on the loop only.

    let program: StudioProgram
    private let loop = DispatchQueue(label: "freehold.studio.session")
    private let send: @Sendable ([UInt8]) -> Void

    var file: OpenFile?
    /// The version that the page shows.
    var current: Snapshot?
    var facts: SchemaFacts?
    var cursors: [Int: Cursor] = [:]
    var edits = StagedEdits()
    var history = SeenCommits()
    var followed: FollowedObject?
    var imports: [Int: StudioImport] = [:]
    /// The indexes that the queries of the page have used.
    var indexUses = IndexUses()
    var isPaused = false
    private var observation: ChangeFeed.Observation?
    private var lastNumber = 0
    private var running: [Int: CancelFlag] = [:]
    /// The requests that open the newest query of a place on the screen.
    private var opening: [String: CancelFlag] = [:]
    private var lastCounts: [String: Int] = [:]
    private var isDelivering = false
    private var isClosed = false

    static let mostCursors = 64
    static let mostKeyBytes = 64 << 20

    /// - Parameter send: Sends a message to the page. It is called on any thread, and must not block.
    public init(_ program: StudioProgram, send: @escaping @Sendable ([UInt8]) -> Void) {
        self.program = program
        self.send = send
    }

    // MARK: Messages

    /// Handles a message of the page.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - done: A closure that is called when the message has been answered.
    public func receive(_ bytes: [UInt8], done: @escaping @Sendable () -> Void) {
        loop.async { [self] in
            guard !isClosed else { return done() }
            do throws(StudioError) {
                let request = try StudioRequest(StudioJSON(parsing: bytes))
                handle(request, Answer(self, request, done))
            } catch {
                post(.members(["id": .null, "error": error.json]))
                done()
            }
        }
    }

    /// Ends the session. Its file is closed when the requests that are running have ended.
    public func close() {
        loop.async { [self] in
            isClosed = true
            for flag in running.values { flag.set() }
            closeFile()
        }
    }

    /// Runs a closure on the loop after everything that was received before.
    func onLoop(_ body: @escaping @Sendable (StudioSession) -> Void) { loop.async { body(self) } }

    func post(_ message: StudioJSON) { if !isClosed { send(message.bytes) } }

    /// The answer to one request. It is sent once, on the loop.
    final class Answer: @unchecked Sendable {
        // It is Sendable because it is used on the session's loop only.
        let session: StudioSession
        let request: StudioRequest
        private let done: @Sendable () -> Void

        init(_ session: StudioSession, _ request: StudioRequest, _ done: @escaping @Sendable () -> Void) {
            (self.session, self.request, self.done) = (session, request, done)
        }

        func give(_ result: Result<StudioJSON, StudioError>) {
            defer { done() }
            guard let id = request.id else { return }
            switch result {
            case .success(let json): session.post(["id": .int(id), "ok": json])
            case .failure(let error): session.post(["id": .int(id), "error": error.json])
            }
        }
    }

    private func handle(_ request: StudioRequest, _ answer: Answer) {
        do {
            if let json = try answered(request, answer) { answer.give(.success(json)) }
        } catch {
            answer.give(.failure(StudioError(error)))
        }
    }

    /// Returns the answer, or `nil` if the request is answered later.
    private func answered(_ request: StudioRequest, _ answer: Answer) throws -> StudioJSON? {
        guard let handler = Self.handlers[request.name] else {
            throw StudioError(.unknown, "The program doesn't know the request '\(request.name.prefix(40))'.")
        }
        if handler.edits { try checkWritable() }
        return try handler.answer(self, request, answer)
    }

    /// - Throws: `StudioError` with the code `readOnly` if the file may not be changed.
    func checkWritable() throws(StudioError) {
        if file?.canWrite == true { return }
        throw StudioError(
            .readOnly,
            program.options.isWritable ? "This file can't be changed here." : "Studio was started without --write."
        )
    }

    /// A kind of request.
    struct Handler: Sendable {
        /// A Boolean value that indicates whether the request is refused unless the file may be changed.
        var edits = false
        let answer: @Sendable (StudioSession, StudioRequest, Answer) throws -> StudioJSON?
    }

    private static let handlers: [String: Handler] =
        [fileHandlers, classHandlers, queryHandlers, resultHandlers, objectHandlers, editHandlers, historyHandlers]
        .reduce(storageHandlers) { $0.merging($1) { first, _ in first } }
        .merging(transferHandlers) { first, _ in first }
        .merging(schemaHandlers) { first, _ in first }
        .merging([
            "cancel": Handler { session, request, _ in
                session.running[try request.number("request")]?.set()
                return [:]
            }
        ]) { first, _ in first }

    // MARK: Work

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Returns the open file with the version that the page shows.
    func shown() throws(StudioError) -> (file: OpenFile, view: Snapshot, facts: SchemaFacts) {
        guard let file else { throw StudioError(.noFile, "No file is open.") }
        if current == nil { try refresh(file) }
        guard let current, let facts else { throw StudioError(.noFile, "No file is open.") }
        return (file, current, facts)
    }

    /// Reads the version that the page shows. Damage in the file is thrown as an error.
    func read<Value>(_ body: (Snapshot, SchemaFacts) throws -> Value) throws -> Value {
        let (_, view, facts) = try shown()
        return try view.reading { try body($0, facts) }
    }

    /// Runs a closure on a thread of the program's pool, and answers with the result of a second closure, which runs on the loop.
    ///
    /// - Parameters:
    ///   - answer: The answer. The page can cancel its request.
    ///   - kind: The kind of the work.
    ///   - time: The time after which the work is cancelled, or `nil` for the time of the kind.
    ///   - flag: The flag that cancels the work.
    ///   - body: A closure that reads the version that the page shows.
    ///   - finish: A closure that returns the answer.
    func work<Value: Sendable>(
        _ answer: Answer,
        _ kind: StudioPool.Kind = .queries,
        time: Duration? = nil,
        flag: CancelFlag = CancelFlag(),
        body: @escaping @Sendable (Snapshot, SchemaFacts) throws -> Value,
        finish: @escaping @Sendable (StudioSession, Value) throws -> StudioJSON
    ) throws {
        let (_, view, facts) = try shown()
        let id = answer.request.id
        if let id { running[id] = flag }
        program.pool.run(kind) { [weak self] in
            let result = Result {
                try StudioPool.limited(flag, time: time ?? kind.time) { try view.reading { try body($0, facts) } }
            }
            guard let self else { return }
            loop.async { [self] in
                if let id, running[id] === flag { running[id] = nil }
                answer.give(
                    Result { try finish(self, try result.get()) }.mapError { StudioError($0) }
                )
            }
        }
    }

    /// Cancels an older query of a place on the screen.
    func beginOpening(_ place: String?) -> CancelFlag {
        let flag = CancelFlag()
        guard let place else { return flag }
        opening.updateValue(flag, forKey: place)?.set()
        for cursor in cursors.values where cursor.place == place { cursors[cursor.number] = nil }
        return flag
    }

    func isNewest(_ flag: CancelFlag, of place: String?) -> Bool { place.map { opening[$0] === flag } ?? true }

    // MARK: The file

    func take(_ opened: OpenFile) throws(StudioError) {
        closeFile()
        file = opened
        try refresh(opened)
        if let view = current { history.begin(at: view.version) }
        lastCounts = counts()
        guard opened.notLive == nil else { return }
        do throws(EngineError) {
            observation = try opened.feed.observe { [weak self] _ in self?.onLoop { $0.advance() } }
        } catch {
            post(["push": "live", "live": false, "reason": .string(error.message)])
        }
        advance()
    }

    func closeFile() {
        observation?.cancel()
        (observation, file, current, facts, followed) = (nil, nil, nil, nil, nil)
        (cursors, opening, edits, history, imports) = ([:], [:], StagedEdits(), SeenCommits(), [:])
        (indexUses, lastCounts) = (IndexUses(), [:])
    }

    private func refresh(_ file: OpenFile) throws(StudioError) {
        do throws(EngineError) {
            let snapshot = try file.database.snapshot()
            current = snapshot
            if facts?.revision != snapshot.schemaRevision { facts = SchemaFacts(snapshot, chosen: chosenTitles(file)) }
        } catch {
            throw StudioError(error)
        }
    }

    /// The properties that the user chose for the titles of objects: `titles` of the remembered state.
    private func chosenTitles(_ file: OpenFile) -> [String: String] {
        let members = program.files.remembered(file.entry)["titles"]?.members ?? []
        return Dictionary(members.compactMap { member in member.value.text.map { (member.key, $0) } }) { first, _ in
            first
        }
    }

    func forgetTitles() { if let file, let view = current { facts = SchemaFacts(view, chosen: chosenTitles(file)) } }

    // MARK: Changes

    /// Advances to the newest version of the file, and reports the changes that concern the page.
    func advance() {
        // A request of a hidden page holds its version until the next commit.
        if isPaused { current = nil }
        guard !isClosed, let file, let old = current else { return }
        let next: Snapshot
        do throws(EngineError) { next = try file.database.snapshot() } catch {
            return post(["push": "live", "live": false, "reason": .string(error.message)])
        }
        guard next.version > old.version else { return }
        current = next
        let isNewSchema = facts?.revision != next.schemaRevision
        if isNewSchema { facts = SchemaFacts(next, chosen: chosenTitles(file)) }
        history.add(file.feed.records(from: old, to: next), from: old.version, to: next.version)
        do {
            try next.reading { view in
                let changes = file.feed.changes(from: old, to: next)
                if isNewSchema {
                    for cursor in cursors.values { rerun(cursor) }
                } else {
                    for cursor in cursors.values {
                        // A query that ran during the change began at another version.
                        guard let rows = cursor.rows, rows.snapshot.version < view.version else { continue }
                        let isSame = rows.snapshot.version == old.version
                        cursor.advance(to: view, isSame ? changes : file.feed.changes(from: rows.snapshot, to: view))
                    }
                }
                reportCounts(changes, isNewSchema: isNewSchema, version: view.version)
                reportFollowed(view)
            }
        } catch {
            post(["push": "live", "live": false, "reason": .string(StudioError(error).message)])
        }
        if let push = history.push() { post(push) }
        deliver()
    }

    /// Sends the changes of cursors that are due, and waits for the others.
    func deliver() {
        guard !isClosed, let view = current, let facts else { return }
        let now = ContinuousClock.now
        var next: ContinuousClock.Instant?
        for cursor in cursors.values where cursor.isDue {
            guard cursor.nextPush <= now else {
                next = min(next ?? cursor.nextPush, cursor.nextPush)
                continue
            }
            let message = try? view.reading { cursor.push(version: view.version, in: $0, facts) }
            if let message = message ?? nil { post(message) }
        }
        guard let next, !isDelivering else { return }
        isDelivering = true
        let wait = now.duration(to: next).components
        let nanoseconds = Int(wait.seconds * 1_000_000_000 + wait.attoseconds / 1_000_000_000)
        loop.asyncAfter(deadline: .now() + .nanoseconds(max(nanoseconds, 1_000_000))) { [weak self] in
            self?.isDelivering = false
            self?.deliver()
        }
    }

    func counts() -> [String: Int] {
        guard let view = current else { return [:] }
        return Dictionary(view.schema.tables.map { ($0.name, view.count($0)) }) { first, _ in first }
    }

    private func reportCounts(_ changes: VersionChanges, isNewSchema: Bool, version: UInt64) {
        let new = counts()
        let changed = changes.tables.keys.compactMap { current?.schema.table(id: $0) }.filter { !$0.isHidden }.map(
            \.name
        )
        guard isNewSchema || !changed.isEmpty || new != lastCounts else { return }
        let different = new.filter { lastCounts[$0.key] != $0.value }.sorted { $0.key < $1.key }
        lastCounts = new
        post([
            "push": "classes", "version": .int(version), "schema": .bool(isNewSchema),
            "counts": .array(different.map { [.string($0.key), .int($0.value)] }),
            "changed": .array(changed.sorted().map { .string($0) }),
        ])
    }

    /// Runs the query of a cursor again, after its version was released or the schema has changed.
    func rerun(_ cursor: Cursor) {
        guard let view = current, let facts else { return }
        cursor.release()
        let (query, number, uses) = (cursor.query, cursor.number, indexUses)
        program.pool.run(.queries) { [weak self] in
            let result = Result {
                try StudioPool.limited(CancelFlag(), time: StudioPool.Kind.queries.time) {
                    try view.reading { view in
                        let compiled = try query.compiled(in: view, facts, uses)
                        return Rerun(compiled: compiled, rows: FollowedRows(compiled, in: view))
                    }
                }
            }
            self?.onLoop { $0.finishRerun(number, result) }
        }
    }

    private struct Rerun: @unchecked Sendable {
        // It is Sendable because it is created on one thread and then used on another one only.
        let compiled: TableQuery.Compiled
        let rows: FollowedRows
    }

    private func finishRerun(_ number: Int, _ result: Result<Rerun, any Error>) {
        guard let cursor = cursors[number], let view = current else { return }
        switch result {
        case .failure(let error):
            cursors[number] = nil
            post(["push": "gone", "cursor": .int(number), "error": StudioError(error).json])
        case .success(let made):
            guard made.rows.snapshot.schemaRevision == view.schemaRevision else { return rerun(cursor) }
            var rows = made.rows
            catchUp(&rows)
            cursor.replace(made.compiled, rows)
            deliver()
        }
    }

    /// Advances the objects of a query that ran at an older version to the version that the page shows.
    func catchUp(_ rows: inout FollowedRows) {
        guard let view = current, let file, rows.snapshot.version < view.version,
            rows.snapshot.schemaRevision == view.schemaRevision
        else { return }
        _ = rows.advance(to: view, file.feed.changes(from: rows.snapshot, to: view))
    }
}
