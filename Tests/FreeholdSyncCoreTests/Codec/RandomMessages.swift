import Foundation
import FreeholdEngine
import FreeholdSyncCore

@testable import SyncWorlds

/// Makes messages of every kind from a seed, with commits of random histories in uploads.
struct RandomMessages {
    var random: SeededRandom
    private var commits: [Commit] = []

    init(seed: UInt64, steps: Int = 30) {
        random = SeededRandom(seed: seed)
        var generator = HistoryGenerator(seed: seed, .init(name: "commits", steps: steps))
        generator.run()
        commits = generator.history.events.compactMap { event in
            if case .arrival(_, let commit, _) = event { commit } else { nil }
        }
    }

    mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func word() -> UInt64 { random.next() >> UInt64(pick(0..<64)) }
    private mutating func maybe<T>(_ make: (inout RandomMessages) -> T) -> T? { random.chance(50) ? make(&self) : nil }
    private mutating func some<T>(_ most: Int, _ make: (inout RandomMessages) -> T) -> [T] {
        (0..<pick(0..<most + 1)).map { _ in make(&self) }
    }

    mutating func text() -> SyncString {
        SyncString(["", "a", "Todo", "ключ", "e\u{301}", "é", String(repeating: "long ", count: 9)][pick(0..<7)])
    }

    mutating func name() -> SyncString { ["Todo", "Person", "title", "list", "Straße"][pick(0..<5)] }

    mutating func key() -> PrimaryKey {
        switch pick(0..<5) {
        case 0: .null
        case 1: .int(Int64(bitPattern: word()))
        case 2: .string(text())
        case 3: .objectId(objectId())
        default: .uuid(uuid())
        }
    }

