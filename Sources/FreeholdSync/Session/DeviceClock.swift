#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The device's time in milliseconds since 2015-01-01. It is the wall clock at the start of the process, continued by a
/// clock that also counts while the device sleeps. It therefore never jumps during the life of the process, even if the
/// wall clock is set.
public struct DeviceClock: Sendable {
    private let start: Int64
    private let instant: ContinuousClock.Instant

    public static let shared = DeviceClock()

    /// - Parameter offset: A number of milliseconds that is added, for tests of devices with wrong clocks.
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
