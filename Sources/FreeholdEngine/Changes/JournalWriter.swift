/// The parts of a journal entry as bytes. `JournalDecoder` is the other half.
struct JournalWriter {
    /// The first byte of each change, with its cause above.
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
        // Of the state.
        case fields = 16
        case adds = 17
        case rows = 18
        case schema = 19
        case named = 20
        case leaf = 21
        case defaults = 22
    }

    static let causeShift: UInt8 = 5

    var bytes = ByteWriter()

    mutating func begin(_ tag: Tag, _ cause: ChangeCause = .edit) {
        bytes.u8(tag.rawValue | cause.rawValue << Self.causeShift)
    }

    mutating func object(_ table: Int, _ key: Int64) {
        bytes.varint(UInt64(table))
        bytes.signed(key)
    }

    mutating func property(_ column: Column, _ key: ObjectKey) {
        object(column.tableID, key.raw)
        bytes.varint(UInt64(column.id))
    }

    /// A leaf as it is stored, for the objects whose slots in it begin at `slot`.
    mutating func leaf(
        _ column: Column,
        _ keys: ArraySlice<ObjectKey>,
        slot: Int,
        _ leaf: UnsafeRawBufferPointer
    ) {
        begin(.leaf)
        property(column, keys.first!)
        bytes.varint(UInt64(keys.count))
        bytes.varint(UInt64(slot))
        bytes.prefixed(leaf)
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

    mutating func edit(_ property: JournalProperty, _ edit: CollectionEdit, _ cause: ChangeCause) {
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
        case .nested(let edit):
            begin(.nested)
            nested(edit)
        }
    }

    private mutating func nested(_ edit: NestedEdit) {
        switch edit.place {
        case .property: bytes.u8(0)
        case .element(let i):
            bytes.u8(1)
            bytes.varint(UInt64(i))
        case .entry(let name):
            bytes.u8(2)
            bytes.string(name)
        }
        bytes.varint(UInt64(edit.path.count))
        for step in edit.path {
            switch step {
            case .element(let i):
                bytes.u8(1)
                bytes.varint(UInt64(i))
            case .entry(let name):
                bytes.u8(2)
                bytes.string(name)
            }
        }
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
