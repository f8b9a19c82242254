/// The columns and groups that a group of columns contains, in the order of these bits. The raw values are part of the
/// protocol.
struct ColumnParts: OptionSet {
    let rawValue: UInt8

    /// One byte for the kind of each value.
    static let kinds = ColumnParts(rawValue: 1)
    /// Numbers that take almost no bytes if they are all equal. Their count is bounded by another column.
    static let ints = ColumnParts(rawValue: 2)
    /// Numbers that take at least one byte each, such as counts and references.
    static let numbers = ColumnParts(rawValue: 4)
    static let texts = ColumnParts(rawValue: 8)
    static let fixed = ColumnParts(rawValue: 16)
    /// Groups with names, for classes and properties.
    static let names = ColumnParts(rawValue: 32)
    /// The combinations of names that records have.
    static let shapes = ColumnParts(rawValue: 64)
    /// Groups with numbers, for parts.
    static let roles = ColumnParts(rawValue: 128)

    /// The first critical role. A reader must not skip an unknown critical role, which begins with its name.
    static let firstCriticalRole: UInt8 = 64
    /// The maximum depth of groups. It is greater than the depth to which values can be nested.
    static let greatestDepth = 3 * MessageCodec.greatestDepth
}

/// Collects the values of one place of a message's structure, from all rows of the message. Groups form a tree, so that
/// the values of one property of many objects are adjacent in the encoded message.
final class ColumnWriter {
    var kinds: [UInt8] = []
    private(set) var ints: [Int64] = []
    private(set) var numbers: [Int64] = []
    private(set) var texts = TextColumn()
    private(set) var fixed: FixedColumn?

    private var roles: [(role: UInt8, writer: ColumnWriter)] = []
    private var names: [SyncString] = []
    private var named: [ColumnWriter] = []
    private var shapes: [[Int]] = []
    private var lastShape = 0
    private var shapeNumbers: [[Int]: Int] = [:]
    private var nameNumbers: [SyncString: Int] = [:]
    /// The numbers of the objects that were written: see `reference(_:)`.
    private var objects: [ObjectName: Int] = [:]

    // MARK: Values

    func int(_ value: Int64) { ints.append(value) }
    func int(_ value: UInt64) { ints.append(Int64(bitPattern: value)) }
    func number(_ value: Int) { numbers.append(Int64(value)) }
    func number(_ value: UInt64) { numbers.append(Int64(bitPattern: value)) }
    func text(_ value: SyncString) { texts.append(value) }
    func data(_ value: some Collection<UInt8>) { texts.append(value) }

    func fixed(_ value: UInt64, width: Int = 8) {
        if fixed == nil { fixed = FixedColumn(width: width) }
        fixed!.append(value, width: width)
    }

    func fixed(_ low: UInt64, _ high: UInt64) {
        if fixed == nil { fixed = FixedColumn(width: 16) }
        fixed!.append(low)
        fixed!.append(high)
    }

    func fixed(_ value: UnsafeRawBufferPointer) {
        if fixed == nil { fixed = FixedColumn(width: value.count) }
        fixed!.append(value)
    }

    // MARK: Groups

    /// The number of rows that the surrounding group had when `rare(_:)` was last called for this group.
    private var lastRow = 0

    /// Returns the group for values that only few rows have and that readers of earlier versions skip. It is called
    /// after the row's kind was written.
    func rare(_ role: Role) -> ColumnWriter {
        let group = self[role]
        group.number(kinds.count - group.lastRow)
        group.lastRow = kinds.count
        return group
    }

    subscript(role: Role) -> ColumnWriter {
        for entry in roles where entry.role == role.rawValue { return entry.writer }
        let writer = ColumnWriter()
        let place = roles.partitioned { $0.role > role.rawValue }
        roles.insert((role.rawValue, writer), at: place)
        return writer
    }

    /// Returns a group that is written like a critical extension, for tests.
    func critical(_ role: UInt8, _ name: SyncString) -> ColumnWriter {
        criticalNames[role] = name
        return self[Role(rawValue: role)]
    }

