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
    /// The thread that began the transaction, with the number that the system gave it.
    public let thread: UInt64
    /// The version that the transaction reads. The pages of this version can't be reused.
    public let version: UInt64
    /// The time at which the transaction began, if it belongs to this process.
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
