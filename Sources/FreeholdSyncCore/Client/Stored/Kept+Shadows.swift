/// Objects with pending work in the form that a client's file stores.
extension SlotID: Kept {
    func write(to bytes: inout [UInt8]) {
        isOwn.write(to: &bytes)
        number.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let isOwn = try Bool(from: &reader)
        self.init(isOwn: isOwn, number: try UInt64(from: &reader))
    }
}

extension SlotRun: Kept {
    func write(to bytes: inout [UInt8]) {
        first.write(to: &bytes)
        count.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let first = try SlotID(from: &reader)
        let count = try Int(from: &reader)
        guard count >= 0, first.number.addingReportingOverflow(UInt64(count)).overflow == false else {
            throw reader.cursor.error(.invalidNumber, "\(count) isn't a length of a run")
        }
        self.init(first: first, count: count)
    }
}

extension ClientList.Slot: Kept {
    func write(to bytes: inout [UInt8]) {
        // Most elements weren't moved and are alive.
        let isMoved = element != id
        bytes.append((isMoved ? 1 : 0) | (node == nil ? 2 : 0))
        id.write(to: &bytes)
        if isMoved { element.write(to: &bytes) }
        node?.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let head = try reader.kind()
        guard head < 4 else { throw reader.unknown(head) }
        let id = try SlotID(from: &reader)
        let element = head & 1 != 0 ? try SlotID(from: &reader) : id
        self.init(id: id, element: element, node: head & 2 != 0 ? nil : try ClientNode(from: &reader))
    }
}

extension ClientList: Kept {
    func write(to bytes: inout [UInt8]) {
        slots.write(to: &bytes)
        nextNumber.write(to: &bytes)
        names.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self.init()
        slots = try SlotSequence(from: &reader)
        nextNumber = try UInt64(from: &reader)
        names = try [StreamVersion: [SlotRun]](from: &reader)
        // New elements get numbers after these.
        let greatest = slots.lazy.filter { !$0.id.isOwn }.map(\.id.number).max() ?? 0
        guard greatest <= nextNumber, nextNumber < .max else {
            throw reader.cursor.error(.inconsistent, "A list has elements that it doesn't count")
        }
    }
}

extension ClientInstance: Kept {
    func write(to bytes: inout [UInt8]) {
        number.write(to: &bytes)
        since.write(to: &bytes)
        fields.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let number = try OwnNumber?(from: &reader)
        let since = try StreamVersion(from: &reader)
        self.init(number: number, since: since, fields: try ClientFields(from: &reader))
    }
}

extension ClientNode: Kept {
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .value(let value):
            bytes.append(0)
            value.write(to: &bytes)
        case .instance(let instance):
            bytes.append(1)
            instance.write(to: &bytes)
        case .list(let list):
            bytes.append(2)
            list.write(to: &bytes)
        case .set(let elements):
            bytes.append(3)
            elements.write(to: &bytes)
        case .dictionary(let entries):
            bytes.append(4)
            entries.write(to: &bytes)
        }
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        self = try reader.nested { reader throws(CodecError) in
            let kind = try reader.kind()
            return switch kind {
            case 0: .value(try SyncValue(from: &reader))
            case 1: .instance(try ClientInstance(from: &reader))
            case 2: .list(try ClientList(from: &reader))
            case 3: .set(try [SetElement: SyncValue](from: &reader))
            case 4: .dictionary(try ClientFields(from: &reader))
            default: throw reader.unknown(kind)
            }
        }
    }
}

extension TakenKeys: Kept {
    func write(to bytes: inout [UInt8]) {
        elements.write(to: &bytes)
        keys.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let elements = try Set<SetElement>(from: &reader)
        self.init(elements: elements, keys: try Set<SyncString>(from: &reader))
    }
}

extension PendingChange: Kept {
    func write(to bytes: inout [UInt8]) {
        commit.write(to: &bytes)
        index.write(to: &bytes)
        change.write(to: &bytes)
        seen.write(to: &bytes)
        taken.write(to: &bytes)
        version.write(to: &bytes)
        isBeforeErasure.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let commit = try UInt64(from: &reader)
        let index = try Int(from: &reader)
        let change = try Change(from: &reader)
        let seen = try StreamVersion?(from: &reader)
        let taken = try TakenKeys(from: &reader)
        self.init(
            commit: commit,
            index: index,
            change: change,
            seen: seen,
            taken: taken,
            version: try StreamVersion?(from: &reader),
            isBeforeErasure: try Bool(from: &reader)
        )
    }
}
