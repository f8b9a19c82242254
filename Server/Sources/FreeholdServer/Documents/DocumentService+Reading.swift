import FreeholdBSON
import FreeholdHTTP
import FreeholdSyncCore
import FreeholdSyncDocuments

extension DocumentService {
    /// The size of documents in bytes after which an answer ends. The last document may exceed it.
    private static var answerBytes: Int { 8 << 20 }

    /// Handles `GET CLASS?query=…&limit=…&after=…`: returns documents in ascending order of keys.
    func list(_ className: String, _ request: DocumentRequest, _ access: StreamAccess) async throws -> HTTPAnswer {
        let query = request.parameters["query"] ?? "TRUEPREDICATE"
        let sight = try await node.work.run(for: access.user) { try access.sight(className, query) }
        let limit = try request.number("limit", 1...10_000, default: 100)
        let context = SealedPositions.Context(
            "page",
            access,
            [className, request.parameters["query"] ?? "TRUEPREDICATE"]
        )
        let start = try request.parameters["after"].map { try position($0, of: className, access, in: context) }
        var (after, shown) = (start, PrimaryKey?.none)
        var (documents, size, isLast) = ([BSONValue](), 0, false)
        // Conditions with keys are looked up by these keys.
        var keys = sight.keys.map { keys in after.map { after in keys.filter { $0 > after } } ?? keys }
        var version = try await head(access).version
        var tries = 0
        let until = ContinuousClock.now + scanTime
        while !isLast, ContinuousClock.now < until {
            // After the client has closed the connection, the rest isn't needed.
            try Task.checkCancellation()
            // The memory of the page, and of the documents as objects, as documents and as text.
            try request.keep(ObjectPage.mostBytes + 3 * size)
            let asked = keys.map { Array($0.prefix(sight.pageObjects)) }
            let kind: ServerStoreRequest.Kind =
                if let asked {
                    .keys(asked, class: sight.className, at: version)
                } else {
                    .page(class: sight.className, after: after, at: version, objects: sight.pageObjects)
                }
            let read = ServerStoreRequest(access.stream, kind)
            guard case .page(let found) = try await node.read(read, of: access.user) else {
                throw DocumentFailure.unavailable
            }
            guard let page = found else {
                // The log no longer contains the version. The following objects are those of a later version.
                tries += 1
                guard tries < 5 else { throw DocumentFailure.unavailable }
                version = try await head(access).version
                // No object was read. An answer without a position would look like the end of the list.
                if after == nil, ContinuousClock.now >= until { throw DocumentFailure.unavailable }
                continue
            }
            let done = page.through.flatMap { last in asked?.firstIndex { $0 > last } } ?? asked?.count ?? 0
            keys?.removeFirst(done)
            isLast = keys?.isEmpty ?? page.isLast
            var scan = PageScan(page, sight, documents: limit - documents.count, bytes: Self.answerBytes - size)
            // At least one object is compared, so that the next request makes progress.
            repeat {
                let next = scan
                scan = try await node.work.run(for: access.user) { try next.scanned() }
            } while !scan.isFinished && ContinuousClock.now < until
            documents += scan.documents
            size += scan.size
            after = scan.last ?? after
            shown = scan.shown ?? shown
            guard scan.isWhole, !scan.isFull else {
                // The answer doesn't reveal whether hidden objects follow: a full page always has a position, except at
                // the end of named keys.
                isLast = asked.map { scan.isFull && isLast && $0.last == scan.last } ?? false
                break
            }
            if let last = page.through ?? asked?.last { after = last }
        }
        var body: BSONDocument = ["documents": .array(documents)]
        if !isLast, let after {
            let next = try positions.seal(behind: after, shown: shown, start: start, context)
            body.append("next", .string(next))
        }
        let whole = body
        let text = try await node.work.run(for: access.user) { try Self.text(whole, request) }
        return HTTPAnswer(type: "application/json", body: text)
    }

    /// The comparison of a page with a query, in slices.
    private struct PageScan: Sendable {
        private let page: ObjectPage
        private let sight: DocumentSight
        private let limit: Int
        private let bytes: Int
        private var index = 0
        private(set) var documents: [BSONValue] = []
        private(set) var size = 0
        /// The key of the last object that was compared, and the key of the last one that is shown.
        private(set) var last: PrimaryKey?
        private(set) var shown: PrimaryKey?

