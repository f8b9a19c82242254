/// The sync state of a file in the form that the file stores.
extension RunningHash: Kept {
    func write(to bytes: inout [UInt8]) {
        bytes.appendFixed(high, width: 8)
        bytes.appendFixed(low, width: 8)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let high = try reader.cursor.fixed(width: 8)
        self.init(high: high, low: try reader.cursor.fixed(width: 8))
    }
}

extension Cursor: Kept {
    func write(to bytes: inout [UInt8]) {
        bytes.appendFixed(epoch, width: 8)
        version.write(to: &bytes)
        hash.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let epoch = try reader.cursor.fixed(width: 8)
        let version = try StreamVersion(from: &reader)
        self.init(epoch: epoch, version: version, hash: try RunningHash(from: &reader))
    }
}

extension PartedMessage: Kept {
    func write(to bytes: inout [UInt8]) {
        number.write(to: &bytes)
        hash.write(to: &bytes)
        count.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let number = try UInt64(from: &reader)
        let hash = try RunningHash(from: &reader)
        self.init(number: number, hash: hash, count: try UInt64(from: &reader))
    }
}

extension FileIdentity: Kept {
    func write(to bytes: inout [UInt8]) {
        UInt64(ident.rawValue).write(to: &bytes)
        bytes.appendFixed(secret.high, width: 8)
        bytes.appendFixed(secret.low, width: 8)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let ident = try reader.cursor.file()
        let high = try reader.cursor.fixed(width: 8)
        self.init(ident: ident, secret: FileSecret(high: high, low: try reader.cursor.fixed(width: 8)))
    }
}

extension ClassQuery: Kept {
    func write(to bytes: inout [UInt8]) {
        className.write(to: &bytes)
        condition.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let className = try SyncString(from: &reader)
        self.init(className: className, condition: try SyncString(from: &reader))
    }
}

extension QueryError: Kept {
    func write(to bytes: inout [UInt8]) {
        version.write(to: &bytes)
        className.write(to: &bytes)
        index.write(to: &bytes)
        position.write(to: &bytes)
        text.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let version = try UInt64(from: &reader)
        let className = try SyncString(from: &reader)
        let index = try UInt64(from: &reader)
        let position = try UInt64(from: &reader)
        self.init(
            version: version,
            className: className,
            index: index,
            position: position,
            text: try SyncString(from: &reader)
        )
    }
}

extension QuerySet: Kept {
    func write(to bytes: inout [UInt8]) {
        version.write(to: &bytes)
        queries.write(to: &bytes)
        bytes.append(state.code)
        errors.write(to: &bytes)
        isComplete.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let version = try UInt64(from: &reader)
        self.init(version: version, queries: try [ClassQuery](from: &reader))
        let code = try reader.kind()
        guard let state = State(code: code) else { throw reader.unknown(code) }
        self.state = state
        errors = try [QueryError](from: &reader)
        isComplete = try Bool(from: &reader)
    }
}

extension QuerySet.State {
    fileprivate var code: UInt8 {
        switch self {
        case .pending: 0
        case .bootstrapping: 1
        case .complete: 2
        case .error: 3
        case .superseded: 4
        }
    }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0: self = .pending
        case 1: self = .bootstrapping
        case 2: self = .complete
        case 3: self = .error
        case 4: self = .superseded
        default: return nil
        }
    }
}

extension BootstrapPosition: Kept {
    func write(to bytes: inout [UInt8]) {
        cursor.write(to: &bytes)
        queryVersion.write(to: &bytes)
        last.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let cursor = try Cursor(from: &reader)
        let version = try UInt64(from: &reader)
        self.init(cursor: cursor, queryVersion: version, last: try ObjectName(from: &reader))
    }
}

extension BootstrapProgress: Kept {
    func write(to bytes: inout [UInt8]) {
        begin.cursor.write(to: &bytes)
        for number in [begin.queryVersion, begin.view, begin.objects, begin.bytes] { number.write(to: &bytes) }
        position.write(to: &bytes)
        objects.write(to: &bytes)
        earlier.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let cursor = try Cursor(from: &reader)
        let queryVersion = try UInt64(from: &reader)
        let view = try UInt64(from: &reader)
        let count = try UInt64(from: &reader)
        let begin = BootstrapBegin(
            cursor: cursor,
            queryVersion: queryVersion,
            view: view,
            objects: count,
            bytes: try UInt64(from: &reader)
        )
        let position = try BootstrapPosition?(from: &reader)
        let objects = try UInt64(from: &reader)
        let earlier = try BootstrapPosition?(from: &reader)
        self.init(begin: begin, position: position, objects: objects, earlier: earlier)
    }
}

