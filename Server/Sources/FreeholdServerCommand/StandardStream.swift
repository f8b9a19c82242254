#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writing to the process's output and error output, which may be files on a full disk or pipes without a reader. What can't be written is left
/// out: `FileHandle.write(_:)` would end the process.
enum StandardStream {
    case output, error

    private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Writes a text, as far as there is room for it.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in systemWrite(descriptor, bytes.baseAddress, bytes.count) }
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return
            }
            rest.removeFirst(count)
        }
    }

    private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes, count)
        #else
            Darwin.write(descriptor, bytes, count)
        #endif
    }

    /// Occupies the descriptors 0 to 2 that the process was started without. Otherwise a file or a socket that is opened later would have one of
    /// them, and the text for a user would be written into it. Reading and writing them fails as before.
    static func occupyMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Makes writes fail that would end the process: to a pipe without a reader, and beyond the largest size of a file.
    static func ignoreSignals() {
        for signal in [SIGPIPE, SIGXFSZ] { systemIgnore(signal) }
    }

    private static func systemIgnore(_ number: Int32) { _ = signal(number, SIG_IGN) }
}
