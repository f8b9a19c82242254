/// Changes and edits in the form that a client's file stores.
extension Clock: Kept {
    func write(to bytes: inout [UInt8]) { rawValue.write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) { self.init(rawValue: try UInt64(from: &reader)) }
}

extension ElementReference: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .confirmed(let index):
            bytes.append(0)
            index.write(to: &bytes)
        case .own(let number):
            bytes.append(1)
            number.write(to: &bytes)
        case .made(let made):
            bytes.append(2)
            made.version.write(to: &bytes)
            made.number.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        switch kind {
        case 0: self = .confirmed(try Int(from: &reader))
        case 1: self = .own(try OwnNumber(from: &reader))
        case 2:
            let version = try StreamVersion(from: &reader)
            self = .made(Made(version: version, number: try OwnNumber(from: &reader)))
        default: throw reader.unknown(kind)
        }
    }
}

extension InstanceReference: Kept {
    func write(to bytes: inout [UInt8]) {
        let number: OwnNumber? = if case .own(let number) = self { number } else { nil }
        number.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = try OwnNumber?(from: &reader).map { .own($0) } ?? .confirmed
    }
}

extension Gap: Kept {
    func write(to bytes: inout [UInt8]) {
        after.write(to: &bytes)
        before.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let after = try ElementReference?(from: &reader)
        self.init(after: after, before: try ElementReference?(from: &reader))
    }
}

extension Place.Step: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .property(let name):
            bytes.append(0)
            name.write(to: &bytes)
        case .element(let reference):
            bytes.append(1)
            reference.write(to: &bytes)
        case .entry(let key):
            bytes.append(2)
            key.write(to: &bytes)
        case .instance(let reference):
            bytes.append(3)
            reference.write(to: &bytes)
        case .nested(let key):
            bytes.append(4)
            key.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        switch kind {
        case 0: self = .property(try SyncString(from: &reader))
        case 1: self = .element(try ElementReference(from: &reader))
        case 2: self = .entry(try SyncString(from: &reader))
        case 3: self = .instance(try InstanceReference(from: &reader))
        case 4: self = .nested(try SyncString(from: &reader))
        default: throw reader.unknown(kind)
        }
    }
}

extension Place: Kept {
    func write(to bytes: inout [UInt8]) {
        object.write(to: &bytes)
        path.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let object = try ObjectName(from: &reader)
        self.init(object, try [Step](from: &reader))
    }
}

extension LocalPlace.Step: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .property(let name):
            bytes.append(0)
            name.write(to: &bytes)
        case .element(let index):
            bytes.append(1)
            index.write(to: &bytes)
        case .entry(let key):
            bytes.append(2)
            key.write(to: &bytes)
        case .nested(let key):
            bytes.append(4)
            key.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        switch kind {
        case 0: self = .property(try SyncString(from: &reader))
        case 1: self = .element(try Int(from: &reader))
        case 2: self = .entry(try SyncString(from: &reader))
        case 4: self = .nested(try SyncString(from: &reader))
        default: throw reader.unknown(kind)
        }
    }
}

extension LocalPlace: Kept {
    func write(to bytes: inout [UInt8]) {
        object.write(to: &bytes)
        path.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let object = try ObjectName(from: &reader)
        self.init(object, try [Step](from: &reader))
    }
}

extension Origin: Kept {
    func write(to bytes: inout [UInt8]) { (self == .byDefault).write(to: &bytes) }
    init(from reader: inout KeptReader) throws(CodecError) { self = try Bool(from: &reader) ? .byDefault : .real }
}

extension DeletionCause: Kept {
    func write(to bytes: inout [UInt8]) {
        let name: ObjectName? = if case .cascade(let name) = self { name } else { nil }
        name.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = try ObjectName?(from: &reader).map { .cascade(of: $0) } ?? .edit
    }
}

