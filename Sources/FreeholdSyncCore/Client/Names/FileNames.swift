/// The names that classes and properties have in a file, with the permanent numbers of the classes and properties.
public struct FileNames: Hashable, Sendable {
    public struct Property: Hashable, Sendable {
        public let id: Int
        public let name: SyncString
        /// The number of the target class, for links and embedded objects.
        public let target: Int?

        public init(id: Int, name: SyncString, target: Int?) { (self.id, self.name, self.target) = (id, name, target) }
    }

    public struct Class: Hashable, Sendable {
        public let id: Int
        public let name: SyncString
        public let isEmbedded: Bool
        public let properties: [Property]

        public init(id: Int, name: SyncString, isEmbedded: Bool, properties: [Property]) {
            (self.id, self.name, self.isEmbedded, self.properties) = (id, name, isEmbedded, properties)
        }
    }

    /// The version of the app's schema.
    public let version: UInt64
    public let classes: [Class]

    public init(version: UInt64, classes: [Class]) { (self.version, self.classes) = (version, classes) }

    public func named(_ name: SyncString) -> Class? { classes.first { $0.name == name } }
    public func numbered(_ id: Int) -> Class? { classes.first { $0.id == id } }

    /// Returns the top-level properties that are one of the wanted properties, or that lead to one of them through
    /// embedded objects.
    public func properties(leadingTo wanted: [SyncString: Set<SyncString>]) -> [SyncString: Set<SyncString>] {
        guard !wanted.isEmpty else { return [:] }
        let embedded = Dictionary(classes.filter(\.isEmbedded).map { ($0.id, $0) }) { first, _ in first }
        var reaching = Set(embedded.values.filter { wanted[$0.name] != nil }.map(\.id))
        var count = -1
        while count < reaching.count {
            count = reaching.count
            for inner in embedded.values where inner.properties.contains(where: { $0.leads(to: reaching) }) {
                reaching.insert(inner.id)
            }
        }
        var found: [SyncString: Set<SyncString>] = [:]
        for table in classes where !table.isEmbedded {
            let own = wanted[table.name] ?? []
            let names = table.properties.filter { own.contains($0.name) || $0.leads(to: reaching) }.map(\.name)
            if !names.isEmpty { found[table.name] = Set(names) }
        }
        return found
    }
}

extension FileNames.Property {
    fileprivate func leads(to classes: Set<Int>) -> Bool { target.map { classes.contains($0) } ?? false }
}

extension FileNames: Kept {
    func write(to bytes: inout [UInt8]) {
        version.write(to: &bytes)
        classes.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let version = try UInt64(from: &reader)
        self.init(version: version, classes: try [Class](from: &reader))
    }
}

extension FileNames.Class: Kept {
    func write(to bytes: inout [UInt8]) {
        id.write(to: &bytes)
        name.write(to: &bytes)
        isEmbedded.write(to: &bytes)
        properties.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let id = try Int(from: &reader)
        let name = try SyncString(from: &reader)
        let isEmbedded = try Bool(from: &reader)
        self.init(id: id, name: name, isEmbedded: isEmbedded, properties: try [FileNames.Property](from: &reader))
    }
}

extension FileNames.Property: Kept {
    func write(to bytes: inout [UInt8]) {
        id.write(to: &bytes)
        name.write(to: &bytes)
        target.write(to: &bytes)
    }

    init(from reader: inout KeptReader) throws(CodecError) {
        let id = try Int(from: &reader)
        let name = try SyncString(from: &reader)
        self.init(id: id, name: name, target: try Int?(from: &reader))
    }
}
