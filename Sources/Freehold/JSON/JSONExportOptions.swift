/// The options for writing objects as JSON.
public struct JSONExportOptions: Sendable {
    public enum Format: Sendable {
        /// One array with one object in each line.
        case array
        /// One object in each line, without an array.
        case lines
    }

    public enum Links: Sendable {
        /// Links are written as the primary key of the linked object. If its class has no primary key or is embedded,
        /// the object itself is written.
        case primaryKeys
        /// Links are written as the linked object itself, at any depth. A link to an object that is being written is
        /// written as its primary key, or is an error if it has none.
        case nested
    }

    public enum Names: Sendable {
        /// The names of properties in Swift.
        case swift
        /// The names of properties in the file.
        case stored
    }

    public var format = Format.array
    /// A Boolean value that indicates whether an array is written with line breaks and indentation.
    public var isPretty = false
    /// A Boolean value that indicates whether members are sorted by the bytes of their keys. Otherwise they are in the
    /// order of the declarations of the properties.
    public var sortsKeys = false
    public var names = Names.swift
    public var links = Links.primaryKeys
    public var dates = JSONDateFormat.iso8601
    /// A Boolean value that indicates whether null properties are written.
    public var writesNulls = true
    /// The written properties of the objects in their order, or `nil` for all. Key paths through to-one links are
    /// allowed, too: `"country.name"`. The value behind a null link is null. Nested objects are written with all
    /// properties.
    ///
    /// An unknown name is reported as ``JSONError/Kind/unknownKey``.
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
