internal import FreeholdRealmWire
internal import FreeholdSyncCore

/// The state of a file that the front end keeps in the file's row.
///
/// It is written together with each commit, in the form that it had before the uploads of that commit, and before each entry is sent. A
/// front end of another process continues with it.
struct FrontState: Sendable {
    /// The client's version of the last changeset that became a commit.
    var accepted: UInt64 = 0
    /// The client's version of the last changeset that `stored` contains.
    var applied: UInt64 = 0
    var schemaVersion: UInt64 = 0
    /// The version of the stream that the client has with the queue. `nil` before the first bootstrap.
    var streamVersion: StreamVersion?
    /// The version of the stream that the client's own state is based on.
    var base: StreamVersion = 0
    var view: UInt64 = 0
    var queryVersion: Int64 = 0
    var lastServer: UInt64 = 0
    /// A mark of the classes and fields that the client has.
    var schemaMark: UInt64 = 0
    var queue: [QueuedEntry] = []
    /// The newest changesets of the client, up to `applied`.
    var receipts = UploadReceipts()
    /// The running hash of the commits up to `applied`.
    var hash = RunningHash.empty
    /// The last bootstrap of which at least one part was sent.
    var begun: BegunBootstrap?
    /// The kept objects in the client's own state. `nil` stands for an object that doesn't exist in it.
    var stored: [WireObject: WireFields?] = [:]
}

/// A bootstrap of which at least one part was sent. The client may keep the received parts after the connection was lost.
struct BegunBootstrap: Hashable, Sendable {
    var queryVersion: Int64
    /// The least version of the stream among the parts that the client may have.
    var streamVersion: StreamVersion
}

// MARK: Bytes

extension FrontState {
    private static let format: UInt8 = 2

    /// The stored form of the state.
    var bytes: [UInt8] { Self.head(accepted) + rest }

    /// Returns the part of the stored form that precedes `rest`, for a last accepted version.
    static func head(_ accepted: UInt64) -> [UInt8] {
        var writer = StateWriter()
        writer.bytes.append(format)
        writer.word(accepted)
        return writer.bytes
    }

    /// The stored form of the state without the last accepted version.
    var rest: [UInt8] {
        var writer = StateWriter()
        for word in [applied, schemaVersion, base, view, UInt64(bitPattern: queryVersion), lastServer, schemaMark] {
            writer.word(word)
        }
        writer.optional(streamVersion)
        writer.receipts(receipts)
        writer.word(hash.high)
        writer.word(hash.low)
        writer.flag(begun != nil)
        if let begun {
            writer.word(UInt64(bitPattern: begun.queryVersion))
            writer.word(begun.streamVersion)
        }
        writer.word(UInt64(queue.count))
        for entry in queue { writer.entry(entry) }
        writer.word(UInt64(stored.count))
        for (object, fields) in stored.sorted(by: { ($0.key.table, $0.key.key) < ($1.key.table, $1.key.key) }) {
            writer.object(object)
            writer.flag(fields != nil)
            if let fields { writer.fields(fields) }
        }
        return writer.bytes
    }

    /// - Throws: `WireError` if the bytes are damaged or of another version.
    init(bytes: [UInt8]) throws(WireError) {
        var reader = StateReader(bytes[...])
        guard try reader.byte() == Self.format else { throw WireError(.unsupported, "The state is of another version") }
        accepted = try reader.word()
        applied = try reader.word()
        schemaVersion = try reader.word()
        base = try reader.word()
        view = try reader.word()
        queryVersion = Int64(bitPattern: try reader.word())
        lastServer = try reader.word()
        schemaMark = try reader.word()
        streamVersion = try reader.optional()
        receipts = try reader.receipts()
        let high = try reader.word()
        hash = RunningHash(high: high, low: try reader.word())
        if try reader.flag() {
            let query = Int64(bitPattern: try reader.word())
            begun = BegunBootstrap(queryVersion: query, streamVersion: try reader.word())
        }
        for _ in 0..<(try reader.count()) { queue.append(try reader.entry()) }
        for _ in 0..<(try reader.count()) {
            let object = try reader.object()
            stored[object] = .some(try reader.flag() ? try reader.fields(depth: 0) : nil)
        }
        guard reader.isAtEnd else { throw WireError(.leftover, "Bytes follow the state") }
    }
}

/// Writes the values of a state.
struct StateWriter {
    var bytes: [UInt8] = []

