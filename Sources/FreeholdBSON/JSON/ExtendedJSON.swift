/// The options of the parser of Extended JSON, in addition to the two forms of version 2.
public struct ExtendedJSONOptions: Hashable, Sendable {
    public var limits: BSONLimits
    public var duplicateKeys: BSONDuplicateKeys
    /// A Boolean value that indicates whether forms of version 1 are accepted: `{"$binary": "…", "$type": "00"}`,
    /// `{"$date": 0}` in milliseconds, and `{"$regex": "…", "$options": "…"}` as a regular expression. Otherwise, the
    /// last form is a document, like in queries, and the other forms are errors.
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
    /// Creates a document from a text in canonical or relaxed Extended JSON.
    ///
    /// The text is an object. Its own keys are never interpreted as a type (`{"$oid": …}` is a document here), but
    /// those of objects inside are.
    ///
    /// - Throws: `BSONError` with the position in the text's UTF-8. All texts are safe to read.
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

    /// Creates a document from a text in Extended JSON that is given as UTF-8. See
    /// ``init(extendedJSON:options:)-(String,_)``.
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

    /// Returns the document as Extended JSON.
    ///
    /// A nested document with the keys of a type (`$oid`, …) is written unchanged and read as that type, because
    /// Extended JSON can't distinguish them. The bits of a NaN are lost.
    ///
    /// - Parameters:
    ///   - format: The form. The default is relaxed, like the specification requires.
    ///   - pretty: A Boolean value that indicates whether each element has its own line, indented by 2.
    ///   - limits: The limits, of which only the depth is used.
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
    /// Creates a value from a text in canonical or relaxed Extended JSON: any JSON value, including the wrapper of a
    /// type.
    ///
    /// - Throws: `BSONError` with the position in the text's UTF-8. All texts are safe to read.
    /// - Complexity: O(*n*).
    public init(
        extendedJSON text: String,
        options: ExtendedJSONOptions = ExtendedJSONOptions()
    ) throws(BSONError) {
        self = try ExtendedJSONParser.parse(text, options, isDocument: false)
    }

    /// Returns the value as Extended JSON. See ``BSONDocument/extendedJSON(_:pretty:limits:)``.
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
