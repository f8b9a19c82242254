import Foundation
import FreeholdEngine

// Reads and writes by names that are known only at run time.

extension ObjectBase {
    /// Returns the value of a property, like the subscript. The name is that of key-value coding.
    public final func value(forKey key: String) -> Any? { _value(named: key) }

    /// Sets the value of a property, like the subscript. The name is that of key-value coding.
    public final func setValue(_ value: Any?, forKey key: String) { _setValue(value, named: key) }

    /// Returns the value at a key path. `"dog.name"` is the name of the dog, and `"dogs.name"` contains the name of
    /// each element. A collection supports operators, too (`"dogs.@avg.age"`): see
    /// ``RealmCollection/value(forKeyPath:)``. The value behind a null link is `nil`.
    ///
    /// - Precondition: The classes on the path have properties with these names.
    public final func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, KeyValueCoding.keys(keyPath), keyPath)
    }

    /// Sets the property at the end of a key path, in the object or in each object to which the rest of the path leads.
    /// Does nothing behind a null link.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        let keys = KeyValueCoding.keys(keyPath)
        guard keys.count > 1 else { return setValue(value, forKey: keyPath) }
        switch KeyValueCoding.value(of: self, keys.dropLast(), keyPath) {
        case let object as ObjectBase: object.setValue(value, forKey: keys.last!)
        case let collection as any RealmCollection: collection.setValue(value, forKey: keys.last!)
        case let map as any KeyedValues: map.setValue(value, forKey: keys.last!)
        case let values as [Any?]:
            for case let object as ObjectBase in values { object.setValue(value, forKey: keys.last!) }
        case nil: break
        default:
            programmerError("'\(keyPath)' can't be assigned: what stands before '\(keys.last!)' isn't an object.")
        }
    }

    /// Returns the values of several properties. Null is `NSNull`.
    public final func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Sets several properties.
    public final func setValuesForKeys(_ values: [String: Any]) {
        for (key, value) in values { setValue(value, forKey: key) }
    }
}

extension RealmCollection {
    /// Returns the value of the property for each element.
    ///
    /// The result is an `[Any?]` in the order of the collection, which can be cast to types like `[String]`. For
    /// `"self"`, it contains the elements themselves. For a set, whose elements may have equal values, it is a
    /// `Set<AnyHashable>` without nulls, which can be cast to types like `Set<String>`.
    ///
    /// - Precondition: The elements' class has a property of that name.
    /// - Complexity: O(n)
    public func value(forKey key: String) -> Any? {
        let values = KeyValueCoding.values(of: self, key)
        if self is any UnorderedCollection { return Set(values.compactMap { $0 as? AnyHashable }) }
        return values as [Any?]
    }

    /// Returns the value at a key path, or the result of an operator:
    ///
    /// - `@count`: The number of elements.
    /// - `@min.age`, `@max.age`, `@sum.age`, `@avg.age`: Nulls are ignored. `self` stands for elements that are numbers
    ///   or dates. Without elements, the sum is 0 and the other results are `nil`.
    /// - `@unionOfObjects.name`, `@distinctUnionOfObjects.name`: The values, or each of them once.
    /// - `@unionOfArrays.dogs`, `@distinctUnionOfArrays.dogs`: The elements of all collections, or each of them once.
    ///
    /// A path without an operator maps the elements step by step: `"dog.name"`.
    ///
    /// - Precondition: The operator exists, and at most one name follows it.
    /// - Complexity: O(n)
    public func value(forKeyPath keyPath: String) -> Any? {
        KeyValueCoding.value(of: self, KeyValueCoding.keys(keyPath), keyPath)
    }

    /// Sets the property of each element. `"self"` replaces each element of a list of values.
    ///
    /// - Precondition: If the collection is managed, a write transaction is open.
    public func setValue(_ value: Any?, forKey key: String) {
        if let realm { _ = realm.core.requireWrite() }
        if key == "self", let collection = self as? any ContentCollection, Element._rlmShape.type != .object {
            replaceEach(of: collection, by: value)
            return
        }
        for element in Array(self) {
            guard let object = KeyValueCoding.object(element) else {
                programmerError(
                    "'\(key)' of a collection of \(Element.self) can't be set: its elements aren't objects. Set \"self\", "
                        + "to replace each."
                )
            }
            object.setValue(value, forKey: key)
        }
    }

    private func replaceEach<C: ContentCollection>(of collection: C, by value: Any?) {
        let given = PlainValue.unwrap(value)
        let content: _StoredContent? =
            if let given { C.convertElement(given) } else { Element._rlmShape.isOptional ? .null : nil }
        if let content, collection.assignContents(.list(Array(repeating: content, count: count))) { return }
        let error = Realm.Error(
            given == nil ? .missingValue : .invalidValue,
            "\(given.map { PlainValue.describe($0) } ?? "nil") can't be an element of \(type(of: self))"
        )
        if let realm { realm.core.record(error) } else { programmerError(error.message) }
    }
}

