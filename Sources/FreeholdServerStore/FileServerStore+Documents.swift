public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

extension FileServerStore {
    /// Calls a closure with each object's document, class by class in rising order of the names, in the state of one
    /// version of the stream. `_id` is first in each document. Objects of asymmetric classes are included, and deleted
    /// objects aren't. Concurrent writers don't wait.
    ///
    /// Documents have the format of `StoredObject.doc`: a link is the key of its target.
    ///
    /// - Parameter className: The class to read, or `nil` for all classes.
    /// - Returns: The number of documents. 0 for a stream without a file.
    /// - Throws: The errors of the closure, `EngineError`, and errors about the content of the file.
    /// - Complexity: O(documents). One document at a time is in memory, in addition to the objects that don't fit the
    ///   class's table.
    @discardableResult
    public func forEachDocument(
        of stream: StreamName,
        className: SyncString? = nil,
        _ body: (_ className: SyncString, _ document: BSONDocument) throws -> Void
    ) throws -> Int {
        guard exists(stream) else { return 0 }
        return try self.stream(stream).read { try $0.forEachDocument(of: className, body) }
    }
}

extension StreamView {
    fileprivate func forEachDocument(
        of className: SyncString?,
        _ body: (SyncString, BSONDocument) throws -> Void
    ) throws -> Int {
        var others: [SyncString: [BSONDocument]] = [:]
        for row in view.keys(tables.hidden.other) where self.others.isAlive(row) {
            let (name, object) = try self.others.object(row)
            guard className == nil || className == name.className, let object else { continue }
            others[name.className, default: []].append(object.stored(name.key).doc)
        }
        var count = 0
        let shown = tables.all.filter { $0.state != nil }.map { SyncString($0.table.name) }
        let values = ValueReader(view: view, tables: tables)
        for name in Set(shown).union(others.keys).sorted() where className == nil || className == name {
            if let table = tables.table(of: name) {
                for row in view.keys(table.table) {
                    let key = BSONValue(try values.key(table, row))
                    let rest = try reader.document(table, row, reader.plan(table, row))
                    try body(name, BSONDocument([(key: "_id", value: key)] + rest))
                    count += 1
                }
            }
            for document in others[name] ?? [] {
                try body(name, document)
                count += 1
            }
        }
        return count
    }
}
