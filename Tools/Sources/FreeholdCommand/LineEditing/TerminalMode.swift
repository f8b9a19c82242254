import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The mode of the terminal: single keys or whole lines.
enum TerminalMode {
    /// The former settings of the terminal, or nil while they are unchanged.
    private static let previous = Mutex<termios?>(nil)

    /// Makes the terminal of standard input deliver each key, without showing it.
    ///
    /// - Returns: A Boolean value that indicates whether a terminal supports this.
    static func readKeys() -> Bool {
        previous.withLock { previous in
            if previous != nil { return true }
            var settings = termios()
            guard tcgetattr(0, &settings) == 0 else { return false }
            let before = settings
            settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON)
            settings.c_oflag &= ~tcflag_t(OPOST)
            settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
            settings.c_cflag |= tcflag_t(CS8)
            withUnsafeMutableBytes(of: &settings.c_cc) { characters in
                characters[Int(VMIN)] = 1
                characters[Int(VTIME)] = 0
            }
            guard tcsetattr(0, TCSADRAIN, &settings) == 0 else { return false }
            previous = before
            return true
        }
    }

    /// Restores the former settings of the terminal. Any thread may call it.
    static func restore() {
        previous.withLock { previous in
            guard var settings = previous else { return }
            // Other programs expect pastes without marks.
            TerminalOutput.write("\u{1B}[?2004l")
            _ = tcsetattr(0, TCSADRAIN, &settings)
            previous = nil
        }
    }

    static var isOn: Bool { previous.withLock { $0 != nil } }
}

/// The immediate output to the terminal of standard output.
enum TerminalOutput {
    static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Glibc)
                    Glibc.write(1, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    Musl.write(1, bytes.baseAddress, bytes.count)
                #else
                    Darwin.write(1, bytes.baseAddress, bytes.count)
                #endif
            }
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    /// The rows and columns.
    static var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }
}
