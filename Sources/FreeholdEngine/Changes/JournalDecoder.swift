/// A decoder of the bytes that `JournalWriter` writes. For damaged bytes, its functions return false and never trap. The callbacks before that are
/// correct.
enum JournalDecoder {
    private typealias Tag = JournalWriter.Tag

    private static func begin(_ r: inout ByteReader) -> (tag: Tag, cause: ChangeCause)? {
        guard let byte = r.u8(), let tag = Tag(rawValue: byte & 31),
            let cause = ChangeCause(rawValue: byte >> JournalWriter.causeShift)
        else { return nil }
        return (tag, cause)
    }

    private static func object(_ r: inout ByteReader) -> JournalObject? {
        guard let table = r.number(), let key = r.signed(), key >= 0 else { return nil }
        return JournalObject(tableID: table, key: ObjectKey(key))
    }

    private static func property(_ r: inout ByteReader) -> JournalProperty? {
        guard let object = object(&r), let column = r.number() else { return nil }
        return JournalProperty(object, column: column)
    }

    private static func values(_ r: inout ByteReader) -> [Value]? {
        guard let count = r.number() else { return nil }
        var out: [Value] = []
        for _ in 0..<count {
            guard let value = JournalCoding.read(&r) else { return nil }
            out.append(value)
        }
        return out
    }

    private static func entries(_ r: inout ByteReader) -> [NestedDictionary.Entry]? {
        guard let count = r.number() else { return nil }
        var out: [NestedDictionary.Entry] = []
        for _ in 0..<count {
            guard let name = r.string(), let value = JournalCoding.read(&r) else { return nil }
            out.append(NestedDictionary.Entry(name, value))
        }
        return out
    }

    static func log(_ bytes: UnsafeRawBufferPointer, _ body: (JournalChange) -> Void) -> Bool {
        var r = ByteReader(bytes)
        while !r.isAtEnd {
            guard let (tag, cause) = begin(&r) else { return false }
            switch tag {
            case .made:
                guard let first = object(&r), let count = r.number() else { return false }
                body(.made(table: first.tableID, first: first.key, count: count))
            case .gone:
                guard let object = object(&r), let key = optional(&r) else { return false }
                body(.gone(object, primaryKey: key.value, cause: cause))
            case .exact: body(.exact)
            case .more:
                guard let change = more(&r, cause) else { return false }
                body(change)
            case .called:
                guard let change = called(&r) else { return false }
                body(change)
            case .unshown:
                guard let property = property(&r), let links = unshown(&r) else { return false }
                body(.unshown(property, links))
            default:
                guard let property = property(&r), let edit = edit(&r, tag) else { return false }
                body(.edited(property, edit, cause: cause))
            }
        }
        return true
    }

    private static func more(_ r: inout ByteReader, _ cause: ChangeCause) -> JournalChange? {
        switch r.u8().flatMap(JournalWriter.More.init) {
        case .identity: return r.fixed(UInt64.self).map { .identity($0) }
        case .assign:
            guard let property = property(&r), let form = r.u8(), let content = content(&r, form) else { return nil }
            return .edited(property, .assign(content), cause: cause)
        case nil: return nil
        }
    }

    private static func edit(_ r: inout ByteReader, _ tag: Tag) -> CollectionEdit? {
        switch tag {
        case .insert:
            guard let at = r.number(), let values = values(&r) else { return nil }
            return .insert(at: at, values)
        case .remove:
            guard let at = r.number(), let count = r.number() else { return nil }
            return .remove(at: at, count: count)
        case .set:
            guard let at = r.number(), let value = JournalCoding.read(&r) else { return nil }
            return .set(at: at, value)
        case .move:
            guard let from = r.number(), let to = r.number() else { return nil }
            return .move(from: from, to: to)
        case .clear: return .clear
        case .add:
            guard let at = r.number(), let delta = r.signed() else { return nil }
            return .add(at: at, delta)
        case .insertValue: return JournalCoding.read(&r).map { .insertValue($0) }
        case .removeValue: return JournalCoding.read(&r).map { .removeValue($0) }
        case .setEntry:
            guard let name = r.string(), let value = JournalCoding.read(&r) else { return nil }
            return .setEntry(name, value)
        case .removeEntry: return r.string().map { .removeEntry($0) }
        case .addToEntry:
            guard let name = r.string(), let delta = r.signed() else { return nil }
            return .addToEntry(name, delta)
        case .nested: return nested(&r).map { .nested($0) }
        default: return nil
        }
    }

