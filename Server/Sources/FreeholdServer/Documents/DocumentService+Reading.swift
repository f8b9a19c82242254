import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments

extension DocumentService {
    /// After it a page is as long as it is: who looks for what is rare takes more pages, and others read in between.
    private static var scanTime: Duration { .seconds(5) }
    /// The bytes of objects, as they are in memory, behind which an answer ends. The last object may exceed them.
    private static var answerBytes: Int { 8 << 20 }

    /// `GET CLASS?query=…&limit=…&after=…`: documents by rising keys.
    func list(_ className: String, _ request: DocumentRequest, _ access: StreamAccess) async throws -> HTTPAnswer {
        let query = request.parameters["query"] ?? "TRUEPREDICATE"
        let sight = try await node.work.run(for: access.user) { try access.sight(className, query) }
        let limit = try request.number("limit", 1...10_000, default: 100)
        var after = try request.parameters["after"].map { try name(className, $0, access).key }
        var (documents, size, isLast) = ([BSONValue](), 0, false)
        // Conditions that name keys are looked up by them.
        var keys = sight.keys.map { keys in after.map { after in keys.filter { $0 > after } } ?? keys }
        var version = try await head(access).version
        var tries = 0
        let until = ContinuousClock.now + Self.scanTime
        while documents.count < limit, size < Self.answerBytes, !isLast, ContinuousClock.now < until {
            // A client that hung up doesn't need the rest.
            try Task.checkCancellation()
            // What is read and what is answered: as objects, as documents and as text.
            try request.keep(ObjectPage.mostBytes + 3 * size)
            let asked = keys.map { Array($0.prefix(sight.pageObjects)) }
            let kind: ServerStoreRequest.Kind =
                if let asked {
                    .keys(asked, class: sight.className, at: version)
                } else {
                    .page(class: sight.className, after: after, at: version, objects: sight.pageObjects)
                }
            let read = ServerStoreRequest(access.stream, kind)
            guard case .page(let found) = try await node.shares.run(for: access.user, { await node.read(read) }) else {
                throw DocumentFailure.unavailable
            }
            guard let page = found else {
                // The log was cut behind it: what follows is of a later version.
                tries += 1
                guard tries < 5 else { throw DocumentFailure.unavailable }
                version = try await head(access).version
                continue
            }
            let read = page.through.flatMap { last in asked?.firstIndex { $0 > last } } ?? asked?.count ?? 0
            keys?.removeFirst(read)
            isLast = keys?.isEmpty ?? page.isLast
            var scan = PageScan(page, sight, documents: limit - documents.count, bytes: Self.answerBytes - size)
            // At least one object is looked at, so that the next request gets on.
            repeat {
                let next = scan
                scan = try await node.work.run(for: access.user) { try next.scanned() }
            } while !scan.isFinished && ContinuousClock.now < until
            documents += scan.documents
            size += scan.size
            after = scan.last ?? after
            guard scan.isWhole else {
                isLast = false
                break
            }
            if let last = page.through ?? asked?.last { after = last }
        }
        var body: BSONDocument = ["documents": .array(documents)]
        if !isLast, let after { body.append("next", BSONValue(key: after)) }
        let whole = body
        let text = try await node.work.run(for: access.user) { try Self.text(whole, request) }
        return HTTPAnswer(type: "application/json", body: text)
    }

    /// A page that is compared with a query, slice by slice.
    private struct PageScan: Sendable {
        private let page: ObjectPage
        private let sight: DocumentSight
        private let limit: Int
        private let bytes: Int
        private var index = 0
        private(set) var documents: [BSONValue] = []
        private(set) var size = 0
        /// The key of the last object that was looked at.
        private(set) var last: PrimaryKey?

        /// - Parameters:
        ///   - documents: The greatest number of documents.
        ///   - bytes: The bytes of objects behind which the scan ends. The last object may exceed them.
        init(_ page: ObjectPage, _ sight: DocumentSight, documents: Int, bytes: Int) {
            (self.page, self.sight, limit, self.bytes) = (page, sight, documents, bytes)
        }

        /// A Boolean value that indicates whether all objects were looked at.
        var isWhole: Bool { index == page.objects.count }
        var isFinished: Bool { isWhole || documents.count == limit || size >= bytes }

        /// Returns the scan after another slice.
        func scanned() throws -> PageScan {
            var (scan, used) = (self, 0)
            while !scan.isFinished, used < ServerWork.sliceSteps {
                let (name, object) = page.objects[scan.index]
                let contents = object.contents
                if let seen = try sight.contents(name.key, contents, adding: &used) {
                    scan.size += object.estimatedBytes
                    scan.documents.append(.document(BSONDocument(name, seen)))
                }
                scan.index += 1
                scan.last = name.key
            }
            return scan
        }
    }

    /// `GET CLASS/KEY`.
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

    /// `GET $changes?class=…&query=…&after=…`: server-sent events, from now on or from a token on.
    func changes(_ request: DocumentRequest, _ access: StreamAccess, _ identity: Identity) async throws -> HTTPAnswer {
        let className = request.parameters["class"]
        let query = request.parameters["query"] ?? "TRUEPREDICATE"
        guard className != nil || request.parameters["query"] == nil else {
            throw DocumentFailure.bad("A 'query' needs a 'class'.")
        }
        if let className { _ = try await node.work.run(for: access.user) { try access.sight(className, query) } }
        let stream = ChangeFollower(node, access, identity, className: className, query: query, request)
        if let text = request.parameters["after"] ?? request.lastEvent {
            guard let token = ResumeToken(text, of: access.stream) else {
                throw DocumentFailure.bad("'after' is no token of this stream.")
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
