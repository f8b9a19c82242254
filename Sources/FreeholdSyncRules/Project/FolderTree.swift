#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files in a folder on the disk. Files outside of the folder aren't read, even if a symbolic link leads to them.
/// Only regular files are read.
struct FolderTree: ProjectTree {
    private let root: String
    private let limits: ProjectLimits

    /// - Throws: `ProjectError` if the folder doesn't exist.
    init(_ folder: String, _ limits: ProjectLimits) throws(ProjectError) {
        guard !folder.utf8.contains(0), let root = Self.resolved(folder) else {
            throw ProjectError("", "The folder '\(folder)' can't be found: \(Self.reason(errno)).")
        }
        self.root = root
        self.limits = limits
        guard Self.kind(of: root) == S_IFDIR else { throw ProjectError("", "'\(folder)' isn't a folder.") }
    }

    func entries(of folder: String) throws(ProjectError) -> [ProjectEntry] {
        guard let path = try locate(folder), Self.kind(of: path) == S_IFDIR else { return [] }
        guard let stream = opendir(path) else { throw failure(folder) }
        defer { closedir(stream) }
        var entries: [ProjectEntry] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw failure(folder) }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name else { throw ProjectError(folder, "The name of a file in it isn't UTF-8.") }
            guard name != ".", name != ".." else { continue }
            guard entries.count < limits.namesInFolder else {
                throw ProjectError(folder, "More than \(limits.namesInFolder) files.")
            }
            // The target of a link is checked when it is read.
            entries.append(ProjectEntry(name: name, isFolder: Self.kind(of: path + "/" + name) == S_IFDIR))
        }
        return entries.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    func bytes(of file: String) throws(ProjectError) -> [UInt8]? {
        guard let path = try locate(file) else { return nil }
        // Without O_NONBLOCK, opening a pipe would block until a program writes to it.
        let opened = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard opened >= 0 else { throw failure(file) }
        defer { close(opened) }
        var status = stat()
        guard fstat(opened, &status) == 0 else { throw failure(file) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw ProjectError(file, "It isn't a plain file.") }
        guard status.st_size <= limits.fileSize else { throw tooLarge(file) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while true {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(opened, buffer.baseAddress! + count, buffer.count - count)
            }
            guard got >= 0 else {
                guard errno != EINTR else { continue }
                throw failure(file)
            }
            guard got > 0 else { break }
            count += got
            // The file grows while it is read.
            guard count <= limits.fileSize else { throw tooLarge(file) }
            if count == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
        }
        return Array(bytes[..<count])
    }

    /// Returns the path on the disk without links. Returns `nil` if the file doesn't exist.
    private func locate(_ path: String) throws(ProjectError) -> String? {
        let whole = path.isEmpty ? root : root + "/" + path
        if let found = Self.resolved(whole) {
            guard found == root || found.hasPrefix(root == "/" ? "/" : root + "/") else {
                throw ProjectError(path, "It is a symbolic link that leads out of the project's folder.")
            }
            return found
        }
        guard errno == ENOENT || errno == ENOTDIR else { throw failure(path) }
        guard Self.kind(of: whole, followsLinks: false) == nil else {
            throw ProjectError(path, "It is a symbolic link that leads nowhere.")
        }
        return nil
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(validatingCString: found)
    }

    private static func kind(of path: String, followsLinks: Bool = true) -> mode_t? {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }

    private func tooLarge(_ file: String) -> ProjectError {
        ProjectError(file, "It has more than \(limits.fileSize) bytes.")
    }

    private func failure(_ path: String) -> ProjectError {
        ProjectError(path, "It can't be read: \(Self.reason(errno)).")
    }

    static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
