import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The limits of the process, and their distribution.
struct ProcessLimits {
    /// The maximum number of descriptors of files and sockets.
    let descriptors: Int

    /// Raises the limit of descriptors to the maximum that the system permits, because shells and containers often
    /// begin with 1,024.
    static func raised() -> ProcessLimits {
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0 else { return ProcessLimits(descriptors: 1_024) }
        let most = min(limit.rlim_max, 1 << 20)
        if limit.rlim_cur < most {
            limit.rlim_cur = most
            if setrlimit(kind, &limit) != 0 { _ = getrlimit(kind, &limit) }
        }
        return ProcessLimits(descriptors: Int(min(limit.rlim_cur, 1 << 20)))
    }

    #if canImport(Glibc)
        private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let kind = RLIMIT_NOFILE
    #endif

    /// The maximum number of open files of streams. They use a third of the descriptors, and each needs five.
    var openStreams: Int { max(min(256, descriptors / 15), 4) }

    /// The maximum number of sockets: the descriptors that streams, accounts, logs and the runtime don't need.
    var connections: Int { max(descriptors - openStreams * 5 - 128, 16) }
}
