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

    /// Makes the allocator give large blocks back to the system when they are freed, unless variables of the environment say otherwise.
    ///
    /// glibc by itself raises the size from which it does so up to 32 MiB, as soon as blocks of such a size are freed. A few large commits then leave
    /// 100 MiB with the process.
    static func returnsLargeBlocks() {
        #if canImport(Glibc)
            // Swift's module of glibc doesn't have this function.
            guard let symbol = dlsym(nil, "mallopt") else { return }
            let mallopt = unsafeBitCast(symbol, to: (@convention(c) (_ parameter: Int32, _ value: Int32) -> Int32).self)
            let variables = ProcessInfo.processInfo.environment
            // M_MMAP_THRESHOLD and M_TRIM_THRESHOLD.
            if variables["MALLOC_MMAP_THRESHOLD_"] == nil { _ = mallopt(-3, 256 << 10) }
            if variables["MALLOC_TRIM_THRESHOLD_"] == nil { _ = mallopt(-1, 4 << 20) }
        #endif
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
