internal import FreeholdBSON
internal import FreeholdEngine

/// Reads the output of `MetaWriter`, together with the document. Inconsistent input is an error.
struct MetaReader {
    var cursor: ByteCursor
    var marks: [Mark] = []
    var names: [SyncString] = []
    private var depth = 0

    init(_ cursor: ByteCursor) { self.cursor = cursor }

    func error(_ reason: String) -> CodecError { cursor.error(.inconsistent, reason) }

    // MARK: Parts

    mutating func mark(after last: Mark) throws(CodecError) -> Mark { try cursor.mark(after: last) }

    /// Reads the marks to which numbers refer.
    mutating func readMarks(_ count: Int, since version: StreamVersion) throws(CodecError) {
        var last = Mark(stamp: Stamp(clock: .zero, ident: .me), version: version)
        for _ in 0..<count {
            last = try mark(after: last)
            marks.append(last)
        }
    }

    /// Reads the names to which numbers refer.
    mutating func readNames() throws(CodecError) {
        for _ in 0..<(try cursor.count()) { names.append(try cursor.text()) }
    }

    mutating func files() throws(CodecError) -> [FileIdent] {
        var files: [FileIdent] = []
        for _ in 0..<(try cursor.count()) { files.append(try cursor.file()) }
        return files
    }

    func mark(_ number: UInt64) throws(CodecError) -> Mark {
        guard number < UInt64(marks.count) else { throw error("There is no mark \(number)") }
        return marks[Int(number)]
    }

    mutating func mark() throws(CodecError) -> Mark { try mark(cursor.varint()) }

    mutating func rank() throws(CodecError) -> Rank? {
        let number = try cursor.varint()
        return number == 0 ? nil : try mark(number - 1).rank
    }

    mutating func name() throws(CodecError) -> SyncString {
        let number = try cursor.varint()
        guard number < UInt64(names.count) else { throw error("There is no name \(number)") }
        return names[Int(number)]
    }

    /// Reads a value that the document of the object doesn't show.
    private mutating func hiddenValue() throws(CodecError) -> BSONValue? {
        let range = try cursor.section()
        guard !range.isEmpty else { return nil }
        let limits = BSONLimits(depth: BSONLimits.maximumDepth, size: .max)
        let bytes = UnsafeRawBufferPointer(rebasing: cursor.bytes[range])
        guard let value = (try? BSONDocument(bytes, limits: limits))?.first?.value else {
            throw error("A hidden value is damaged")
        }
        return value
    }

    mutating func touched(since born: StreamVersion) throws(CodecError) -> [SyncString: StreamVersion] {
        var touched: [SyncString: StreamVersion] = [:]
        for _ in 0..<(try cursor.count()) {
            let name = try name()
            touched[name] = born &+ (try cursor.varint())
        }
        return touched
    }

    // MARK: Fields

    mutating func record(base: Mark, _ elements: some Sequence<BSONDocument.Element>) throws(CodecError) -> Record {
        guard depth < MessageCodec.greatestDepth else {
            throw cursor.error(.tooDeep, "Embedded objects are nested too deep")
        }
        depth += 1
        defer { depth -= 1 }
        let fields = try named(elements) { (reader, field, shown) throws(CodecError) in
            switch field {
            case nil:
                guard let value = shown?.plainValue else { throw reader.error("A value has a type of its own") }
                return Record.Field.register(Register(.value(value), nil))
            case .register: return .register(try reader.register(shown))
            case .list:
                guard let values = shown?.arrayValue else { throw reader.error("A list isn't an array") }
                return .list(try reader.list(values))
            case .set:
                guard let values = shown?.arrayValue else { throw reader.error("A set isn't an array") }
                return .set(try reader.set(values))
            case .dictionary:
                guard let document = shown?.documentValue else { throw reader.error("A dictionary isn't a document") }
                return .dictionary(try reader.dictionary(document))
            }
        }
        return Record(base: base, fields: NamedValues(fields))
    }

    private mutating func dictionary(_ document: BSONDocument) throws(CodecError) -> KeyedCollection<SyncString> {
        let (base, assignment) = (try mark(), try rank())
        let entries = try named(document) { (reader, field, shown) throws(CodecError) in
            switch field {
            case nil:
                guard let value = shown?.plainValue else { throw reader.error("A value has a type of its own") }
                return Register(.value(value), nil)
            case .register: return try reader.register(shown)
            default: throw reader.error("A collection is in a collection")
            }
        }
        return KeyedCollection(base: base, entries: entries, assignment: assignment)
    }