extension List {
    /// Returns the value of the property for each element, as references: `NSNumber`, `NSString` and similar classes,
    /// objects themselves, and `NSNull` for null. The array can be cast to an array of the values' type.
    public func value(forKey key: String) -> [AnyObject] { KeyValueCoding.references(of: self, key) }

    /// Returns the values at the key path as an array of references, for programs that need `[AnyObject]`.
    ///
    /// - Precondition: The key path leads to one value for each element. It has no operator with a single result.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValueCoding.references(value(forKeyPath: keyPath) as Any?, keyPath)
    }
}

extension MutableSet {
    /// Returns the distinct values of the property, as references: `NSNumber`, `NSString` and similar classes, objects
    /// themselves, and `NSNull` for null. The array can be cast to an array of the values' type.
    public func value(forKey key: String) -> [AnyObject] {
        var seen: Set<AnyHashable> = []
        return KeyValueCoding.references(of: self, key).filter { value in
            (value as? AnyHashable).map { seen.insert($0).inserted } ?? true
        }
    }

    /// Returns the values at the key path as an array of references, for programs that need `[AnyObject]`.
    ///
    /// - Precondition: The key path leads to one value for each element. It has no operator with a single result.
    @_disfavoredOverload
    public func value(forKeyPath keyPath: String) -> [AnyObject] {
        KeyValueCoding.references(value(forKeyPath: keyPath) as Any?, keyPath)
    }
}

/// A map of any type on a key path.
protocol KeyedValues {
    func value(forKeys keys: ArraySlice<String>, _ keyPath: String) -> Any?
    func setValue(_ value: Any?, forKey key: String)
}

extension Map: KeyedValues {
    func value(forKeys keys: ArraySlice<String>, _ keyPath: String) -> Any? {
        guard let key = keys.first else { return self }
        if key.hasPrefix("@") {
            return KeyValueCoding.aggregate(mapValues: plainValues, keys, keyPath)
        }
        return KeyValueCoding.value(of: value(forKey: key), keys.dropFirst(), keyPath)
    }
}

