import Foundation
import ModelConverter

/// The Swift files of a command line.
struct SwiftFiles {
    private let paths: [String]
    /// Folders with the code of dependencies.
    private static let passedOver: Set<String> = ["Pods", "Carthage", "DerivedData", "SourcePackages", "checkouts"]

    init(_ paths: [String]) { self.paths = paths }

    static func standardInput() throws -> SourceFile {
        if isatty(0) == 1 { throw Failure(.usage, "nothing is given: pipe a file in, or name one") }
        return SourceFile(path: "standard input", bytes: [UInt8](FileHandle.standardInput.readDataToEndOfFile()))
    }

    func read() throws -> [SourceFile] {
        var found: [String] = []
        var seen: Set<String> = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw Failure(.noInput, "\(path): there is no such file")
            }
            for file in isFolder.boolValue ? try Self.files(in: path) : [path] {
                let name = URL(fileURLWithPath: file).standardizedFileURL.resolvingSymlinksInPath().path
                if seen.insert(name).inserted { found.append(file) }
            }
        }
        if found.isEmpty { throw Failure(.noInput, "\(paths.joined(separator: ", ")): there are no Swift files") }
        return try found.map { path in
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Failure(.noPermission, "\(path): the file can't be read")
            }
            let bytes = [UInt8](data)
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw Failure(.data, "\(path): the file isn't UTF-8")
            }
            return SourceFile(path: path, bytes: bytes)
        }
    }

    /// Returns the files in sorted order, so that results don't depend on the file system.
    private static func files(in folder: String) throws -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw Failure(.noPermission, "\(folder): the folder can't be read")
        }
        var files: [String] = []
        for name in names.sorted() where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
            if !isFolder.boolValue {
                if name.hasSuffix(".swift") { files.append(path) }
            } else if !passedOver.contains(name), !isLink(path) {
                files += try Self.files(in: path)
            }
        }
        return files
    }

    /// Returns a Boolean value that indicates whether the path is a link. A link to a folder may form a cycle.
    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    /// Returns the name of a file in a patch, relative to the current folder.
    static func patchName(_ path: String) -> String {
        let here = FileManager.default.currentDirectoryPath + "/"
        if path.hasPrefix(here) { return String(path.dropFirst(here.count)) }
        var name = path[...]
        while name.hasPrefix("./") { name = name.dropFirst(2) }
        return String(name.drop { $0 == "/" })
    }

    /// Replaces the text of a file atomically.
    static func replace(_ file: Conversion.File) throws {
        let url = URL(fileURLWithPath: file.path).resolvingSymlinksInPath()
        guard FileManager.default.isWritableFile(atPath: url.path) else {
            throw Failure(.noPermission, "\(file.path): the file can't be written")
        }
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(ProcessInfo.processInfo.processIdentifier).draft")
        let drafts = Drafts.begin(draft.path)
        defer { drafts.end() }
        do {
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions]
            try Data(file.new).write(to: draft)
            if let mode { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: draft.path) }
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw Failure(.io, "\(file.path): \(error.localizedDescription)")
        }
        guard rename(draft.path, url.path) == 0 else {
            let reason = String(cString: strerror(errno))
            try? FileManager.default.removeItem(at: draft)
            throw Failure(.io, "\(file.path): \(reason)")
        }
    }
}
