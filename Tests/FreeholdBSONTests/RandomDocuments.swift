import Foundation
import FreeholdBSON
import FreeholdEngine

/// Random documents with every type, without keys that Extended JSON would interpret as a type.
struct RandomDocuments {
    var random: SeededRandom
    /// Whether to leave out values that a canonical text can't represent: bits of NaNs, decimals that aren't canonical.
    var isTextSafe = false

    mutating func document(_ depth: Int = 4, count: Int? = nil) -> BSONDocument {
        var document = BSONDocument()
        for index in 0..<(count ?? int(0...6)) {
            // Mostly short; unique by the index.
            document.append(text(random.oneIn(10) ? 40 : 4).replacing("\0", with: "") + "\(index)", value(depth - 1))
        }
        return document
    }

    mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func bits<T: FixedWidthInteger>(_ type: T.Type) -> T { T(truncatingIfNeeded: random.next()) }

    mutating func text(_ limit: Int = 20) -> String {
        var text = ""
        for _ in 0..<int(0...limit) {
            switch int(0...9) {
            case 0: text.unicodeScalars.append(Unicode.Scalar(UInt8(int(0...31))))
            case 1:
                text.append(
                    ["é", "☆", "😀", "\u{301}", "\"", "\\", "/", "\u{2028}", "\u{7F}"].randomElement(using: &random)!
                )
            default: text.unicodeScalars.append(Unicode.Scalar(UInt8(int(97...122))))
            }
        }
        return text
    }

    mutating func bytes(_ limit: Int = 20) -> [UInt8] { (0..<int(0...limit)).map { _ in bits(UInt8.self) } }

    mutating func objectId() -> ObjectId {
        let bytes = (0..<12).map { _ in bits(UInt8.self) }
        return bytes.withUnsafeBytes { ObjectId(bytes: $0) }
    }

    mutating func double() -> Double {
        switch int(0...3) {
        case 0: return Double(int(-100...100))
        case 1:
            return [0.0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 0.1].randomElement(using: &random)!
        case 2: return Double.random(in: -1...1, using: &random)
        default:
            let number = Double(bitPattern: random.next())
            return number.isNaN && isTextSafe ? .nan : number
        }
    }

    mutating func integer() -> Int64 {
        switch int(0...2) {
        case 0: Int64(int(-100...100))
        case 1: [.min, .max, Int64(Int32.max) + 1, Int64(Int32.min) - 1].randomElement(using: &random)!
        default: bits(Int64.self)
        }
    }

    mutating func decimal() -> Decimal128 {
        let any = Decimal128(lo: random.next(), hi: random.next())
        guard isTextSafe else { return any }
        return any.isNaN ? .nan : any.isFinite ? Decimal128(lo: any.lo, hi: any.hi & 0x9FFE_FFFF_FFFF_FFFF) : .infinity
    }

    mutating func regex() -> BSONRegex {
        BSONRegex(pattern: text().replacing("\0", with: ""), options: String("xusmli".prefix(int(0...6))))
    }

    mutating func value(_ depth: Int) -> BSONValue {
        switch int(0...(depth > 0 ? 25 : 19)) {
        case 0: .double(double())
        case 1, 2: .string(text())
        case 3: .binary(BSONBinary(bytes: bytes(), subtype: .init(rawValue: bits(UInt8.self))))
        case 4: .binary(BSONBinary(bytes: (0..<16).map { _ in bits(UInt8.self) }, subtype: .uuid))
        case 5: .undefined
        case 6: .objectId(objectId())
        case 7: .bool(random.oneIn(2))
        case 8: .datetime(BSONDateTime(milliseconds: integer()))
        case 9: .null
        case 10: .regex(regex())
        case 11: .dbPointer(BSONDBPointer(reference: text(), id: objectId()))
        case 12: .javaScript(text())
        case 13: .symbol(text())
        case 14: .int32(Int32(truncatingIfNeeded: integer()))
        case 15: .timestamp(BSONTimestamp(seconds: bits(UInt32.self), increment: bits(UInt32.self)))
        case 16: .int64(integer())
        case 17: .decimal128(decimal())
        case 18: .minKey
        case 19: .maxKey
        case 20: .javaScriptWithScope(BSONCodeWithScope(code: text(), scope: document(depth - 1)))
        case 21, 22: .array((0..<int(0...12)).map { _ in value(depth - 1) })
        default: .document(document(depth - 1))
        }
    }
}
