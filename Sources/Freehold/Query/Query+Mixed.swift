// Mixed values: those of other types than the constant don't match, but for numbers, which compare by value; `!=` holds
// for them. String conditions hold for strings only.

extension AnyRealmValue: _QueryString {}
extension AnyRealmValue: _QueryNumeric {}

extension Query where T == AnyRealmValue {
    public static func > (a: Query, b: T) -> Query<Bool> { a.compared(.greater, b) }
    public static func >= (a: Query, b: T) -> Query<Bool> { a.compared(.greaterOrEqual, b) }
    public static func < (a: Query, b: T) -> Query<Bool> { a.compared(.less, b) }
    public static func <= (a: Query, b: T) -> Query<Bool> { a.compared(.lessOrEqual, b) }
    public static func > (a: Query, b: Query) -> Query<Bool> { a.compared(.greater, to: b) }
    public static func >= (a: Query, b: Query) -> Query<Bool> { a.compared(.greaterOrEqual, to: b) }
    public static func < (a: Query, b: Query) -> Query<Bool> { a.compared(.less, to: b) }
    public static func <= (a: Query, b: Query) -> Query<Bool> { a.compared(.lessOrEqual, to: b) }
}
