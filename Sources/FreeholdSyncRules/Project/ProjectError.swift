/// Why an App Services project can't be read or written, and where.
public struct ProjectError: Error, Hashable, Sendable {
    /// The file or folder, from the project's folder on; empty for that folder itself.
    public let file: String
    /// The keys that lead to the place in the file; an element of an array stands with its index.
    public let path: [String]
    /// What is wrong, in a sentence.
    public let reason: String

    public init(_ file: String, _ path: [String], _ reason: String) {
        self.file = file
        self.path = path
        self.reason = reason
    }

    init(_ file: String, _ reason: String) { self.init(file, [], reason) }
}

extension ProjectError: CustomStringConvertible {
    /// File, path and reason. Long keys are cut.
    public var description: String {
        let place = RuleError(path, reason).description
        return file.isEmpty ? place : "\(file): \(place)"
    }
}

/// How large a project may be.
public struct ProjectLimits: Hashable, Sendable {
    /// The most bytes of a file that is read.
    public var fileSize: Int
    /// The most bytes of all files that are read.
    public var totalSize: Int
    /// The most files that are read.
    public var files: Int
    /// The most names in a folder.
    public var namesInFolder: Int
    /// The most names that are listed of a part that isn't taken over.
    public var listedNames: Int
    /// Of expressions, roles and schemas.
    public var rules: RuleLimits

    /// - Parameters:
    ///   - fileSize: 4 MiB unless told otherwise.
    ///   - totalSize: 64 MiB unless told otherwise.
    ///   - files: 10,000 unless told otherwise.
    ///   - namesInFolder: 100,000 unless told otherwise.
    ///   - listedNames: 50 unless told otherwise.
    ///   - rules: see ``RuleLimits``.
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
