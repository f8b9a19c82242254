#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A condition on the bytes of a string or data value that isn't null.
enum BytesTest: Sendable {
    case equal([UInt8])
    case beginsWith([UInt8])
    case endsWith([UInt8])
    case contains([UInt8])
    case like(LikePattern)
    case matches(RegularExpression)
    /// At least (after) the lower bound, at most (before) the upper; nil: unbounded.
    case range(lower: [UInt8]?, includingLower: Bool, upper: [UInt8]?, includingUpper: Bool)
    case oneOf(BytesSet)

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal(let p): return bytes.count == p.count && Self.hasBytes(bytes, at: 0, p)
        case .beginsWith(let p): return bytes.count >= p.count && Self.hasBytes(bytes, at: 0, p)
        case .endsWith(let p): return bytes.count >= p.count && Self.hasBytes(bytes, at: bytes.count - p.count, p)
        case .contains(let p):
            guard bytes.count >= p.count else { return false }
            return p.isEmpty || Self.hasRun(bytes, p)
        case .like(let pattern): return pattern.matches(bytes)
        case .matches(let expression): return expression.matches(bytes)
        case .range(let lower, let includingLower, let upper, let includingUpper):
            if let lower {
                let c = lower.withUnsafeBytes { Value.compareBytes(bytes, $0) }
                if c < 0 || (c == 0 && !includingLower) { return false }
            }
            if let upper {
                let c = upper.withUnsafeBytes { Value.compareBytes(bytes, $0) }
                if c > 0 || (c == 0 && !includingUpper) { return false }
            }
            return true
        case .oneOf(let set): return set.contains(bytes)
        }
    }

    private static func hasRun(_ bytes: UnsafeRawBufferPointer, _ pattern: [UInt8]) -> Bool {
        var i = 0
        let last = bytes.count - pattern.count
        while i <= last {
            guard let hit = memchr(bytes.baseAddress! + i, Int32(pattern[0]), last - i + 1) else { return false }
            i = UnsafeRawPointer(hit) - bytes.baseAddress!
            if hasBytes(bytes, at: i, pattern) { return true }
            i += 1
        }
        return false
    }

    @inline(__always)
    private static func hasBytes(_ bytes: UnsafeRawBufferPointer, at start: Int, _ pattern: [UInt8]) -> Bool {
        pattern.isEmpty || memcmp(bytes.baseAddress! + start, pattern, pattern.count) == 0
    }
}

/// A `LIKE` pattern over UTF-8 bytes.
struct LikePattern: Sendable {
    let bytes: [UInt8]

    /// The plain test that means the same, where there is one.
    static func test(_ bytes: [UInt8]) -> BytesTest {
        let star = UInt8(ascii: "*")
        guard !bytes.contains(UInt8(ascii: "?")) else { return .like(LikePattern(bytes: bytes)) }
        let stars = bytes.count { $0 == star }
        if stars == 0 { return .equal(bytes) }
        if stars == 1, bytes.last == star { return .beginsWith(Array(bytes.dropLast())) }
        if stars == 1, bytes.first == star { return .endsWith(Array(bytes.dropFirst())) }
        if stars == 2, bytes.first == star, bytes.last == star {
            return .contains(Array(bytes.dropFirst().dropLast()))
        }
        return .like(LikePattern(bytes: bytes))
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var t = 0
        var p = 0
        // Where to go on from if what follows the last star doesn't fit.
        var retryPattern = -1
        var retryText = 0
        while t < text.count {
            if p < bytes.count, bytes[p] == UInt8(ascii: "*") {
                retryPattern = p + 1
                retryText = t
                p += 1
            } else if p < bytes.count, bytes[p] == UInt8(ascii: "?") {
                t = after(t, text)
                p += 1
            } else if p < bytes.count, bytes[p] == text[t] {
                t += 1
                p += 1
            } else if retryPattern >= 0 {
                retryText = after(retryText, text)
                t = retryText
                p = retryPattern
            } else {
                return false
            }
        }
        while p < bytes.count, bytes[p] == UInt8(ascii: "*") { p += 1 }
        return p == bytes.count
    }

    private func after(_ i: Int, _ text: UnsafeRawBufferPointer) -> Int {
        var i = i + 1
        while i < text.count, text[i] & 0xc0 == 0x80 { i += 1 }
        return i
    }
}

/// A string operator that minds case, with its constant: for those who test single values.
package struct BytesQuestion: Sendable {
    private let test: BytesTest

    /// - Returns: nil for operators that aren't asked of bytes alone.
    package init?(_ relation: ConditionOperator, _ bytes: [UInt8]) {
        switch relation {
        case .beginsWith: test = .beginsWith(bytes)
        case .endsWith: test = .endsWith(bytes)
        case .contains: test = .contains(bytes)
        case .like: test = LikePattern.test(bytes)
        default: return nil
        }
    }

    package func isTrue(of bytes: UnsafeRawBufferPointer) -> Bool { test.matches(bytes) }
}
