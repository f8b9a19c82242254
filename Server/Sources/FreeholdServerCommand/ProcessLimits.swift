import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the process may have open, and what of it is for what.
struct ProcessLimits {
    /// Descriptors of files and sockets.
    let descriptors: Int

    /// Asks for as many descriptors as the process may have: shells and containers often begin with 1,024.
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

    /// Files of streams that are open at once: a third of the descriptors, of which each takes five.
    var openStreams: Int { max(min(256, descriptors / 15), 4) }

    /// Sockets: what streams, accounts, logs and the runtime don't take.
    var connections: Int { max(descriptors - openStreams * 5 - 128, 16) }
}
