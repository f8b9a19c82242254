import FreeholdBSON

/// Reads the parts of a project, and records the parts that can't be imported.
struct ProjectReader<Tree: ProjectTree> {
    let tree: Tree
    let limits: ProjectLimits
    private(set) var unsupported: [UnsupportedPart] = []
    private var filesRead = 0
    private var bytesRead = 0

    init(_ tree: Tree, _ limits: ProjectLimits) {
        self.tree = tree
        self.limits = limits
    }

    mutating func project() throws(ProjectError) -> AppServicesProject {
        let root = try root()
        var project = AppServicesProject(root.name, sync: nil)
        project.ids = root.ids
        project.layout = root.layout
        project.environment = root.environment
        project.allowedRequestOrigins = root.allowedRequestOrigins
        project.settings = root.settings
        project.environments = try environments()
        project.values = try values()
        project.providers = try providers()
        project.customUserData = try customUserData(root)
        let sources = try dataSources()
        project.dataSources = sources.map(\.source)
        let sync = try sync(root, sources)
        project.sync = sync?.settings
        let classes = try classes(of: sources, sync)
        project.schemas = classes.schemas
        project.collections = classes.places
        project.asymmetricClasses = classes.asymmetric
        project.rules = classes.rules
        try noteTheRest(root)
        project.unsupported = unsupported
        return project
    }

    mutating func note(_ kind: UnsupportedPart.Kind, _ file: String, _ path: [String] = [], because reason: String) {
        unsupported.append(UnsupportedPart(kind, file, path, reason))
    }
}

// MARK: - Files

extension ProjectReader {
    /// Returns the value of a file, or `nil` if the file doesn't exist.
    mutating func value(of file: String) throws(ProjectError) -> BSONValue? {
        guard var bytes = try tree.bytes(of: file) else { return nil }
        filesRead += 1
        bytesRead += bytes.count
        guard filesRead <= limits.files else { throw ProjectError(file, "More than \(limits.files) files.") }
        guard bytes.count <= limits.fileSize, bytesRead <= limits.totalSize else {
            throw ProjectError(
                file,
                bytes.count <= limits.fileSize
                    ? "The files of the project have more than \(limits.totalSize) bytes."
                    : "It has more than \(limits.fileSize) bytes."
            )
        }
        // Some editors write a byte order mark.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ProjectError(file, "It isn't UTF-8.") }
        do {
            let bounds = BSONLimits(depth: 4 * limits.rules.depth + 20, size: limits.fileSize)
            return try BSONValue(extendedJSON: text, options: ExtendedJSONOptions(limits: bounds))
        } catch {
            let line = bytes.prefix(error.offset ?? 0).count { $0 == 0x0A } + 1
            throw ProjectError(file, error.path, "\(error.reason) (line \(line)).")
        }
    }

    /// Returns the document of a file, or `nil` if the file doesn't exist.
    mutating func document(of file: String) throws(ProjectError) -> BSONDocument? {
        guard let value = try value(of: file) else { return nil }
        guard case .document(let document) = value else {
            throw ProjectError(file, "An object has to stand here, not \(value.typeName).")
        }
        return document
    }

    /// Returns the JSON files of a folder by their names without `.json`, and records all other files.
    mutating func documents(in folder: String) throws(ProjectError) -> [(name: String, file: String, BSONDocument)] {
        var documents: [(name: String, file: String, BSONDocument)] = []
        for entry in try visible(folder) {
            let file = folder + "/" + entry.name
            guard !entry.isFolder, entry.name.hasSuffix(".json"), let document = try document(of: file) else {
                note(.ignored, file, because: "Files of JSON belong here: this is passed over.")
                continue
            }
            documents.append((String(entry.name.dropLast(5)), file, document))
        }
        return documents
    }

    /// Returns the entries of a folder, without hidden names.
    func visible(_ folder: String) throws(ProjectError) -> [ProjectEntry] {
        try tree.entries(of: folder).filter { !$0.name.hasPrefix(".") }
    }

    func folders(in folder: String) throws(ProjectError) -> [String] {
        try visible(folder).filter(\.isFolder).map(\.name)
    }
}
