/// The reason why an App Services project can't be read or written, with the place of the error.
public struct ProjectError: Error, Hashable, Sendable {
    /// The file or folder, relative to the project's folder. Empty for that folder itself.
    public let file: String
    /// The keys that lead to the place in the file. An element of an array is represented by its index.
    public let path: [String]
    /// A description of the error, as a sentence.
    public let reason: String

    public init(_ file: String, _ path: [String], _ reason: String) {
        self.file = file
        self.path = path
        self.reason = reason
    }

    init(_ file: String, _ reason: String) { self.init(file, [], reason) }
}

extension ProjectError: CustomStringConvertible {
    /// The file, the path and the reason. Long keys are shortened.
    public var description: String {
        let place = RuleError(path, reason).description
        return file.isEmpty ? place : "\(file): \(place)"
    }
}

/// The limits of a project.
public struct ProjectLimits: Hashable, Sendable {
    /// The maximum size of a file, in bytes.
    public var fileSize: Int
    /// The maximum total size of all files that are read, in bytes.
    public var totalSize: Int
    /// The maximum number of files that are read.
    public var files: Int
    /// The maximum number of names in a folder.
    public var namesInFolder: Int
    /// The maximum number of names that are listed for a part that isn't imported.
    public var listedNames: Int
    /// The limits of expressions, roles and schemas.
    public var rules: RuleLimits

    /// - Parameters:
    ///   - fileSize: The maximum size of a file in bytes. The default is 4 MiB.
    ///   - totalSize: The maximum total size of all files in bytes. The default is 64 MiB.
    ///   - files: The maximum number of files. The default is 10,000.
    ///   - namesInFolder: The maximum number of names in a folder. The default is 100,000.
    ///   - listedNames: The maximum number of listed names. The default is 50.
    ///   - rules: See ``RuleLimits``.
    public init(
        fileSize: Int = 4 << 20,
        totalSize: Int = 64 << 20,
        files: Int = 10_000,
        namesInFolder: Int = 100_000,
        listedNames: Int = 50,
        rules: RuleLimits = RuleLimits()
    ) {
        self.fileSize = fileSize
        self.totalSize = totalSize
        self.files = files
        self.namesInFolder = namesInFolder
        self.listedNames = listedNames
        self.rules = rules
    }
}
