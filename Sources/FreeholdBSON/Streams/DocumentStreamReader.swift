/// A reader of documents from a stream of bytes, one by one: dumps, exports, lines of JSON.
///
/// ```swift
/// var documents = try DocumentStreamReader(file: "dump/app/dogs.bson")
/// while let document = try documents.next() { … }
/// ```
///
/// The reader keeps one document and one piece of the stream in memory, regardless of the stream's length.
public struct DocumentStreamReader {
    /// The format of the documents. If it wasn't given, it is `nil` until the first document is requested.
    public private(set) var format: DocumentFormat?
    /// The number of the last document that was read, counted from 1.
    public private(set) var document = 0
    /// The line, counted from 1, at which the last document of JSON begins, or `nil` for BSON.
    public private(set) var firstLine: Int?
    private let options: DocumentStreamOptions
    private var buffer: StreamBuffer
    private var state = State.start
    private var line = 1

    private enum State {
        case start
        /// In a sequence of JSON objects.
        case sequence
        /// In a JSON array, before an element or the end.
        case element
        /// In a JSON array, after an element.
        case separator
        case ended
    }

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - format: The format. If it is `nil`, it is determined from the first bytes.
    ///   - options: The options for reading.
    ///   - read: A closure that fills a buffer with the next bytes, and returns their number, or 0 at the end.
    public init(
        _ format: DocumentFormat? = nil,
        options: DocumentStreamOptions = DocumentStreamOptions(),
        read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) {
        self.format = format
        self.options = options
        buffer = StreamBuffer(pieceSize: options.pieceSize, read: read)
    }

    /// The position in the stream after the last document that was read.
    public var offset: Int { buffer.offset }

    /// Returns the next document, or `nil` at the end.
    ///
    /// - Throws: `DocumentStreamError`, and errors of reading. If ``DocumentStreamError/canContinue`` is true, the next
    ///   call continues after the document. Otherwise it throws a similar error again, or returns `nil`.
    /// - Complexity: O(size of the document).
    public mutating func next() throws -> BSONDocument? {
        if case .ended = state { return nil }
        document += 1
        do {
            let found = try knownFormat() == .bson ? try nextBSON() : try nextJSON()
            if found == nil {
                document -= 1
                state = .ended
            }
            return found
        } catch let error as DocumentStreamError {
            throw error
        } catch {
            // The document wasn't read, and is requested again.
            document -= 1
            throw error
        }
    }

    private mutating func knownFormat() throws -> DocumentFormat {
        if let format { return format }
        try buffer.fill(8)
        let format = try buffer.withBytes(min(buffer.count, 8)) { try DocumentFormat(first: $0) }
        self.format = format
        return format
    }

    private func failure(_ code: BSONError.Code, _ reason: String, at index: Int = 0, canContinue: Bool = false)
        -> DocumentStreamError
    {
        DocumentStreamError(
            BSONError(code, reason),
            document: document,
            offset: buffer.offset + index,
            line: format == .json ? line : nil,
            canContinue: canContinue
        )
    }
}

// MARK: - BSON

extension DocumentStreamReader {
    private mutating func nextBSON() throws -> BSONDocument? {
        try buffer.fill(4)
        guard buffer.count > 0 else { return nil }
        guard buffer.count >= 4 else {
            state = .ended
            throw failure(.truncated, "The stream ends in the middle of a document's length")
        }
        let length = buffer.withBytes(4) { Int(Int32(littleEndian: $0.loadUnaligned(as: Int32.self))) }
        guard length >= 5 else {
            state = .ended
            throw failure(.invalidLength, "A document can't have a length of \(length)")
        }
        guard length <= options.limits.size else {
            state = .ended
            throw failure(.tooLarge, "A document of \(length) bytes is more than the limit of \(options.limits.size)")
        }
        try buffer.fill(length)
        guard buffer.count >= length else {
            state = .ended
            throw failure(
                .truncated,
                "The document's length is \(length), and the stream ends after \(buffer.count) bytes"
            )
        }
        let (limits, duplicateKeys) = (options.limits, options.duplicateKeys)
        let result = buffer.withBytes(length) { bytes in
            Result { () throws(BSONError) in try BSONDocument(bytes, limits: limits, duplicateKeys: duplicateKeys) }
        }
        let start = buffer.offset
        buffer.take(length)
        do { return try result.get() } catch {
            throw DocumentStreamError(
                error,
                document: document,
                offset: start + (error.offset ?? 0),
                line: nil,
                canContinue: true
            )
        }
    }
}