extension Recovery: Kept {
    func write(to bytes: inout [UInt8]) {
        name.write(to: &bytes)
        base.write(to: &bytes)
        mine.write(to: &bytes)
        adds.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let name = try ObjectName(from: &reader)
        let base = try [SyncString: MergedContent]?(from: &reader)
        let mine = try [SyncString: MergedContent]?(from: &reader)
        self.init(name: name, base: base, mine: mine, adds: try [SyncString: Int64](from: &reader))
    }
}

extension ResetMode {
    fileprivate static let kept: [ResetMode] = [.recover, .recoverOrDiscard, .discard, .manual]
}

extension ClientState: Kept {
    func write(to bytes: inout [UInt8]) {
        file.write(to: &bytes)
        cursor.write(to: &bytes)
        view.write(to: &bytes)
        acknowledged.write(to: &bytes)
        acknowledgedHash.write(to: &bytes)
        for number in [sealed, lastCommit, lastNumber, firstPending, firstKept] { number.write(to: &bytes) }
        clock.write(to: &bytes)
        offset.write(to: &bytes)
        querySets.write(to: &bytes)
        bootstrap.write(to: &bytes)
        forked.write(to: &bytes)
        wanted.write(to: &bytes)
        recovery.write(to: &bytes)
        isReset.write(to: &bytes)
        isPrepared.write(to: &bytes)
        bytes.append(UInt8(ResetMode.kept.firstIndex(of: resetMode) ?? 0))
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self.init()
        file = try FileIdentity?(from: &reader)
        cursor = try Cursor?(from: &reader)
        view = try UInt64?(from: &reader)
        acknowledged = try UInt64(from: &reader)
        acknowledgedHash = try RunningHash(from: &reader)
        sealed = try UInt64(from: &reader)
        lastCommit = try UInt64(from: &reader)
        lastNumber = try OwnNumber(from: &reader)
        firstPending = try UInt64(from: &reader)
        firstKept = try UInt64(from: &reader)
        // New numbers continue after these.
        let limit = UInt64.max / 4
        guard acknowledged <= lastCommit, sealed <= lastCommit, lastCommit < limit, lastNumber < limit,
            firstPending > 0, firstPending <= lastCommit + 1, firstKept > 0
        else { throw reader.cursor.error(.inconsistent, "The numbers of the file's commits contradict each other") }
        clock = try Clock(from: &reader)
        offset = try Int64(from: &reader)
        querySets = try [QuerySet](from: &reader)
        bootstrap = try BootstrapProgress?(from: &reader)
        forked = try [StreamVersion: [ObjectName]](from: &reader)
        wanted = try Set<ObjectName>(from: &reader)
        recovery = try [Recovery](from: &reader)
        isReset = try Bool(from: &reader)
        isPrepared = try Bool(from: &reader)
        let mode = try reader.kind()
        guard mode < ResetMode.kept.count else { throw reader.unknown(mode) }
        resetMode = ResetMode.kept[Int(mode)]
    }
}

extension Commit: Kept {
    func write(to bytes: inout [UInt8]) {
        number.write(to: &bytes)
        clock.write(to: &bytes)
        base.write(to: &bytes)
        seen.write(to: &bytes)
        schemaVersion.write(to: &bytes)
        changes.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let number = try UInt64(from: &reader)
        let clock = try Clock(from: &reader)
        let base = try StreamVersion(from: &reader)
        let seen = try [ObjectName: StreamVersion](from: &reader)
        let schemaVersion = try UInt64(from: &reader)
        self.init(
            number: number,
            clock: clock,
            base: base,
            seen: seen,
            schemaVersion: schemaVersion,
            changes: try [Change](from: &reader)
        )
    }
}

extension JournalCommit: Kept {
    func write(to bytes: inout [UInt8]) {
        commit.write(to: &bytes)
        hash.write(to: &bytes)
        version.write(to: &bytes)
        answeredAt.write(to: &bytes)
        if let identity { bytes.appendFixed(identity, width: 8) }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let commit = try Commit(from: &reader)
        let hash = try RunningHash?(from: &reader)
        let version = try StreamVersion?(from: &reader)
        let answeredAt = try Int64?(from: &reader)
        // Records of earlier versions of the library end here.
        let identity = reader.cursor.remaining > 0 ? try reader.cursor.fixed(width: 8) : nil
        self.init(commit: commit, identity: identity, hash: hash, version: version, answeredAt: answeredAt)
    }
}

