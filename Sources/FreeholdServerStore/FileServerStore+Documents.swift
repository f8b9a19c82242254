public import FreeholdBSON
internal import FreeholdEngine
public import FreeholdSyncCore

extension FileServerStore {
    /// Calls the body with each object's document, `_id` first, class by class by rising names, as one version of the stream has them.
    /// Objects of asymmetric classes are among them, deleted ones aren't. Whoever writes meanwhile isn't held up.
    ///
    /// Documents are as `StoredObject.doc` says: a link is its target's key.
    ///
    /// - Parameter className: only those of this class.
    /// - Returns: how many there were; 0 for a stream that has no file.
    /// - Throws: what the body throws, `EngineError`, or what is wrong with the file.
    /// - Complexity: O(documents). One at a time is in memory, beside what doesn't fit its class's table.
    @discardableResult
    public func forEachDocument(
        of stream: StreamName,
        className: SyncString? = nil,
        _ body: (_ className: SyncString, _ document: BSONDocument) throws -> Void
    ) throws -> Int {
        guard try streams().contains(stream) else { return 0 }
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
