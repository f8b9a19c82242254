import FreeholdEngine

/// A reader of a document from bytes. The reader is a loop with an explicit stack, so nesting doesn't use the stack of
/// the thread.
///
/// Each length is checked against the enclosing length before any data is read or allocated.
struct BSONReader {
    private let bytes: UnsafeRawBufferPointer
    private let limits: BSONLimits
    private let duplicateKeys: BSONDuplicateKeys
    private var position = 0
    private var container = Container(kind: .document, end: 0, level: 1)
    /// The containers around `container`, outermost first.
    private var parents: [Container] = []

    private struct Container {
        enum Kind {
            case document
            case array
            case scope(code: String)
        }

        let kind: Kind
        /// The position of the terminating zero.
        let end: Int
        let level: Int
        /// The key of the element that is being read.
        var key: String?
        var list = ElementList()
        var values: [BSONValue] = []

        init(kind: Kind, end: Int, level: Int) {
            self.kind = kind
            self.end = end
            self.level = level
        }

        var isArray: Bool { if case .array = kind { true } else { false } }

        mutating func reserveCapacity(_ count: Int) {
            if isArray { values.reserveCapacity(count) } else { list.reserveCapacity(count) }
        }
    }

    init(_ bytes: UnsafeRawBufferPointer, _ limits: BSONLimits, duplicateKeys: BSONDuplicateKeys) {
        self.bytes = bytes
        self.limits = limits
        self.duplicateKeys = duplicateKeys
    }

    mutating func readDocument() throws(BSONError) -> BSONDocument {
        guard bytes.count <= limits.size else {
            throw error(.tooLarge, "\(bytes.count) bytes are more than the limit of \(limits.size)", at: 0)
        }
        guard bytes.count >= 5 else {
            throw error(.truncated, "A document has at least 5 bytes, here are \(bytes.count)", at: 0)
        }
        let length = Int(integer(at: 0, as: Int32.self))
        guard length >= 5 else { throw error(.invalidLength, "A document can't have a length of \(length)", at: 0) }
        guard length <= bytes.count else {
            throw error(.truncated, "The document's length is \(length), here are \(bytes.count) bytes", at: 0)
        }
        guard length == bytes.count else {
            throw error(.trailingBytes, "\(bytes.count - length) bytes follow the document", at: length)
        }
        container = Container(kind: .document, end: length - 1, level: 1)
        position = 4
        while true {
            if position < container.end {
                try readElement()
            } else {
                guard bytes[position] == 0 else {
                    throw error(.missingTerminator, "The document doesn't end with a zero", at: position)
                }
                position += 1
                let closed = container
                guard let parent = parents.popLast() else { return BSONDocument(elements: closed.list.elements) }
                container = parent
                switch closed.kind {
                case .array: try add(.array(closed.values))
                case .document: try add(.document(BSONDocument(elements: closed.list.elements)))
                case .scope(let code):
                    let scope = BSONDocument(elements: closed.list.elements)
                    try add(.javaScriptWithScope(BSONCodeWithScope(code: code, scope: scope)))
                }
            }
        }
    }

    private mutating func add(_ value: BSONValue) throws(BSONError) {
        if container.isArray {
            container.values.append(value)
        } else if let key = container.key, !container.list.add(key, value, policy: duplicateKeys) {
            throw error(.duplicateKey, "The key '\(key.prefix(40))' stands twice in its document", at: position)
        }
    }

    private mutating func readElement() throws(BSONError) {
        let typePosition = position
        container.key = nil
        let type = bytes[position]
        position += 1
        guard type != 0 else {
            throw error(.invalidLength, "The document ends before its length of bytes", at: typePosition)
        }
        let key = try readCString("key")
        // The keys of an array's elements are ignored, like the specification requires.
        if !container.isArray { container.key = try text(key, "key") }
        switch type {
        case 0x01: try add(.double(Double(bitPattern: readInteger(UInt64.self))))
        case 0x02: try add(.string(readString()))
        case 0x03: try open(.document)
        case 0x04: try open(.array)
        case 0x05: try add(.binary(readBinary()))
        case 0x06: try add(.undefined)
        case 0x07: try add(.objectId(readObjectId()))
        case 0x08: try add(.bool(readBool()))
        case 0x09: try add(.datetime(BSONDateTime(milliseconds: readInteger(Int64.self))))
        case 0x0A: try add(.null)
        case 0x0B:
            let pattern = try text(readCString("pattern"), "pattern")
            try add(.regex(BSONRegex(pattern: pattern, options: text(readCString("options"), "options"))))
        case 0x0C: try add(.dbPointer(BSONDBPointer(reference: readString(), id: readObjectId())))
        case 0x0D: try add(.javaScript(readString()))
        case 0x0E: try add(.symbol(readString()))
        case 0x0F: try openScope()
        case 0x10: try add(.int32(readInteger(Int32.self)))
        case 0x11:
            let increment = try readInteger(UInt32.self)
            try add(.timestamp(BSONTimestamp(seconds: readInteger(UInt32.self), increment: increment)))
        case 0x12: try add(.int64(readInteger(Int64.self)))
        case 0x13:
            let low = try readInteger(UInt64.self)
            try add(.decimal128(Decimal128(lo: low, hi: readInteger(UInt64.self))))
        case 0x7F: try add(.maxKey)
        case 0xFF: try add(.minKey)
        default: throw error(.unknownType, "The byte \(type) stands for no type", at: typePosition)
        }
    }
}

// MARK: - Containers

