import FreeholdEngine

/// A file that Realm wrote, opened for reading: formats 10 to 24, plain or encrypted.
///
/// ```swift
/// let file = try RealmFile(path: "app.realm")
/// for item in file.classes {
///     try file.forEachCluster(of: item) { cluster in
///         let names = try cluster.values(of: item.properties[0])
///     }
/// }
/// ```
///
/// The file isn't changed, and no lock of Realm is taken. No process may write to it while it is read. `checkUnchanged`
/// verifies this. Each number of the file is checked before it is used, and an invalid file is an error.
///
/// One thread at a time may use a `RealmFile`.
public final class RealmFile {
    public let path: String
    /// The format, 10 to 24, or 0 for a file in which no data has been stored.
    public let formatVersion: Int
    /// The version of the app's schema, or `nil` if the file doesn't contain it.
    public let schemaVersion: UInt64?
    /// The classes in the order of their tables.
    public let classes: [RealmFileClass]
    public let isEncrypted: Bool
    /// A Boolean value that indicates whether the file was written as a copy (`writeCopy`), without history and free
    /// space.
    public let isCopy: Bool
    /// A Boolean value that indicates whether the file belongs to a synchronized realm.
    public var isSynchronized: Bool { historyType == 3 || historyType == 4 }
    /// The number of local changes of a synchronized realm that haven't been sent, or `nil` if the file doesn't contain
    /// it in a known form.
    public let unsentChanges: Int?
    /// The size of the file in bytes.
    public let byteCount: Int
    /// The tables that contain no objects of the app, such as those that sync maintains.
    public let otherTables: [String]

    /// The number of texts so far that weren't valid UTF-8 and were repaired.
    public var repairedStrings: Int { nodes.repairedStrings }

    let nodes: FileNodes
    let historyType: Int

    /// Opens the file and reads its schema.
    ///
    /// - Parameter key: The 64 bytes of the key of an encrypted file.
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.notARealmFile`, `.wrongKey`, `.unsupportedFormat`, `.damaged`,
    ///   `.io`.
    public convenience init(path: String, key: [UInt8]? = nil) throws(RealmFileError) {
        try self.init(path: path, key: key, includesAllTables: false)
    }

    /// - Parameter includesAllTables: A Boolean value that indicates whether tables that aren't classes are treated as
    ///   classes.
    package init(path: String, key: [UInt8]?, includesAllTables: Bool) throws(RealmFileError) {
        self.path = path
        do throws(RealmFileError) {
            let bytes = try FileBytes(path: path, key: key)
            let nodes = FileNodes(bytes)
            let top = try FileTop(nodes, path: path)
            let reader = SchemaReader(nodes: nodes, formatVersion: top.formatVersion)
            var classes: [RealmFileClass] = []
            var others: [String] = []
            var metadata: RealmFileClass?
            for (name, ref) in try reader.tables(top) {
                let isClass = name.hasPrefix("class_")
                if name == "metadata" { metadata = try? reader.table(name, ref) }
                guard isClass || includesAllTables else {
                    others.append(name)
                    continue
                }
                classes.append(try reader.table(isClass ? String(name.dropFirst(6)) : name, ref))
            }
            try Self.link(&classes)
            self.nodes = nodes
            self.classes = classes
            formatVersion = top.formatVersion
            isCopy = top.isStreamed
            historyType = top.historyType
            isEncrypted = bytes.isEncrypted
            byteCount = bytes.count
            otherTables = others
            schemaVersion = metadata.flatMap { Self.schemaVersion($0, in: nodes, format: top.formatVersion) }
            unsentChanges = top.historyType == 3 ? ClientHistory(top).unsentChanges(nodes) : nil
        } catch {
            throw error.with(path: path)
        }
    }

    /// Checks the targets of links, and records the incoming links of each class.
    private static func link(_ classes: inout [RealmFileClass]) throws(RealmFileError) {
        var positions: [Int: Int] = [:]
        var names: Set<String> = []
        for (i, item) in classes.enumerated() {
            guard positions.updateValue(i, forKey: item.number) == nil, names.insert(item.name).inserted else {
                throw .damaged("two tables have the name \(item.name) or its number", at: 0)
            }
        }
        for item in classes {
            for property in item.properties {
                guard let target = property.target else { continue }
                guard let position = positions[target] else {
                    throw .damaged("\(item.name).\(property.name) links to a class that doesn't exist", at: 0)
                }
                classes[position].incoming.append(.init(className: item.name, property: property.name))
            }
        }
    }

    private static func schemaVersion(_ metadata: RealmFileClass, in nodes: FileNodes, format: Int) -> UInt64? {
        let property = metadata.properties.first {
            $0.name == "version" && $0.type == .int && $0.collection == .none
        }
        guard let property else { return nil }
        var version: UInt64?
        try? nodes.forEachCluster(metadata.root) { (stored) throws(RealmFileError) in
            let cluster = RealmFileCluster(stored: stored, nodes: nodes, formatVersion: format)
            if version == nil, case .int(let value)? = try cluster.values(of: property).first, value >= 0 {
                version = UInt64(value)
            }
        }
        return version
    }

    /// Checks that the file hasn't been written since it was opened. Otherwise the data that was read may belong to
    /// several versions.
    ///
    /// - Throws: `.changed`.
    public func checkUnchanged() throws(RealmFileError) {
        guard nodes.file.isChanged else { return }
        throw RealmFileError(
            .changed,
            "The Realm file was written while it was read. Read it again when no program writes it.",
            path: path
        )
    }

    /// Calls the body with up to 256 objects at a time, in the order of their keys. The cluster is valid during the
    /// call.
    ///
    /// Each property can be read once in a walk.
    ///
    /// - Complexity: O(objects).
    public func forEachCluster(
        of item: RealmFileClass,
        _ body: (RealmFileCluster) throws -> Void
    ) throws {
        guard item.root != 0 else { return }
        nodes.refill()
        var failure: (any Error)?
        do throws(RealmFileError) {
            try nodes.forEachCluster(item.root) { (stored) throws(RealmFileError) in
                do {
                    try body(RealmFileCluster(stored: stored, nodes: nodes, formatVersion: formatVersion))
                } catch {
                    failure = error
                    throw RealmFileError(.io, "stopped")
                }
                nodes.release()
            }
        } catch {
            if let error = failure as? RealmFileError { throw error.with(path: path) }
            throw failure ?? error.with(path: path)
        }
    }
}
