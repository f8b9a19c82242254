@testable import FreeholdRealmWire

/// Random instructions of every kind, whose values fit no particular schema.
struct RandomInstructions {
    var random: SeededRandom

    mutating func changeset(_ count: Int) -> Changeset { Changeset((0..<count).map { _ in instruction() }) }

    private mutating func text() -> WireText {
        if random.oneIn(20) { return WireText(bytes: (0..<random.below(80)).map { _ in UInt8(random.below(256)) }) }
        return WireText(random.pick(["", "a", "b", "ab", "é", "field", "_id", "another"]))
    }

    mutating func int64() -> Int64 {
        switch random.below(4) {
        case 0: Int64(random.below(200)) - 100
        case 1: random.pick([.min, .max, 0, -1, 63, 64, -64, -65])
        default: Int64(truncatingIfNeeded: random.next() >> UInt64(random.below(64)))
        }
    }

    private mutating func uint32() -> UInt32 {
        random.oneIn(4) ? UInt32(truncatingIfNeeded: random.next()) : UInt32(random.below(100))
    }

    mutating func key() -> WireKey {
        switch random.below(5) {
        case 0: .null
        case 1: .int(int64())
        case 2: .string(text())
        case 3: .objectID(WireObjectID(high: random.next(), low: UInt32(truncatingIfNeeded: random.next())))
        default: .uuid(WireUUID(high: random.next(), low: random.next()))
        }
    }

    private mutating func object() -> WireObject { WireObject(table: text(), key: key()) }

    private mutating func path(isList: Bool? = nil) -> WirePath {
        var path = WirePath(object: object(), field: text())
        for _ in 0..<random.pick([0, 0, 0, 1, 1, 2, 3, 8]) {
            path.elements.append(random.oneIn(2) ? .index(uint32()) : .name(text()))
        }
        if isList == true, path.lastIndex == nil { path.elements.append(.index(uint32())) }
        return path
    }

    private mutating func date() -> WireDate {
        let nanoseconds = Int32(random.below(1_000_000_000))
        let seconds = int64()
        return WireDate(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds)
    }

