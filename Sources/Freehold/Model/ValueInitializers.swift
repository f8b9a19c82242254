public import Foundation
public import FreeholdEngine

extension ObjectId {
    /// The id written as 24 hexadecimal digits of either case.
    ///
    /// - Throws: `Realm.Error.invalidInput` for any other text.
    public init(string: String) throws(Realm.Error) {
        guard let id = ObjectId(string) else {
            throw Realm.Error(
                .invalidInput,
                "\(PlainValue.describe(string)) is no ObjectId: 24 hexadecimal digits are needed"
            )
        }
        self = id
    }
}

extension Decimal128 {
    /// The number written as `[+-]digits[.digits][E[+-]digits]`, `Inf`, `Infinity`, `NaN` or `sNaN` in any case,
    /// rounded half to even if it has more than 34 digits.
    ///
    /// - Throws: `Realm.Error.invalidInput` for any other text. (RealmSwift's gives NaN.)
    public init(string: String) throws(Realm.Error) {
        guard let number = Decimal128(string) else {
            throw Realm.Error(.invalidInput, "\(PlainValue.describe(string)) is no decimal number")
        }
        self = number
    }

    /// The number with all of its digits: integers and `NSDecimalNumber`s as they are, floating-point numbers in
    /// their shortest form (0.1 is 0.1).
    ///
    /// - Precondition: It isn't a boolean.
    public init(number: NSNumber) {
        guard let value = PlainNumber.decimal128(number) else {
            programmerError("The boolean \(number.boolValue) is no number and can't become a Decimal128.")
        }
        self = value
    }

    /// A number of any type, or the text of one.
    ///
    /// - Precondition: The value is one of these. Use ``init(_:)-(String)`` or ``init(string:)`` for text that may be none.
    public init(value: Any) {
        guard let plain = PlainValue.unwrap(value), let number = PlainNumber.decimal128(plain) else {
            programmerError("\(PlainValue.describe(value)) is no number and can't become a Decimal128.")
        }
        self = number
    }
}

extension Decimal128 {
    /// The largest finite number.
    public static var maximumDecimalNumber: Decimal128 { .max }
    /// The smallest finite number.
    public static var minimumDecimalNumber: Decimal128 { .min }
}

// The engine has these operators. But re-exporting a type alone doesn't re-export operators that no protocol asks
// for, so those who import only Freehold wouldn't find them.
extension Decimal128 {
    /// The quotient. Dividing by zero gives an infinity, or NaN for 0 / 0.
    @_disfavoredOverload public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { a.divided(by: b) }

    @_disfavoredOverload public static func /= (a: inout Decimal128, b: Decimal128) { a = a.divided(by: b) }
}