    private mutating func named<Value>(
        _ elements: some Sequence<BSONDocument.Element>,
        _ body: (inout MetaReader, MetaField?, BSONValue?) throws(CodecError) -> Value
    ) throws(CodecError) -> [SyncString: Value] {
        let elements = Array(elements)
        var values: [SyncString: Value] = [:]
        values.reserveCapacity(elements.count)
        var next = 0
        func plain(upTo end: Int, _ reader: inout MetaReader) throws(CodecError) {
            while next < end {
                values[SyncString(elements[next].key)] = try body(&reader, nil, elements[next].value)
                next += 1
            }
        }
        for _ in 0..<(try cursor.count()) {
            let head = try cursor.varint()
            guard let field = MetaField(rawValue: head & 3) else { throw error("The bytes aren't a field") }
            if head & MetaField.hidden != 0 {
                let name = try name()
                let shown = try hiddenValue()
                values[name] = try body(&self, field, shown)
                continue
            }
            guard head >> 3 < UInt64(elements.count - next) else { throw error("The document has too few fields") }
            try plain(upTo: next + Int(head >> 3), &self)
            values[SyncString(elements[next].key)] = try body(&self, field, elements[next].value)
            next += 1
        }
        try plain(upTo: elements.count, &self)
        return values
    }

    // MARK: Registers

    mutating func register(_ shown: BSONValue?) throws(CodecError) -> Register {
        let head = try cursor.byte()
        guard let held = MetaHeld(rawValue: head & MetaHeld.mask) else { throw error("A value is of no kind") }
        let mark = head & MetaHeld.hasMark == 0 ? nil : try mark()
        let value: Register.Held
        switch held {
        case .absent: value = .absent
        case .exact: value = .value(try cursor.exactValue())
        case .instance:
            guard let document = shown?.documentValue else { throw error("An embedded object isn't a document") }
            let (ident, number) = (try cursor.file(), try cursor.varint())
            let base = try self.mark()
            value = .instance(Instance(ident: ident, number: number, record: try record(base: base, document)))
        case .plain, .float, .link, .date:
            guard let shown else { throw error("The document hasn't the value") }
            let className = held == .link ? try name() : nil
            value = .value(try self.value(shown, held, className))
        }
        var edits: [Register.Edit] = []
        if head & MetaHeld.hasEdits != 0 {
            for _ in 0..<(try cursor.count()) { edits.append(try edit()) }
        }
        return Register(value, mark, edits: edits)
    }

    private mutating func edit() throws(CodecError) -> Register.Edit {
        let mark = try mark()
        var path: [SyncString] = []
        for _ in 0..<(try cursor.count()) { path.append(try name()) }
        switch try cursor.byte() {
        case 0: return Register.Edit(mark: mark, path: path, action: .set(try cursor.exactValue()))
        case 1: return Register.Edit(mark: mark, path: path, action: .remove)
        case 2: return Register.Edit(mark: mark, path: path, action: .add(Int64(zigzag: try cursor.varint())))
        default: throw error("An edit is of no kind")
        }
    }

    mutating func hiddenRegister() throws(CodecError) -> Register {
        let shown = try hiddenValue()
        return try register(shown)
    }

    /// Returns the value that a document shows, completed by the meta data.
    mutating func value(_ shown: BSONValue, _ held: MetaHeld, _ className: SyncString?) throws(CodecError) -> SyncValue
    {
        switch held {
        case .plain: if let value = shown.plainValue { return value }
        case .float: if case .double(let value) = shown { return .float(Float(value)) }
        case .link:
            if let className, let key = shown.primaryKey { return .link(ObjectName(className, key)) }
        case .date:
            let nanoseconds = try cursor.varint()
            if case .datetime(let value) = shown, nanoseconds < 1_000_000 {
                return .date(Timestamp(milliseconds: value.milliseconds, nanoseconds: Int32(nanoseconds)))
            }
        case .exact: return try cursor.exactValue()
        case .absent, .instance: break
        }
        throw error("A value of the document isn't of the type that it has to be")
    }

    // MARK: Sets

    private mutating func set(_ shown: [BSONValue]) throws(CodecError) -> KeyedCollection<SetElement> {
        let (base, assignment) = (try mark(), try rank())
        var entries: [SetElement: Register] = [:]
        entries.reserveCapacity(shown.count)
        var next = 0
        func add(_ register: Register, _ reader: MetaReader) throws(CodecError) {
            guard case .value(let value) = register.value, let element = SetElement(value),
                entries.updateValue(register, forKey: element) == nil
            else { throw reader.error("A set has a value twice, or one that can't be in it") }
        }
        func plain(upTo end: Int, _ reader: MetaReader) throws(CodecError) {
            while next < end {
                guard let value = shown[next].plainValue else { throw reader.error("A value has a type of its own") }
                try add(Register(.value(value), nil), reader)
                next += 1
            }
        }
        for _ in 0..<(try cursor.count()) {
            let step = try cursor.varint()
            guard step < UInt64(shown.count - next) else { throw error("The document has too few values") }
            try plain(upTo: next + Int(step), self)
            let register = try register(shown[next])
            try add(register, self)
            next += 1
        }
        try plain(upTo: shown.count, self)
        for _ in 0..<(try cursor.count()) {
            guard let element = SetElement(try cursor.exactValue()) else { throw error("That can't be in a set") }
            entries[element] = try hiddenRegister()
        }
        return KeyedCollection(base: base, entries: entries, assignment: assignment)
    }
}