// MARK: - JSON

extension DocumentStreamReader {
    private mutating func nextJSON() throws -> BSONDocument? {
        if case .start = state {
            try buffer.fill(3)
            if buffer.count >= 3, buffer.slice(3) == [0xEF, 0xBB, 0xBF] { buffer.take(3) }
            state = .sequence
            if try skipSpace() == UInt8(ascii: "[") {
                buffer.take(1)
                state = .element
            }
        }
        var byte = try skipSpace()
        if case .sequence = state {
            guard byte != nil else { return nil }
        } else {
            let isFirst = if case .element = state { true } else { false }
            if byte == UInt8(ascii: "]") {
                buffer.take(1)
                guard try skipSpace() == nil else { throw end(.trailingBytes, "Something follows the array") }
                return nil
            }
            if !isFirst {
                guard byte == UInt8(ascii: ",") else { throw missing(byte, "a comma or a closing bracket") }
                buffer.take(1)
                byte = try skipSpace()
            }
        }
        guard byte == UInt8(ascii: "{") else { throw try notAnObject(byte) }
        let count = try objectLength()
        let (start, firstLine) = (buffer.offset, line)
        self.firstLine = firstLine
        let bytes = buffer.slice(count)
        buffer.take(count)
        line += bytes.count { $0 == 0x0A }
        if case .element = state { state = .separator }
        let reading = ExtendedJSONOptions(
            limits: options.limits,
            duplicateKeys: options.duplicateKeys,
            acceptsLegacy: options.acceptsLegacy
        )
        do { return try BSONDocument(extendedJSON: bytes, options: reading) } catch {
            let place = error.offset ?? 0
            throw DocumentStreamError(
                error,
                document: document,
                offset: start + place,
                line: firstLine + bytes.prefix(place).count { $0 == 0x0A },
                canContinue: true
            )
        }
    }

    /// Returns the next byte that isn't a space, or nil at the end.
    private mutating func skipSpace() throws -> UInt8? {
        while true {
            if buffer.count == 0 {
                try buffer.readPiece()
                guard buffer.count > 0 else { return nil }
            }
            switch buffer[0] {
            case 0x20, 0x09, 0x0D: break
            case 0x0A: line += 1
            case let byte: return byte
            }
            buffer.take(1)
        }
    }

    /// Returns the length of the object that begins here, up to its closing brace.
    private mutating func objectLength() throws -> Int {
        var (depth, isInString, isEscaped, index) = (0, false, false, 0)
        while true {
            while index < buffer.count {
                let byte = buffer[index]
                index += 1
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == UInt8(ascii: "\\") {
                        isEscaped = true
                    } else if byte == UInt8(ascii: "\"") {
                        isInString = false
                    }
                    continue
                }
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth == 0 { return try checked(index) }
                default: break
                }
            }
            _ = try checked(index)
            try buffer.readPiece()
            guard index < buffer.count else { throw end(.truncated, "The stream ends in the middle of a document") }
        }
    }

    private mutating func checked(_ count: Int) throws -> Int {
        guard count <= options.limits.size else {
            throw end(.tooLarge, "A document has more bytes than the limit of \(options.limits.size)")
        }
        return count
    }

    private mutating func missing(_ byte: UInt8?, _ wanted: String) -> DocumentStreamError {
        byte == nil
            ? end(.truncated, "The stream ends where \(wanted) is needed")
            : end(.invalidJSON, "Here \(wanted) is needed")
    }

    /// Returns the error. In a sequence, the next line may be a document again.
    private mutating func notAnObject(_ byte: UInt8?) throws -> DocumentStreamError {
        guard case .sequence = state, byte != nil else { return missing(byte, "an object") }
        let error = failure(.invalidJSON, "Here an object is needed", canContinue: true)
        while true {
            if buffer.count == 0 {
                try buffer.readPiece()
                guard buffer.count > 0 else { return error }
            }
            if buffer[0] == 0x0A { return error }
            buffer.take(1)
        }
    }

    private mutating func end(_ code: BSONError.Code, _ reason: String) -> DocumentStreamError {
        let error = failure(code, reason)
        state = .ended
        return error
    }
}
