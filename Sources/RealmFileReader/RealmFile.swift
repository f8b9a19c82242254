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
/// The file isn't changed, and no lock of Realm's is taken: nobody may write it meanwhile, which `checkUnchanged` finds out.
/// Every number of it is checked before it is relied on; a file that can't be right is an error.
///
/// A `RealmFile` is used by one thread at a time.
public final class RealmFile {
    public let path: String
    /// 10 to 24; 0 of a file in which nothing has been stored.
    public let formatVersion: Int
    /// Of the app's schema; nil if the file doesn't say it.
    public let schemaVersion: UInt64?
    /// The classes by the order of their tables.
    public let classes: [RealmFileClass]
    public let isEncrypted: Bool
    /// Whether it was written as a copy (`writeCopy`), without history and free space.
    public let isCopy: Bool
    /// Whether the file belongs to a synchronized realm.
    public var isSynchronized: Bool { historyType == 3 || historyType == 4 }
    /// How many local changes of a synchronized realm haven't been sent; nil if the file doesn't say it as we know it.
    public let unsentChanges: Int?
    /// Bytes of the file.
    public let byteCount: Int
    /// Tables that hold no objects of the app, such as those that sync keeps.
    public let otherTables: [String]

    /// Texts that aren't valid UTF-8 and were repaired, until now.
    public var repairedStrings: Int { nodes.repairedStrings }

    let nodes: FileNodes
    let historyType: Int

    /// Opens the file and reads its schema.
    ///
    /// - Parameter key: 64 bytes, of an encrypted file.
    /// - Throws: `.fileNotFound`, `.permissionDenied`, `.notARealmFile`, `.wrongKey`, `.unsupportedFormat`, `.damaged`, `.io`.
    public convenience init(path: String, key: [UInt8]? = nil) throws(RealmFileError) {
        try self.init(path: path, key: key, includesAllTables: false)
    }

    /// - Parameter includesAllTables: takes tables that aren't classes for some.
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
            schemaVersion = metadata.flatMap { Self.schemaVersion($0, nodes, top.formatVersion) }
            unsentChanges = top.historyType == 3 ? ClientHistory(top).unsentChanges(nodes) : nil
        } catch {
            throw error.with(path: path)
        }
    }

    /// Checks where links lead, and tells each class what leads to it.
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
                    throw .damaged("\(item.name).\(property.name) links to a class that isn't there", at: 0)
                }
                classes[position].incoming.append(.init(className: item.name, property: property.name))
            }
        }
    }

    private static func schemaVersion(_ metadata: RealmFileClass, _ nodes: FileNodes, _ format: Int) -> UInt64? {
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

    /// Checks that nobody has written the file since it was opened: then what was read may be of several versions.
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

    /// Calls the body with up to 256 objects at a time, in the order of their keys. What it is given ends with the call.
    ///
    /// Each property can be read once in a walk. - Complexity: O(objects).
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