extension Refusal: Kept {
    private static let reasons: [RefusalReason] = [
        .objectGone, .instanceGone, .forbidden, .notUnique, .denied, .causeRefused, .commitRefused, .createOnly,
        .malformed, .elementGone, .replaced, .tooLarge, .retyped,
    ]

    func write(to bytes: inout [UInt8]) {
        commit.write(to: &bytes)
        index.write(to: &bytes)
        change.write(to: &bytes)
        let reason = UInt8(Self.reasons.firstIndex(of: reason) ?? 0)
        bytes.append(field == nil ? reason : reason | Self.hasField)
        if let field { field.write(to: &bytes) }
    }

    private static let hasField: UInt8 = 0x80

    init(from reader: inout KeptReader) throws(CodecError) {
        let commit = try UInt64(from: &reader)
        let index = try Int(from: &reader)
        let change = try Change(from: &reader)
        let kind = try reader.kind()
        let reason = kind & ~Self.hasField
        guard reason < Self.reasons.count else { throw reader.unknown(kind) }
        self.init(
            commit: commit,
            index: index,
            change: change,
            reason: Self.reasons[Int(reason)],
            field: try kind & Self.hasField == 0 ? nil : SyncString(from: &reader)
        )
    }
}

extension LostWork: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .refused(let refusal):
            bytes.append(0)
            refusal.write(to: &bytes)
        case .discarded(let commit):
            bytes.append(1)
            commit.write(to: &bytes)
        case .misplaced(let edits):
            bytes.append(2)
            edits.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        switch kind {
        case 0: self = .refused(try Refusal(from: &reader))
        case 1: self = .discarded(try Commit(from: &reader))
        case 2: self = .misplaced(try [LocalEdit](from: &reader))
        default: throw reader.unknown(kind)
        }
    }
}

/// Converts the stored sync state of a client to bytes and back. The first byte is the version of the format.
package enum KeptBytes {
    private static let version: UInt8 = 1

    private static func write(_ kept: some Kept) -> [UInt8] {
        var bytes = [version]
        kept.write(to: &bytes)
        return bytes
    }

    private static func read<T: Kept>(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> T {
        var reader = KeptReader(bytes)
        let version = try reader.kind()
        guard version == Self.version else {
            throw reader.cursor.error(.unsupported, "Version \(version) of what sync keeps isn't known")
        }
        let kept = try T(from: &reader)
        guard reader.cursor.remaining == 0 else {
            throw reader.cursor.error(.leftover, "There are more bytes than asked for")
        }
        return kept
    }

    package static func of(_ state: ClientState) -> [UInt8] { write(state) }
    /// Returns the bytes of an object's shadow with the object's name.
    package static func of(_ shadow: Shadow, _ name: ObjectName) -> [UInt8] {
        var bytes = [version]
        name.write(to: &bytes)
        shadow.write(to: &bytes)
        return bytes
    }

    package static func of(_ commit: JournalCommit) -> [UInt8] { write(commit) }
    package static func of(_ lost: LostWork) -> [UInt8] { write(lost) }
    package static func of(_ message: PartedMessage) -> [UInt8] { write(message) }
    package static func parted(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> PartedMessage { try read(bytes) }
    package static func of(_ names: [FileNames]) -> [UInt8] { write(names) }

    package static func state(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ClientState { try read(bytes) }
    package static func shadow(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> Shadow {
        let pair: NamedShadow = try read(bytes)
        return pair.shadow
    }

    /// Returns the name that precedes a shadow.
    package static func name(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> ObjectName {
        var reader = KeptReader(bytes)
        let version = try reader.kind()
        guard version == Self.version else { throw reader.unknown(version) }
        return try ObjectName(from: &reader)
    }

    private struct NamedShadow: Kept {
        let name: ObjectName
        let shadow: Shadow

        func write(to bytes: inout [UInt8]) {
            name.write(to: &bytes)
            shadow.write(to: &bytes)
        }

        init(from reader: inout KeptReader) throws(CodecError) {
            name = try ObjectName(from: &reader)
            shadow = try Shadow(from: &reader)
        }
    }
    package static func commit(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> JournalCommit { try read(bytes) }
    package static func lost(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> LostWork { try read(bytes) }
    package static func names(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> [FileNames] { try read(bytes) }
}