    mutating func word(_ word: UInt64) {
        var word = word
        while word >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: word) | 0x80)
            word >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: word))
    }

    mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func optional(_ word: UInt64?) {
        flag(word != nil)
        if let word { self.word(word) }
    }

    mutating func data(_ data: [UInt8]) {
        word(UInt64(data.count))
        bytes += data
    }

    mutating func object(_ object: WireObject) {
        data(object.table.bytes)
        payload(object.key.payload)
    }

    mutating func receipts(_ receipts: UploadReceipts) {
        for word in [receipts.confirmed.server, receipts.confirmed.client, receipts.forgotten] { self.word(word) }
        word(UInt64(receipts.receipts.count))
        for receipt in receipts.receipts {
            word(receipt.version)
            word(receipt.hash)
        }
    }

    mutating func id(_ id: ElementID?) {
        flag(id != nil)
        guard let id else { return }
        word(id.change)
        word(id.number)
    }

    mutating func entry(_ entry: QueuedEntry) {
        for word in [entry.serverVersion, entry.streamVersion, entry.clientVersion] { self.word(word) }
        data(entry.original)
        data((try? entry.changeset.encoded()) ?? [])
        word(UInt64(entry.ids.count))
        for id in entry.ids { self.id(id) }
        flag(entry.bootstrap != nil)
        if let bootstrap = entry.bootstrap {
            optional(bootstrap.streamVersion)
            word(bootstrap.view)
            word(UInt64(bitPattern: bootstrap.queryVersion))
        }
        flag(entry.refusals != nil)
        guard let refusals = entry.refusals else { return }
        word(refusals.clientVersion)
        word(UInt64(refusals.updates.count))
        for update in refusals.updates {
            data(Array(update.reason.utf8))
            object(update.object)
        }
    }

    mutating func fields(_ fields: WireFields) {
        word(UInt64(fields.count))
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            data(name.bytes)
            self.value(value)
        }
    }

    mutating func value(_ value: WireValue) {
        switch value {
        case .scalar(let payload):
            bytes.append(0)
            self.payload(payload)
        case .object(let fields):
            bytes.append(1)
            self.fields(fields)
        case .list(let list):
            bytes.append(2)
            word(UInt64(list.elements.count))
            for element in list.elements {
                id(element.id)
                self.value(element.value)
            }
        case .dictionary(let entries):
            bytes.append(3)
            fields(entries)
        case .set(let set):
            bytes.append(4)
            word(UInt64(set.count))
            for value in set.values { payload(value) }
        }
    }

    mutating func payload(_ payload: Payload) {
        bytes.append(UInt8(bitPattern: payload.tag))
        switch payload {
        case .list, .dictionary, .erased, .object, .null: break
        case .int(let value): word(UInt64(bitPattern: value))
        case .bool(let value): flag(value)
        case .string(let value): data(value.bytes)
        case .data(let value): data(value)
        case .date(let value):
            word(UInt64(bitPattern: value.seconds))
            word(UInt64(bitPattern: Int64(value.nanoseconds)))
        case .float(let value): word(UInt64(value.bitPattern))
        case .double(let value): word(value.bitPattern)
        case .decimal(let value):
            word(value.high)
            word(value.low)
            word(UInt64(bitPattern: Int64(value.exponent)))
            flag(value.isNegative)
        case .link(let object): self.object(object)
        case .objectID(let value):
            word(value.high)
            word(UInt64(value.low))
        case .uuid(let value):
            word(value.high)
            word(value.low)
        }
    }
}

