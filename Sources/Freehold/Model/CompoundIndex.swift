/// An index of several properties of a class. The first property is the most significant.
///
/// ```swift
/// class Person: Object {
///     @Persisted var lastName = ""
///     @Persisted var firstName = ""
///     @Persisted var country = ""
///     @Persisted var passport: String?
///
///     override class func compoundIndexes() -> [CompoundIndex] {
///         [CompoundIndex("lastName", "firstName"), .unique(\Person.country, \.passport)]
///     }
/// }
/// ```
/// Conditions on the first properties, or on all properties, use the index. Each condition can be an equality, `IN` or
/// null, and the last one can also be a range or a prefix. A sort by the properties after those with an equality needs
/// no sorting.
///
/// The properties can be integers, booleans, strings, dates, object ids, UUIDs, enums with such raw values, or mixed
/// values. Collections aren't allowed. If the class declares other compound indexes than the file has, opening the file
/// creates and removes indexes.
public struct CompoundIndex: Hashable, Sendable {
    /// The names of two or more properties in Swift.
    public var properties: [String]
    /// A Boolean value that indicates whether two objects can't have the same values in all of the properties.
    ///
    /// Objects with a null in one of the properties are ignored. The rule is checked at the end of each write
    /// transaction. A transaction that violates it throws `Realm.Error.uniqueConstraint` and is rolled back. A file
    /// whose objects violate the rule can't be opened with such an index.
    public var isUnique: Bool

    /// Creates an index with the names of properties in Swift, the most significant first.
    public init(_ properties: [String], isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }

    /// Creates an index with the names of properties in Swift, the most significant first.
    public init(_ properties: String...) { self.init(properties) }

    /// Creates an index with key paths of the class's own properties.
    public init<Model: ObjectBase>(_ first: PartialKeyPath<Model>, _ others: PartialKeyPath<Model>...) {
        self.init(([first] + others).map { _name(for: $0) })
    }

    /// Creates a unique index with the names of properties, which refuses two objects with the same values.
    public static func unique(_ properties: String...) -> CompoundIndex { CompoundIndex(properties, isUnique: true) }

    /// Creates a unique index with key paths of the class's own properties, which refuses two objects with the same
    /// values.
    public static func unique<Model: ObjectBase>(
        _ first: PartialKeyPath<Model>,
        _ others: PartialKeyPath<Model>...
    ) -> CompoundIndex {
        CompoundIndex(([first] + others).map { _name(for: $0) }, isUnique: true)
    }
}

extension CompoundIndex: CustomStringConvertible {
    public var description: String { "\(isUnique ? "unique" : "index") (\(properties.joined(separator: ", ")))" }
}

extension SchemaValidation {
    mutating func checkCompoundIndexes(of object: ObjectSchema) {
        for (i, compound) in object.compoundIndexes.enumerated() {
            func refuse(_ message: String) {
                report(
                    object,
                    nil,
                    message: "has a compound index (\(compound.properties.joined(separator: ", "))) \(message)"
                )
            }
            if compound.properties.count < 2 { refuse("of fewer than two properties") }
            if Set(compound.properties).count != compound.properties.count { refuse("with a property twice") }
            if object.compoundIndexes[..<i].contains(where: { $0.properties == compound.properties }) {
                refuse("twice")
            }
            for name in compound.properties {
                guard let property = object.allProperties.first(where: { $0.name == name }) else {
                    refuse("with \(name), which isn't a stored property")
                    continue
                }
                if !property.canBeIndexed {
                    refuse(
                        "with \(name): only integers, booleans, strings, dates, object ids, UUIDs and mixed values can be indexed"
                    )
                }
            }
        }
    }
}

extension Property {
    /// A Boolean value that indicates whether an index can contain the property's values.
    var canBeIndexed: Bool {
        !isCollection && [.int, .bool, .string, .date, .objectId, .UUID, .any].contains(type)
    }
}
