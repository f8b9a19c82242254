/// Reads the values of one place of a message's structure, one after the other: see `ColumnWriter`.
///
/// The bytes must stay in place while the reader is used. A column is decoded only when its values are read.
final class ColumnReader {
    private var kinds: ByteCursor
    private var ints: IntReader?
    private var numbers: IntReader?
    private var texts: TextReader?
    private var fixed: FixedReader?

    private var roles: [(role: UInt8, name: SyncString?, reader: ColumnReader)] = []
    private var names: [SyncString] = []
    private var named: [ColumnReader] = []
    private var shapes: [[Int]] = []
    /// The objects that were read so far.
    private var objects: [ObjectName] = []
    /// A Boolean value that indicates whether the group was requested, so that its role is known.
    private var isAsked = false
    let offset: Int
    private var firstKind = 0

    /// The names that the reader of a message collects while it parses.
    struct Names {
        var known: [SyncString] = []
        var depth = 0
    }

    /// Creates an empty group.
    private init(_ cursor: ByteCursor) {
        offset = cursor.position
        kinds = cursor
    }

    init(_ cursor: inout ByteCursor, _ state: inout Names) throws(CodecError) {
        offset = cursor.position
        kinds = ByteCursor(cursor.bytes, offset..<offset)
        state.depth += 1
        guard state.depth <= ColumnParts.greatestDepth else {
            throw cursor.error(.tooDeep, "Groups are nested too deep")
        }
        defer { state.depth -= 1 }
        let parts = ColumnParts(rawValue: try cursor.byte())
        guard !parts.isEmpty || state.depth == 1 else { throw cursor.error(.invalidNumber, "A group is empty") }
        if parts.contains(.kinds) { kinds = ByteCursor(cursor.bytes, try cursor.section()) }
        firstKind = kinds.position
        if parts.contains(.ints) { ints = try IntReader(cursor.bytes, cursor.section(), mayRepeat: true) }
        if parts.contains(.numbers) { numbers = try IntReader(cursor.bytes, cursor.section(), mayRepeat: false) }
        if parts.contains(.texts) { texts = try TextReader(&cursor) }
        if parts.contains(.fixed) { fixed = try FixedReader(&cursor) }
        if parts.contains(.names) {
            for _ in 0..<(try cursor.count()) {
                let number = try cursor.varint()
                if number == 0 {
                    state.known.append(try cursor.text())
                } else if number > UInt64(state.known.count) {
                    throw cursor.error(.invalidNumber, "There is no name \(number)")
                }
                names.append(state.known[number == 0 ? state.known.count - 1 : Int(number - 1)])
                named.append(try ColumnReader(&cursor, &state))
            }
        }
        if parts.contains(.shapes) {
            for _ in 0..<(try cursor.count()) {
                var shape: [Int] = []
                for _ in 0..<(try cursor.count()) {
                    let index = try cursor.varint()
                    guard index < UInt64(named.count) else {
                        throw cursor.error(.invalidNumber, "There is no name \(index)")
                    }
                    shape.append(Int(index))
                }
                shapes.append(shape)
            }
        }
        guard parts.contains(.roles) else { return }
        for _ in 0..<(try cursor.count()) {
            let role = try cursor.byte()
            if let last = roles.last, last.role >= role { throw cursor.error(.invalidNumber, "Roles don't rise") }
            let name = role >= ColumnParts.firstCriticalRole ? try cursor.text() : nil
            roles.append((role, name, try ColumnReader(&cursor, &state)))
        }
    }

    // MARK: Values

    func error(_ code: CodecError.Code, _ reason: String) -> CodecError {
        CodecError(code, reason, offset: ints?.position ?? kinds.position)
    }

    private func missing(_ part: String) -> CodecError {
        CodecError(.truncated, "There are too few \(part)", offset: kinds.position)
    }

    func kind() throws(CodecError) -> UInt8 {
        guard kinds.remaining > 0 else { throw missing("kinds") }
        return try kinds.byte()
    }

    /// Reads the next kind, which must be 0. It only marks the presence of a value.
    func skipKind() throws(CodecError) {
        guard try kind() == 0 else { throw error(.unknownKind, "A kind has to be 0") }
    }

    /// The number of kinds that weren't read yet. It bounds the number of values that the group can have.
    var kindsLeft: Int { kinds.remaining }

    func int() throws(CodecError) -> Int64 {
        guard let ints else { throw missing("numbers") }
        return try ints.next()
    }

    func word() throws(CodecError) -> UInt64 { UInt64(bitPattern: try int()) }

    func int<T: FixedWidthInteger>(_ type: T.Type) throws(CodecError) -> T {
        let value = try int()
        guard let exact = T(exactly: value) else { throw error(.invalidNumber, "\(value) is out of range") }
        return exact
    }

    func bool() throws(CodecError) -> Bool {
        let value = try int()
        guard 0...1 ~= value else { throw error(.invalidNumber, "\(value) isn't a bool") }
        return value == 1
    }

    func number() throws(CodecError) -> Int {
        guard let numbers else { throw missing("counts") }
        let value = try numbers.next()
        guard value >= 0 else { throw error(.invalidNumber, "\(value) isn't a count") }
        return Int(value)
    }

