/// A parser of Extended JSON. It is a loop with an explicit stack, over a text that is scanned once.
struct ExtendedJSONParser {
    var scanner: JSONScanner
    let options: ExtendedJSONOptions
    /// A Boolean value that indicates whether the outermost object is a document, regardless of its keys.
    private let isDocument: Bool
    private var containers: [JSONContainer] = []

    static func parse(
        _ text: String,
        _ options: ExtendedJSONOptions,
        isDocument: Bool
    ) throws(BSONError) -> BSONValue {
        var text = text
        return try text.withUTF8 { buffer in
            Result { () throws(BSONError) in try parse(buffer, options, isDocument: isDocument) }
        }.get()
    }

    static func parse(
        _ bytes: [UInt8],
        _ options: ExtendedJSONOptions,
        isDocument: Bool
    ) throws(BSONError) -> BSONValue {
        try bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(BSONError) in try parse(buffer, options, isDocument: isDocument) }
        }.get()
    }

    private static func parse(
        _ buffer: UnsafeBufferPointer<UInt8>,
        _ options: ExtendedJSONOptions,
        isDocument: Bool
    ) throws(BSONError) -> BSONValue {
        var parser = ExtendedJSONParser(
            scanner: JSONScanner(buffer),
            options: options,
            isDocument: isDocument
        )
        do {
            return try parser.parse()
        } catch {
            throw error.path.isEmpty ? error.at(error.offset ?? parser.scanner.position, parser.path) : error
        }
    }

    private init(scanner: JSONScanner, options: ExtendedJSONOptions, isDocument: Bool) {
        self.scanner = scanner
        self.options = options
        self.isDocument = isDocument
    }

    private var path: [String] {
        containers.compactMap { $0.isObject ? $0.key : String($0.values.count) }
    }

    private mutating func parse() throws(BSONError) -> BSONValue {
        guard scanner.bytes.count <= options.limits.size else {
            throw BSONError(.tooLarge, "The text has more bytes than the limit of \(options.limits.size)", offset: 0)
        }
        scanner.skipSpace()
        guard !isDocument || scanner.peek() == UInt8(ascii: "{") else {
            throw BSONError(.invalidJSON, "A document is an object in JSON", offset: scanner.position)
        }
        next: while true {
            guard var part = try begin() else { continue next }
            while true {
                guard let last = containers.indices.last else {
                    guard part.deepest <= options.limits.depth else { throw tooDeep() }
                    scanner.skipSpace()
                    guard scanner.isAtEnd else {
                        throw BSONError(.trailingBytes, "Something follows the JSON value", offset: scanner.position)
                    }
                    return part.value
                }
                try add(part, to: last)
                scanner.skipSpace()
                let isObject = containers[last].isObject
                if scanner.take(UInt8(ascii: ",")) {
                    if isObject { try readKey() }
                    continue next
                }
                guard scanner.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw scanner.unexpected(isObject ? "a comma or a closing brace" : "a comma or a closing bracket")
                }
                part = try close()
            }
        }
    }

    private mutating func add(_ part: JSONPart, to index: Int) throws(BSONError) {
        // Below a key with a dollar sign, the object may be the inside of a wrapper, which doesn't count as nesting.
        guard part.deepest <= options.limits.depth || containers[index].isAtDollar else { throw tooDeep() }
        guard containers[index].add(part, options.duplicateKeys) else {
            let key = containers[index].key?.prefix(40) ?? ""
            throw BSONError(.duplicateKey, "The key '\(key)' stands twice in its object", offset: scanner.position)
        }
    }

    /// Reads a scalar or an empty container. Returns nil after opening a container that isn't empty.
    private mutating func begin() throws(BSONError) -> JSONPart? {
        scanner.skipSpace()
        let start = scanner.position
        let level = (containers.last?.level ?? 0) + 1
        if scanner.take(UInt8(ascii: "{")) {
            // A value at the largest depth may still be an object that contains objects.
            guard level <= options.limits.depth + 3 else { throw tooDeep(start) }
            scanner.skipSpace()
            if scanner.take(UInt8(ascii: "}")) { return JSONPart(.document(BSONDocument()), deepest: level) }
            containers.append(JSONContainer(isObject: true, level: level, start: start))
            try readKey()
            return nil
        }
        if scanner.take(UInt8(ascii: "[")) {
            guard level <= options.limits.depth else { throw tooDeep(start) }
            scanner.skipSpace()
            if scanner.take(UInt8(ascii: "]")) { return JSONPart(.array([]), deepest: level) }
            containers.append(JSONContainer(isObject: false, level: level, start: start))
            return nil
        }
        return JSONPart(try scanner.scalar())
    }

    private mutating func readKey() throws(BSONError) {
        scanner.skipSpace()
        let start = scanner.position
        guard scanner.peek() == UInt8(ascii: "\"") else { throw scanner.unexpected("a key in quotes") }
        let key = try scanner.string()
        guard !key.utf8.contains(0) else {
            throw BSONError(.embeddedNull, "A key can't have a NUL in it", offset: start)
        }
        containers[containers.count - 1].begin(key)
        scanner.skipSpace()
        guard scanner.take(UInt8(ascii: ":")) else { throw scanner.unexpected("a colon") }
    }

    private mutating func close() throws(BSONError) -> JSONPart {
        let closed = containers.removeLast()
        guard closed.isObject else { return JSONPart(.array(closed.values), deepest: closed.deepest) }
        if closed.hasDollar && !(isDocument && containers.isEmpty) {
            let wrapper = ExtendedJSONWrapper(closed, acceptsLegacy: options.acceptsLegacy)
            do {
                if let value = try wrapper.value() {
                    // A scope is the only wrapper with nested values.
                    let isScope = value.javaScriptWithScopeValue != nil
                    return JSONPart(value, isWrapped: true, deepest: isScope ? closed.deepest : 0)
                }
            } catch {
                throw error.at(closed.start, path)
            }
        }
        let document = BSONDocument(elements: closed.list.elements)
        return JSONPart(.document(document), hasWrapped: closed.hasWrapped, deepest: closed.deepest)
    }

    private func tooDeep(_ offset: Int? = nil) -> BSONError {
        BSONError(
            .tooDeep,
            "The document is nested deeper than \(options.limits.depth)",
            offset: offset ?? scanner.position
        )
    }
}

