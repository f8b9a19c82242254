/// The number that the server gave to a copy of a realm's file (sync-design.md, section 4).
///
/// A file receives the number at its first bind. Until then its journal contains `me`.
public struct FileIdent: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The local file, while it has no number yet.
    public static let me = FileIdent(rawValue: 0)

    public static func < (a: FileIdent, b: FileIdent) -> Bool { a.rawValue < b.rawValue }

    public var description: String { self == .me ? "me" : "f\(rawValue)" }
}

/// The time of a commit: milliseconds since 2015-01-01 in the upper 48 bits, a counter in the lower 16 (sync-design.md, section 4).
///
/// The functions don't read a clock: the caller passes the time.
public struct Clock: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter milliseconds: The time since 2015-01-01, in milliseconds. It is clamped to 0 ..< 2^48.
    public init(milliseconds: Int64, counter: UInt16 = 0) {
        let clamped = min(max(milliseconds, 0), Self.greatestMilliseconds)
        self.init(rawValue: UInt64(clamped) << 16 | UInt64(counter))
    }

    /// The time since 2015-01-01, in milliseconds.
    public var milliseconds: Int64 { Int64(rawValue >> 16) }
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// A clock before every commit.
    public static let zero = Clock(rawValue: 0)

    static let greatestMilliseconds: Int64 = 1 << 48 - 1

    /// The next greater clock. A full counter carries into the milliseconds. The greatest clock has itself as its next
    /// one.
    public var next: Clock { rawValue == .max ? self : Clock(rawValue: rawValue + 1) }

    public static func < (a: Clock, b: Clock) -> Bool { a.rawValue < b.rawValue }

    public var description: String { counter == 0 ? "\(milliseconds)ms" : "\(milliseconds)ms+\(counter)" }
}

extension Clock {
    /// The maximum lead of a client's clock over the server's, in milliseconds. The server lowers a clock with a
    /// greater lead.
    public static let tolerance: Int64 = 5_000

    /// Returns the clock of a client's next commit.
    ///
    /// - Parameters:
    ///   - wall: The device's time plus the offset to the server, in milliseconds since 2015-01-01.
    ///   - last: The client's clock in the file: the clock of its last commit, or a later one that a received clock
    ///     caused.
    public static func ofCommit(wall: Int64, last: Clock) -> Clock { max(Clock(milliseconds: wall), last.next) }

    /// Returns the client's clock after it received another clock: the greater of both, limited to the estimated time
    /// of the server plus `tolerance`. The result is never less than the present clock.
    ///
    /// - Parameter wall: The device's time plus the offset to the server, in milliseconds since 2015-01-01.
    public func pushed(by received: Clock, wall: Int64) -> Clock {
        max(self, min(received, Self.ahead(of: wall)))
    }

    private static func ahead(of now: Int64) -> Clock {
        let (sum, overflow) = now.addingReportingOverflow(tolerance)
        return Clock(milliseconds: overflow ? .max : sum)
    }

    /// Returns the effective clock of a commit. The server computes it once and stores it. It is the greatest of three
    /// clocks (sync-design.md, section 4).
    ///
    /// - Parameters:
    ///   - client: The clock that the client gave the commit.
    ///   - now: The server's time, in milliseconds since 2015-01-01. It must never decrease.
    ///   - seen: The greatest clock of the stream at the version that the author had seen.
    ///   - last: The last effective clock of the author's file.
    public static func effective(client: Clock, now: Int64, seen: Clock, last: Clock) -> Clock {
        max(min(client, ahead(of: now)), seen.next, last.next)
    }
}

/// The time and the file of a write. Stamps are the total order that decides between concurrent writes (sync-design.md,
/// section 4).
///
/// Two writes with equal stamps belong to one commit. The later operation of the commit is the later write.
public struct Stamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let clock: Clock
    public let ident: FileIdent

    public init(clock: Clock, ident: FileIdent) {
        self.clock = clock
        self.ident = ident
    }

    public static func < (a: Stamp, b: Stamp) -> Bool { (a.clock, a.ident) < (b.clock, b.ident) }

    public var description: String { "\(clock)/\(ident)" }
}

/// A position in the order of a stream's commits, which the server assigns. 0 is the empty stream.
public typealias StreamVersion = UInt64
