import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments
import FreeholdSyncRules
import Logging
import NIOCore
import NIOHTTP1

/// The documents' API: programs without a file read and write an app's documents with the rights of their token's user.
/// Their writes merge with the work of devices by the usual rules.
struct DocumentService: Sendable {
    let node: ServerNode
    let positions: SealedPositions

    /// The time after which a page ends. A search for rare objects takes several pages, so that other requests can read
    /// in between.
    let scanTime: Duration

    /// - Parameter positions: The encryption of positions of pages and change streams.
    init(
        _ node: ServerNode,
        positions: SealedPositions = SealedPositions(secret: nil),
        scanTime: Duration = .seconds(5)
    ) {
        (self.node, self.positions, self.scanTime) = (node, positions, scanTime)
    }

    func identify(_ head: HTTPRequestHead) async -> HTTPIdentification {
        do {
            guard let token = head.bearer, let identity = try await node.authenticator.identify(token),
                !identity.user.isEmpty
            else { return .refused(DocumentFailure.noToken.answer) }
            return .known(identity)
        } catch is TokenRefusal {
            return .refused(DocumentFailure.noToken.answer)
        } catch {
            node.logger.error("a token can't be looked at", metadata: ["kind": "\(type(of: error))"])
            return .refused(DocumentFailure.unavailable.answer)
        }
    }

    /// Returns the access to the stream of the request: to the stream that the parameter names or, without a parameter,
    /// to the app's own stream or the user's own stream.
    func access(_ user: String, _ request: DocumentRequest) throws -> StreamAccess {
        let values: [SyncValue?] =
            request.parameters["stream"].map { [.string(SyncString($0))] } ?? [nil, .string(SyncString(user))]
        for value in values {
            if let access = node.access(user, request.app, value) { return access }
        }
        throw DocumentFailure.forbidden
    }

    // MARK: Tools

    static func text(_ document: BSONDocument, _ request: DocumentRequest) throws -> String {
        try document.extendedJSON(request.parameters["canonical"] == "true" ? .canonical : .relaxed)
    }

    func head(_ access: StreamAccess) async throws -> StreamHead {
        guard let head = await node.head(of: access.stream) else { throw DocumentFailure.unavailable }
        return head
    }

    /// Returns live objects in their stored form, by their names in the newest version.
    ///
    /// - Throws: `DocumentFailure` if their total size is too large.
    func objects(
        _ names: [ObjectName],
        _ access: StreamAccess,
        for request: DocumentRequest
    ) async throws -> [ObjectName: MergedObject] {
        let stored = Dictionary(names.compactMap { name in access.stored(name).map { ($0, name) } }) { first, _ in first
        }
        // The log may be trimmed during the read. The next attempt uses a newer head.
        for _ in 0..<5 {
            let version = try await head(access).version
            guard let found = try await objects(stored.keys.sorted(), access, for: request, at: version) else {
                continue
            }
            return Dictionary(
                uniqueKeysWithValues: found.compactMap { name, object in stored[name].map { ($0, object) } }
            )
        }
        throw DocumentFailure.unavailable
    }

    /// Reads objects page by page.
    ///
    /// - Returns: `nil` if the log no longer contains the version.
    private func objects(
        _ names: [ObjectName],
        _ access: StreamAccess,
        for request: DocumentRequest,
        at version: StreamVersion
    ) async throws -> [(name: ObjectName, object: MergedObject)]? {
        var (found, size, rest) = ([(name: ObjectName, object: MergedObject)](), 0, names[...])
        while let first = rest.first {
            try request.keep(ObjectPage.mostBytes + size)
            let asked = rest.prefix(1_000).prefix { $0.className == first.className }
            let kind = ServerStoreRequest.Kind.keys(asked.map(\.key), class: first.className, at: version)
            guard case .page(let answer) = await node.read(ServerStoreRequest(access.stream, kind)) else {
                throw DocumentFailure.unavailable
            }
            guard let page = answer else { return nil }
            found += page.objects
            size += page.objects.reduce(0) { $0 + $1.object.estimatedBytes }
            guard size <= Self.storedBytes || names.count == 1 else { throw DocumentFailure.tooLargeTogether }
            rest = rest.dropFirst(asked.prefix { name in page.through.map { name.key <= $0 } ?? true }.count)
        }
        return found
    }

