#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The time of a commit and the process that made it.
public struct CommitStamp: Hashable, Sendable {
    /// The time by the clock of the machine, in milliseconds since 1970. The clock can be set back, so a later commit can have an earlier time.
    public let milliseconds: Int64
    /// The identifier of the process. Processes in different containers can have the same one.
    public let processIdentifier: Int32

    init(milliseconds: Int64, processIdentifier: Int32) {
        (self.milliseconds, self.processIdentifier) = (milliseconds, processIdentifier)
    }

    static var now: CommitStamp { CommitStamp(milliseconds: Journal.now(), processIdentifier: getpid()) }
}