    private var criticalNames: [UInt8: SyncString] = [:]

    /// Writes the index of a name, and returns the group of the name.
    func named(_ name: SyncString) -> ColumnWriter {
        let index = index(of: name)
        ints.append(Int64(index))
        return named[index]
    }

    private func index(of name: SyncString) -> Int {
        if let index = nameNumbers[name] { return index }
        nameNumbers[name] = names.count
        names.append(name)
        named.append(ColumnWriter())
        return names.count - 1
    }

    /// Writes which names a record has, and calls a closure with each field and its group.
    func record<Field>(
        _ fields: [Field],
        name: (Field) -> SyncString,
        _ body: (Field, ColumnWriter) throws(CodecError) -> Void
    ) throws(CodecError) {
        let number = shape(of: fields, name)
        ints.append(Int64(number))
        let shape = shapes[number]
        for index in fields.indices { try body(fields[index], named[shape[index]]) }
    }

    private func shape<Field>(of fields: [Field], _ name: (Field) -> SyncString) -> Int {
        if lastShape < shapes.count {
            let last = shapes[lastShape]
            if last.count == fields.count, fields.indices.allSatisfy({ names[last[$0]] == name(fields[$0]) }) {
                return lastShape
            }
        }
        let shape = fields.map { index(of: name($0)) }
        lastShape = shapeNumbers[shape] ?? shapes.count
        if lastShape == shapes.count {
            shapeNumbers[shape] = lastShape
            shapes.append(shape)
        }
        return lastShape
    }

    /// Writes a reference to an object: 0 and the name, or the distance to its last number in the group.
    func reference(_ name: ObjectName) throws(CodecError) {
        if let known = objects[name] {
            number(objects.count - known)
            return
        }
        number(0)
        objects[name] = objects.count
        try named(name.className).key(name.key)
    }

    // MARK: Bytes

    private var isEmpty: Bool {
        kinds.isEmpty && ints.isEmpty && numbers.isEmpty && texts.ends.isEmpty && fixed == nil && names.isEmpty
            && roles.allSatisfy(\.writer.isEmpty)
    }

    /// - Parameter known: The names that the message contains already.
    func append(to out: inout [UInt8], _ known: inout [SyncString: Int]) {
        var parts: ColumnParts = []
        let partsPlace = out.count
        out.append(0)
        if !kinds.isEmpty {
            parts.insert(.kinds)
            out.appendVarint(kinds.count)
            out.append(contentsOf: kinds)
        }
        if !ints.isEmpty {
            parts.insert(.ints)
            IntColumn.append(ints, mayRepeat: true, to: &out)
        }
        if !numbers.isEmpty {
            parts.insert(.numbers)
            IntColumn.append(numbers, mayRepeat: false, to: &out)
        }
        if !texts.ends.isEmpty {
            parts.insert(.texts)
            texts.append(to: &out)
        }
        if let fixed {
            parts.insert(.fixed)
            fixed.append(to: &out)
        }
        if !names.isEmpty {
            parts.insert(.names)
            out.appendVarint(names.count)
            for (name, writer) in zip(names, named) {
                if let number = known[name] {
                    out.appendVarint(number + 1)
                } else {
                    known[name] = known.count
                    out.append(0)
                    out.appendText(name)
                }
                writer.append(to: &out, &known)
            }
        }
        if !shapes.isEmpty {
            parts.insert(.shapes)
            out.appendVarint(shapes.count)
            for shape in shapes {
                out.appendVarint(shape.count)
                for index in shape { out.appendVarint(index) }
            }
        }
        let roles = roles.filter { !$0.writer.isEmpty }
        if !roles.isEmpty {
            parts.insert(.roles)
            out.appendVarint(roles.count)
            for (role, writer) in roles {
                out.append(role)
                if role >= ColumnParts.firstCriticalRole { out.appendText(criticalNames[role] ?? "") }
                writer.append(to: &out, &known)
            }
        }
        out[partsPlace] = parts.rawValue
    }
}
