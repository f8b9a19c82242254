/// The signed 64-bit number of an object in its table: rising from 0, never used again.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let raw: Int64

    @inlinable public init(_ raw: Int64) { self.raw = raw }
    @inlinable public static func < (a: ObjectKey, b: ObjectKey) -> Bool { a.raw < b.raw }
    public var description: String { "O\(raw)" }
}
