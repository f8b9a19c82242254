#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The standard output and the error output, which may be files on a full disk or pipes without a reader. Text that
/// can't be written is dropped, because `FileHandle.write(_:)` would end the process.
enum StandardStream {
    case output, error

    private var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }

    /// Writes a text. The part for which the device has no space is dropped.
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

    /// Opens the descriptors 0 to 2 that are closed at the start of the process. Otherwise a file or a socket that is
    /// opened later would get one of these numbers, and output for a user would be written into it. Reads and writes of
    /// the opened descriptors still fail.
    static func occupyMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Ignores signals, so that some writes fail instead of ending the process: writes to a pipe without a reader, and
    /// writes beyond the maximum size of a file.
    static func ignoreSignals() {
        for signal in [SIGPIPE, SIGXFSZ] { systemIgnore(signal) }
    }

    private static func systemIgnore(_ number: Int32) { _ = signal(number, SIG_IGN) }
}