/// Functions that follow key paths through objects, collections and arrays.
enum KeyValueCoding {
    static func keys(_ keyPath: String) -> ArraySlice<String> {
        keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]
    }

    static func value(of value: Any?, _ keys: ArraySlice<String>, _ keyPath: String) -> Any? {
        guard let key = keys.first else { return value }
        switch value {
        case nil: return nil
        case let object as ObjectBase: return self.value(of: object._value(named: key), keys.dropFirst(), keyPath)
        case let collection as any RealmCollection:
            if key.hasPrefix("@") {
                let operation = CollectionOperator(keys, keyPath)
                if collection is any UnorderedCollection { operation.requireOneValue() }
                return aggregate(collection, operation)
            }
            return self.value(of: values(of: collection, key), keys.dropFirst(), keyPath)
        case let map as any KeyedValues: return map.value(forKeys: keys, keyPath)
        case let values as [Any?]:
            if key.hasPrefix("@") { return aggregate(values, CollectionOperator(keys, keyPath)) }
            return self.value(of: values.map { self.value(of: $0, [key], keyPath) }, keys.dropFirst(), keyPath)
        default:
            programmerError(
                "'\(keyPath)' leads through \(PlainValue.describe(value!)), which has no property '\(key)'."
            )
        }
    }

    /// Returns an aggregate of a map's values.
    static func aggregate(mapValues values: [Any?], _ keys: ArraySlice<String>, _ keyPath: String) -> Any? {
        let operation = CollectionOperator(keys, keyPath)
        operation.requireOneValue()
        return aggregate(values, operation)
    }

    /// Returns the object of an element that is an object or a projection.
    static func object(_ element: Any) -> ObjectBase? {
        PlainValue.object(element) ?? (element as? any AnyProjection)?.root
    }

    static func values<C: RealmCollection>(of collection: C, _ key: String) -> [Any?] {
        collection.plainElements.map { value(of: $0, key) }
    }

    static func references<C: RealmCollection>(of collection: C, _ key: String) -> [AnyObject] {
        values(of: collection, key).map { $0 as AnyObject }
    }

    static func references(_ value: Any?, _ keyPath: String) -> [AnyObject] {
        switch value {
        case let values as [Any?]: return values.map { $0 as AnyObject }
        case let values as Set<AnyHashable>: return values.map { $0.base as AnyObject }
        default: programmerError("'\(keyPath)' leads to no array. Read it as `Any?`.")
        }
    }

    private static func value(of element: Any?, _ key: String) -> Any? {
        if key == "self" { return element }
        guard let element else { return nil }
        guard let object = object(element) else {
            programmerError("\(PlainValue.describe(element)) has no property '\(key)'. Only \"self\" reads values.")
        }
        return object._value(named: key)
    }

    // MARK: Operators

    private static func aggregate<C: RealmCollection>(_ collection: C, _ operation: CollectionOperator) -> Any? {
        if case .fold(let fold) = operation.kind, collection._source != nil, operation.key != "self" {
            return collection.aggregated(fold, operation.key).plainValue
        }
        switch operation.kind {
        case .count: return collection.count
        case .fold(let fold): return folded(values(of: collection, operation.key), fold, operation: operation)
        case .objects(let distinct): return united(values(of: collection, operation.key), distinct)
        case .arrays(let distinct):
            return unitedArrays(values(of: collection, operation.key), distinct, operation: operation)
        }
    }

    private static func aggregate(_ elements: [Any?], _ operation: CollectionOperator) -> Any? {
        let values = { elements.map { value(of: $0, operation.key) } }
        switch operation.kind {
        case .count: return elements.count
        case .fold(let fold): return folded(values(), fold, operation: operation)
        case .objects(let distinct): return united(values(), distinct)
        case .arrays(let distinct): return unitedArrays(values(), distinct, operation: operation)
        }
    }

    private static func folded(_ values: [Any?], _ fold: Aggregate, operation: CollectionOperator) -> Any? {
        let stored = values.compactMap { $0 }.map { value in
            guard let stored = PlainNumber.stored(value) else { operation.reject(value) }
            return stored
        }
        let type: ColumnType
        switch stored.first {
        case nil: type = .int
        // Numbers of several types are added like mixed values.
        case .int, .float, .double, .decimal128:
            type = stored.allSatisfy { $0.type == stored[0].type } ? stored[0].type! : .mixed
        case .timestamp where fold == .minimum || fold == .maximum: type = .timestamp
        default: operation.reject(values.compactMap { $0 }[0])
        }
        return ValueFold.fold(fold, stored, of: type).plainValue
    }

    private static func united(_ values: [Any?], _ distinct: Bool) -> [Any?] {
        if !distinct { return values }
        var seen: Set<AnyHashable?> = []
        return values.filter { seen.insert($0 as? AnyHashable).inserted }
    }

    private static func unitedArrays(_ values: [Any?], _ distinct: Bool, operation: CollectionOperator) -> [Any?] {
        let elements = values.compactMap { $0 }.flatMap { value -> [Any?] in
            switch value {
            case let collection as any RealmCollection: return self.values(of: collection, "self")
            case let array as [Any?]: return array
            default: operation.reject(value)
            }
        }
        return united(elements, distinct)
    }
}

/// An operator and its property, such as `@min.age`.
private struct CollectionOperator {
    enum Kind {
        case count
        case fold(Aggregate)
        case objects(distinct: Bool)
        case arrays(distinct: Bool)
    }

    let kind: Kind
    let key: String
    let keyPath: String

    private static let kinds: [String: Kind] = [
        "@count": .count, "@min": .fold(.minimum), "@max": .fold(.maximum), "@sum": .fold(.sum),
        "@avg": .fold(.average),
        "@unionOfObjects": .objects(distinct: false), "@distinctUnionOfObjects": .objects(distinct: true),
        "@unionOfArrays": .arrays(distinct: false), "@distinctUnionOfArrays": .arrays(distinct: true),
    ]

    init(_ keys: ArraySlice<String>, _ keyPath: String) {
        self.keyPath = keyPath
        guard let kind = Self.kinds[keys.first!] else {
            programmerError(
                "'\(keyPath)' has the unknown operator \(keys.first!). There are "
                    + Self.kinds.keys.sorted().joined(separator: ", ") + "."
            )
        }
        self.kind = kind
        if case .count = kind {
            if keys.count > 1 {
                programmerError("'\(keyPath)' goes on behind @count, which is a number. End it there.")
            }
            key = "self"
            return
        }
        guard keys.count == 2, !keys.last!.isEmpty else {
            programmerError(
                "'\(keyPath)' must have one property behind \(keys.first!): "
                    + (keys.count > 2 ? "nested key paths can't follow an operator." : "name it, or `self`.")
            )
        }
        key = keys.last!
    }

    /// Values of sets and maps have no order of their own, so they can't be combined to arrays. RealmSwift has the same
    /// rule.
    func requireOneValue() {
        switch kind {
        case .count, .fold: return
        case .objects, .arrays:
            programmerError("'\(keyPath)' can't be asked of a set or map. Ask it of a list or of results.")
        }
    }

    func reject(_ value: Any) -> Never {
        programmerError("'\(keyPath)' can't be made of \(PlainValue.describe(value)).")
    }
}
