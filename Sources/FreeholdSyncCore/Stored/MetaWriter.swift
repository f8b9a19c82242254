internal import FreeholdBSON
internal import FreeholdEngine

/// Writes the data of an object that merges need in addition to its document. Marks and names are written once, and
/// then referenced by numbers.
struct MetaWriter {
    var bytes: [UInt8] = []
    private(set) var marks: [Mark] = []
    private(set) var names: [SyncString] = []
    private var markNumbers: [Mark: Int] = [:]
    private var nameNumbers: [SyncString: Int] = [:]

    // MARK: Parts

    mutating func mark(_ mark: Mark) -> Int {
        if let number = markNumbers[mark] { return number }
        markNumbers[mark] = marks.count
        marks.append(mark)
        return marks.count - 1
    }

    /// Appends the marks to which numbers refer.
    func appendMarks(to bytes: inout [UInt8], since version: StreamVersion) {
        var last = Mark(stamp: Stamp(clock: .zero, ident: .me), version: version)
        for mark in marks {
            bytes.appendMark(mark, after: last)
            last = mark
        }
    }

    /// Appends the number of the names to which numbers refer, and the names.
    func appendNames(to bytes: inout [UInt8]) {
        bytes.appendVarint(names.count)
        for name in names { bytes.appendText(name) }
    }

    mutating func append(_ mark: Mark) { bytes.appendVarint(self.mark(mark)) }

    /// Appends the number of a rank, or 0 for `nil`.
    mutating func append(_ rank: Rank?) {
        guard let rank else { return bytes.append(0) }
        bytes.appendVarint(mark(Mark(stamp: rank.stamp, version: 0, isReal: rank.isReal)) + 1)
    }

    mutating func append(_ name: SyncString) {
        if nameNumbers[name] == nil {
            nameNumbers[name] = names.count
            names.append(name)
        }
        bytes.appendVarint(nameNumbers[name]!)
    }

    /// Returns the bytes that a closure writes, without appending them. The present bytes aren't copied.
    private mutating func apart<Result>(_ body: (inout MetaWriter) -> Result) -> (Result, bytes: [UInt8]) {
        var other: [UInt8] = []
        swap(&other, &bytes)
        let result = body(&self)
        swap(&other, &bytes)
        return (result, other)
    }

    /// Calls a closure that writes, and inserts the value that it returns before its output. A document can't show that
    /// value.
    private mutating func hidden(_ body: (inout MetaWriter) -> BSONValue?) {
        let (value, inner) = apart(body)
        // A value that the object's document can't contain is stored in a document of its own, under an empty key.
        // Documents of a store have no limits.
        let limits = BSONLimits(depth: BSONLimits.maximumDepth, size: .max)
        if let value, let document = try? BSONDocument([(key: "", value: value)]).bytes(limits: limits) {
            bytes.appendVarint(document.count)
            bytes.append(contentsOf: document)
        } else {
            bytes.append(0)
        }
        bytes.append(contentsOf: inner)
    }

    /// Appends the versions of properties' last changes, by rising names of the properties.
    mutating func append(_ touched: [SyncString: StreamVersion], since born: StreamVersion) {
        bytes.appendVarint(touched.count)
        for (name, version) in touched.sorted(by: { $0.key < $1.key }) {
            append(name)
            bytes.appendVarint(version &- born)
        }
    }

    // MARK: Fields

    /// - Parameter reserved: A name that the document uses for another purpose.
    /// - Returns: The elements for the document.
    mutating func record(_ record: Record, reserved: SyncString? = nil) -> [BSONDocument.Element] {
        named(record.fields.byName.map { ($0.name, $0.value) }, reserved: reserved) { (writer, field) in
            switch field {
            case .register(let register): (.register, writer.register(register), register.isPlain)
            case .list(let list): (.list, .array(writer.list(list)), false)
            case .set(let set): (.set, .array(writer.set(set)), false)
            case .dictionary(let dictionary): (.dictionary, .document(writer.dictionary(dictionary)), false)
            case .moved: (.register, nil, false)
            }
        }
    }

    mutating func dictionary(_ dictionary: KeyedCollection<SyncString>) -> BSONDocument {
        append(dictionary.base)
        append(dictionary.assignment)
        return BSONDocument(
            named(dictionary.entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) {
                (.register, $0.register($1), $1.isPlain)
            }
        )
    }

    /// Writes the data of named values that the document doesn't contain: first the values in the document that aren't
    /// plain, then those that aren't in the document.
    ///
    /// - Parameter values: The values, by rising names.
    private mutating func named<Value>(
        _ values: [(name: SyncString, value: Value)],
        reserved: SyncString? = nil,
        _ body: (inout MetaWriter, Value) -> (MetaField, BSONValue?, isPlain: Bool)
    ) -> [BSONDocument.Element] {
        let ((elements, count), own) = apart { writer in writer.members(values, reserved: reserved, body) }
        bytes.appendVarint(count)
        bytes.append(contentsOf: own)
        return elements
    }