extension NewContent: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .value(let value):
            bytes.append(0)
            value.write(to: &bytes)
        case .list(let first, let values):
            bytes.append(1)
            first.write(to: &bytes)
            values.write(to: &bytes)
        case .set(let values):
            bytes.append(2)
            values.write(to: &bytes)
        case .dictionary(let value):
            // An entry can be an embedded object.
            bytes.append(3)
            bytes.appendVarint(value.entries.count)
            for entry in value.entries {
                entry.key.write(to: &bytes)
                entry.value.write(to: &bytes)
            }
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        switch kind {
        case 0: self = .value(try SyncValue(from: &reader))
        case 1:
            let first = try OwnNumber(from: &reader)
            self = .list(first: first, try [SyncValue](from: &reader))
        case 2: self = .set(try [SyncValue](from: &reader))
        case 3: self = .dictionary(try reader.entries())
        default: throw reader.unknown(kind)
        }
    }
}

extension KeptReader {
    mutating func entries() throws(CodecError) -> SyncDictionary {
        var entries: [(key: SyncString, value: SyncValue)] = []
        for _ in 0..<(try cursor.count()) {
            let key = try SyncString(from: &self)
            entries.append((key: key, value: try SyncValue(from: &self)))
        }
        return SyncDictionary(entries)
    }
}

extension NewField: Kept {
    func write(to bytes: inout [UInt8]) {
        name.write(to: &bytes)
        content.write(to: &bytes)
        origin.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let name = try SyncString(from: &reader)
        let content = try NewContent(from: &reader)
        self.init(name, content, try Origin(from: &reader))
    }
}

