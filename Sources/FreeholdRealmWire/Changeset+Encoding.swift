extension Changeset {
    /// The places of the definitions of interned strings.
    public enum Layout: Hashable, Sendable {
        /// Each definition is directly before the first instruction that needs it, as the official client records.
        case recorded
        /// All definitions are first, as the official client writes a changeset that it has transformed.
        case stringsFirst
    }

    /// Returns the bytes of the changeset. A changeset without instructions has none.
    ///
    /// - Throws: `WireError` if an instruction has no form on the wire, for example a list edit whose path doesn't end in an
    ///   index. This method doesn't check for values that the official client can't process: see `ChangesetValidator`.
    /// - Complexity: O(*n*)
    public func encoded(layout: Layout = .recorded) throws(WireError) -> [UInt8] {
        var encoder = ChangesetEncoder(layout: layout)
        for instruction in instructions { try encoder.append(instruction) }
        return encoder.bytes
    }

    /// Returns the changeset with the raw forms that its bytes have in this layout.
    public func withRawForms(layout: Layout) throws(WireError) -> Changeset {
        var limits = WireLimits()
        (limits.changeset, limits.path) = (.max, .max)
        return try Changeset(bytes: encoded(layout: layout), limits: limits)
    }
}

/// The state of a changeset that is being written.
private struct ChangesetEncoder {
    private let layout: Changeset.Layout
    /// The definitions of strings, if they are first.
    private var definitions = WireWriter()
    private var writer = WireWriter()
    private var numbers: [WireText: UInt32] = [:]
    /// The numbers of the strings of the instruction that is being written, in their order.
    private var used: [UInt32] = []
    /// The position of the next string in `used`.
    private var next = 0
    /// The class of the last instruction. Most consecutive instructions have the same.
    private var last: (text: WireText, number: UInt32)?

    init(layout: Changeset.Layout) {
        self.layout = layout
        used.reserveCapacity(16)
    }

    var bytes: [UInt8] { layout == .recorded ? writer.bytes : definitions.bytes + writer.bytes }

    // MARK: Strings

    /// Returns the number of a string, and writes its definition if it's new.
    private mutating func intern(_ text: WireText) {
        if let last, last.text == text { return used.append(last.number) }
        if let number = numbers[text] { return used.append(number) }
        let number = UInt32(numbers.count)
        numbers[text] = number
        used.append(number)
        if layout == .recorded {
            Self.define(text, number: number, to: &writer)
        } else {
            Self.define(text, number: number, to: &definitions)
        }
    }

    private static func define(_ text: WireText, number: UInt32, to writer: inout WireWriter) {
        writer.signed(internTag)
        writer.unsigned(number)
        writer.content(text.bytes)
    }

    private mutating func internTable(_ table: WireText) {
        if let last, last.text == table { return used.append(last.number) }
        intern(table)
        last = (table, used[used.count - 1])
    }

    private mutating func intern(_ object: WireObject) {
        internTable(object.table)
        if case .string(let text) = object.key { intern(text) }
    }

    private mutating func intern(_ path: WirePath) {
        intern(path.object)
        intern(path.field)
        for case .name(let name) in path.elements { intern(name) }
    }

    private mutating func intern(_ payload: Payload) {
        guard case .link(let object) = payload else { return }
        intern(object.table)
        if case .string(let text) = object.key { intern(text) }
    }

    /// Interns the strings of an instruction in the order in which the official client does.
    private mutating func internStrings(of instruction: Instruction) {
        switch instruction {
        case .addTable(let spec):
            internTable(spec.name)
            if let key = spec.primaryKey { intern(key.field) }
        case .eraseTable(let name): internTable(name)
        case .createObject(let object), .eraseObject(let object): intern(object)
        case .addColumn(let spec):
            internTable(spec.table)
            intern(spec.field)
            intern(spec.target ?? "")
        case .eraseColumn(let table, let field):
            internTable(table)
            intern(field)
        case .update(let path, let value, _), .arrayInsert(let path, let value, _), .setInsert(let path, let value),
            .setErase(let path, let value):
            intern(path)
            intern(value)
        case .addInteger(let path, _), .arrayMove(let path, _, _), .arrayErase(let path, _), .clear(let path, _):
            intern(path)
        }
    }

    // MARK: Instructions

