import FreeholdBSON

/// The requests for documents that a session sends to the server. The closure sends a message, as the page could send it, and returns the answer.
struct DocumentRequests: Sendable {
    let app: String
    let stream: String?
    let ask: @Sendable (StudioJSON) async throws -> String

    private static let limits = ExtendedJSONOptions(limits: BSONLimits(depth: 200, size: 32 << 20))

    /// Returns the answer to a request.
    ///
    /// - Throws: `StudioError` with the server's reason, also if the answer isn't a document.
    func send(_ name: String, _ members: KeyValuePairs<String, StudioJSON?>) async throws -> BSONDocument {
        try await read(name, members).document
    }

    private func read(_ name: String, _ members: KeyValuePairs<String, StudioJSON?>) async throws
        -> (document: BSONDocument, bytes: Int)
    {
        var all: [StudioJSON.Member] = [.init("do", .string(name)), .init("app", .string(app))]
        if let stream { all.append(.init("stream", .string(stream))) }
        all += members.compactMap { key, value in value.map { .init(key, $0) } }
        let text = try await ask(.object(all))
        guard let document = try? BSONDocument(extendedJSON: text, options: Self.limits) else {
            throw StudioError(.failed, "The answer isn't that of a sync server.")
        }
        return (document, text.utf8.count)
    }

    /// A part of the documents that fulfil a condition, by rising keys.
    struct Page: Sendable {
        var documents: [BSONDocument]
        /// The size of the answer in bytes.
        var bytes: Int
        /// The position after the part. `nil` at the end.
        var next: String?
    }

    /// Returns documents after a position. The part may be empty although more documents follow.
    func page(_ className: String, query: String, after: String?, limit: Int) async throws -> Page {
        let condition: StudioJSON? = query.allSatisfy(\.isWhitespace) ? nil : .string(query)
        let (body, bytes) = try await read(
            "documents",
            [
                "class": .string(className), "query": condition, "after": after.map { .string($0) },
                "limit": .int(limit),
            ]
        )
        guard case .array(let values)? = body["documents"] else {
            throw StudioError(.failed, "The answer isn't that of a sync server.")
        }
        let documents = values.compactMap { value -> BSONDocument? in
            if case .document(let document) = value { document } else { nil }
        }
        return Page(documents: documents, bytes: bytes, next: body["next"]?.stringValue)
    }

    /// Returns a document, or `nil` if it doesn't exist.
    func document(_ place: DocumentPlace) async throws -> BSONDocument? {
        do {
            return try await send("document", ["class": .string(place.className), "key": .string(place.key)])
        } catch let error as StudioError where error.code == .notFound {
            return nil
        }
    }

    /// Returns the version of the stream.
    func version() async throws -> UInt64 {
        guard let number = try await send("head", [:])["version"]?.asInt64() else {
            throw StudioError(.failed, "The answer isn't that of a sync server.")
        }
        return UInt64(clamping: number)
    }
}
