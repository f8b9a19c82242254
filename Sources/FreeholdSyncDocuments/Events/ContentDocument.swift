public import FreeholdBSON
public import FreeholdSyncCore

extension BSONDocument {
    /// Creates the document of an object: `_id` first, and the other properties by rising names. A link is the key of
    /// its target, a list or a set is an array, and a dictionary or an embedded object is a document. Keys with the
    /// character 0 are left out.
    ///
    /// - Complexity: O(*n* log *n*) for *n* values
    public init(_ name: ObjectName, _ contents: [SyncString: MergedContent]) {
        self.init([(key: "_id", value: BSONValue(name.key))])
        for (key, content) in contents.sorted(by: { $0.key < $1.key }) {
            guard key != "_id", !key.string.utf8.contains(0) else { continue }
            append(key.string, BSONValue(content))
        }
    }
}

extension BSONValue {
    /// Creates the value that a document shows for a part of an object.
    init(_ content: MergedContent) {
        switch content {
        case .value(let value): self.init(value)
        case .embedded(let fields): self = .document(Self.shown(fields))
        case .dictionary(let entries): self = .document(Self.shown(entries))
        case .list(let elements): self = .array(elements.map { BSONValue($0) })
        case .set(let elements):
            let values = elements.values.map { value -> (bytes: [UInt8], value: SyncValue) in
                var bytes: [UInt8] = []
                bytes.appendExact(value)
                return (bytes, value)
            }
            let sorted = values.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            self = .array(sorted.map { BSONValue($0.value) })
        }
    }

    private static func shown(_ contents: [SyncString: MergedContent]) -> BSONDocument {
        let entries = contents.filter { !$0.key.string.utf8.contains(0) }.sorted { $0.key < $1.key }
        return BSONDocument(entries.map { (key: $0.key.string, value: BSONValue($0.value)) })
    }
}

extension BSONValue {
    /// Creates the value that a document has under `_id`.
    public init(key: PrimaryKey) { self.init(key) }
}
