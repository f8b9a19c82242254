#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdEngine

/// The data of a column that is needed to read a leaf.
struct LeafForm: Sendable {
    var type: StoredType
    var isNullable: Bool
    /// A Boolean value that indicates whether links are stored unchanged, like in collections. Otherwise they are
    /// stored with an offset of one, and 0 stands for a missing link.
    var isElement = false
    /// The position of the column's list of different strings.
    var strings: UInt64?
}

extension FileNodes {
    /// Reads all values of a leaf, and appends them to `values`.
    ///
    /// - Parameter expected: The number of values, or nil if only the leaf contains it.
    func readWhole(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        into values: inout [Value]
    ) throws(RealmFileError) {
        var next: Int? = 0
        while let first = next { next = try read(ref, form, expected: expected, from: first, into: &values) }
    }

    /// Reads the values of a leaf from a position on, as long as they don't use much memory.
    ///
    /// - Parameter expected: See `readWhole`.
    /// - Returns: The position of the next part, or nil after the last value.
    func read(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        from first: Int = 0,
        into values: inout [Value]
    ) throws(RealmFileError) -> Int? {
        switch form.type {
        case .string, .data:
            return try readBytes(ref, form, expected: expected, from: first, into: &values)
        case .mixed:
            return try readMixed(ref, depth: 0, expected: expected, from: first, into: &values)
        case .timestamp:
            try readTimestamps(ref, expected: expected, into: &values)
        case .float, .double:
            try readFloats(ref, form, expected: expected, into: &values)
        case .decimal128:
            try readDecimals(ref, expected: expected, into: &values)
        case .objectId, .uuid:
            try readFixed(ref, form, expected: expected, into: &values)
        case .int, .bool, .link, .linkList, .backlink, .typedLink:
            try readInts(ref, form, expected: expected, into: &values)
        }
        return nil
    }

    /// - Returns: The number of values.
    @inline(__always)
    func count(_ count: Int, _ expected: Int?, at offset: Int) throws(RealmFileError) -> Int {
        guard let expected else {
            guard count <= TreeLimits.leafCount else { throw .damaged("a leaf has \(count) values", at: offset) }
            return count
        }
        guard count >= expected else {
            throw .damaged("a leaf has \(count) values for \(expected) objects", at: offset)
        }
        return expected
    }

    private func readInts(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        into values: inout [Value]
    ) throws(RealmFileError) {
        let node = try ints(ref)
        switch form.type {
        case .int where form.isNullable:
            // The first value represents null.
            let n = try count(max(0, node.count - 1), expected, at: node.offset)
            guard n > 0 else { return }
            let null = node.int(0)
            for i in 1...n {
                let value = node.int(i)
                values.append(value == null ? .null : .int(value))
            }
        case .int:
            for i in 0..<(try count(node.count, expected, at: node.offset)) { values.append(.int(node.int(i))) }
        case .bool:
            for i in 0..<(try count(node.count, expected, at: node.offset)) {
                switch node.int(i) {
                case 0: values.append(.bool(false))
                case 1: values.append(.bool(true))
                case 3 where form.isNullable: values.append(.null)
                default: throw .damaged("a truth value is neither", at: node.offset)
                }
            }
        case .typedLink:
            let n = try count(node.count / 2, expected, at: node.offset)
            for i in 0..<n { values.append(typedLink(table: node.int(2 * i) &- 1, key: node.int(2 * i + 1) &- 1)) }
        default:
            let shift: Int64 = form.isElement ? 0 : 1
            for i in 0..<(try count(node.count, expected, at: node.offset)) {
                let key = node.int(i) &- shift
                // A smaller number is the link to an object that has been deleted elsewhere.
                values.append(key >= 0 ? .link(ObjectKey(key)) : .null)
            }
        }
    }

    func typedLink(table: Int64, key: Int64) -> Value {
        guard table >= 0, table <= Int64(UInt32.max), key >= 0 else { return .null }
        return .objectLink(ObjectLink(tableID: Int(table), key: ObjectKey(key)))
    }

