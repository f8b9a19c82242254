#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// A read transaction that pins a version of the file, in this process or another.
public struct ReaderInfo: Hashable, Sendable {
    public let processIdentifier: Int32
    /// The thread that began it, as the system numbers threads.
    public let thread: UInt64
    /// The version it reads; pages that this version uses can't be reused.
    public let version: UInt64
    /// When it began, if it is one of this process.
    public let since: Timestamp?

    public init(processIdentifier: Int32, thread: UInt64, version: UInt64, since: Timestamp? = nil) {
        self.since = since
        self.processIdentifier = processIdentifier
        self.thread = thread
        self.version = version
    }
}

extension Timestamp {
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }
}
