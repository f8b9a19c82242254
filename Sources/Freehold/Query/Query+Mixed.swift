import FreeholdEngine

// A mixed value of another type than the constant doesn't match, except that numbers compare by value. `!=` matches
// such values. String conditions match strings only.

extension AnyRealmValue: _QueryString {}
extension AnyRealmValue: _QueryNumeric {}

extension Query where T == AnyRealmValue {
    /// Matches if the value is greater than the given one. Values of different kinds don't match, except for numbers.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}

// Access to the lists and dictionaries inside a mixed value. The value at a missing place is null.
extension Query where T == AnyRealmValue {
    /// The element of a list, or of a list inside the value.
    public subscript(index: Int) -> Query<AnyRealmValue> { Query(path.appending(.index(index))) }
    /// The value for the key of a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> { Query(path.appending(.key(key))) }
    /// The elements of a list, or the values of a dictionary. A condition matches if any of them matches.
    public var any: Query<AnyRealmValue> { Query(path.appending(.all)) }
}