    mutating func payload() -> Payload {
        switch random.below(16) {
        case 0: .list
        case 1: .dictionary
        case 2: .erased
        case 3: .object
        case 4: .null
        case 5: .int(int64())
        case 6: .bool(random.oneIn(2))
        case 7: .string(text())
        case 8: .data(text().bytes)
        case 9: .date(date())
        case 10: .float(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
        case 11: .double(Double(bitPattern: random.next()))
        case 12:
            .decimal(
                WireDecimal(
                    high: random.oneIn(2) ? 0 : random.next() >> 15,
                    low: random.next() >> UInt64(random.below(64)),
                    exponent: Int32(random.below(0x4000)) - 6176,
                    isNegative: random.oneIn(2)
                )
            )
        case 13: .link(object())
        case 14: .objectID(WireObjectID(high: random.next(), low: 7))
        default: .uuid(WireUUID(high: random.next(), low: random.next()))
        }
    }

    private mutating func column() -> ColumnSpec {
        let kind = ColumnKind(rawValue: Int8(random.below(12)))!
        return ColumnSpec(
            table: text(),
            field: text(),
            kind: kind,
            isNullable: random.oneIn(2),
            collection: random.pick([.single, .list, .dictionary, .set]),
            target: kind == .link ? text() : nil
        )
    }

    private mutating func table() -> TableSpec {
        let kind = random.pick([TableSpec.Kind.topLevel, .embedded, .asymmetric])
        guard kind != .embedded else { return TableSpec(name: text(), kind: kind, primaryKey: nil) }
        let key = TableSpec.PrimaryKey(
            field: text(),
            kind: random.pick([.int, .string, .objectID, .uuid]),
            isNullable: random.oneIn(2)
        )
        return TableSpec(name: text(), kind: kind, primaryKey: key)
    }

    mutating func instruction() -> Instruction {
        switch random.below(14) {
        case 0: return .addTable(table())
        case 1: return .eraseTable(name: text())
        case 2: return .createObject(object())
        case 3: return .eraseObject(object())
        case 4:
            let path = path()
            let mark: UpdateMark =
                path.lastIndex == nil ? .field(isDefault: random.oneIn(2)) : .element(priorSize: uint32())
            return .update(at: path, value: payload(), mark: mark)
        case 5: return .addInteger(at: path(), amount: int64())
        case 6: return .addColumn(column())
        case 7: return .eraseColumn(table: text(), field: text())
        case 8: return .arrayInsert(at: path(isList: true), value: payload(), priorSize: uint32())
        case 9: return .arrayMove(at: path(isList: true), target: uint32(), priorSize: uint32())
        case 10: return .arrayErase(at: path(isList: true), priorSize: uint32())
        case 11: return .clear(at: path(), kind: random.pick([.single, .list, .dictionary, .set]))
        case 12: return .setInsert(at: path(), value: payload())
        default: return .setErase(at: path(), value: payload())
        }
    }

    mutating func clientMessage() throws -> RealmClientMessage {
        let session = UInt64(random.below(4))
        switch random.below(8) {
        case 0:
            return .bind(
                RealmClientMessage.Bind(
                    session: session,
                    needsIdent: random.oneIn(2),
                    schemaVersion: int64(),
                    reason: 1
                )
            )
        case 1:
            return .ident(
                RealmClientMessage.Ident(
                    session: session,
                    file: RealmFileIdent(ident: random.next(), salt: int64()),
                    download: DownloadCursor(server: random.next(), client: random.next()),
                    latest: LatestVersion(version: random.next(), salt: int64()),
                    queryVersion: int64(),
                    queries: [ClassQuery(table: "A", text: "(a == \"\u{1F600}\\\n\")")]
                )
            )
        case 2: return .query(session: session, version: int64(), queries: [])
        case 3:
            let entries = try (0..<random.below(4)).map { _ in
                UploadEntry(
                    clientVersion: random.next(),
                    serverVersion: random.next(),
                    timestamp: random.next(),
                    changeset: try changeset(random.below(6)).encoded()
                )
            }
            return .upload(
                RealmClientMessage.Upload(
                    session: session,
                    progress: UploadCursor(client: 7, server: 8),
                    lockedServer: 1,
                    entries: entries
                )
            )
        case 4: return .mark(session: session, number: random.next())
        case 5: return .unbind(session: session)
        case 6: return .ping(timestamp: random.next(), roundTrip: 5)
        default: return .error(session: session, code: 212, message: "bad")
        }
    }

    mutating func serverMessage(version: Int) throws -> RealmServerMessage {
        let session = UInt64(random.below(4))
        switch random.below(8) {
        case 0: return .ident(session: session, file: RealmFileIdent(ident: 3, salt: int64()))
        case 1, 2:
            let entries = try (0..<random.below(4)).map { _ in
                DownloadEntry(
                    serverVersion: random.next(),
                    clientVersion: random.next(),
                    changeset: try changeset(random.below(6)).encoded()
                )
            }
            return .download(
                RealmServerMessage.Download(
                    session: session,
                    download: DownloadCursor(server: random.next(), client: 4),
                    latest: LatestVersion(version: 9, salt: int64()),
                    upload: UploadCursor(client: 4, server: 0),
                    queryVersion: 1,
                    batch: random.pick([.more, .last, .steady]),
                    progress: version < 12 ? 1 : random.pick([0, 1, 0.5, 0.001]),
                    entries: entries
                )
            )
        case 3: return .mark(session: session, number: 4)
        case 4: return .unbound(session: session)
        case 5:
            var error = ServerError(session: session, code: 231, message: "no", tryAgain: true, action: "Warning")
            error.compensation = ServerError.Compensation(
                serverVersion: 5,
                clientVersion: 6,
                updates: [.init(reason: "why", object: WireObject(table: "A", key: key()))]
            )
            error.previousSchemaVersion = random.oneIn(2) ? 3 : nil
            return .error(error)
        case 6: return .queryError(session: session, code: 226, version: 2, message: "this isn't a query")
        default:
            return version < 10
                ? .pong(timestamp: 6) : .log(session: session, level: "info", message: "m\u{1}", coID: "")
        }
    }
}