        /// - Parameters:
        ///   - documents: The maximum number of documents.
        ///   - bytes: The size of documents in bytes after which the scan ends. The last document may exceed it.
        init(_ page: ObjectPage, _ sight: DocumentSight, documents: Int, bytes: Int) {
            (self.page, self.sight, limit, self.bytes) = (page, sight, documents, bytes)
        }

        /// A Boolean value that indicates whether all objects were compared.
        var isWhole: Bool { index == page.objects.count }
        /// A Boolean value that indicates whether no further document fits.
        var isFull: Bool { documents.count == limit || size >= bytes }
        var isFinished: Bool { isWhole || isFull }

        /// Returns the scan after another slice.
        func scanned() throws -> PageScan {
            var (scan, used) = (self, 0)
            while !scan.isFinished, used < ServerWork.sliceSteps {
                let (name, object) = page.objects[scan.index]
                if let seen = try sight.contents(name.key, object.contents, adding: &used) {
                    let document = BSONValue.document(BSONDocument(name, seen))
                    // Hidden fields have no influence on the length of a page.
                    scan.size += document.estimatedBytes
                    scan.documents.append(document)
                    scan.shown = name.key
                }
                scan.index += 1
                scan.last = name.key
            }
            return scan
        }
    }

    /// Returns the key for `after`: a position of an earlier answer, or a key that the caller writes.
    private func position(
        _ text: String,
        of className: String,
        _ access: StreamAccess,
        in context: SealedPositions.Context
    ) throws -> PrimaryKey {
        guard text.first == SealedPositions.mark else { return try name(className, text, access).key }
        guard let key = positions.key(text, context) else {
            throw DocumentFailure.bad("'after' isn't a position that this request was given for this user.")
        }
        return key
    }

    /// Handles `GET CLASS/KEY`.
    func get(_ className: String, _ key: String, _ request: DocumentRequest, _ access: StreamAccess) async throws
        -> HTTPAnswer
    {
        let name = try name(className, key, access)
        let sight = try access.sight(className, "TRUEPREDICATE")
        guard let object = try await objects([name], access, for: request)[name],
            let contents = sight.contents(name.key, object.contents)
        else { throw DocumentFailure.noDocument }
        var answer = HTTPAnswer(type: "application/json", body: try Self.text(BSONDocument(name, contents), request))
        answer.headers = [("ETag", "\"\(sight.version(object))\"")]
        return answer
    }

    /// Handles `GET $changes?class=…&query=…&after=…`: sends server-sent events, from now on or from a token on.
    func changes(_ request: DocumentRequest, _ access: StreamAccess, _ identity: Identity) async throws -> HTTPAnswer {
        let className = request.parameters["class"]
        let query = request.parameters["query"] ?? "TRUEPREDICATE"
        guard className != nil || request.parameters["query"] == nil else {
            throw DocumentFailure.bad("A 'query' needs a 'class'.")
        }
        if let className { _ = try await node.work.run(for: access.user) { try access.sight(className, query) } }
        let context = SealedPositions.Context("changes", access)
        let tokens = EventTokens(stream: access.stream, positions: positions, context: context)
        let stream = ChangeFollower(node, access, identity, className: className, query: query, tokens, request)
        if let text = request.parameters["after"] ?? request.lastEvent {
            guard let token = tokens.token(text) else {
                throw DocumentFailure.bad("'after' isn't a token of this stream that this user was given.")
            }
            guard try await stream.begin(behind: token) else {
                throw DocumentFailure(
                    status: 410,
                    code: "ChangeStreamHistoryLost",
                    text: "What came behind the token isn't kept any more: read the documents, and follow from then on."
                )
            }
        } else {
            await stream.begin(at: try await head(access).cursor)
        }
        guard let following = await node.follow(access.user) else { throw DocumentFailure.tooMany }
        let next: @Sendable () async -> String? = {
            let text = await stream.next()
            withExtendedLifetime(following) {}
            return text
        }
        return HTTPAnswer(stream: next, type: "text/event-stream")
    }
}

extension BSONValue {
    /// The approximate size of the value in an answer, in bytes.
    fileprivate var estimatedBytes: Int {
        switch self {
        case .string(let text): 8 + text.utf8.count
        case .binary(let binary): 32 + binary.bytes.count * 4 / 3
        case .document(let document): document.reduce(8) { $0 + 8 + $1.key.utf8.count + $1.value.estimatedBytes }
        case .array(let values): values.reduce(8) { $0 + $1.estimatedBytes }
        default: 16
        }
    }
}
