import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file with the earlier lines of the shell. Only its owner can read it, because lines may contain data of a
/// database.
///
/// Several shells may add lines at the same time. If the file can't be used, the shell works without it.
struct HistoryFile {
    let path: String

    /// The number of lines that are kept.
    static let limit = 1000
    /// The number of bytes that are read at the end of the file, and the size at which the file is shortened.
    private static let readLimit = 256 * 1024
    private static let sizeLimit = 1024 * 1024

    /// Returns the file in `$XDG_STATE_HOME` or otherwise in `~/.local/state`, or nil if the user has no home folder.
    static func standard(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> HistoryFile? {
        // The specification requires relative paths to be ignored.
        if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
            return HistoryFile(path: folder + "/freehold/history")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return HistoryFile(path: home + "/.local/state/freehold/history")
    }

    /// Returns the lines, the latest last. The result is empty if the file is missing or doesn't belong to this user.
    func load() -> [String] {
        guard let file = open(O_RDONLY) else { return [] }
        defer { try? file.handle.close() }
        let start = max(0, file.size - Self.readLimit)
        guard (try? file.handle.seek(toOffset: UInt64(start))) != nil,
            var data = try? file.handle.read(upToCount: Self.readLimit)
        else { return [] }
        // The first line may be incomplete.
        if start > 0 { data = data.drop { $0 != 0x0A } }
        var entries: [String] = []
        for line in data.split(separator: 0x0A).suffix(Self.limit) {
            guard let text = String(validating: line, as: UTF8.self), text != entries.last else { continue }
            entries.append(text)
        }
        return entries
    }

    /// Adds a line at the end. A line that begins with a space isn't stored.
    func append(_ line: String) {
        guard !line.hasPrefix(" "), !line.isEmpty, !line.utf8.contains(0x0A) else { return }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        guard let file = open(O_WRONLY | O_APPEND | O_CREAT) else { return }
        // The write is one call, so that lines of several shells don't mix.
        try? file.handle.write(contentsOf: Data((line + "\n").utf8))
        try? file.handle.close()
        if file.size > Self.sizeLimit { cutDown() }
    }

    /// Opens a regular file that belongs to this user and that other users can't access.
    private func open(_ flags: Int32) -> (handle: FileHandle, size: Int)? {
        // Without this flag, opening a pipe would block.
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

    /// Keeps the latest lines. A line that another shell adds meanwhile may be lost.
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
