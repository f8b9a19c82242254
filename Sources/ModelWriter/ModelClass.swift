public import FreeholdEngine

/// A class to be written: what is stored of it, and what source code says beyond that.
///
/// A `TableSpec` is the one form that all schemas have: a file's own, one made by hand, a server's, one read from App Services'
/// JSON documents. It knows stored names and nothing that isn't stored. Names for code and inverse relationships stand beside it.
/// So one writer serves them all, and it needs neither the model library nor the rules of documents.
public struct ModelClass: Equatable, Sendable {
    public var table: TableSpec
    /// What the class is called in code, where that isn't left to the language.
    public var name: String?
    /// What properties are called in code, by their stored names, where that isn't left to the language.
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

/// An inverse relationship: the objects that link to one. Nothing of it is stored.
public struct ModelInverse: Hashable, Sendable {
    /// What it is called in code.
    public var name: String
    /// The class that links here, by its stored name.
    public var origin: String
    /// That class's link, by its stored name.
    public var property: String

    public init(_ name: String, of origin: String, _ property: String) {
        self.name = name
        self.origin = origin
        self.property = property
    }
}
