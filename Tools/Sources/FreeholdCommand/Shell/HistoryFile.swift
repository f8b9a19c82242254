import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The shell's earlier lines, in a file that only its owner can read: lines may hold what is in a database.
///
/// Several shells may add to it at once. Whatever is wrong with the file, the shell works without it.
struct HistoryFile {
    let path: String

    /// Lines that are kept.
    static let limit = 1000
    /// Bytes of the file's end that are read, and of a file that is cut down.
    private static let readLimit = 256 * 1024
    private static let sizeLimit = 1024 * 1024

    /// In `$XDG_STATE_HOME`, else in `~/.local/state`; nil where the user has no home.
    static func standard(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> HistoryFile? {
        // The specification has relative paths be ignored.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            return HistoryFile(path: folder + "/freehold/history")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return HistoryFile(path: home + "/.local/state/freehold/history")
    }

    /// The lines, the latest last; none where there is no file, or one that isn't this user's.
    func load() -> [String] {
        guard let file = open(O_RDONLY) else { return [] }
        defer { try? file.handle.close() }
        let start = max(0, file.size - Self.readLimit)
        guard (try? file.handle.seek(toOffset: UInt64(start))) != nil,
            var data = try? file.handle.read(upToCount: Self.readLimit)
        else { return [] }
        // Of the first line only the end may be there.
        if start > 0 { data = data.drop { $0 != 0x0A } }
        var entries: [String] = []
        for line in data.split(separator: 0x0A).suffix(Self.limit) {
            guard let text = String(validating: line, as: UTF8.self), text != entries.last else { continue }
            entries.append(text)
        }
        return entries
    }

    /// Adds a line at the end. A line that begins with a space isn't kept.
    func append(_ line: String) {
        guard !line.hasPrefix(" "), !line.isEmpty, !line.utf8.contains(0x0A) else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard let file = open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        // One call, so that lines of several shells don't mix.
        try? file.handle.write(contentsOf: Data((line + "\n").utf8))
        try? file.handle.close()
        if file.size > Self.sizeLimit { cutDown() }
    }

    /// A regular file of this user's, with no permission for others.
    private func open(_ flags: Int32) -> (handle: FileHandle, size: Int)? {
        // A pipe in its place would have this wait.
        let descriptor = systemOpen(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return nil
        }
        if status.st_mode & 0o077 != 0 { _ = fchmod(descriptor, 0o600) }
        return (handle, Int(status.st_size))
    }

    private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags, 0o600)
        #elseif canImport(Musl)
            Musl.open(path, flags, 0o600)
        #else
            Darwin.open(path, flags, 0o600)
        #endif
    }

    /// Leaves the latest lines. One that another shell adds meanwhile may be lost.
    private func cutDown() {
        let text = load().map { $0 + "\n" }.joined()
        let draft = "\(path).\(ProcessInfo.processInfo.processIdentifier)"
        let drafts = Drafts.begin(draft)
        defer { drafts.end() }
        let isMade = FileManager.default.createFile(
            atPath: draft,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        if !isMade || rename(draft, path) != 0 { unlink(draft) }
    }
}