    /// Reads a number of items that may take no bytes. The number can't exceed the number of bytes of the message.
    func boundedNumber() throws(CodecError) -> Int {
        let value = try number()
        guard value <= kinds.bytes.count else {
            throw error(.tooLarge, "\(value) things are more than there are bytes")
        }
        return value
    }

    func numberWord() throws(CodecError) -> UInt64 {
        guard let numbers else { throw missing("counts") }
        return UInt64(bitPattern: try numbers.next())
    }

    func text() throws(CodecError) -> SyncString {
        guard let texts else { throw missing("texts") }
        return try texts.next()
    }

    func data() throws(CodecError) -> UnsafeRawBufferPointer {
        guard let texts else { throw missing("texts") }
        return try texts.nextBytes()
    }

    func fixed<R>(width: Int, _ body: (UnsafeRawBufferPointer) -> R) throws(CodecError) -> R {
        guard let fixed else { throw missing("values of \(width) bytes") }
        return try fixed.next(width: width, body)
    }

    func fixed(width: Int = 8) throws(CodecError) -> UInt64 {
        try fixed(width: width) { bytes in bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }

    func fixedPair() throws(CodecError) -> (low: UInt64, high: UInt64) {
        try fixed(width: 16) { bytes in
            (
                UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    // MARK: Groups

    /// The group of a role. It is empty if the message doesn't contain the role.
    subscript(role: Role) -> ColumnReader {
        if let reader = optional(role) { return reader }
        let reader = ColumnReader(ByteCursor(kinds.bytes, kinds.end..<kinds.end))
        reader.isAsked = true
        return reader
    }

    private var lastRow = 0
    private var nextRow: Int?

    /// Returns the group for values that only few rows have, if the row whose kind was read last has such values: see
    /// `ColumnWriter.rare(_:)`.
    func rare(_ role: Role) throws(CodecError) -> ColumnReader? {
        guard let group = optional(role) else { return nil }
        if group.nextRow == nil, let numbers = group.numbers, !numbers.isAtEnd {
            let (row, overflow) = group.lastRow.addingReportingOverflow(try group.number())
            guard !overflow, row > group.lastRow else { throw error(.invalidNumber, "Rows don't rise") }
            group.nextRow = row
        }
        guard let row = group.nextRow, row == kinds.position - firstKind else { return nil }
        (group.lastRow, group.nextRow) = (row, nil)
        return group
    }

    /// Returns the group of a role, or `nil` if the message doesn't contain the role.
    func optional(_ role: Role) -> ColumnReader? {
        for entry in roles where entry.role == role.rawValue {
            entry.reader.isAsked = true
            return entry.reader
        }
        return nil
    }

    /// Reads the next name, and returns it with its group.
    func nextNamed() throws(CodecError) -> (SyncString, ColumnReader) { try named(int()) }

    /// Like `nextNamed()`, except that it returns `nil` for −1.
    func nextNamedOrNone() throws(CodecError) -> (SyncString, ColumnReader)? {
        let index = try int()
        return index == -1 ? nil : try named(index)
    }

    private func named(_ index: Int64) throws(CodecError) -> (SyncString, ColumnReader) {
        guard let index = Int(exactly: index), named.indices.contains(index) else {
            throw error(.invalidNumber, "There is no name \(index)")
        }
        named[index].isAsked = true
        return (names[index], named[index])
    }

    /// Reads the next record, and calls a closure for each field.
    func record<Field>(
        _ body: (SyncString, ColumnReader) throws(CodecError) -> Field
    ) throws(CodecError) -> [Field] {
        let number = try int()
        guard let number = Int(exactly: number), shapes.indices.contains(number) else {
            throw error(.invalidNumber, "There is no shape \(number)")
        }
        let shape = shapes[number]
        var fields: [Field] = []
        fields.reserveCapacity(shape.count)
        for index in shape {
            let reader = named[index]
            reader.isAsked = true
            fields.append(try body(names[index], reader))
        }
        return fields
    }

    func reference() throws(CodecError) -> ObjectName {
        let distance = try number()
        if distance > 0 {
            guard distance <= objects.count else { throw error(.invalidNumber, "No object was met \(distance) ago") }
            return objects[objects.count - distance]
        }
        let (className, keys) = try nextNamed()
        let name = ObjectName(className, try keys.key())
        objects.append(name)
        return name
    }

    // MARK: Check at the end

    /// Checks that all values were read, except for groups that may be skipped.
    func finish() throws(CodecError) {
        guard kinds.remaining == 0, ints?.isAtEnd ?? true, numbers?.isAtEnd ?? true, texts?.isAtEnd ?? true,
            fixed?.isAtEnd ?? true
        else { throw CodecError(.leftover, "A column has more values than are asked for", offset: offset) }
        for reader in named {
            guard reader.isAsked else {
                throw CodecError(.leftover, "Nothing asks for a named group", offset: reader.offset)
            }
            try reader.finish()
        }
        for (_, name, reader) in roles {
            if reader.isAsked {
                try reader.finish()
            } else if let name {
                throw CodecError(.unsupported, "The message needs '\(name)', which isn't known", offset: reader.offset)
            }
        }
    }
}
