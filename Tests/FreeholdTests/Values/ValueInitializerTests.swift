import Foundation
import Testing

@testable import Freehold

@Suite("Values: initialisers")
struct ValueInitializerTests {
    @Test
    func `text that isn't an ObjectId is a typed error that names it`() throws {
        try expectEqual(ObjectId(string: "507F1F77BCF86CD799439011").stringValue, "507f1f77bcf86cd799439011")
        for text in ["", "x", "507f1f77bcf86cd79943901g", "507f1f77bcf86cd7994390111"] {
            let error = #expect(throws: Realm.Error.self) { try ObjectId(string: text) }
            expectEqual(error?.code, .invalidInput)
            expectEqual(error?.message.contains("24 hexadecimal digits"), true)
        }
        let text = "nonsense"
        expect(ObjectId(text) == nil)
        expectEqual(thrownCode { _ = try ObjectId(string: text) }, .invalidInput)
    }

    @Test
    func `text that isn't a decimal number is a typed error`() throws {
        try expectEqual(Decimal128(string: "1.50").stringValue, "1.50")
        expect(try Decimal128(string: "NaN").isNaN)
        let error = #expect(throws: Realm.Error.self) { try Decimal128(string: "1,5") }
        expect(error?.code == .invalidInput && error?.message.contains("1,5") == true)
    }

    @Test
    func `a decimal from an NSNumber keeps all digits`() {
        expectEqual(Decimal128(number: NSNumber(value: Int64.min)).stringValue, "-9223372036854775808")
        expectEqual(Decimal128(number: NSNumber(value: UInt64.max)).stringValue, "18446744073709551615")
        expectEqual(Decimal128(number: NSNumber(value: 0.1)), "0.1")
        expectEqual(Decimal128(number: NSNumber(value: Float(0.1))), "0.1")
        expectEqual(Decimal128(number: NSNumber(value: Int8(1))), 1)
        expectEqual(
            Decimal128(number: NSDecimalNumber(string: "1234567890.123456789012345678")),
            "1234567890.123456789012345678"
        )
    }

    @Test
    func `a decimal is created from a number of any type, or its text`() {
        expect(Decimal128(value: 5) == 5 && Decimal128(value: Int8(-3)) == -3)
        expectEqual(Decimal128(value: UInt64.max).stringValue, "18446744073709551615")
        expect(Decimal128(value: 0.1) == "0.1" && Decimal128(value: Float(0.1)) == "0.1")
        expect(Decimal128(value: "1E+40") == "1E+40" && Decimal128(value: Decimal(string: "0.30")!) == "0.3")
        expect(Decimal128(value: Decimal128(7)) == 7 && Decimal128(value: Optional(7) as Any) == 7)
        expectEqual(Decimal128(value: NSNumber(value: 2.5)), 2.5)
        expect(Decimal128.maximumDecimalNumber == .max && Decimal128.minimumDecimalNumber == .min)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a value that isn't a number traps with a message`(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            switch kind {
            case 0: _ = Decimal128(value: "twelve")
            case 1: _ = Decimal128(value: true)
            case 2: _ = Decimal128(value: Date())
            default: _ = Decimal128(number: NSNumber(value: true))
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("isn't a number and can't become a Decimal128"))
    }

    @Test
    func `compound assignments, sums and products are exact`() {
        var price: Decimal128 = "19.99"
        price *= 3
        expectEqual(price.stringValue, "59.97")
        price += "0.03"
        price -= 10
        price /= 8
        expect(price == 6.25 && price.magnitude == 6.25 && -price == "-6.25")
        price.negate()
        expect(price == -6.25 && price.magnitude == 6.25)
        // Through a Double these would lose digits.
        let long: Decimal128 = "-1234567890123456789012345678901234"
        expectEqual(long.magnitude.stringValue, "1234567890123456789012345678901234")
        let third: Decimal128 = 1 / 3
        expectEqual(third.stringValue, "0.3333333333333333333333333333333333")
        expect((Decimal128("1.0"), 5) == (Decimal128("1.00"), 5) && Set<Decimal128>(["1.0", "1.00"]).count == 1)
    }
}
