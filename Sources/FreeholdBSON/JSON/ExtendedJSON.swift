/// What a parser of Extended JSON accepts beside the two forms of version 2.
public struct ExtendedJSONOptions: Hashable, Sendable {
    public var limits: BSONLimits
    public var duplicateKeys: BSONDuplicateKeys
    /// Whether forms of version 1 are read too: `{"$binary": "…", "$type": "00"}`, `{"$date": 0}` in milliseconds, and
    /// `{"$regex": "…", "$options": "…"}` as a regular expression. Without it the last one is a document, as queries have
    /// it, and the others are errors.
    public var acceptsLegacy: Bool

    public init(
        limits: BSONLimits = BSONLimits(),
        duplicateKeys: BSONDuplicateKeys = .refuse,
        acceptsLegacy: Bool = false
    ) {
        self.limits = limits
        self.duplicateKeys = duplicateKeys
        self.acceptsLegacy = acceptsLegacy
    }
}

extension BSONDocument {
    /// The document of a text in Extended JSON, canonical or relaxed.
    ///
    /// The text is an object; its own keys are never taken for a type (`{"$oid": …}` is a document here), those of
    /// objects inside are.
    ///
    /// - Throws: `BSONError` with the place in the text's UTF-8. Any text is safe to read.
    /// - Complexity: O(*n*).
    public init(
        extendedJSON text: String,
        options: ExtendedJSONOptions = ExtendedJSONOptions()
    ) throws(BSONError) {
        let value = try ExtendedJSONParser.parse(text, options, isDocument: true)
        guard case .document(let document) = value else {
            throw BSONError(.invalidJSON, "A document is an object in JSON", offset: 0)
        }
        self = document
    }

    /// The document of a text in Extended JSON that is given as UTF-8; see ``init(extendedJSON:options:)-(String,_)``.
    public init(
        extendedJSON bytes: [UInt8],
        options: ExtendedJSONOptions = ExtendedJSONOptions()
    ) throws(BSONError) {
        let value = try ExtendedJSONParser.parse(bytes, options, isDocument: true)
        guard case .document(let document) = value else {
            throw BSONError(.invalidJSON, "A document is an object in JSON", offset: 0)
        }
        self = document
    }

    /// The document as Extended JSON.
    ///
    /// A document inside that has the keys of a type (`$oid`, …) is written as it is and read as that type: Extended JSON
    /// has no way to tell them apart. A NaN loses its bits.
    ///
    /// - Parameters:
    ///   - format: relaxed unless told otherwise, as the specification asks.
    ///   - pretty: one element a line, indented by 2.
    ///   - limits: only the depth counts.
    /// - Throws: ``BSONError/Code/tooDeep``.
    /// - Complexity: O(*n*).
    public func extendedJSON(
        _ format: ExtendedJSONFormat = .relaxed,
        pretty: Bool = false,
        limits: BSONLimits = BSONLimits()
    ) throws(BSONError) -> String {
        try BSONValue.document(self).extendedJSON(format, pretty: pretty, limits: limits)
    }
}

extension BSONValue {
    /// The value of a text in Extended JSON, canonical or relaxed: any JSON value, a type's wrapper among them.
    ///
    /// - Throws: `BSONError` with the place in the text's UTF-8. Any text is safe to read.
    /// - Complexity: O(*n*).
    public init(
        extendedJSON text: String,
        options: ExtendedJSONOptions = ExtendedJSONOptions()
    ) throws(BSONError) {
        self = try ExtendedJSONParser.parse(text, options, isDocument: false)
    }

    /// The value as Extended JSON; see ``BSONDocument/extendedJSON(_:pretty:limits:)``.
    public func extendedJSON(
        _ format: ExtendedJSONFormat = .relaxed,
        pretty: Bool = false,
        limits: BSONLimits = BSONLimits()
    ) throws(BSONError) -> String {
        var printer = ExtendedJSONPrinter(format, isPretty: pretty, limits)
        try printer.print(self)
        return String(decoding: printer.text, as: UTF8.self)
    }
}
