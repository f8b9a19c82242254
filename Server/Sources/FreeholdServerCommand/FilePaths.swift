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
}