/// A value that was read, with the properties of its text that a wrapper needs.
struct JSONPart {
    let value: BSONValue
    /// A Boolean value that indicates whether the value was read from a wrapper instead of plain JSON.
    let isWrapped: Bool
    /// A Boolean value that indicates whether the value is a document that contains such values.
    let hasWrapped: Bool
    /// The level of the deepest document or array in the value, or 0 for a scalar.
    let deepest: Int

    init(_ value: BSONValue, isWrapped: Bool = false, hasWrapped: Bool = false, deepest: Int = 0) {
        self.value = value
        self.isWrapped = isWrapped
        self.hasWrapped = hasWrapped
        self.deepest = deepest
    }
}

/// An object or array that is being read.
struct JSONContainer {
    let isObject: Bool
    let level: Int
    /// The position of its beginning in the text.
    let start: Int
    /// The key of the value that is being read. It is nil in an array, and before the first key of an object.
    private(set) var key: String?
    private(set) var isAtDollar = false
    private(set) var list = ElementList()
    private(set) var values: [BSONValue] = []
    /// A Boolean value that indicates whether a key begins with a dollar sign.
    private(set) var hasDollar = false
    /// A Boolean value that indicates whether a value was read from a wrapper.
    private(set) var hasWrapped = false
    /// A Boolean value that indicates whether a nested document contains such a value.
    private(set) var hasWrappedInside = false
    /// The level of the deepest document or array.
    private(set) var deepest: Int

    init(isObject: Bool, level: Int, start: Int) {
        self.isObject = isObject
        self.level = level
        self.start = start
        deepest = level
    }

    mutating func begin(_ key: String) {
        self.key = key
        isAtDollar = key.utf8.first == UInt8(ascii: "$")
        hasDollar = hasDollar || isAtDollar
    }

    /// Adds a value. Returns false if its key exists already and duplicates are refused.
    mutating func add(_ part: JSONPart, _ policy: BSONDuplicateKeys) -> Bool {
        hasWrapped = hasWrapped || part.isWrapped
        hasWrappedInside = hasWrappedInside || part.hasWrapped
        deepest = max(deepest, part.deepest)
        guard let key else {
            values.append(part.value)
            return true
        }
        return list.add(key, part.value, policy: policy)
    }
}
