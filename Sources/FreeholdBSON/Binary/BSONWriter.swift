import FreeholdEngine

/// A writer of a document as bytes. It is a loop with an explicit stack, like the reader.
struct BSONWriter {
    private var bytes: [UInt8] = []
    private let limits: BSONLimits
    private var container: Container
    private var parents: [Container] = []

    private struct Container {
        enum Kind {
            case document(BSONDocument)
            case array([BSONValue])
        }

        let kind: Kind
        /// The position of the length.
        let start: Int
        /// The position of the length that includes text and scope, for a scope.
        var outerStart: Int?
        let level: Int
        /// The index of the next element.
        var next = 0

        init(_ kind: Kind, start: Int, outerStart: Int? = nil, level: Int) {
            self.kind = kind
            self.start = start
            self.outerStart = outerStart
            self.level = level
        }
    }

    init(_ document: BSONDocument, _ limits: BSONLimits) {
        self.limits = limits
        container = Container(.document(document), start: 0, level: 1)
    }

    mutating func write() throws(BSONError) -> [UInt8] {
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: [0, 0, 0, 0])
        while true {
            let place = container.next
            container.next += 1
            switch container.kind {
            case .document(let document) where place < document.elements.count:
                let element = document.elements[place]
                bytes.append(element.value.typeByte)
                try append(cString: element.key, "key")
                try append(element.value)
            case .array(let values) where place < values.count:
                bytes.append(values[place].typeByte)
                append(index: place)
                try append(values[place])
            default:
                bytes.append(0)
                try patch(container.start)
                if let start = container.outerStart { try patch(start) }
                guard let parent = parents.popLast() else { return bytes }
                container = parent
            }
        }
    }

    private mutating func append(_ value: BSONValue) throws(BSONError) {
        switch value {
        case .double(let value): append(value.bitPattern)
        case .string(let text), .javaScript(let text), .symbol(let text): try append(text: text)
        case .document(let document): try open(.document(document), level: container.level + 1)
        case .array(let values): try open(.array(values), level: container.level + 1)
        case .binary(let binary): try append(binary)
        case .undefined, .null, .minKey, .maxKey: break
        case .objectId(let id): append(id)
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .datetime(let value): append(value.milliseconds)
        case .regex(let regex):
            try append(cString: regex.pattern, "pattern")
            try append(cString: regex.options, "options")
        case .dbPointer(let pointer):
            try append(text: pointer.reference)
            append(pointer.id)
        case .javaScriptWithScope(let code):
            let start = bytes.count
            bytes.append(contentsOf: [0, 0, 0, 0])
            try append(text: code.code)
            try open(.document(code.scope), outerStart: start, level: container.level + 2)
        case .int32(let value): append(value)
        case .timestamp(let value):
            append(value.increment)
            append(value.seconds)
        case .int64(let value): append(value)
        case .decimal128(let value):
            append(value.lo)
            append(value.hi)
        }
    }

    private mutating func open(_ kind: Container.Kind, outerStart: Int? = nil, level: Int) throws(BSONError) {
        guard level <= limits.depth else {
            throw error(.tooDeep, "The document is nested deeper than \(limits.depth)")
        }
        parents.append(container)
        container = Container(kind, start: bytes.count, outerStart: outerStart, level: level)
        bytes.append(contentsOf: [0, 0, 0, 0])
    }

    private mutating func append(_ binary: BSONBinary) throws(BSONError) {
        let isOld = binary.subtype == .old
        try room(for: binary.bytes.count + (isOld ? 9 : 5))
        let count = Int32(binary.bytes.count)
        append(isOld ? count + 4 : count)
        bytes.append(binary.subtype.rawValue)
        if isOld { append(count) }
        bytes.append(contentsOf: binary.bytes)
    }

    private mutating func append(text: String) throws(BSONError) {
        try room(for: text.utf8.count + 5)
        append(Int32(text.utf8.count + 1))
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    private mutating func append(cString: String, _ what: String) throws(BSONError) {
        let start = bytes.count
        try room(for: cString.utf8.count + 1)
        bytes.append(contentsOf: cString.utf8)
        for index in start..<bytes.count where bytes[index] == 0 {
            throw error(.embeddedNull, "A \(what) can't be written with a NUL in it")
        }
        bytes.append(0)
    }

    private mutating func append(index: Int) {
        if index < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(index))
        } else {
            bytes.append(contentsOf: String(index).utf8)
        }
        bytes.append(0)
    }

    private mutating func append(_ id: ObjectId) { id.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    private mutating func append<T: FixedWidthInteger>(_ value: T) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func patch(_ start: Int) throws(BSONError) {
        try room(for: 0)
        var length = Int32(bytes.count - start).littleEndian
        withUnsafeBytes(of: &length) { source in
            for index in 0..<4 { bytes[start + index] = source[index] }
        }
    }

    /// Throws if the document becomes too large with these bytes, before they are copied.
    private func room(for count: Int) throws(BSONError) {
        guard count <= limits.size - bytes.count else {
            throw error(.tooLarge, "The document has more bytes than the limit of \(limits.size)")
        }
    }

    private func error(_ code: BSONError.Code, _ reason: String) -> BSONError {
        let path = (parents + [container]).compactMap { container -> String? in
            let place = container.next - 1
            switch container.kind {
            case .document(let document): return place < document.count ? document.elements[place].key : nil
            case .array(let values): return place < values.count ? String(place) : nil
            }
        }
        return BSONError(code, reason, path: path)
    }
}
