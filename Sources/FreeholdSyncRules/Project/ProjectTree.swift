/// The files of a project, on a disk or in memory. Paths are relative to the project's folder and use slashes. The
/// folder itself has an empty path.
protocol ProjectTree {
    /// Returns the entries of a folder by rising names. Returns an empty array if the folder doesn't exist.
    func entries(of folder: String) throws(ProjectError) -> [ProjectEntry]
    /// Returns the bytes of a file, or `nil` if the file doesn't exist.
    func bytes(of file: String) throws(ProjectError) -> [UInt8]?
}

struct ProjectEntry {
    let name: String
    let isFolder: Bool
}

/// The files of a project in memory.
struct FileMap: ProjectTree {
    private let files: [String: [UInt8]]
    private var folders: [String: [String: Bool]] = [:]

    /// - Throws: `ProjectError` for an invalid path, and for a path that is both a file and a folder.
    init(_ files: [String: [UInt8]]) throws(ProjectError) {
        self.files = files
        for file in files.keys {
            let parts = file.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 32, parts.allSatisfy({ $0 != "" && $0 != "." && $0 != ".." && !$0.utf8.contains(0) })
            else { throw ProjectError(file, "The text isn't the path of a file.") }
            var folder = ""
            for (index, part) in parts.enumerated() {
                let isFolder = index < parts.count - 1
                if let known = folders[folder, default: [:]].updateValue(isFolder, forKey: String(part)),
                    known != isFolder
                {
                    throw ProjectError(file, "One path is a file and a folder.")
                }
                folder = folder.isEmpty ? String(part) : folder + "/" + part
            }
        }
    }

    func entries(of folder: String) -> [ProjectEntry] {
        (folders[folder] ?? [:]).map { ProjectEntry(name: $0.key, isFolder: $0.value) }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    func bytes(of file: String) -> [UInt8]? { files[file] }
}
