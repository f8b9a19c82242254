public import FreeholdEngine

/// A class to generate: its stored form, and the additional data for source code.
///
/// A `TableSpec` is the common form of all schemas: that of a file, one created at run time, one of a server, and one
/// read from App Services' JSON documents. It contains only stored names and stored data. The names for code and the
/// inverse relationships are separate. One writer therefore supports all schemas, and doesn't need the model library or
/// the rules of documents.
public struct ModelClass: Equatable, Sendable {
    public var table: TableSpec
    /// The name of the class in code, or `nil` for the default of the language.
    public var name: String?
    /// The names of properties in code, by their stored names. A property without an entry has the default name of the
    /// language.
    public var propertyNames: [String: String]
    public var inverses: [ModelInverse]

    public init(
        _ table: TableSpec,
        name: String? = nil,
        propertyNames: [String: String] = [:],
        inverses: [ModelInverse] = []
    ) {
        self.table = table
        self.name = name
        self.propertyNames = propertyNames
        self.inverses = inverses
    }
}

/// An inverse relationship: the objects that link to an object. It isn't stored.
public struct ModelInverse: Hashable, Sendable {
    /// The name in code.
    public var name: String
    /// The stored name of the class with the link.
    public var origin: String
    /// The stored name of the link in that class.
    public var property: String

    public init(_ name: String, of origin: String, _ property: String) {
        self.name = name
        self.origin = origin
        self.property = property
    }
}