    private mutating func uuid() -> UUID {
        let (a, b) = (random.next(), random.next())
        return withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.load(as: uuid_t.self)) }
    }

    private mutating func objectId() -> ObjectId {
        let (a, b) = (random.next(), random.next())
        return withUnsafeBytes(of: (a, b)) { ObjectId(bytes: $0) }
    }

    mutating func object() -> ObjectName { ObjectName(name(), key()) }

    /// - Parameter depth: how many levels may be inside; without any it is a value that can be in a set.
    mutating func value(depth: Int = 2) -> SyncValue {
        switch pick(0..<(depth > 0 ? 17 : 15)) {
        case 0: .null
        case 1: .bool(random.chance(50))
        case 2, 3: .int(Int64(bitPattern: word()))
        case 4: .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        case 5: .double(Double(bitPattern: random.next()))
        case 6: .double(Double(pick(-9..<9)))
        case 7, 8: .string(text())
        case 9: .data(Data((0..<pick(0..<20)).map(UInt8.init)))
        case 10: .date(Timestamp(seconds: Int64(bitPattern: word()), nanoseconds: Int32(pick(0..<1_000_000_000))))
        case 11: .objectId(objectId())
        case 12: .uuid(uuid())
        case 13: .decimal128(Decimal128(lo: random.next(), hi: random.next()))
        case 14: .link(object())
        case 15: .list(some(3) { $0.value(depth: depth - 1) })
        default: .dictionary(SyncDictionary(some(3) { (key: $0.text(), value: $0.value(depth: depth - 1)) }))
        }
    }

    // MARK: Objects

    mutating func batches() -> [ClassBatch] {
        some(3) { ClassBatch(className: $0.name(), objects: $0.some(12) { $0.object() }) }
    }

    private mutating func object() -> ObjectUpdate {
        ObjectUpdate(key(), update(), contested: some(2) { ContestedField($0.name(), version: $0.word()) })
    }

    private mutating func update() -> ObjectUpdate.Content {
        switch pick(0..<6) {
        case 0: .erased
        case 1: .present(version: word())
        case 2, 3: .difference(version: word(), base: word(), some(4) { FieldDifference($0.name(), $0.difference()) })
        default: .whole(version: word(), born: word(), fields(depth: 2))
        }
    }

    private mutating func fields(depth: Int) -> [ConfirmedField] {
        some(4) { ConfirmedField($0.name(), $0.content(depth: depth)) }
    }

    private mutating func content(depth: Int) -> ConfirmedContent {
        switch pick(0..<(depth > 0 ? 10 : 5)) {
        case 6: .list(some(3) { $0.run(depth: depth - 1) })
        case 7: .set(some(4) { $0.value(depth: 0) })
        case 8: .dictionary(some(3) { ConfirmedEntry($0.text(), $0.element(depth: depth - 1)) })
        case 9: element(depth: depth)
        default: .value(value())
        }
    }

    private mutating func element(depth: Int) -> ConfirmedContent {
        guard depth > 0, random.chance(40) else { return .value(value()) }
        return .embedded(ConfirmedInstance(made: maybe { $0.made() }, fields: fields(depth: depth - 1)))
    }

    private mutating func made() -> Made { Made(version: word(), number: word()) }

    private mutating func run(depth: Int) -> ElementRun {
        let made = maybe { $0.made() }
        return ElementRun(
            made: made,
            origin: maybe { $0.made() },
            isFalling: made != nil && random.chance(20),
            some(5) { $0.element(depth: depth) }
        )
    }

    private mutating func difference(depth: Int = 2) -> ContentDifference {
        switch pick(0..<(depth > 0 ? 8 : 3)) {
        case 3: return .list(listDifference(depth: depth))
        case 4:
            return .set(
                SetDifference(removed: some(2) { $0.value(depth: 0) }, inserted: some(2) { $0.value(depth: 0) })
            )
        case 5:
            let entries = some(2) { DictionaryDifference.Entry($0.text(), $0.elementDifference(depth: depth - 1)) }
            return .dictionary(DictionaryDifference(removed: some(2) { $0.text() }, changed: entries))
        case 6: return elementDifference(depth: depth)
        default: return .whole(content(depth: depth))
        }
    }

    private mutating func elementDifference(depth: Int) -> ContentDifference {
        switch pick(0..<4) {
        case 0 where depth > 0: .instance(some(3) { FieldDifference($0.name(), $0.difference(depth: depth - 1)) })
        case 1: .nested(some(3) { NestedDifference(path: $0.some(2) { $0.text() }, value: $0.maybe { $0.value() }) })
        default: .whole(element(depth: depth))
        }
    }

    private mutating func listDifference(depth: Int) -> ListDifference {
        let pieces = some(4) { messages -> ListDifference.Piece in
            messages.random.chance(50)
                ? .kept(start: messages.pick(0..<900), count: messages.pick(0..<900))
                : .new(messages.run(depth: depth - 1))
        }
        let edits = some(2) { messages in
            ListDifference.Edit(index: messages.pick(0..<99), content: messages.elementDifference(depth: depth - 1))
        }
        return ListDifference(pieces: pieces, edits: edits)
    }

    // MARK: Parts

    private mutating func hash() -> RunningHash { RunningHash(high: random.next(), low: word()) }
    mutating func cursor() -> Cursor { Cursor(epoch: word(), version: word(), hash: hash()) }
    private mutating func position() -> BootstrapPosition {
        BootstrapPosition(cursor: cursor(), queryVersion: word(), last: object())
    }
    private mutating func held() -> [HeldObject] { some(4) { HeldObject(name: $0.object(), version: $0.word()) } }
    private mutating func clock() -> Clock { Clock(rawValue: word()) }
    private mutating func identity() -> FileIdentity {
        FileIdentity(
            ident: FileIdent(rawValue: UInt32(truncatingIfNeeded: word())),
            secret: FileSecret(high: word(), low: word())
        )
    }

    private mutating func checksums() -> Checksums {
        Checksums(
            view: word(),
            classes: some(4) { ClassChecksum(className: $0.name(), count: $0.word(), sum: $0.word()) }
        )
    }

    mutating func uploaded() -> [UploadedCommit] {
        some(5) { messages in
            let commit = messages.commits[messages.pick(0..<messages.commits.count)]
            let part = messages.maybe {
                UploadedCommit.Part(index: UInt32($0.pick(0..<9)), isLast: $0.random.chance(50))
            }
            return UploadedCommit(commit: commit, hash: messages.hash(), part: part)
        }
    }

    private mutating func refusals() -> [Refusal] {
        let reasons: [RefusalReason] = [
            .objectGone, .instanceGone, .forbidden, .notUnique, .denied, .causeRefused, .commitRefused, .createOnly,
            .malformed,
        ]
        return uploaded().flatMap { uploaded in
            uploaded.commit.changes.enumerated().map { index, change in
                let reason = reasons[pick(0..<9)]
                return Refusal(
                    commit: uploaded.commit.number,
                    index: index,
                    change: change,
                    reason: reason,
                    field: reason == .forbidden && pick(0..<2) == 0 ? "address.city" : nil
                )
            }
        }
    }

    // MARK: Messages

    private mutating func session() -> SessionNumber {
        SessionNumber(rawValue: max(UInt32(truncatingIfNeeded: word()), 1))
    }

    mutating func client() -> ClientMessage {
        switch pick(0..<12) {
        case 0:
            var hello = Hello(
                versions: some(3) { UInt16(truncatingIfNeeded: $0.word()) },
                compressions: random.chance(50) ? [.zlib] : [],
                deviceTime: Int64(bitPattern: word()),
                token: AccessToken(text()),
                agent: maybe { $0.text() }
            )
            hello.takesParts = random.chance(50)
            return .hello(hello)
        case 1:
            let documents = some(2) { SchemaDocument(className: $0.name(), json: $0.text()) }
            let journal = JournalRange(acknowledged: word(), hash: hash(), pending: some(9) { $0.hash() })
            var bind = Bind(
                app: text(),
                stream: maybe { $0.value() },
                file: maybe { $0.identity() },
                schema: SchemaClaim(version: word(), hash: hash(), documents: documents),
                cursor: maybe { $0.cursor() },
                view: maybe { $0.word() },
                queryVersion: word(),
                journal: journal,
                leastBase: maybe { $0.word() },
                held: held(),
                bootstrap: maybe { $0.position() }
            )
            bind.isReset = pick(0..<5) == 0
            bind.bootstrapView = maybe { $0.word() }
            bind.partial = maybe { $0.partial() }
            return .bind(session(), bind)
        case 2:
            let queries = some(4) { ClassQuery(className: $0.name(), condition: $0.text()) }
            return .queries(session(), Queries(version: word(), queries: queries))
        case 3: return .credit(session(), bytes: word())
        case 4: return .mark(session(), word())
        case 5:
            let resume = Resume(
                cursor: maybe { $0.cursor() },
                bootstrap: maybe { $0.position() },
                compare: some(3) { $0.name() },
                leastBase: maybe { $0.word() },
                held: held()
            )
            return .resume(session(), resume)
        case 6: return .fetch(session(), some(5) { $0.object() })
        case 7: return .unbind(session())
        case 8: return .ping(Ping(deviceTime: Int64(bitPattern: word())))
        case 9: return .part(session(), part())
        default:
            let lists = some(1) { messages in
                OldList(
                    place: Place(messages.object(), messages.name()),
                    elements: messages.some(4) { $0.pick(0..<5) == 0 ? nil : $0.value() }
                )
            }
            return .upload(session(), Upload(commits: uploaded(), oldLists: lists))
        }
    }

    private mutating func partial() -> PartialMessage {
        let message = PartedMessage(number: word(), hash: hash(), count: word())
        return PartialMessage(message: message, received: word())
    }

    private mutating func part() -> MessagePart {
        MessagePart(message: partial().message, offset: word(), bytes: (0..<pick(0..<40)).map(UInt8.init))
    }

    mutating func server() -> ServerMessage {
        switch pick(0..<16) {
        case 0:
            var limits = MessageLimits(messageBytes: word(), commitChanges: word(), sessions: word())
            limits.commitBytes = random.chance(50) ? 0 : word()
            let welcome = Welcome(
                version: UInt16(truncatingIfNeeded: word()),
                compression: random.chance(50) ? .zlib : nil,
                limits: limits,
                serverTime: Int64(bitPattern: word()),
                credit: word()
            )
            return .welcome(welcome)
        case 1: return .bound(session(), bound())
        case 2:
            let error = QueryError(version: word(), className: name(), index: word(), position: word(), text: text())
            return .queryError(session(), error)
        case 3:
            return .ack(session(), ack())
        case 4:
            let begin = BootstrapBegin(
                cursor: cursor(),
                queryVersion: word(),
                view: word(),
                objects: word(),
                bytes: word()
            )
            return .bootstrapBegin(session(), begin)
        case 5, 6:
            let covers = some(2) {
                KeyRange(className: $0.name(), after: $0.maybe { $0.key() }, through: $0.maybe { $0.key() })
            }
            return .bootstrapChunk(session(), BootstrapChunk(classes: batches(), covers: covers, position: position()))
        case 7:
            let end = BootstrapEnd(cursor: cursor(), queryVersion: word(), clock: clock(), checksums: checksums())
            return .bootstrapEnd(session(), end)
        case 8: return .credit(session(), bytes: word())
        case 9: return .marked(session(), word(), word())
        case 10:
            let kinds: [Notice.Kind] = [.paused, .leaving(after: word()), .viewChanged, .information]
            return .notice(session(), Notice(kinds[pick(0..<4)], text: text()))
        case 11:
            let faults: [SyncFault] = [
                .transient(after: word()), .auth, .forbidden, .schema, .query, .tooLarge(limit: word()), .violation,
                .storeReplaced, .upgradeRequired,
            ]
            return .error(maybe { $0.session() }, ErrorMessage(faults[pick(0..<9)], text: text()))
        case 13: return .part(session(), part())
        case 12: return .pong(Pong(deviceTime: Int64(bitPattern: word()), serverTime: Int64(bitPattern: word())))
        default:
            let changes = Changes(
                from: cursor(),
                to: cursor(),
                clock: clock(),
                classes: batches(),
                continues: random.chance(20),
                checksums: maybe { $0.checksums() }
            )
            return .changes(session(), changes)
        }
    }

    private mutating func ack() -> Ack {
        Ack(
            first: word(),
            versions: some(9) { $0.word() },
            clock: clock(),
            refusals: refusals(),
            restored: batches()
        )
    }

    private mutating func bound() -> Bound {
        let problems = some(3) { messages in
            SchemaProblem(className: messages.name(), property: messages.maybe { $0.name() }, text: messages.text())
        }
        let verdicts: [SchemaVerdict] = [.accepted, .documentsNeeded, .refused(problems)]
        let starts: [Bound.Start] = [.resume(nil), .resume(checksums()), .bootstrap, .nothing]
        var bound = Bound(
            file: maybe { $0.identity() },
            schema: verdicts[pick(0..<3)],
            epoch: word(),
            acknowledged: word(),
            fork: maybe { Fork(common: $0.word(), answers: $0.maybe { $0.ack() }) },
            start: starts[pick(0..<4)]
        )
        bound.staged = maybe { $0.partial() }
        return bound
    }
}
