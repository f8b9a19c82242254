#if os(Linux)
    import Foundation

    /// The command on a separate terminal, to which a test sends keys and whose output it reads.
    final class PseudoTerminal {
        private let master: Int32
        private let child: pid_t
        /// The output after the text that the test has waited for most recently.
        private var bytes = Data()
        private var isOver = false

        /// - Parameter environment: Variables in addition to those of the tests.
        init(
            _ arguments: [String],
            rows: UInt16 = 24,
            columns: UInt16 = 80,
            environment: [String: String] = [:]
        ) throws {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            // The requests TIOCSPTLCK and TIOCGPTN, whose macros Swift doesn't import.
            var (locked, number): (Int32, Int32) = (0, 0)
            guard master >= 0, ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
                throw Run.Failure(description: "there is no terminal: \(String(cString: strerror(errno)))")
            }
            self.master = master
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(master, UInt(TIOCSWINSZ), &size)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            // The first terminal that the leader of a session opens becomes its controlling terminal, which sends
            // Ctrl-C.
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, 0, 2)
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            // POSIX_SPAWN_SETSID, whose macro Swift doesn't import.
            posix_spawnattr_setflags(&attributes, 0x80)
            let path = try Run.executable.path
            var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
            var variables = ProcessInfo.processInfo.environment.merging(["TERM": "xterm"]) { $1 }
            variables.merge(environment) { $1 }
            var all: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
            defer { for word in words + all { free(word) } }
            var child = pid_t()
            Run.takesInterrupts
            let code = posix_spawn(&child, path, &actions, &attributes, &words, &all)
            self.child = child
            guard code == 0 else { throw Run.Failure(description: "posix_spawn: \(String(cString: strerror(code)))") }
        }

        deinit {
            if !isOver {
                kill(child, SIGKILL)
                var status: Int32 = 0
                waitpid(child, &status, 0)
            }
            close(master)
        }

        func type(_ text: String) {
            let bytes = Array(text.utf8)
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
                if count <= 0 { return }
                start += count
            }
        }

        func resize(rows: UInt16, columns: UInt16) {
            var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
            _ = ioctl(master, UInt(TIOCSWINSZ), &size)
        }

        func signal(_ number: Int32) { kill(child, number) }

        /// A Boolean value that indicates whether the terminal delivers whole lines and echoes typed text.
        var isOrdinary: Bool {
            var settings = termios()
            guard tcgetattr(master, &settings) == 0 else { return false }
            let flags = tcflag_t(ECHO | ICANON | ISIG)
            return settings.c_lflag & flags == flags
        }

        /// Reads the output after the text of the previous call until a text is shown, for at most some seconds.
        ///
        /// - Returns: The output up to the end of the text.
        @discardableResult
        func wait(for text: String, seconds: Double = 60) throws -> String {
            let end = Date().addingTimeInterval(seconds)
            while true {
                if let range = bytes.range(of: Data(text.utf8)) {
                    defer { bytes = Data(bytes[range.upperBound...]) }
                    return String(decoding: bytes[..<range.upperBound], as: UTF8.self)
                }
                guard Date() < end, readMore() else {
                    throw Run.Failure(description: "'\(text)' wasn't shown, but: \(shown)")
                }
            }
        }

        /// Reads to the end of the command.
        ///
        /// - Returns: The exit status, in the form of a shell: 128 and the signal for a command that a signal has
        ///   ended.
        func end(seconds: Double = 60) throws -> Int32 {
            let end = Date().addingTimeInterval(seconds)
            var status: Int32 = 0
            while true {
                _ = readMore()
                if waitpid(child, &status, WNOHANG) == child { break }
                guard Date() < end else { throw Run.Failure(description: "it doesn't end: \(shown)") }
            }
            isOver = true
            while readMore() {}
            let signal = status & 0x7F
            return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
        }

        private var shown: String { String(decoding: bytes, as: UTF8.self).debugDescription }

        private func readMore() -> Bool {
            var source = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&source, 1, 100) >= 0 else { return false }
            guard source.revents & Int16(POLLIN) != 0 else { return source.revents == 0 && !isOver }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return false }
            bytes += buffer[..<count]
            return true
        }
    }
#endif
