import FreeholdBSON
import FreeholdSyncCore
import FreeholdSyncDocuments

extension DocumentService {
    /// After it a page is as long as it is: who looks for what is rare takes more pages, and others read in between.
    private static var scanTime: Duration { .seconds(5) }
    /// About the most bytes of a page's documents.
    private static var pageBytes: Int { 8 << 20 }

    /// `GET CLASS?query=…&limit=…&after=…`: documents by rising keys.
    func list(_ className: String, _ request: DocumentRequest, _ access: StreamAccess) async throws -> HTTPAnswer {
        let sight = try access.sight(className, request.parameters["query"] ?? "TRUEPREDICATE")
        let limit = try request.number("limit", 1...10_000, default: 100)
        let context = SealedPositions.Context(
            "page",
            access,
            [className, request.parameters["query"] ?? "TRUEPREDICATE"]
        )
        let start = try request.parameters["after"].map { try position($0, of: className, access, in: context) }
        var (after, shown) = (start, PrimaryKey?.none)
        var (documents, size, isLast) = ([BSONValue](), 0, false)
        // Conditions that name keys are looked up by them.
        var keys = sight.keys.map { keys in after.map { after in keys.filter { $0 > after } } ?? keys }
        var version = try await head(access).version
        var tries = 0
        let until = ContinuousClock.now + Self.scanTime
        reading: while !isLast, ContinuousClock.now < until {
            let asked = keys.map { Array($0.prefix(sight.pageObjects)) }
            let kind: ServerStoreRequest.Kind =
                if let asked {
                    .keys(asked, class: sight.className, at: version)
                } else {
                    .page(class: sight.className, after: after, at: version, objects: sight.pageObjects)
                }
            guard case .page(let found) = await node.read(ServerStoreRequest(access.stream, kind)) else {
                throw DocumentFailure.unavailable
            }
            guard let page = found else {
                // The log was cut behind it: what follows is of a later version.
                tries += 1
                guard tries < 5 else { throw DocumentFailure.unavailable }
                version = try await head(access).version
                continue
            }
            keys?.removeFirst(asked?.count ?? 0)
            isLast = keys?.isEmpty ?? page.isLast
            for (name, object) in page.objects {
                after = name.key
                try sight.check(name.key, object.contents)
                guard let contents = sight.contents(name.key, object.contents) else { continue }
                let document = BSONValue.document(BSONDocument(name, contents))
                // Hidden fields have no part in the length of a page.
                size += document.estimatedBytes
                documents.append(document)
                shown = name.key
                guard documents.count < limit, size < Self.pageBytes else {
                    // Whether hidden objects follow isn't reported: a full page always has a position, except at the end of named keys.
                    isLast = asked.map { isLast && $0.last == name.key } ?? false
                    break reading
                }
            }
            if let last = asked?.last { after = last }
        }
        var body: BSONDocument = ["documents": .array(documents)]
        if !isLast, let after {
            let next = try positions.seal(behind: after, shown: shown, start: start, context)
            body.append("next", .string(next))
        }
        return HTTPAnswer(type: "application/json", body: try Self.text(body, request))
    }

    /// The key that `after` means: a position of an earlier answer, or a key that the caller writes.
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

    /// `GET CLASS/KEY`.
    func get(_ className: String, _ key: String, _ request: DocumentRequest, _ access: StreamAccess) async throws
        -> HTTPAnswer
    {
        let name = try name(className, key, access)
        let sight = try access.sight(className, "TRUEPREDICATE")
        guard let object = try await objects([name], access)[name],
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
        if let className { _ = try access.sight(className, query) }
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
    /// About how many bytes the value takes in an answer.
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
