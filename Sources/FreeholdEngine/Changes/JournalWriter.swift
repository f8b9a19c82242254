/// A writer of the parts of a journal entry. `JournalDecoder` reads them.
struct JournalWriter {
    /// The first byte of each change. Its upper bits contain the cause.
    enum Tag: UInt8 {
        case made = 1
        case gone = 2
        case insert = 3
        case remove = 4
        case set = 5
        case move = 6
        case clear = 7
        case add = 8
        case insertValue = 9
        case removeValue = 10
        case setEntry = 11
        case removeEntry = 12
        case addToEntry = 13
        case nested = 14
        case unshown = 15
        // The tags of the state. The second tag of each pair stands for whole leaves of a column.
        case fields = 16
        case leavesOfFields = 17
        case rows = 18
        case leavesOfRows = 19
        case names = 20
        case leavesOfNames = 21
        case adds = 22
        case schema = 23
        case defaults = 24
        case owned = 25
        case exact = 26
        case placed = 27
        case image = 28
        case before = 29
        // The primary key of an object, or of a missing object.
        case called = 30
        // The next byte is one of `More`.
        case more = 31
    }

    /// The meaning of the byte after `Tag.more`, which exists because all tags are in use.
    enum More: UInt8 {
        case identity = 1
        case assign = 2
    }

    /// The meaning of a column's contents.
    enum Said {
        /// The content of new objects, or the values that a change of the schema wrote.
        case rows
        /// The present content of older objects.
        case fields
        /// The present content of older objects that changed because of a deletion.
        case followed
        /// The identification of objects.
        case names
    }

    static let causeShift: UInt8 = 5

    var bytes = ByteWriter()

    mutating func begin(_ tag: Tag, _ cause: ChangeCause = .edit) {
        bytes.u8(tag.rawValue | cause.rawValue << Self.causeShift)
    }

    mutating func identity(_ bits: UInt64) {
        begin(.more)
        bytes.u8(More.identity.rawValue)
        bytes.fixed(bits)
    }

    mutating func object(_ table: Int, _ key: Int64) {
        bytes.varint(UInt64(table))
        bytes.signed(key)
    }

    mutating func property(_ column: Column, _ key: ObjectKey) {
        object(column.tableID, key.raw)
        bytes.varint(UInt64(column.id))
    }

    /// Writes a leaf in its stored form, for the objects whose slots in it begin at `slot`.
    mutating func leaf(
        _ said: Said,
        _ column: Column,
        first: ObjectKey,
        count: Int,
        slot: Int,
        leaf: UnsafeRawBufferPointer
    ) {
        switch said {
        case .rows: begin(.leavesOfRows)
        case .fields: begin(.leavesOfFields)
        case .followed: begin(.leavesOfFields, .followsDeletion)
        case .names: begin(.leavesOfNames)
        }
        property(column, first)
        bytes.varint(UInt64(count))
        bytes.varint(UInt64(slot))
        bytes.prefixed(leaf)
    }

    /// Begins the contents of a column for objects in ascending order. The content of each object follows.
    mutating func cells(_ said: Said, _ column: Column, keys: [ObjectKey]) {
        switch said {
        case .rows: begin(.rows)
        case .fields: begin(.fields)
        case .followed: begin(.fields, .followsDeletion)
        case .names: begin(.names)
        }
        property(column, keys[0])
        bytes.varint(UInt64(keys.count))
        let isRun = keys.last!.raw - keys[0].raw == keys.count - 1
        bytes.u8(Self.form(column.collection) | (isRun ? 0 : Self.gaps))
        if !isRun { for i in 1..<keys.count { bytes.varint(UInt64(keys[i].raw - keys[i - 1].raw - 1)) } }
    }

    /// A flag in the form of cells whose objects aren't neighbours. The number of omitted objects before each one follows.
    static let gaps: UInt8 = 0x80

    private static func form(_ collection: CollectionKind) -> UInt8 {
        switch collection {
        case .none: 0
        case .list, .set: 1
        case .dictionary: 2
        }
    }

    mutating func before(_ column: Column, _ key: ObjectKey, content: JournalContent) {
        begin(.before)
        property(column, key)
        self.content(content)
    }

    /// Writes the content of a collection or of a single value, after its form.
    private mutating func content(_ content: JournalContent) {
        switch content {
        case .value(let value):
            bytes.u8(Self.form(.none))
            JournalCoding.write(value, to: &bytes)
        case .values(let values):
            bytes.u8(Self.form(.list))
            self.values(values)
        case .entries(let entries):
            bytes.u8(Self.form(.dictionary))
            self.entries(entries)
        }
    }