extension Change: Kept {
    func write(to bytes: inout [UInt8]) {
        func put(_ kind: UInt8, _ parts: any Kept...) {
            bytes.append(kind)
            for part in parts { part.write(to: &bytes) }
        }
        switch self {
        case .create(let name, let fields): put(0, name, fields)
        case .delete(let name, let cause): put(1, name, cause)
        case .set(let place, let value, let origin): put(2, place, value, origin)
        case .increment(let place, let number): put(3, place, number)
        case .insert(let place, let gap, let first, let values): put(4, place, gap, first, values)
        case .remove(let place, let references): put(5, place, references)
        case .move(let place, let reference, let gap, let number): put(6, place, reference, gap, number)
        case .clearList(let place, let hidden): put(7, place, hidden)
        case .assignList(let place, let hidden, let gap, let first, let values):
            put(8, place, hidden, gap, first, values)
        case .insertIntoSet(let place, let values): put(9, place, values)
        case .removeFromSet(let place, let values): put(10, place, values)
        case .clearSet(let place, let hidden): put(11, place, hidden)
        case .assignSet(let place, let hidden, let values): put(12, place, hidden, values)
        case .removeEntry(let place): put(13, place)
        case .clearDictionary(let place, let hidden): put(14, place, hidden)
        case .assignDictionary(let place, let hidden, let value):
            put(15, place, hidden, NewContent.dictionary(value))
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        if kind < 2 {
            let name = try ObjectName(from: &reader)
            self =
                kind == 0
                ? .create(name, try [NewField](from: &reader)) : .delete(name, try DeletionCause(from: &reader))
            return
        }
        let place = try Place(from: &reader)
        switch kind {
        case 2:
            let value = try SyncValue(from: &reader)
            self = .set(place, value, try Origin(from: &reader))
        case 3: self = .increment(place, try Int64(from: &reader))
        case 4:
            let gap = try Gap(from: &reader)
            let first = try OwnNumber(from: &reader)
            self = .insert(place, gap, first: first, try [SyncValue](from: &reader))
        case 5: self = .remove(place, try [ElementReference](from: &reader))
        case 6:
            let reference = try ElementReference(from: &reader)
            let gap = try Gap(from: &reader)
            self = .move(place, reference, gap, number: try OwnNumber(from: &reader))
        case 7: self = .clearList(place, hidden: try [ElementReference](from: &reader))
        case 8:
            let hidden = try [ElementReference](from: &reader)
            let gap = try Gap(from: &reader)
            let first = try OwnNumber(from: &reader)
            self = .assignList(place, hidden: hidden, gap, first: first, try [SyncValue](from: &reader))
        case 9: self = .insertIntoSet(place, try [SyncValue](from: &reader))
        case 10: self = .removeFromSet(place, try [SyncValue](from: &reader))
        case 11: self = .clearSet(place, hidden: try [SyncValue](from: &reader))
        case 12:
            let hidden = try [SyncValue](from: &reader)
            self = .assignSet(place, hidden: hidden, try [SyncValue](from: &reader))
        case 13: self = .removeEntry(place)
        case 14: self = .clearDictionary(place, hidden: try [SyncString](from: &reader))
        case 15:
            let hidden = try [SyncString](from: &reader)
            guard case .dictionary(let value) = try NewContent(from: &reader) else { throw reader.unknown(kind) }
            self = .assignDictionary(place, hidden: hidden, value)
        default: throw reader.unknown(kind)
        }
    }
}

extension LocalEdit: Kept {
    func write(to bytes: inout [UInt8]) {
        func put(_ kind: UInt8, _ parts: any Kept...) {
            bytes.append(kind)
            for part in parts { part.write(to: &bytes) }
        }
        switch self {
        case .create(let name, let contents, let defaults): put(0, name, contents, defaults)
        case .delete(let name, let cause): put(1, name, cause)
        case .set(let place, let content, let origin): put(2, place, content, origin)
        case .increment(let place, let number): put(3, place, number)
        case .insert(let place, let index, let contents): put(4, place, index, contents)
        case .remove(let place, let index, let count): put(5, place, index, count)
        case .move(let place, let from, let to): put(6, place, from, to)
        case .clearList(let place, let hidden): put(7, place, hidden)
        case .assignList(let place, let hidden, let index, let contents): put(8, place, hidden, index, contents)
        case .insertIntoSet(let place, let values): put(9, place, values)
        case .removeFromSet(let place, let values): put(10, place, values)
        case .clearSet(let place, let hidden): put(11, place, hidden)
        case .assignSet(let place, let hidden, let values): put(12, place, hidden, values)
        case .removeEntry(let place): put(13, place)
        case .clearDictionary(let place, let hidden): put(14, place, hidden)
        case .assignDictionary(let place, let hidden, let entries): put(15, place, hidden, entries)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let kind = try reader.kind()
        if kind < 2 {
            let name = try ObjectName(from: &reader)
            if kind == 1 {
                self = .delete(name, try DeletionCause(from: &reader))
            } else {
                let contents = try [SyncString: MergedContent](from: &reader)
                self = .create(name, contents, defaults: try Set<SyncString>(from: &reader))
            }
            return
        }
        let place = try LocalPlace(from: &reader)
        switch kind {
        case 2:
            let content = try MergedContent(from: &reader)
            self = .set(place, content, try Origin(from: &reader))
        case 3: self = .increment(place, try Int64(from: &reader))
        case 4:
            let index = try Int(from: &reader)
            self = .insert(place, at: index, try [MergedContent](from: &reader))
        case 5:
            let index = try Int(from: &reader)
            self = .remove(place, at: index, count: try Int(from: &reader))
        case 6:
            let from = try Int(from: &reader)
            self = .move(place, from: from, to: try Int(from: &reader))
        case 7: self = .clearList(place, hidden: try [Int](from: &reader))
        case 8:
            let hidden = try [Int](from: &reader)
            let index = try Int(from: &reader)
            self = .assignList(place, hidden: hidden, at: index, try [MergedContent](from: &reader))
        case 9: self = .insertIntoSet(place, try [SyncValue](from: &reader))
        case 10: self = .removeFromSet(place, try [SyncValue](from: &reader))
        case 11: self = .clearSet(place, hidden: try [SyncValue](from: &reader))
        case 12:
            let hidden = try [SyncValue](from: &reader)
            self = .assignSet(place, hidden: hidden, try [SyncValue](from: &reader))
        case 13: self = .removeEntry(place)
        case 14: self = .clearDictionary(place, hidden: try [SyncString](from: &reader))
        case 15:
            let hidden = try [SyncString](from: &reader)
            self = .assignDictionary(place, hidden: hidden, try [SyncString: MergedContent](from: &reader))
        default: throw reader.unknown(kind)
        }
    }
}
