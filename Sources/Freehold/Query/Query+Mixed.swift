import FreeholdEngine

// Mixed values: those of other types than the constant don't match, but for numbers, which compare by value; `!=` holds
// for them. String conditions hold for strings only.

extension AnyRealmValue: _QueryString {}
extension AnyRealmValue: _QueryNumeric {}

extension Query where T == AnyRealmValue {
    /// Whether the value is greater than this one; values of other kinds aren't, but for numbers among each other.
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}

// Places in the lists and dictionaries inside a mixed value. At a place that isn't there is null.
extension Query where T == AnyRealmValue {
    /// The element of a list; also of the list inside.
    public subscript(index: Int) -> Query<AnyRealmValue> { Query(path.appending(.index(index))) }
    /// The value under a dictionary's key.
    public subscript(key: String) -> Query<AnyRealmValue> { Query(path.appending(.key(key))) }
    /// Any element of a list, or any value of a dictionary.
    public var any: Query<AnyRealmValue> { Query(path.appending(.all)) }
}
