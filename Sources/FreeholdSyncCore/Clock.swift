/// A copy of a realm's file, as the server numbers them (sync-design.md, section 4).
///
/// The server gives the number at the first bind. Until then the journal says `me`.
public struct FileIdent: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The file that speaks, while it has no number yet.
    public static let me = FileIdent(rawValue: 0)

    public static func < (a: FileIdent, b: FileIdent) -> Bool { a.rawValue < b.rawValue }

    public var description: String { self == .me ? "me" : "f\(rawValue)" }
}

/// The time of a commit: milliseconds since 2015-01-01 in the upper 48 bits, a counter in the lower 16 (sync-design.md, section 4).
///
/// Nothing here reads a clock: whoever calls passes the time.
public struct Clock: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter milliseconds: since 2015-01-01; what lies outside of 48 bits is brought to the nearest end.
    public init(milliseconds: Int64, counter: UInt16 = 0) {
        let clamped = min(max(milliseconds, 0), Self.greatestMilliseconds)
        self.init(rawValue: UInt64(clamped) << 16 | UInt64(counter))
    }

    /// Milliseconds since 2015-01-01.
    public var milliseconds: Int64 { Int64(rawValue >> 16) }
    public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

    /// Before every commit.
    public static let zero = Clock(rawValue: 0)

    static let greatestMilliseconds: Int64 = 1 << 48 - 1

    /// The least clock after this one: a full counter carries into the milliseconds. The greatest clock of all stays.
    public var next: Clock { rawValue == .max ? self : Clock(rawValue: rawValue + 1) }

    public static func < (a: Clock, b: Clock) -> Bool { a.rawValue < b.rawValue }

    public var description: String { counter == 0 ? "\(milliseconds)ms" : "\(milliseconds)ms+\(counter)" }
}

extension Clock {
    /// How far a client's clock may run ahead of the server's before the server holds it back.
    public static let tolerance: Int64 = 5_000

    /// The clock of a client's next commit.
    ///
    /// - Parameters:
    ///   - wall: the device's time with the offset to the server added, in milliseconds since 2015-01-01.
    ///   - last: the client's clock, which lies in the file: that of its last commit, or one that pushed it on.
    public static func ofCommit(wall: Int64, last: Clock) -> Clock { max(Clock(milliseconds: wall), last.next) }

    /// The client's clock after it received one: pushed on, but not beyond `tolerance` after the server's time as the
    /// client estimates it. It never goes back.
    ///
    /// - Parameter wall: as for `ofCommit`.
    public func pushed(by received: Clock, wall: Int64) -> Clock {
        max(self, min(received, Self.ahead(of: wall)))
    }

    private static func ahead(of now: Int64) -> Clock {
        let (sum, overflow) = now.addingReportingOverflow(tolerance)
        return Clock(milliseconds: overflow ? .max : sum)
    }

    /// The clock that counts, which the server gives a commit once and stores: section 4's greatest of three.
    ///
    /// - Parameters:
    ///   - client: the clock that the client gave the commit.
    ///   - now: the server's time, in milliseconds since 2015-01-01; it must never go back.
    ///   - seen: the greatest clock of the stream at what the commit's author had seen.
    ///   - last: the last effective clock of the author's file.
    public static func effective(client: Clock, now: Int64, seen: Clock, last: Clock) -> Clock {
        max(min(client, ahead(of: now)), seen.next, last.next)
    }
}

/// When a write happened, and whose it was: the total order that every tie is broken by (sync-design.md, section 4).
///
/// Two writes of one stamp are of one commit. The later operation in the commit is the later write.
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

/// A position in the order that the server gave the commits of a stream. 0 is the empty stream.
public typealias StreamVersion = UInt64
