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
    /// A range of values. A bound of `nil` means that the range is unbounded.
    case range(lower: [UInt8]?, includingLower: Bool, upper: [UInt8]?, includingUpper: Bool)
    case oneOf(BytesSet)

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .equal(let p): return bytes.count == p.count && Self.hasBytes(bytes, at: 0, p)
        case .beginsWith(let p): return bytes.count >= p.count && Self.hasBytes(bytes, at: 0, p)
        case .endsWith(let p): return bytes.count >= p.count && Self.hasBytes(bytes, at: bytes.count - p.count, p)
        case .contains(let p):
            guard bytes.count >= p.count else { return false }
            return p.isEmpty || p.withUnsafeBytes { ByteSearch.first($0, in: bytes) != nil }
        case .like(let pattern): return pattern.matches(bytes)
        case .matches(let expression): return expression.matches(bytes)
        case .range(let lower, let includingLower, let upper, let includingUpper):
            if let lower {
                let c = lower.withUnsafeBytes { Value.compareBytes(bytes, with: $0) }
                if c < 0 || (c == 0 && !includingLower) { return false }
            }
            if let upper {
                let c = upper.withUnsafeBytes { Value.compareBytes(bytes, with: $0) }
                if c > 0 || (c == 0 && !includingUpper) { return false }
            }
            return true
        case .oneOf(let set): return set.contains(bytes)
        }
    }

    @inline(__always)
    private static func hasBytes(_ bytes: UnsafeRawBufferPointer, at start: Int, _ pattern: [UInt8]) -> Bool {
        pattern.isEmpty || memcmp(bytes.baseAddress! + start, pattern, pattern.count) == 0
    }
}
