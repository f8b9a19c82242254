/// An index of several properties of a class together, most significant first.
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
/// Conditions on the first properties, or all of them, find their objects through it: equality, `IN` and null on each,
/// and a range or prefix on the last that has a condition. A sort by the properties that follow those with an equality
/// needs no sorting.
///
/// The properties are integers, booleans, strings, dates, object ids, UUIDs, enums of these, or mixed values, none of
/// them a collection. Opening a file with other compound indexes than it has makes and drops them.
public struct CompoundIndex: Hashable, Sendable {
    /// Names of properties in Swift, two or more.
    public var properties: [String]
    /// Whether no two objects may have the same values in all of the properties.
    ///
    /// Objects with a null in one of them don't count. The rule holds at the end of each write transaction: one that
    /// breaks it throws `Realm.Error.uniqueConstraint` and is taken back as a whole. A file whose objects break it
    /// can't be opened with such an index.
    public var isUnique: Bool

    /// By names of properties in Swift, the most significant first.
    public init(_ properties: [String], isUnique: Bool = false) {
        self.properties = properties
        self.isUnique = isUnique
    }

    /// By names of properties in Swift, the most significant first.
    public init(_ properties: String...) { self.init(properties) }

    /// By key paths of the class's own properties.
    public init<Model: ObjectBase>(_ first: PartialKeyPath<Model>, _ others: PartialKeyPath<Model>...) {
        self.init(([first] + others).map { _name(for: $0) })
    }

    /// One that refuses two objects with the same values, by names of properties.
    public static func unique(_ properties: String...) -> CompoundIndex { CompoundIndex(properties, isUnique: true) }

    /// One that refuses two objects with the same values, by key paths of the class's own properties.
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
                report(object, nil, "has a compound index (\(compound.properties.joined(separator: ", "))) \(message)")
            }
            if compound.properties.count < 2 { refuse("of fewer than two properties") }
            if Set(compound.properties).count != compound.properties.count { refuse("with a property twice") }
            if object.compoundIndexes[..<i].contains(where: { $0.properties == compound.properties }) {
                refuse("twice")
            }
            for name in compound.properties {
                guard let property = object.allProperties.first(where: { $0.name == name }) else {
                    refuse("with \(name), which is no stored property")
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
    /// Whether an index can hold its values.
    var canBeIndexed: Bool {
        !isCollection && [.int, .bool, .string, .date, .objectId, .UUID, .any].contains(type)
    }
}
