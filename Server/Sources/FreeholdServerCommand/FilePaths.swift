import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Paths in the arguments of commands.
enum FilePaths {
    /// Returns a path from the root. The server may run in another folder.
    static func absolute(_ path: String) -> String {
        let text = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
        return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Returns a path from the root without links. If the file doesn't exist, it returns the path as it is.
    static func real(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// Returns a Boolean value that indicates whether a folder contains another one, or is the same. Both paths are without links.
    static func contains(_ folder: String, _ other: String) -> Bool {
        folder == other || folder == "/" || other.hasPrefix(folder + "/")
    }

    /// Returns a Boolean value that indicates whether a path leads to a regular file.
    static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Waits until the content of a file, or the names of the files in a folder, are on the disk.
    ///
    /// - Throws: `POSIXError`
    static func synchronize(_ path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
        defer { close(file) }
        // Some file systems don't do this for folders.
        guard fsync(file) == 0 || errno == EINVAL else { throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO) }
    }
}
