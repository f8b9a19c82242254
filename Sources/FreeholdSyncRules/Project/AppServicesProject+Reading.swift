extension AppServicesProject {
    /// Reads the project in a folder.
    ///
    /// All folders are safe to read: sizes are limited, and no file outside of the folder is read. Hidden files are
    /// ignored, except `.mdb`.
    ///
    /// - Throws: `ProjectError` with the file and the place of the error: a folder without a project, text that isn't
    ///   JSON, a setting of a wrong type, a folder that exceeds the limits, a link that leads out of the folder.
    /// - Complexity: O(size of the files that are read)
    public static func read(_ folder: String, limits: ProjectLimits = ProjectLimits()) throws(ProjectError)
        -> AppServicesProject
    {
        var reader = ProjectReader(try FolderTree(folder, limits), limits)
        return try reader.project()
    }

    /// Reads the project from files, by their paths relative to the project's folder (`sync/config.json`).
    ///
    /// - Throws: `ProjectError`, like ``read(_:limits:)``.
    /// - Complexity: O(size of the files)
    public init(files: [String: [UInt8]], limits: ProjectLimits = ProjectLimits()) throws(ProjectError) {
        var reader = ProjectReader(try FileMap(files), limits)
        self = try reader.project()
    }
}
