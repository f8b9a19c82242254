extension AppServicesProject {
    /// The project in a folder.
    ///
    /// Any folder is safe to read: sizes are bounded, and nothing outside of it is read. Hidden files are passed over, but for `.mdb`.
    ///
    /// - Throws: `ProjectError` with the file and the place in it: no project there, text that isn't JSON, settings of another type than
    ///   they have, a folder that is larger than the limits, links that lead out of it.
    /// - Complexity: O(size of the files that are read).
    public static func read(_ folder: String, limits: ProjectLimits = ProjectLimits()) throws(ProjectError)
        -> AppServicesProject
    {
        var reader = ProjectReader(try FolderTree(folder, limits), limits)
        return try reader.project()
    }

    /// The project of these files, by their paths from the project's folder on (`sync/config.json`).
    ///
    /// - Throws: as ``read(_:limits:)``.
    /// - Complexity: O(size of the files).
    public init(files: [String: [UInt8]], limits: ProjectLimits = ProjectLimits()) throws(ProjectError) {
        var reader = ProjectReader(try FileMap(files), limits)
        self = try reader.project()
    }
}