    mutating func called(_ object: JournalObject, _ primaryKey: Value) {
        begin(.called)
        self.object(object.tableID, object.key.raw)
        JournalCoding.write(primaryKey, to: &bytes)
    }

    mutating func placed(_ object: JournalObject, _ place: NestedSubscript) {
        begin(.placed)
        self.object(object.tableID, object.key.raw)
        self.place(place)
    }

    mutating func optional(_ value: Value?) {
        bytes.u8(value == nil ? 0 : 1)
        if let value { JournalCoding.write(value, to: &bytes) }
    }

    mutating func values(_ values: [Value]) {
        bytes.varint(UInt64(values.count))
        for value in values { JournalCoding.write(value, to: &bytes) }
    }

    mutating func entries(_ entries: some Collection<NestedDictionary.Entry>) {
        bytes.varint(UInt64(entries.count))
        for entry in entries {
            bytes.string(entry.key)
            JournalCoding.write(entry.value, to: &bytes)
        }
    }

    mutating func edit(_ property: JournalProperty, _ edit: CollectionEdit, cause: ChangeCause) {
        func begin(_ tag: Tag) {
            self.begin(tag, cause)
            object(property.object.tableID, property.object.key.raw)
            bytes.varint(UInt64(property.column))
        }
        switch edit {
        case .insert(let at, let values):
            begin(.insert)
            bytes.varint(UInt64(at))
            self.values(values)
        case .remove(let at, let count):
            begin(.remove)
            bytes.varint(UInt64(at))
            bytes.varint(UInt64(count))
        case .set(let at, let value):
            begin(.set)
            bytes.varint(UInt64(at))
            JournalCoding.write(value, to: &bytes)
        case .move(let from, let to):
            begin(.move)
            bytes.varint(UInt64(from))
            bytes.varint(UInt64(to))
        case .clear: begin(.clear)
        case .add(let at, let delta):
            begin(.add)
            bytes.varint(UInt64(at))
            bytes.signed(delta)
        case .insertValue(let value):
            begin(.insertValue)
            JournalCoding.write(value, to: &bytes)
        case .removeValue(let value):
            begin(.removeValue)
            JournalCoding.write(value, to: &bytes)
        case .setEntry(let name, let value):
            begin(.setEntry)
            bytes.string(name)
            JournalCoding.write(value, to: &bytes)
        case .removeEntry(let name):
            begin(.removeEntry)
            bytes.string(name)
        case .addToEntry(let name, let delta):
            begin(.addToEntry)
            bytes.string(name)
            bytes.signed(delta)
        case .assign(let content):
            self.begin(.more, cause)
            bytes.u8(More.assign.rawValue)
            object(property.object.tableID, property.object.key.raw)
            bytes.varint(UInt64(property.column))
            self.content(content)
        case .nested(let edit):
            begin(.nested)
            nested(edit)
        }
    }

    mutating func unshown(_ property: JournalProperty, _ links: [UnshownLink]) {
        begin(.unshown)
        object(property.object.tableID, property.object.key.raw)
        bytes.varint(UInt64(property.column))
        bytes.varint(UInt64(links.count))
        for link in links {
            place(link.place)
            path(link.path)
            bytes.varint(UInt64(link.table))
            JournalCoding.write(link.primaryKey, to: &bytes)
        }
    }

    private mutating func place(_ place: NestedSubscript) {
        switch place {
        case .property: bytes.u8(0)
        case .element(let i):
            bytes.u8(1)
            bytes.varint(UInt64(i))
        case .entry(let name):
            bytes.u8(2)
            bytes.string(name)
        }
    }

    private mutating func path(_ path: [NestedEdit.Step]) {
        bytes.varint(UInt64(path.count))
        for step in path {
            switch step {
            case .element(let i):
                bytes.u8(1)
                bytes.varint(UInt64(i))
            case .entry(let name):
                bytes.u8(2)
                bytes.string(name)
            }
        }
    }

    private mutating func nested(_ edit: NestedEdit) {
        place(edit.place)
        path(edit.path)
        switch edit.change {
        case .list(let values):
            bytes.u8(1)
            self.values(values)
        case .entries(let set, let removed):
            bytes.u8(2)
            entries(set)
            bytes.varint(UInt64(removed.count))
            for name in removed { bytes.string(name) }
        }
    }
}