    /// The maximum total size of the stored objects of one request, in bytes.
    private static let storedBytes = 64 << 20

    /// Returns the name of the object with a path's key. The type of the class's key decides about its type, if the
    /// schema contains it.
    func name(_ className: String, _ key: String, _ access: StreamAccess) throws -> ObjectName {
        let isValue = key.hasPrefix("{") || key.hasPrefix("\"")
        var values: [BSONValue] = []
        if isValue, let value = try? BSONValue(extendedJSON: key) {
            values = [value]
        } else {
            if let number = Int64(key) { values.append(.int64(number)) }
            if let id = try? BSONValue(extendedJSON: "{\"$oid\": \"\(key)\"}"), key.utf8.count == 24 {
                values.append(id)
            }
            if let id = try? BSONValue(extendedJSON: "{\"$uuid\": \"\(key)\"}"), key.utf8.count == 36 {
                values.append(id)
            }
            values.append(.string(key))
        }
        let tables = access.tables.isEmpty ? nil : access.tables
        guard let tables else {
            guard let name = values.lazy.compactMap({ PrimaryKey($0) }).first else { throw DocumentFailure.noDocument }
            return ObjectName(SyncString(className), name)
        }
        let mapping = DocumentMapping(DocumentSchema(tables))
        var last: DocumentMisfit?
        for value in values {
            do { return try mapping.name(value, of: className) } catch { last = error }
        }
        guard let last, last.code == .unknownClass else { throw DocumentFailure.noDocument }
        throw last
    }

    /// - Throws: `DocumentFailure` if the app has no classes.
    func mapping(_ access: StreamAccess) throws -> DocumentMapping {
        guard !access.tables.isEmpty else { throw DocumentFailure.noSchema }
        return DocumentMapping(DocumentSchema(access.tables))
    }

    /// Submits changes, and returns their result.
    func submit(
        _ changes: [Change],
        seen: [ObjectName: StreamVersion],
        _ access: StreamAccess
    ) async throws -> (version: StreamVersion, refusals: [Refusal]) {
        var submission = Submission(
            stream: access.stream,
            user: access.user,
            changes: changes,
            seen: seen,
            lens: access.lens,
            schemaVersion: access.schemaVersion
        )
        submission.isUnrestricted = access.isUnrestricted
        switch try await node.submit(submission).get() {
        case .done(let version, let refusals): return (version, refusals)
        case .failed(.forbidden, _): throw DocumentFailure.forbidden
        case .failed(.tooLarge, _): throw DocumentFailure.bad("There are too many changes for one request.")
        case .failed: throw DocumentFailure.unavailable
        }
    }

    static func answer(_ body: BSONDocument, status: HTTPResponseStatus = .ok, version: StreamVersion? = nil)
        -> HTTPAnswer
    {
        var answer = HTTPAnswer(status: status, type: "application/json", body: (try? body.extendedJSON()) ?? "")
        if let version { answer.headers = [("ETag", "\"\(version)\"")] }
        return answer
    }
}

extension PrimaryKey {
    /// Creates a key from a document's `_id`. Returns `nil` for a value that isn't a key.
    init?(_ value: BSONValue) {
        switch value {
        case .null: self = .null
        case .int64(let number): self = .int(number)
        case .string(let text): self = .string(SyncString(text))
        case .objectId(let id): self = .objectId(id)
        case .binary(let binary):
            guard let uuid = binary.uuid else { return nil }
            self = .uuid(uuid)
        default: return nil
        }
    }
}
