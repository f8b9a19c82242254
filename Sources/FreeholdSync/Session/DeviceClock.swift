#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The device's clock in milliseconds since 2015-01-01: the wall clock as it was at first, carried on by the clock that also counts while the
/// device sleeps. So it never jumps while the process lives, whoever sets the wall clock.
public struct DeviceClock: Sendable {
    private let start: Int64
    private let instant: ContinuousClock.Instant

    public static let shared = DeviceClock()

    /// - Parameter offset: milliseconds that are added, for tests of devices whose clocks are wrong.
    public init(offset: Int64 = 0) {
        let seconds = Date().timeIntervalSince1970 - 1_420_070_400
        start = Int64(seconds * 1_000) + offset
        instant = .now
    }

    public func now() -> Int64 {
        let passed = instant.duration(to: .now).components
        return start &+ passed.seconds &* 1_000 &+ passed.attoseconds / 1_000_000_000_000_000
    }
}
