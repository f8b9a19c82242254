import Testing

@testable import FreeholdRealmWire

@Suite("Realm wire: instructions")
struct InstructionTests {
    @Test func `NaN equals itself by its bytes, and not by its value`() {
        expect(Payload.double(.nan) == .double(.nan))
        expect(!Payload.double(.nan).isSame(as: .double(.nan)))
        expect(Payload.double(0) != .double(-0.0))
        expect(Payload.double(0).isSame(as: .double(-0.0)))
        expect(!Payload.int(1).isSame(as: .double(1)))
    }

    @Test func `decimals of one value are the same, although their bytes differ`() {
        let (one, other) = (
            WireDecimal(low: 10, exponent: -1, isNegative: false), WireDecimal(low: 1, exponent: 0, isNegative: false)
        )
        expect(one != other)
        expect(Payload.decimal(one).isSame(as: .decimal(other)))
        let zero = WireDecimal(low: 0, exponent: 5, isNegative: true)
        expect(zero.isSame(as: WireDecimal(low: 0, exponent: 0, isNegative: false)))
        let none = WireDecimal(low: 0, exponent: WireDecimal.notANumberExponent, isNegative: false)
        expect(!none.isSame(as: none))
        let infinity = WireDecimal(low: 0, exponent: WireDecimal.infinityExponent, isNegative: true)
        expect(infinity.isSame(as: infinity))
    }

    @Test func `texts are compared by their bytes`() {
        expect(WireText("\u{E9}") != WireText("e\u{301}"))
        expect(WireText("a") < WireText("b"))
        expect(!WireText(bytes: [0xFF]).isValid)
    }
}