    private static func place(_ r: inout ByteReader) -> NestedSubscript? {
        switch r.u8() {
        case 0: .property
        case 1: r.number().map { .element($0) }
        case 2: r.string().map { .entry($0) }
        default: nil
        }
    }

    private static func path(_ r: inout ByteReader) -> [NestedEdit.Step]? {
        guard let count = r.number() else { return nil }
        var path: [NestedEdit.Step] = []
        for _ in 0..<count {
            switch r.u8() {
            case 1:
                guard let i = r.number() else { return nil }
                path.append(.element(i))
            case 2:
                guard let name = r.string() else { return nil }
                path.append(.entry(name))
            default: return nil
            }
        }
        return path
    }

    private static func unshown(_ r: inout ByteReader) -> [UnshownLink]? {
        guard let count = r.number() else { return nil }
        var links: [UnshownLink] = []
        for _ in 0..<count {
            guard let place = place(&r), let path = path(&r), let table = r.number(),
                let primaryKey = JournalCoding.read(&r)
            else { return nil }
            links.append(UnshownLink(place: place, path: path, table: table, primaryKey: primaryKey))
        }
        return links
    }

    private static func nested(_ r: inout ByteReader) -> NestedEdit? {
        guard let place = place(&r), let path = path(&r) else { return nil }
        switch r.u8() {
        case 1: return values(&r).map { NestedEdit(place: place, path: path, change: .list($0)) }
        case 2:
            guard let set = entries(&r), let gone = r.number() else { return nil }
            var removed: [String] = []
            for _ in 0..<gone {
                guard let name = r.string() else { return nil }
                removed.append(name)
            }
            return NestedEdit(place: place, path: path, change: .entries(set, removed: removed))
        default: return nil
        }
    }

    static func state(_ bytes: UnsafeRawBufferPointer, _ body: (JournalChange) -> Void) -> Bool {
        var r = ByteReader(bytes)
        while !r.isAtEnd {
            guard let (tag, cause) = begin(&r) else { return false }
            switch tag {
            case .fields, .rows, .names:
                guard cells(&r, { if let change = said(tag, cause, property: $0, content: $1) { body(change) } }) else {
                    return false
                }
            case .leavesOfFields, .leavesOfRows, .leavesOfNames:
                guard leaf(&r, { if let change = said(tag, cause, property: $0, content: .value($1)) { body(change) } })
                else {
                    return false
                }
            case .adds:
                guard let property = property(&r), let delta = r.signed() else { return false }
                body(.added(property, delta))
            case .defaults:
                guard let first = property(&r), let count = r.number(),
                    !first.object.key.raw.addingReportingOverflow(Int64(count)).overflow
                else { return false }
                body(.defaults(first, count: count))
            case .schema:
                guard let length = r.number(), let raw = r.raw(length), let schema = DatabaseSchema.decode(raw) else {
                    return false
                }
                body(.schema(schema))
            case .owned:
                guard let object = object(&r), let owner = property(&r) else { return false }
                body(.named(object, .owner(owner)))
            case .placed:
                guard let object = object(&r), let place = place(&r) else { return false }
                body(.placed(object, place))
            case .image:
                guard let object = object(&r), let key = optional(&r) else { return false }
                body(.image(object, primaryKey: key.value))
            case .before:
                guard let property = property(&r), let form = r.u8(), let content = content(&r, form) else {
                    return false
                }
                body(.before(property, content))
            case .called:
                guard let change = called(&r) else { return false }
                body(change)
            default: return false
            }
        }
        return true
    }

