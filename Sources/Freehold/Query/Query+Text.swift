import FreeholdEngine

extension Query: CustomStringConvertible where T == Bool {
    /// The condition as a query string. `filter` with this string finds the same objects.
    ///
    /// ```swift
    /// let old = Query<Person>.condition { $0.age > 60 && $0.dogs.name == "Rex" }
    /// ```
    ///
    /// The string contains the values of the arguments. The language has no form for maps, and for lists of lists,
    /// inside mixed values. A string with one of them can't be parsed again.
    public var queryString: String {
        QueryPrinter.text(node, spelled: MemberValues.spelled) { QueryConstant.of($0) }
    }

    /// The same text as ``queryString``.
    public var description: String { queryString }

    /// Returns the condition as a format of NSPredicate with `%@` for each constant, and the constants, like RealmSwift
    /// does. In the format, a half-open range consists of two comparisons. Different elements of a collection may match
    /// them.
    public func _constructPredicate() -> (String, [Any]) {
        let (format, arguments) = PredicateFormat.of(node)
        return (format, arguments.map(QueryConstant.plain))
    }
}

extension Query {
    /// Returns a query on objects of class `T`, for tests of closures.
    public static func _constructForTesting() -> Query<T> { Query<T>() }
}

/// Conversions of closures' arguments to constants that have a text.
enum QueryConstant {
    static func of(_ argument: Any) -> FreeholdEngine.Constant? {
        guard let value = PlainValue.unwrap(argument) else { return .value(.null) }
        switch value {
        case let value as Value: return .value(value)
        case let shape as any _GeoShape: return .shape(shape._shape)
        case let object as ObjectBase: return self.object(object)
        case let value as AnyRealmValue:
            guard let content = AnyRealmValue.content(of: value, depth: 0) else { return nil }
            return of(content)
        case let value as any RealmCollectionValue: return of(content(value))
        case let value as any RawRepresentable: return of(value.rawValue)
        default: break
        }
        let plain = QueryArgument.plain(value)
        guard let elements = plain as? [Any] else { return plain is any RealmCollectionValue ? of(plain) : nil }
        let constants = elements.map { of($0) }
        return constants.contains { $0 == nil } ? nil : .list(constants.compactMap { $0 })
    }

    static func plain(_ argument: Any) -> Any {
        guard let value = argument as? Value else { return argument }
        return value.plainValue as Any
    }

    private static func content<V: RealmCollectionValue>(_ value: V) -> _StoredContent { V._rlmContent(value) }

    private static func of(_ content: _StoredContent) -> FreeholdEngine.Constant? {
        switch content {
        case .value(let value): return .value(value)
        case .object(let object): return object.map { self.object($0) } ?? .value(.null)
        case .list(let elements):
            let constants = elements.map { of($0) }
            return constants.contains { $0 == nil } ? nil : .list(constants.compactMap { $0 })
        default: return nil
        }
    }

    private static func object(_ object: ObjectBase) -> FreeholdEngine.Constant {
        // No object has this key.
        guard object._isManaged, !object.isInvalidated, let table = object._table?.table else {
            return .object(tableID: nil, FreeholdEngine.ObjectKey(.max))
        }
        return .object(tableID: table.id, object._key)
    }
}
