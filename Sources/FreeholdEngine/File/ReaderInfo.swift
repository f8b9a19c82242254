/// A read transaction that pins a version of the file, in this process or another.
public struct ReaderInfo: Hashable, Sendable {
    public let processIdentifier: Int32
    /// The thread that began it, as the system numbers threads.
    public let thread: UInt64
    /// The version it reads; pages that this version uses can't be reused.
    public let version: UInt64

    public init(processIdentifier: Int32, thread: UInt64, version: UInt64) {
        self.processIdentifier = processIdentifier
        self.thread = thread
        self.version = version
    }
}
