import FreeholdBSON
import FreeholdServerStore
import FreeholdSyncCore
import FreeholdSyncDocuments

/// The reason why a row of the inbox isn't applied.
struct InboxRefusal: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A row of the inbox with a valid form.
struct InboxChange {
    enum Operation: String, CaseIterable {
        /// Creates an object with a document. It is refused if the object exists.
        case create
        /// Sets the properties of a document.
        case set
        /// Adds numbers to properties. Simultaneous additions to an integer are all applied.
        case inc
        /// Sets the properties of a document. If the object doesn't exist, it is created.
        case upsert
        /// Replaces the object by a document. Properties that the document lacks are emptied.
        case replace
        /// Applies operators, such as `{"$push": {"tags": "new"}}`.
        case patch
        case delete
    }

    let row: InboxRow
    let operation: Operation
    let key: BSONValue
    /// The name of the object in the newest version of the schema.
    let name: ObjectName
    /// The change, or `nil` for a deletion.
    private let patch: DocumentPatch?

    /// The depth of the JSON in a body.
    private static let depth = 100

    /// - Throws: `InboxRefusal` for a row with an invalid form.
    init(_ row: InboxRow, _ mapping: DocumentMapping, _ values: PlainValues) throws(InboxRefusal) {
        guard let operation = Operation(rawValue: row.operation) else {
            let known = Operation.allCases.map(\.rawValue).joined(separator: ", ")
            throw InboxRefusal("malformed: 'op' is one of: \(known)")
        }
        (self.row, self.operation) = (row, operation)
        do {
            guard let key = values.key(row.key, of: row.className) else {
                // The class is unknown, or the key is of another type.
                _ = try mapping.name(.string(row.key ?? ""), of: row.className)
                throw InboxRefusal("malformed: 'key' isn't a key of the class")
            }
            self.key = key
            name = try mapping.name(key, of: row.className)
            patch = try Self.patch(row, operation, values)
        } catch let misfit as DocumentMisfit {
            throw InboxRefusal("malformed: \(misfit)")
        } catch let refusal as InboxRefusal {
            throw refusal
        } catch { throw InboxRefusal("malformed: \(error)") }
    }

    private static func patch(_ row: InboxRow, _ operation: Operation, _ values: PlainValues) throws -> DocumentPatch? {
        guard operation != .delete else { return nil }
        let body = try document(row.body ?? "")
        func fields(_ document: BSONDocument) -> BSONDocument { values.fields(document, of: row.className) }
        switch operation {
        case .create, .replace, .upsert:
            guard body.first?.key.hasPrefix("$") != true else { throw InboxRefusal("malformed: 'body' has operators") }
            // An upsert of an existing object sets the properties in the document.
            return operation == .upsert
                ? try DocumentPatch(["$set": .document(fields(body))]) : try DocumentPatch(fields(body))
        case .set: return try DocumentPatch(["$set": .document(fields(body))])
        case .inc: return try DocumentPatch(["$inc": .document(fields(body))])
        case .patch:
            guard body.first?.key.hasPrefix("$") == true else {
                throw InboxRefusal("malformed: 'body' has no operators")
            }
            return try DocumentPatch(
                BSONDocument(
                    body.map { key, value in
                        guard case .document(let document) = value else { return (key: key, value: value) }
                        return (key: key, value: .document(fields(document)))
                    }
                )
            )
        case .delete: return nil
        }
    }

    private static func document(_ text: String) throws -> BSONDocument {
        let options = ExtendedJSONOptions(limits: BSONLimits(depth: depth, size: DocumentRequest.bodyLimit))
        do {
            guard case .document(let document) = try BSONValue(extendedJSON: text, options: options) else {
                throw InboxRefusal("malformed: 'body' isn't a JSON object")
            }
            return document
        } catch let error as BSONError { throw InboxRefusal("malformed: 'body': \(error.reason)") }
    }

    /// Returns the changes that the row makes to an object.
    ///
    /// - Parameters:
    ///   - object: The stored object, or `nil` if it doesn't exist.
    ///   - contents: The part of the object that the user of the row can see.
    ///   - version: The version of the last change that the user can see.
    /// - Throws: `InboxRefusal`
    func changes(
        object: MergedObject?,
        contents: [SyncString: MergedContent]?,
        version: StreamVersion?,
        mapping: DocumentMapping,
        numbers: inout OwnNumbers
    ) throws(InboxRefusal) -> [Change] {
        if let expected = row.version {
            guard let version, contents != nil, version == UInt64(bitPattern: expected) else {
                throw InboxRefusal("changed: the object isn't at the version \(expected)")
            }
        }
        switch operation {
        case .create:
            guard contents == nil else { throw InboxRefusal("exists: there is an object with this key") }
        case .set, .inc, .patch, .delete:
            guard contents != nil else { throw InboxRefusal("missing: there is no such object") }
        case .upsert, .replace: break
        }
        guard let patch else { return [.delete(name, .edit)] }
        do {
            return try patch.changes(
                of: row.className,
                key: key,
                stored: contents,
                mapping: mapping,
                upserts: true,
                numbers: &numbers
            ).changes
        } catch { throw InboxRefusal("misfit: \(error)") }
    }
}
