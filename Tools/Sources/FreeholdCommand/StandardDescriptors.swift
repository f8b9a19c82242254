#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The standard input, output and error output of the process.
enum StandardDescriptors {
    /// Occupies the descriptors 0 to 2 that the process was started without. Otherwise a file or a socket that is opened later would have one of
    /// them, and the text for a user would be written into it. Reading and writing them fails as before.
    static func occupyMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