    private func readBytes(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        from first: Int,
        into values: inout [Value]
    ) throws(RealmFileError) -> Int? {
        let isText = form.type == .string
        func stored() throws(RealmFileError) -> ByteLeaf {
            try byteLeaf(ref, isText: isText) { () throws(RealmFileError) in
                if let ref = form.strings { try enumeratedStrings(ref) } else { nil }
            }
        }
        let leaf = if first == 0 { try stored() } else { try uncounted { () throws(RealmFileError) in try stored() } }
        let n = try count(leaf.count, expected, at: Int(clamping: ref))
        var size = 0
        if case .enumerated(let node, let strings) = leaf {
            for i in first..<n {
                if size > TreeLimits.partBytes { return i }
                let index = node.int(i)
                guard index >= 0, index < strings.count else {
                    throw .damaged("an enumerated string isn't in the list", at: node.offset)
                }
                let text = try string(strings, Int(index))
                size += text?.utf8.count ?? 0
                values.append(text.map { .string($0) } ?? (form.isNullable ? .null : .string("")))
            }
            return nil
        }
        for i in first..<n {
            if size > TreeLimits.partBytes { return i }
            if !isText, let parts = try parts(leaf, i) {
                size += parts.count
                values.append(.data(Data(parts)))
                continue
            }
            guard let bytes = try bytes(leaf, i, isText: isText) else {
                values.append(form.isNullable ? .null : isText ? .string("") : .data(Data()))
                continue
            }
            size += bytes.count
            values.append(isText ? .string(string(bytes)) : .data(Data(bytes)))
        }
        return nil
    }

    private func readTimestamps(
        _ ref: UInt64,
        expected: Int?,
        into values: inout [Value]
    ) throws(RealmFileError) {
        let node = try refs(ref)
        guard let secondsRef = node.ref(0), let nanosecondsRef = node.ref(1) else {
            throw .damaged("an array of dates isn't complete", at: node.offset)
        }
        let (seconds, nanoseconds) = (try ints(secondsRef), try ints(nanosecondsRef))
        let n = try count(max(0, seconds.count - 1), expected, at: node.offset)
        guard nanoseconds.count >= n else { throw .damaged("an array of dates lacks nanoseconds", at: node.offset) }
        guard n > 0 else { return }
        let null = seconds.int(0)
        for i in 0..<n {
            let second = seconds.int(i + 1)
            values.append(
                second == null
                    ? .null
                    : .timestamp(try timestamp(seconds: second, nanoseconds: nanoseconds.int(i), at: node.offset))
            )
        }
    }

    func timestamp(seconds: Int64, nanoseconds: Int64, at offset: Int) throws(RealmFileError) -> Timestamp {
        guard abs(nanoseconds.clamped) < 1_000_000_000 else {
            throw .damaged("a date has too many nanoseconds", at: offset)
        }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    private func readFloats(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        into values: inout [Value]
    ) throws(RealmFileError) {
        let node = try node(ref)
        let isFloat = form.type == .float
        let n = try count(node.count, expected, at: node.offset)
        guard n > 0 else { return }
        guard node.kind == .bytes, node.width == (isFloat ? 4 : 8) else {
            throw .damaged("an array of floating point numbers is none", at: node.offset)
        }
        if isFloat {
            for i in 0..<n {
                let bits = UInt32(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 4, as: UInt32.self))
                values.append(form.isNullable && bits == 0x7fc0_00aa ? .null : .float(Float(bitPattern: bits)))
            }
        } else {
            for i in 0..<n {
                let bits = UInt64(littleEndian: node.data.loadUnaligned(fromByteOffset: i * 8, as: UInt64.self))
                values.append(
                    form.isNullable && bits == 0x7ff8_0000_0000_00aa ? .null : .double(Double(bitPattern: bits))
                )
            }
        }
    }

    /// Reads blocks of eight values: a byte of null marks, then the bytes of the values.
    private func readFixed(
        _ ref: UInt64,
        _ form: LeafForm,
        expected: Int?,
        into values: inout [Value]
    ) throws(RealmFileError) {
        let node = try node(ref)
        let size = form.type == .uuid ? 16 : 12
        let block = 8 * size + 1
        guard !node.hasRefs, node.kind != .bits || node.byteCount == 0 else {
            throw .damaged("an array of ids is none", at: node.offset)
        }
        let rest = node.byteCount % block
        let n = try count(node.byteCount / block * 8 + max(0, rest - 1) / size, expected, at: node.offset)
        for i in 0..<n {
            let start = node.data + (i >> 3) * block
            if start.load(as: UInt8.self) >> UInt8(i & 7) & 1 == 1 {
                values.append(.null)
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: start + 1 + (i & 7) * size, count: size)
            values.append(form.type == .uuid ? .uuid(uuid(bytes)) : .objectId(ObjectId(bytes: bytes)))
        }
    }

    func uuid(_ bytes: UnsafeRawBufferPointer) -> UUID {
        UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Int64 {
    /// The number, without the smallest one, whose magnitude can't be represented.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
