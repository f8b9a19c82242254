/// A property and a direction for a sort.
///
/// ```swift
/// people.sorted(by: [SortDescriptor(keyPath: \Person.lastName), "firstName"])
/// ```
public struct SortDescriptor: Equatable, Sendable, CustomStringConvertible {
    /// The name of the property, or names joined by dots that lead through links.
    public let keyPath: String
    public let ascending: Bool

    public init(keyPath: String, ascending: Bool = true) {
        self.keyPath = keyPath
        self.ascending = ascending
    }

    public init<Root: KeypathSortable>(keyPath: PartialKeyPath<Root>, ascending: Bool = true) {
        self.init(keyPath: placedName(for: keyPath), ascending: ascending)
    }

    /// Returns a descriptor with the opposite direction.
    public func reversed() -> SortDescriptor { SortDescriptor(keyPath: keyPath, ascending: !ascending) }

    public var description: String {
        "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
    }
}

extension SortDescriptor: ExpressibleByStringLiteral {
    public init(stringLiteral value: StringLiteralType) { self.init(keyPath: value) }
}