    private static func content(_ r: inout ByteReader, _ form: UInt8) -> JournalContent? {
        switch form {
        case 0: JournalCoding.read(&r).map { .value($0) }
        case 1: values(&r).map { .values($0) }
        case 2: entries(&r).map { .entries($0) }
        default: nil
        }
    }

    /// Returns `nil` if the bytes are damaged.
    private static func optional(_ r: inout ByteReader) -> (value: Value?, Void)? {
        switch r.u8() {
        case 0: (nil, ())
        case 1: JournalCoding.read(&r).map { ($0, ()) }
        default: nil
        }
    }

    private static func called(_ r: inout ByteReader) -> JournalChange? {
        guard let table = r.number(), let key = r.signed(), let value = JournalCoding.read(&r) else { return nil }
        return .named(JournalObject(tableID: table, key: ObjectKey(key)), .primaryKey(value))
    }

    /// Returns the change that a column's content of an object stands for.
    private static func said(
        _ tag: Tag,
        _ cause: ChangeCause,
        property: JournalProperty,
        content: JournalContent
    ) -> JournalChange? {
        switch (tag, content) {
        case (.rows, _), (.leavesOfRows, _): .row(property, content)
        case (.names, .value(let value)), (.leavesOfNames, .value(let value)):
            .named(property.object, .primaryKey(value))
        case (_, .value(let value)): .set(property, value, cause: cause)
        default: nil
        }
    }

    /// Reads a column's contents for objects in ascending order.
    private static func cells(_ r: inout ByteReader, _ body: (JournalProperty, JournalContent) -> Void) -> Bool {
        guard let first = object(&r), let column = r.number(), let count = r.number(), let form = r.u8(),
            count <= r.remaining
        else { return false }
        var gaps: [Int64] = []
        if form & JournalWriter.gaps != 0 {
            for _ in 1..<max(1, count) {
                guard let gap = r.number().flatMap({ Int64(exactly: $0) }) else { return false }
                gaps.append(gap)
            }
        }
        var key = first.key.raw
        for i in 0..<count {
            if i > 0 {
                let next = key.addingReportingOverflow(gaps.isEmpty ? 1 : gaps[i - 1])
                let one = next.partialValue.addingReportingOverflow(gaps.isEmpty ? 0 : 1)
                guard !next.overflow, !one.overflow else { return false }
                key = one.partialValue
            }
            guard let content = content(&r, form & ~JournalWriter.gaps) else { return false }
            body(JournalProperty(JournalObject(tableID: first.tableID, key: ObjectKey(key)), column: column), content)
        }
        return true
    }

    /// Reads a stored leaf. Slots that the leaf doesn't contain have the default.
    private static func leaf(_ r: inout ByteReader, _ body: (JournalProperty, Value) -> Void) -> Bool {
        guard let first = object(&r), let column = r.number(), let count = r.number(), let slot = r.number(),
            let length = r.number(), let raw = r.raw(length), let codec = raw.first,
            let type = ColumnType(rawValue: codec), !first.key.raw.addingReportingOverflow(Int64(count)).overflow
        else { return false }
        // Leaves are read at addresses that are aligned to words.
        var words = [UInt64](repeating: 0, count: (raw.count + 7) / 8)
        return words.withUnsafeMutableBytes { words in
            words.copyBytes(from: raw)
            let bytes = UnsafeRawBufferPointer(rebasing: words[..<raw.count])
            guard Leaf.flaw(in: bytes, codec, limit: .max, isOptional: true) == nil else { return false }
            let leaf = Leaf(bytes.baseAddress!)
            guard !leaf.hasReferences, slot <= leaf.count else { return false }
            for i in 0..<min(count, leaf.count - slot) {
                let value = leaf.isNull(slot + i) ? .null : leaf.inlineValue(type, slot + i)
                if case .link(let key) = value, key.raw < 0 { return false }
                let object = JournalObject(tableID: first.tableID, key: ObjectKey(first.key.raw + Int64(i)))
                body(JournalProperty(object, column: column), value)
            }
            return true
        }
    }
}
