internal import FreeholdEngine
public import FreeholdSyncCore

/// A text key that exceeds the maximum length for the keys of new objects.
public struct LongKey: Hashable, Sendable {
    public let className: SyncString
    /// The length in UTF-8, in bytes.
    public let bytes: Int
    /// The first characters.
    public let beginning: String

    init?(_ className: SyncString, _ key: PrimaryKey) {
        guard key.isTooLong, case .string(let text) = key else { return nil }
        (self.className, bytes, beginning) = (className, key.textBytes, String(text.string.prefix(40)))
    }
}

extension FileServerStore {
    /// Returns the objects of a stream whose keys exceed the maximum length for the keys of new objects. Other processes may write at the same time.
    /// - Throws: `EngineError`, or an error about the content of the file.
    /// - Complexity: O(objects of classes with text keys, objects that are in no table)
    public func longKeys(of stream: StreamName) throws -> [LongKey] {
        guard exists(stream) else { return [] }
        return try self.stream(stream).read { try $0.longKeys() }
    }

    /// Checks the structures of a stream's file, in the newest version.
    /// - Returns: Descriptions of the errors in the file. Empty if the file has no errors.
    /// - Throws: `EngineError` if the file can't be opened.
    /// - Complexity: O(bytes of the file)
    public func verify(_ stream: StreamName) throws -> [String] {
        guard exists(stream) else { return [] }
        return try self.stream(stream).database.snapshot().verify()
    }
}

extension StreamView {
    fileprivate func longKeys() throws -> [LongKey] {
        var found: [LongKey] = []
        for table in tables.all {
            guard let column = table.key, column.type == .string else { continue }
            for row in view.keys(table.table) {
                guard let key = view.readString(column, row) else { continue }
                if let long = LongKey(SyncString(table.table.name), .string(SyncString(key))) { found.append(long) }
            }
        }
        for row in view.keys(tables.hidden.other) where others.isAlive(row) {
            // The name of the row has two characters for each byte of the key.
            guard try others.key(row).isTooLong else { continue }
            let name = try others.object(row).name
            if let long = LongKey(name.className, name.key) { found.append(long) }
        }
        return found
    }
}