extension BSONReader {
    private mutating func open(_ kind: Container.Kind) throws(BSONError) {
        let start = position
        let length = Int(try readInteger(Int32.self))
        guard length >= 5 else { throw error(.invalidLength, "A document can't have a length of \(length)", at: start) }
        guard length <= container.end - start else { throw tooLong(length, at: start) }
        try push(kind, end: start + length - 1, level: container.level + 1)
    }

    private mutating func openScope() throws(BSONError) {
        let start = position
        let length = Int(try readInteger(Int32.self))
        // Two lengths, an empty string and an empty document.
        guard length >= 14 else {
            throw error(.invalidLength, "JavaScript with a scope can't have a length of \(length)", at: start)
        }
        guard length <= container.end - start else { throw tooLong(length, at: start) }
        let end = start + length
        let code = try readString(end: end)
        let scopeStart = position
        guard end - scopeStart >= 5 else { throw error(.invalidLength, "No room for the scope", at: scopeStart) }
        let scopeLength = Int(try readInteger(Int32.self))
        guard scopeLength == end - scopeStart else {
            throw error(.invalidLength, "The scope's length is \(scopeLength), not \(end - scopeStart)", at: scopeStart)
        }
        try push(.scope(code: code), end: end - 1, level: container.level + 2)
    }

    private mutating func push(_ kind: Container.Kind, end: Int, level: Int) throws(BSONError) {
        guard level <= limits.depth else {
            throw error(.tooDeep, "The document is nested deeper than \(limits.depth)", at: position)
        }
        parents.append(container)
        container = Container(kind: kind, end: end, level: level)
        // This reduces the number of reallocations, without reserving much memory for a few bytes.
        if end - position >= 64 { container.reserveCapacity(8) }
    }
}

// MARK: - Scalars

extension BSONReader {
    private func integer<T: FixedWidthInteger>(at offset: Int, as type: T.Type) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    private mutating func readInteger<T: FixedWidthInteger>(_ type: T.Type) throws(BSONError) -> T {
        let size = MemoryLayout<T>.size
        try need(size)
        defer { position += size }
        return integer(at: position, as: T.self)
    }

    private func need(_ count: Int) throws(BSONError) {
        guard count <= container.end - position else {
            throw error(.truncated, "\(count) bytes are needed, \(container.end - position) remain", at: position)
        }
    }

    private mutating func readBool() throws(BSONError) -> Bool {
        try need(1)
        let byte = bytes[position]
        guard byte <= 1 else { throw error(.invalidBool, "A bool is 0 or 1, not \(byte)", at: position) }
        position += 1
        return byte == 1
    }

    private mutating func readObjectId() throws(BSONError) -> ObjectId {
        try need(ObjectId.byteCount)
        defer { position += ObjectId.byteCount }
        return ObjectId(bytes: UnsafeRawBufferPointer(rebasing: bytes[position...]))
    }

    /// Returns the bytes up to the next zero.
    private mutating func readCString(_ what: String) throws(BSONError) -> Range<Int> {
        let start = position
        var end = start
        while end < container.end && bytes[end] != 0 { end += 1 }
        guard end < container.end else { throw error(.missingTerminator, "The \(what) has no end", at: start) }
        position = end + 1
        return start..<end
    }

    private func text(_ range: Range<Int>, _ what: String) throws(BSONError) -> String {
        let slice = UnsafeRawBufferPointer(rebasing: bytes[range])
        guard let text = String(strict: slice.assumingMemoryBound(to: UInt8.self)) else {
            throw error(.invalidUTF8, "The \(what) isn't UTF-8", at: range.lowerBound)
        }
        return text
    }

    private mutating func readString() throws(BSONError) -> String { try readString(end: container.end) }

    /// Reads a string that ends before `end`.
    private mutating func readString(end: Int) throws(BSONError) -> String {
        let start = position
        let length = Int(try readInteger(Int32.self))
        guard length >= 1 else { throw error(.invalidLength, "A text can't have a length of \(length)", at: start) }
        guard length <= end - position else { throw tooLong(length, at: start) }
        let last = position + length - 1
        guard bytes[last] == 0 else { throw error(.missingTerminator, "The text doesn't end with a zero", at: last) }
        let value = try text(position..<last, "text")
        position = last + 1
        return value
    }

    private mutating func readBinary() throws(BSONError) -> BSONBinary {
        let start = position
        var length = Int(try readInteger(Int32.self))
        guard length >= 0 else { throw error(.invalidLength, "Bytes can't have a length of \(length)", at: start) }
        try need(1)
        let subtype = BSONBinary.Subtype(rawValue: bytes[position])
        position += 1
        guard length <= container.end - position else { throw tooLong(length, at: start) }
        if subtype == .old {
            let innerStart = position
            guard length >= 4 else { throw error(.invalidLength, "Old binary needs an inner length", at: start) }
            let inner = Int(try readInteger(Int32.self))
            guard inner == length - 4 else {
                throw error(.invalidLength, "The inner length is \(inner), not \(length - 4)", at: innerStart)
            }
            length = inner
        }
        defer { position += length }
        return BSONBinary(bytes: Array(bytes[position..<position + length]), subtype: subtype)
    }
}

// MARK: - Errors

extension BSONReader {
    private func tooLong(_ length: Int, at offset: Int) -> BSONError {
        error(.invalidLength, "A length of \(length) is more than what surrounds it has left", at: offset)
    }

    private func error(_ code: BSONError.Code, _ reason: String, at offset: Int) -> BSONError {
        let path = (parents + [container]).compactMap { $0.isArray ? String($0.values.count) : $0.key }
        return BSONError(code, reason, offset: offset, path: path)
    }
}