/// Reads the values of a state.
struct StateReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(WireError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw WireError(.truncated, "The state ends too early") }
        return byte
    }

    mutating func word() throws(WireError) -> UInt64 {
        var (value, shift) = (UInt64(0), UInt64(0))
        while true {
            let byte = try byte()
            guard shift < 64, shift < 63 || byte < 2 else {
                throw WireError(.invalidInteger, "A number is too large")
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }

    mutating func flag() throws(WireError) -> Bool { try byte() != 0 }

    /// Reads the count of the values that follow. Each value takes at least one byte, so a greater count than the number of remaining bytes is an
    /// error.
    mutating func count() throws(WireError) -> Int {
        let count = try word()
        guard count <= UInt64(rest.count) else { throw WireError(.truncated, "The state ends too early") }
        return Int(count)
    }

    mutating func optional() throws(WireError) -> UInt64? { try flag() ? try word() : nil }

    mutating func data() throws(WireError) -> [UInt8] {
        let count = try count()
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func object() throws(WireError) -> WireObject {
        let table = WireText(bytes: try data())
        switch try payload(depth: 0) {
        case .null: return WireObject(table: table, key: .null)
        case .int(let value): return WireObject(table: table, key: .int(value))
        case .string(let value): return WireObject(table: table, key: .string(value))
        case .objectID(let value): return WireObject(table: table, key: .objectID(value))
        case .uuid(let value): return WireObject(table: table, key: .uuid(value))
        default: throw WireError(.invalidValue, "A key has another type")
        }
    }

    mutating func receipts() throws(WireError) -> UploadReceipts {
        let server = try word()
        let confirmed = DownloadCursor(server: server, client: try word())
        let forgotten = try word()
        var receipts: [UploadReceipts.Receipt] = []
        for _ in 0..<(try count()) {
            let version = try word()
            receipts.append(.init(version: version, hash: try word()))
        }
        return UploadReceipts(confirmed: confirmed, receipts: receipts, forgotten: forgotten)
    }

    mutating func id() throws(WireError) -> ElementID? {
        guard try flag() else { return nil }
        let change = try word()
        return ElementID(change: change, number: try word())
    }

    mutating func entry() throws(WireError) -> QueuedEntry {
        let (server, stream, client) = (try word(), try word(), try word())
        let (original, changed) = (try data(), try data())
        var ids: [ElementID?] = []
        for _ in 0..<(try count()) { ids.append(try id()) }
        var entry = QueuedEntry(
            serverVersion: server,
            streamVersion: stream,
            clientVersion: client,
            original: original,
            changeset: try Changeset(bytes: changed),
            ids: ids
        )
        if try flag() {
            let stream = try optional()
            let view = try word()
            entry.bootstrap = .init(
                streamVersion: stream,
                view: view,
                queryVersion: Int64(bitPattern: try word())
            )
        }
        guard try flag() else { return entry }
        let refused = try word()
        var updates: [ServerError.Compensation.Update] = []
        for _ in 0..<(try count()) {
            let reason = String(decoding: try data(), as: UTF8.self)
            updates.append(.init(reason: reason, object: try object()))
        }
        entry.refusals = .init(serverVersion: server, clientVersion: refused, updates: updates)
        return entry
    }

    mutating func fields(depth: Int) throws(WireError) -> WireFields {
        var fields: WireFields = [:]
        for _ in 0..<(try count()) {
            let name = WireText(bytes: try data())
            fields[name] = try value(depth: depth + 1)
        }
        return fields
    }

    mutating func value(depth: Int) throws(WireError) -> WireValue {
        guard depth < 256 else { throw WireError(.tooLarge, "A value is nested too deep") }
        switch try byte() {
        case 0: return .scalar(try payload(depth: depth))
        case 1: return .object(try fields(depth: depth))
        case 2:
            var elements: [WireList.Element] = []
            for _ in 0..<(try count()) {
                let id = try id()
                elements.append(.init(try value(depth: depth + 1), id: id))
            }
            return .list(WireList(elements))
        case 3: return .dictionary(try fields(depth: depth))
        case 4:
            var values: [Payload] = []
            for _ in 0..<(try count()) { values.append(try payload(depth: depth)) }
            return .set(WireSet(values))
        default: throw WireError(.unknownTag, "A value has an unknown kind")
        }
    }

    mutating func payload(depth: Int) throws(WireError) -> Payload {
        guard depth < 260 else { throw WireError(.tooLarge, "A value is nested too deep") }
        switch Int8(bitPattern: try byte()) {
        case 0: return .null
        case 1: return .int(Int64(bitPattern: try word()))
        case 2: return .bool(try flag())
        case 3: return .string(WireText(bytes: try data()))
        case 4: return .data(try data())
        case 5:
            let seconds = Int64(bitPattern: try word())
            let nanoseconds = Int32(truncatingIfNeeded: Int64(bitPattern: try word()))
            return .date(WireDate(seconds: seconds, nanoseconds: nanoseconds))
        case 6: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try word())))
        case 7: return .double(Double(bitPattern: try word()))
        case 8:
            let (high, low) = (try word(), try word())
            let exponent = Int32(truncatingIfNeeded: Int64(bitPattern: try word()))
            return .decimal(WireDecimal(high: high, low: low, exponent: exponent, isNegative: try flag()))
        case 9:
            let table = WireText(bytes: try data())
            let key = try payload(depth: depth + 1)
            switch key {
            case .null: return .link(WireObject(table: table, key: .null))
            case .int(let value): return .link(WireObject(table: table, key: .int(value)))
            case .string(let value): return .link(WireObject(table: table, key: .string(value)))
            case .objectID(let value): return .link(WireObject(table: table, key: .objectID(value)))
            case .uuid(let value): return .link(WireObject(table: table, key: .uuid(value)))
            default: throw WireError(.invalidValue, "A key has another type")
            }
        case 10:
            let high = try word()
            return .objectID(WireObjectID(high: high, low: UInt32(truncatingIfNeeded: try word())))
        case 11:
            let high = try word()
            return .uuid(WireUUID(high: high, low: try word()))
        default: throw WireError(.unknownTag, "A value has an unknown type")
        }
    }
}
