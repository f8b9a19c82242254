/// Base 64 with padding according to RFC 4648.
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var position = 0
        while position < bytes.count {
            let count = min(3, bytes.count - position)
            var group = UInt32(bytes[position]) << 16
            if count > 1 { group |= UInt32(bytes[position + 1]) << 8 }
            if count > 2 { group |= UInt32(bytes[position + 2]) }
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            text.append(count > 1 ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
            text.append(count > 2 ? digits[Int(group & 63)] : UInt8(ascii: "="))
            position += 3
        }
    }

    /// Returns the bytes of a text, or nil for a wrong digit, missing padding, or bits that don't belong to a byte.
    static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { (text: UnsafeBufferPointer<UInt8>) -> [UInt8]? in
            guard text.count % 4 == 0 else { return nil }
            guard let last = text.last else { return [] }
            let padding = last != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
            let digitCount = text.count - padding
            var bytes: [UInt8] = []
            bytes.reserveCapacity(text.count / 4 * 3)
            var group: UInt32 = 0
            for position in 0..<digitCount {
                let value = values[Int(text[position])]
                guard value < 64 else { return nil }
                group = group << 6 | UInt32(value)
                if position % 4 == 3 {
                    bytes.append(UInt8(truncatingIfNeeded: group >> 16))
                    bytes.append(UInt8(truncatingIfNeeded: group >> 8))
                    bytes.append(UInt8(truncatingIfNeeded: group))
                    group = 0
                }
            }
            switch padding {
            case 1:
                guard group & 3 == 0 else { return nil }
                bytes.append(UInt8(truncatingIfNeeded: group >> 10))
                bytes.append(UInt8(truncatingIfNeeded: group >> 2))
            case 2:
                guard group & 15 == 0 else { return nil }
                bytes.append(UInt8(truncatingIfNeeded: group >> 4))
            default: break
            }
            return bytes
        }
    }
}