    mutating func append(_ instruction: Instruction) throws(WireError) {
        used.removeAll(keepingCapacity: true)
        internStrings(of: instruction)
        next = 0
        writer.unsigned(instruction.tag)
        switch instruction {
        case .addTable(let spec): try write(spec)
        case .eraseTable: string()
        case .createObject(let object), .eraseObject(let object): write(object)
        case .addColumn(let spec): try write(spec)
        case .eraseColumn:
            string()
            string()
        case .update(let path, let value, let mark):
            write(path)
            try write(value)
            switch mark {
            case .field(let isDefault):
                guard path.lastIndex == nil else { throw Self.markError }
                writer.bool(isDefault)
            case .element(let priorSize):
                guard path.lastIndex != nil else { throw Self.markError }
                writer.unsigned(priorSize)
            }
        case .addInteger(let path, let amount):
            write(path)
            writer.signed(amount)
        case .arrayInsert(let path, let value, let priorSize):
            try writeList(path)
            try write(value)
            writer.unsigned(priorSize)
        case .arrayMove(let path, let target, let priorSize):
            try writeList(path)
            writer.unsigned(target)
            writer.unsigned(priorSize)
        case .arrayErase(let path, let priorSize):
            try writeList(path)
            writer.unsigned(priorSize)
        case .clear(let path, let kind):
            write(path)
            writer.unsigned(kind.rawValue)
        case .setInsert(let path, let value), .setErase(let path, let value):
            write(path)
            try write(value)
        }
    }

    private static var markError: WireError {
        WireError(.invalidValue, "The last part of an update doesn't fit the end of its path")
    }

    @inline(__always)
    private mutating func string() {
        writer.unsigned(used[next])
        next += 1
    }

    private mutating func write(_ spec: TableSpec) throws(WireError) {
        string()
        writer.unsigned(spec.kind.rawValue)
        guard (spec.kind == .embedded) == (spec.primaryKey == nil) else {
            throw WireError(.invalidValue, "A class has a primary key if it isn't embedded")
        }
        guard let key = spec.primaryKey else { return }
        string()
        writer.signed(key.kind.rawValue)
        writer.bool(key.isNullable)
    }

    private mutating func write(_ spec: ColumnSpec) throws(WireError) {
        guard (spec.kind == .link) == (spec.target != nil) else {
            throw WireError(.invalidValue, "A field has a target if it is a link")
        }
        string()
        string()
        writer.signed(spec.kind.rawValue)
        writer.bool(spec.isNullable)
        writer.unsigned(spec.collection.rawValue)
        if spec.kind == .link { string() }
        if spec.collection == .dictionary { writer.signed(ColumnKind.string.rawValue) }
    }

    // MARK: Places

    private mutating func write(_ object: WireObject) {
        string()
        switch object.key {
        case .null: writer.unsigned(0 as UInt8)
        case .int(let value):
            writer.unsigned(1 as UInt8)
            writer.signed(value)
        case .string:
            writer.unsigned(3 as UInt8)
            string()
        case .objectID(let id):
            writer.unsigned(10 as UInt8)
            writer.objectID(id)
        case .uuid(let id):
            writer.unsigned(11 as UInt8)
            writer.uuid(id)
        }
    }

    private mutating func write(_ path: WirePath) {
        write(path.object)
        string()
        writer.unsigned(UInt32(path.elements.count))
        for element in path.elements {
            switch element {
            case .index(let index): writer.unsigned(index)
            case .name:
                writer.signed(-1)
                string()
            }
        }
    }

    private mutating func writeList(_ path: WirePath) throws(WireError) {
        guard path.lastIndex != nil else {
            throw WireError(.invalidValue, "The path of a list's element ends without an index")
        }
        write(path)
    }

    // MARK: Values

    private mutating func write(_ value: Payload) throws(WireError) {
        writer.signed(value.tag)
        switch value {
        case .list, .dictionary, .erased, .object, .null: break
        case .int(let value): writer.signed(value)
        case .bool(let value): writer.bool(value)
        case .string(let text): writer.content(text.bytes)
        case .data(let bytes): writer.content(bytes)
        case .date(let date):
            guard date.isValid else {
                throw WireError(.invalidValue, "The nanoseconds of a date don't fit its seconds")
            }
            writer.signed(date.seconds)
            writer.signed(date.nanoseconds)
        case .float(let value): writer.littleEndian(value.bitPattern)
        case .double(let value): writer.littleEndian(value.bitPattern)
        case .decimal(let value): writer.decimal(value)
        case .link(let object): write(object)
        case .objectID(let id): writer.objectID(id)
        case .uuid(let id): writer.uuid(id)
        }
    }
}
