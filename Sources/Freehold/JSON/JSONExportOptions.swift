/// How objects are written as JSON.
public struct JSONExportOptions: Sendable {
    public enum Format: Sendable {
        /// One array, an object a line.
        case array
        /// An object a line, nothing around them.
        case lines
    }

    public enum Links: Sendable {
        /// The primary key of the linked object; the object itself where its class has no key or is embedded.
        case primaryKeys
        /// The linked object itself, as deep as links go. Where they lead back to an object that is being written,
        /// its primary key; without one that is an error.
        case nested
    }

    public enum Names: Sendable {
        /// The names of properties in Swift.
        case swift
        /// Their names in the file.
        case stored
    }

    public var format = Format.array
    /// With line breaks and indentation; of arrays only.
    public var isPretty = false
    /// Members by the rising bytes of their keys, rather than in the order in which properties are declared.
    public var sortsKeys = false
    public var names = Names.swift
    public var links = Links.primaryKeys
    public var dates = JSONDateFormat.iso8601
    /// Whether properties that are null are written.
    public var writesNulls = true
    /// Which properties of the objects are written, in this order, or nil for all. Key paths along to-one links are keys,
    /// too: `"country.name"`; null stands behind a link to nothing. Objects that are nested are written as a whole.
    ///
    /// A name that the class doesn't have is ``JSONError/Kind/unknownKey``.
    public var properties: [String]?

    public init(
        format: Format = .array,
        isPretty: Bool = false,
        sortsKeys: Bool = false,
        names: Names = .swift,
        links: Links = .primaryKeys,
        dates: JSONDateFormat = .iso8601,
        writesNulls: Bool = true,
        properties: [String]? = nil
    ) {
        self.format = format
        self.isPretty = isPretty
        self.sortsKeys = sortsKeys
        self.names = names
        self.links = links
        self.dates = dates
        self.writesNulls = writesNulls
        self.properties = properties
    }
}
