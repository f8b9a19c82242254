#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import FreeholdEngine

/// The limits of trees in files that Realm wrote.
enum TreeLimits {
    /// The number of values of a leaf of a collection, or of objects of a leaf of a table.
    static let leafCount = 1_024
    /// The number of columns, whose position has 16 bits.
    static let columns = 65_536
    /// The levels of a tree. A key has 63 bits, of which a level uses two or eight.
    static let depth = 40
    /// The levels of a collection's tree, whose nodes have up to 1,000 children.
    static let collectionDepth = 24
    /// The levels of nested collections.
    static let nesting = 100
    /// The number of bytes of values after which a leaf is read in parts.
    static let partBytes = 4 << 20
}

extension FileNodes {
    /// Reads a leaf of mixed values. It contains a number for each value, with its type and either the value or its
    /// position.
    ///
    /// - Returns: The result of `read`.
    func readMixed(
        _ ref: UInt64,
        depth: Int,
        expected: Int?,
        from first: Int = 0,
        into values: inout [Value]
    ) throws(RealmFileError) -> Int? {
        let leaf =
            if first == 0 { try MixedLeaf(ref, self) } else {
                try uncounted { () throws(RealmFileError) in try MixedLeaf(ref, self) }
            }
        let (node, numbers, pairs, strings, refs) = (leaf.node, leaf.numbers, leaf.pairs, leaf.strings, leaf.refs)
        let codes = leaf.codes
        let n = try count(codes.count, expected, at: node.offset)

        func number(_ i: Int64) throws(RealmFileError) -> Int64 {
            guard let numbers, i >= 0, i < numbers.count else {
                throw .damaged("a mixed value's number is missing", at: node.offset)
            }
            return numbers.int(Int(i))
        }
        func pair(_ i: Int64) throws(RealmFileError) -> (Int64, Int64) {
            guard let pairs, i >= 0, i < pairs.count / 2 else {
                throw .damaged("a mixed value's numbers are missing", at: node.offset)
            }
            return (pairs.int(2 * Int(i)), pairs.int(2 * Int(i) + 1))
        }
        var size = 0
        func bytes(_ i: Int64, count: Int? = nil) throws(RealmFileError) -> UnsafeRawBufferPointer {
            guard let strings, i >= 0, i < strings.count, let bytes = try self.bytes(strings, Int(i), isText: true),
                count == nil || bytes.count == count
            else {
                // An empty value is stored as null.
                if count == nil, let strings, i >= 0, i < strings.count {
                    return UnsafeRawBufferPointer(start: node.data, count: 0)
                }
                throw .damaged("a mixed value's bytes are missing", at: node.offset)
            }
            return bytes
        }
        func nested(_ i: Int64) throws(RealmFileError) -> UInt64? {
            guard let refs, i >= 0, i < refs.count else {
                throw .damaged("a mixed value's collection is missing", at: node.offset)
            }
            return refs.ref(Int(i))
        }

        for i in first..<n {
            if size > TreeLimits.partBytes { return i }
            size += MemoryLayout<Value>.stride
            let code = codes.int(i)
            if code == 0 {
                values.append(.null)
                continue
            }
            let (type, isElsewhere, rest) = (Int(code & 31) - 1, code >> 5 & 7 != 0, code >> 8)
            switch type {
            case 0: values.append(.int(isElsewhere ? try number(rest) : rest))
            case 1: values.append(.bool(rest != 0))
            case 2:
                let bytes = try bytes(rest)
                size += bytes.count
                values.append(.string(string(bytes)))
            case 4:
                if let strings, rest >= 0, rest < strings.count, let parts = try parts(strings, Int(rest)) {
                    size += parts.count
                    values.append(.data(Data(parts)))
                    continue
                }
                let bytes = try bytes(rest)
                size += bytes.count
                values.append(.data(Data(bytes)))
            case 8:
                let (seconds, nanoseconds) = try pair(rest)
                values.append(.timestamp(try timestamp(seconds: seconds, nanoseconds: nanoseconds, at: node.offset)))
            case 9: values.append(.float(Float(bitPattern: UInt32(truncatingIfNeeded: try number(rest)))))
            case 10: values.append(.double(Double(bitPattern: UInt64(bitPattern: try number(rest)))))
            case 11:
                let (lo, hi) = try pair(rest)
                values.append(Self.decimal(lo: UInt64(bitPattern: lo), hi: UInt64(bitPattern: hi)))
            case 12:
                let key = isElsewhere ? try number(rest) : rest
                values.append(key >= 0 ? .link(ObjectKey(key)) : .null)
            case 15: values.append(.objectId(ObjectId(bytes: try bytes(rest, count: 12))))
            case 16:
                let (table, key) = try pair(rest)
                values.append(typedLink(table: table, key: key))
            case 17: values.append(.uuid(uuid(try bytes(rest, count: 16))))
            case 19, 20:
                let before = budget
                values.append(.list(NestedList(try nestedList(try nested(rest), depth: depth + 1))))
                size += before - budget
            case 21:
                let before = budget
                let entries = try dictionary(try nested(rest), depth: depth + 1, isOld: false)
                values.append(.dictionary(NestedDictionary(entries.map { .init($0.key, $0.value) })))
                size += before - budget
            default: throw .damaged("a mixed value has the unknown type \(type)", at: node.offset)
            }
        }
        return nil
    }

    private func nestedList(_ ref: UInt64?, depth: Int) throws(RealmFileError) -> [Value] {
        guard let ref else { return [] }
        try checkNesting(depth, at: ref)
        var values: [Value] = []
        try forEachLeaf(ref) { (leaf) throws(RealmFileError) in
            var next: Int? = 0
            while let first = next {
                next = try readMixed(leaf, depth: depth, expected: nil, from: first, into: &values)
            }
        }
        return values
    }

    /// The arrays of a leaf of mixed values.
    private struct MixedLeaf {
        let node: Node
        let codes: Node
        var numbers: Node?
        var pairs: Node?
        var strings: ByteLeaf?
        var refs: Node?

        init(_ ref: UInt64, _ nodes: FileNodes) throws(RealmFileError) {
            node = try nodes.refs(ref)
            guard let codesRef = node.ref(0) else {
                throw .damaged("a leaf of mixed values has no types", at: node.offset)
            }
            codes = try nodes.ints(codesRef)
            if let ref = node.ref(1) { numbers = try nodes.ints(ref) }
            if let ref = node.ref(2) { pairs = try nodes.ints(ref) }
            if let ref = node.ref(3) { strings = try nodes.byteLeaf(ref, isText: true) { () in nil } }
            if let ref = node.ref(4) { refs = try nodes.refs(ref) }
        }
    }

    func checkNesting(_ depth: Int, at ref: UInt64) throws(RealmFileError) {
        guard depth <= TreeLimits.nesting else {
            throw .damaged("collections are nested over \(TreeLimits.nesting) levels", at: Int(clamping: ref))
        }
    }
}
