public import Foundation
public import FreeholdEngine

extension ObjectId {
    /// Creates an id from 24 hexadecimal digits in upper or lower case.
    ///
    /// - Throws: `Realm.Error.invalidInput` for other texts.
    public init(string: String) throws(Realm.Error) {
        guard let id = ObjectId(string) else {
            throw Realm.Error(
                .invalidInput,
                "\(PlainValue.describe(string)) isn't an ObjectId: 24 hexadecimal digits are needed"
            )
        }
        self = id
    }
}

extension Decimal128 {
    /// Creates a number from a text in the form `[+-]digits[.digits][E[+-]digits]`, `Inf`, `Infinity`, `NaN` or `sNaN`
    /// in upper or lower case. A number with more than 34 digits is rounded half to even.
    ///
    /// - Throws: `Realm.Error.invalidInput` for other texts. RealmSwift returns NaN instead.
    public init(string: String) throws(Realm.Error) {
        guard let number = Decimal128(string) else {
            throw Realm.Error(.invalidInput, "\(PlainValue.describe(string)) isn't a decimal number")
        }
        self = number
    }

    /// Creates a number with all digits of an `NSNumber`. Integers and `NSDecimalNumber`s keep their value.
    /// Floating-point numbers are converted in their shortest form (0.1 is 0.1).
    ///
    /// - Precondition: The number isn't a boolean.
    public init(number: NSNumber) {
        guard let value = PlainNumber.decimal128(number) else {
            programmerError("The boolean \(number.boolValue) isn't a number and can't become a Decimal128.")
        }
        self = value
    }

    /// Creates a number from a number of any type, or from its text.
    ///
    /// - Precondition: The value is a number or the text of a number. For other texts, use ``init(_:)-(String)`` or
    ///   ``init(string:)``.
    public init(value: Any) {
        guard let plain = PlainValue.unwrap(value), let number = PlainNumber.decimal128(plain) else {
            programmerError("\(PlainValue.describe(value)) isn't a number and can't become a Decimal128.")
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

// The engine has these operators. But exporting a type doesn't export operators that no protocol requires, so a module
// that imports only Freehold wouldn't find them.
extension Decimal128 {
    /// Returns the quotient. A division by zero returns an infinity, or NaN for 0 / 0.
    @_disfavoredOverload public static func / (a: Decimal128, b: Decimal128) -> Decimal128 { a.divided(by: b) }

    @_disfavoredOverload public static func /= (a: inout Decimal128, b: Decimal128) { a = a.divided(by: b) }
}
