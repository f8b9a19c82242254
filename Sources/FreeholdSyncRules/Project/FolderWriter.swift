#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes files into a temporary folder beside the target, which is then renamed to the target.
enum FolderWriter {
    static func make(_ folder: String, _ files: [String: [UInt8]]) throws(ProjectError) {
        var target = folder
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        guard !target.isEmpty, !target.utf8.contains(0) else {
            throw ProjectError("", "'\(folder)' isn't a name of a folder.")
        }
        var status = stat()
        let isThere = lstat(target, &status) == 0
        if isThere {
            guard status.st_mode & S_IFMT == S_IFDIR, try isEmpty(target) else {
                throw ProjectError("", "'\(folder)' is there already, and isn't an empty folder.")
            }
        }
        let draft = "\(target).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).unfinished"
        guard mkdir(draft, 0o777) == 0 else { throw failure("", draft) }
        do throws(ProjectError) {
            for (file, bytes) in files.sorted(by: { $0.key < $1.key }) { try put(bytes, file, draft) }
            // An empty folder with the name is replaced.
            guard rename(draft, target) == 0 else { throw failure("", target) }
        } catch {
            for file in files.keys { unlink(draft + "/" + file) }
            for inner in Set(files.keys.flatMap(folders(of:))).sorted(by: { $0.utf8.count > $1.utf8.count }) {
                rmdir(draft + "/" + inner)
            }
            rmdir(draft)
            throw error
        }
    }

    private static func put(_ bytes: [UInt8], _ file: String, _ draft: String) throws(ProjectError) {
        for folder in folders(of: file) {
            guard mkdir(draft + "/" + folder, 0o777) == 0 || errno == EEXIST else { throw failure(file, folder) }
        }
        let opened = open(draft + "/" + file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard opened >= 0 else { throw failure(file, file) }
        defer { close(opened) }
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { write(opened, $0.baseAddress! + written, $0.count - written) }
            guard count >= 0 else {
                guard errno != EINTR else { continue }
                throw failure(file, file)
            }
            written += count
        }
        guard fsync(opened) == 0 else { throw failure(file, file) }
    }

    /// Returns the folders that lead to a file, outermost first.
    private static func folders(of file: String) -> [String] {
        let parts = file.split(separator: "/")
        return (1..<max(parts.count, 1)).map { parts[..<$0].joined(separator: "/") }
    }

    private static func isEmpty(_ folder: String) throws(ProjectError) -> Bool {
        guard let stream = opendir(folder) else { throw failure("", folder) }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != Array(".".utf8), name != Array("..".utf8) { return false }
        }
        return true
    }

    private static func failure(_ file: String, _ what: String) -> ProjectError {
        let code = errno
        return ProjectError(file, "'\(what)' can't be written: \(FolderTree.reason(code)).")
    }
}
