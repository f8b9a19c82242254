import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments
import NIOHTTP1

extension DocumentService {
    /// Handles `POST CLASS?mode=insert|upsert|replace` with a document, or an array of documents.
    ///
    /// - Parameter isDry: A Boolean value that indicates whether the documents are only compared with the schema and with the stored ones. The merge, which
    ///   could refuse a write, doesn't run then.
    func insert(
        _ className: String,
        _ request: DocumentRequest,
        _ access: StreamAccess,
        isDry: Bool = false
    ) async throws -> HTTPAnswer {
        let modes: [String: DocumentImport.Mode] = ["insert": .insert, "upsert": .upsert, "replace": .replace]
        guard let mode = modes[request.parameters["mode"] ?? "insert"] else {
            throw DocumentFailure.bad("'mode' is insert, upsert or replace.")
        }
        let mapping = try mapping(access)
        let documents: [BSONDocument]
        switch try await node.work.run(for: access.user, { try request.value() }) {
        case .document(let one): documents = [one]
        case .array(let values):
            documents = try values.map { value in
                guard case .document(let document) = value else {
                    throw DocumentFailure.bad("The body is a document, or an array of documents.")
                }
                return document
            }
        default: throw DocumentFailure.bad("The body is a document, or an array of documents.")
        }
        let sight = try access.sight(className, "TRUEPREDICATE")
        let names = try documents.map { try mapping.object($0, of: className).name }
        guard Set(names).count == names.count else { throw DocumentFailure.bad("Two documents have one '_id'.") }
        let found = try await objects(names, access, for: request)
        var stored: [ObjectName: DocumentImport.Stored] = [:]
        for (name, object) in found {
            // An invisible object counts as missing here. The merge refuses a write of it.
            guard let contents = sight.contents(name.key, object.contents) else { continue }
            stored[name] = DocumentImport.Stored(version: object.changed, contents: contents)
        }
        let options = DocumentImport.Options(mode: mode, misfits: .stopping, batchObjects: documents.count)
        var job = DocumentImport(mapping, className: className, options: options)
        var numbers = OwnNumbers()
        let commit = try job.commit(of: documents, stored: stored, numbers: &numbers)
        guard let commit else {
            return Self.answer(["created": 0, "changed": 0, "unchanged": .int64(Int64(documents.count)), "refused": []])
        }
        let report = job.report
        guard !isDry else {
            return Self.answer([
                "created": .int64(Int64(report.created)), "changed": .int64(Int64(report.changed)),
                "unchanged": .int64(Int64(report.unchanged)), "refused": [], "dry": true,
            ])
        }
        let (version, refusals) = try await submit(commit.changes, seen: commit.seen, access)
        // The document counts as refused even if a part of it was written.
        let refused = Set(refusals.map(\.change.object.key))
        let changed = stored.keys.count { refused.contains($0.key) }
        let created = refused.count - changed
        return Self.answer(
            [
                "created": .int64(Int64(max(report.created - created, 0))),
                "changed": .int64(Int64(max(report.changed - changed, 0))),
                "unchanged": .int64(Int64(report.unchanged)), "refused": Self.refused(refusals),
            ],
            status: refusals.isEmpty ? .created : .ok,
            version: version
        )
    }

    /// Handles `PUT CLASS/KEY` with a document that replaces the object, and `PATCH CLASS/KEY` with operators.
    ///
    /// - Parameter isDry: A Boolean value that indicates whether the change is only compared with the schema and with the stored object.
    func change(
        _ className: String,
        _ key: String,
        _ request: DocumentRequest,
        _ access: StreamAccess,
        isPatch: Bool,
        isDry: Bool = false
    ) async throws -> HTTPAnswer {
        let mapping = try mapping(access)
        let document = try await node.work.run(for: access.user) { try request.document() }
        let name = try name(className, key, access)
        guard isPatch == (document.first?.key.hasPrefix("$") == true) else {
            throw DocumentFailure.bad("PUT takes a whole document, and PATCH operators such as '$set'.")
        }
        let sight = try access.sight(className, "TRUEPREDICATE")
        let object = try await objects([name], access, for: request)[name]
        let contents = object.flatMap { sight.contents(name.key, $0.contents) }
        if let expected = request.expected {
            guard let object, contents != nil, sight.version(object) == expected else { throw DocumentFailure.changed }
        }
        var numbers = OwnNumbers()
        let result = try DocumentPatch(document).changes(
            of: className,
            key: BSONValue(key: name.key),
            stored: contents,
            mapping: mapping,
            upserts: !isPatch || request.parameters["upsert"] == "true",
            numbers: &numbers
        )
        let ignored = BSONValue.array(result.ignored.map { .string($0) })
        guard !result.changes.isEmpty else { return Self.answer(["changed": false, "ignored": ignored]) }
        guard !isDry else { return Self.answer(["changed": true, "ignored": ignored, "dry": true]) }
        let seen = object.map { contents == nil ? [:] : [name: $0.changed] } ?? [:]
        let (version, refusals) = try await submit(result.changes, seen: seen, access)
        try Self.check(refusals)
        return Self.answer(
            ["changed": true, "ignored": ignored],
            status: contents == nil ? .created : .ok,
            version: version
        )
    }

    /// Handles `DELETE CLASS/KEY`.
    ///
    /// - Parameter isDry: A Boolean value that indicates whether the object is only looked up.
    func delete(
        _ className: String,
        _ key: String,
        _ request: DocumentRequest,
        _ access: StreamAccess,
        isDry: Bool = false
    ) async throws -> HTTPAnswer {
        let name = try name(className, key, access)
        let sight = try access.sight(className, "TRUEPREDICATE")
        guard let object = try await objects([name], access, for: request)[name],
            sight.contents(name.key, object.contents) != nil
        else {
            throw DocumentFailure.noDocument
        }
        if let expected = request.expected, sight.version(object) != expected { throw DocumentFailure.changed }
        guard !isDry else { return Self.answer(["deleted": true, "dry": true]) }
        let (version, refusals) = try await submit([.delete(name, .edit)], seen: [name: object.changed], access)
        try Self.check(refusals)
        return Self.answer(["deleted": true], version: version)
    }

    /// Checks the refusals of changes of one object.
    ///
    /// - Throws: `DocumentFailure` for a refusal.
    private static func check(_ refusals: [Refusal]) throws {
        guard let first = refusals.first else { return }
        switch first.reason {
        case .forbidden: throw first.field.map { DocumentFailure.forbidden(field: $0.string) } ?? .forbidden
        case .objectGone, .instanceGone, .elementGone: throw DocumentFailure.changed
        case .tooLarge:
            throw DocumentFailure(status: 413, code: "WriteTooLarge", text: "The document is too large to be stored.")
        default:
            throw DocumentFailure(status: 409, code: "WriteRefused", text: "The write was refused: \(first.reason).")
        }
    }

    private static func refused(_ refusals: [Refusal]) -> BSONValue {
        var reasons: [ObjectName: Refusal] = [:]
        for refusal in refusals { reasons[refusal.change.object] = refusal }
        return .array(
            reasons.sorted { $0.key < $1.key }.map { name, refusal in
                var document: BSONDocument = ["_id": BSONValue(key: name.key), "reason": .string("\(refusal.reason)")]
                if let field = refusal.field { document.append("field", .string(field.string)) }
                return .document(document)
            }
        )
    }
}
