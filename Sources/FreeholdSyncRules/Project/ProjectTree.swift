/// The files of a project, wherever they are. Paths begin at the project's folder and have slashes; the folder itself is empty.
protocol ProjectTree {
    /// What a folder holds, by rising names; empty if there is no such folder.
    func entries(of folder: String) throws(ProjectError) -> [ProjectEntry]
    /// Nil if there is no such file.
    func bytes(of file: String) throws(ProjectError) -> [UInt8]?
}

struct ProjectEntry {
    let name: String
    let isFolder: Bool
}

/// Files in memory.
struct FileMap: ProjectTree {
    private let files: [String: [UInt8]]
    private var folders: [String: [String: Bool]] = [:]

    /// - Throws: `ProjectError` for a path that isn't one, and for one that is a file and a folder.
    init(_ files: [String: [UInt8]]) throws(ProjectError) {
        self.files = files
        for file in files.keys {
            let parts = file.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 32, parts.allSatisfy({ $0 != "" && $0 != "." && $0 != ".." && !$0.utf8.contains(0) })
            else { throw ProjectError(file, "That is no path of a file.") }
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