    private mutating func members<Value>(
        _ values: [(name: SyncString, value: Value)],
        reserved: SyncString?,
        _ body: (inout MetaWriter, Value) -> (MetaField, BSONValue?, isPlain: Bool)
    ) -> (elements: [BSONDocument.Element], count: Int) {
        var (elements, count, next) = ([BSONDocument.Element](), 0, 0)
        elements.reserveCapacity(values.count)
        var unseen: [(name: SyncString, value: Value)] = []
        for (name, value) in values {
            let ((field, shown, isPlain), own) = apart { writer -> (MetaField, BSONValue?, isPlain: Bool) in
                name == reserved || name.hasNull ? (.register, nil, false) : body(&writer, value)
            }
            guard let shown else {
                unseen.append((name, value))
                continue
            }
            if !isPlain {
                bytes.appendVarint(UInt64(elements.count - next) << 3 | field.rawValue)
                bytes.append(contentsOf: own)
                (count, next) = (count + 1, elements.count + 1)
            }
            elements.append((key: name.string, value: shown))
        }
        for (name, value) in unseen {
            let (field, own) = apart { writer -> MetaField in
                var field = MetaField.register
                writer.append(name)
                writer.hidden { writer in
                    let (kind, shown, _) = body(&writer, value)
                    field = kind
                    return shown
                }
                return field
            }
            bytes.appendVarint(field.rawValue | MetaField.hidden)
            bytes.append(contentsOf: own)
            count += 1
        }
        return (elements, count)
    }

    // MARK: Registers

    /// - Returns: The value for the document.
    mutating func register(_ register: Register) -> BSONValue? {
        var (held, shown): (MetaHeld, BSONValue?)
        switch register.value {
        case .absent: (held, shown) = (.absent, nil)
        case .value(let value): (held, shown) = (value.storedAs, BSONValue(value))
        case .instance: (held, shown) = (.instance, nil)
        }
        let edits = register.edits
        if !edits.isEmpty, held != .instance, held != .absent { held = .exact }
        var head = held.rawValue
        if register.mark != nil { head |= MetaHeld.hasMark }
        if !edits.isEmpty { head |= MetaHeld.hasEdits }
        bytes.append(head)
        if let mark = register.mark { append(mark) }
        switch (held, register.held) {
        case (.link, .value(.link(let name))): append(name.className)
        case (.date, .value(.date(let value))): bytes.appendVarint(Int(value.nanoseconds % 1_000_000))
        case (.exact, .value(let value)): append(value)
        case (.instance, .instance(let instance)):
            bytes.appendVarint(UInt64(instance.ident.rawValue))
            bytes.appendVarint(instance.number)
            append(instance.record.base)
            shown = .document(BSONDocument(record(instance.record)))
        default: break
        }
        guard !edits.isEmpty else { return shown }
        bytes.appendVarint(edits.count)
        for edit in edits {
            append(edit.mark)
            bytes.appendVarint(edit.path.count)
            for key in edit.path { append(key) }
            switch edit.action {
            case .set(let value):
                bytes.append(0)
                append(value)
            case .remove: bytes.append(1)
            case .add(let number):
                bytes.append(2)
                bytes.appendVarint(number.zigzag)
            }
        }
        return shown
    }

    /// Writes a register whose value the document doesn't show.
    mutating func hiddenRegister(_ register: Register) { hidden { $0.register(register) } }

    // MARK: Sets

    mutating func set(_ set: KeyedCollection<SetElement>) -> [BSONValue] {
        append(set.base)
        append(set.assignment)
        var (present, absent) = ([([UInt8], Register)](), [([UInt8], Register)]())
        for (element, register) in set.entries {
            if case .value(let value) = register.value {
                present.append((Self.bytes(of: value), register))
            } else {
                absent.append((Self.bytes(of: SyncValue(element)), register))
            }
        }
        present.sort { $0.0.lexicographicallyPrecedes($1.0) }
        absent.sort { $0.0.lexicographicallyPrecedes($1.0) }
        let strange = present.indices.filter { !present[$0].1.isPlain }
        bytes.appendVarint(strange.count)
        var (shown, next) = ([BSONValue](), 0)
        for index in present.indices {
            let register = present[index].1
            if register.isPlain {
                if case .value(let value) = register.held { shown.append(BSONValue(value)) }
                continue
            }
            bytes.appendVarint(index - next)
            next = index + 1
            shown.append(self.register(register) ?? .null)
        }
        bytes.appendVarint(absent.count)
        for (key, register) in absent {
            bytes.append(contentsOf: key)
            hiddenRegister(register)
        }
        return shown
    }

    private static func bytes(of value: SyncValue) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendExact(value)
        return bytes
    }

    mutating func append(_ value: SyncValue) { bytes.appendExact(value) }
}

extension Register {
    /// A Boolean value that indicates whether the document contains everything about the register.
    var isPlain: Bool {
        guard isUntouched, case .value(let value) = held else { return false }
        return value.storedAs == .plain
    }
}
