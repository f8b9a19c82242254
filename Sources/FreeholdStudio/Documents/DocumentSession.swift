import FreeholdBSON
import FreeholdEngine
import Foundation

/// The part of a page's session that shows the documents of a server's app like the objects of a file: as rows, objects, links and edits. It answers
/// those requests of a file's session that the server supports. It holds only the documents of a few parts of each open query. It sends requests of
/// administrators with a closure, and doesn't use the network itself.
///
/// - Note: Any thread may use it.
public actor DocumentSession {
    /// The state of an app that is shown.
    struct Place {
        let requests: DocumentRequests
        let classes: DocumentClasses
    }

    private let ask: @Sendable (StudioJSON) async throws -> String
    let send: @Sendable (StudioJSON) -> Void
    let isWritable: Bool
    private let memory: DocumentMemory

    var place: Place?
    var cursors: [Int: OpenDocuments] = [:]
    private var lastCursor = 0
    var edits = DocumentEdits()
    /// The document that the page follows, with its last state.
    var followed: (place: DocumentPlace, table: Table, document: BSONDocument?)?
    /// The last list of documents that link to a document.
    var linked: (name: String, cursor: DocumentCursor)?
    /// The version that the page has seen.
    var version: UInt64 = 0
    private var isFollowing = false
    var isWriting = false

    /// An open query.
    final class OpenDocuments {
        let cursor: DocumentCursor
        let columns: [Column]
        /// The name of the table on the page. A newer query of the same table closes this one.
        let table: String?
        /// The rows that the page requested last.
        var window = 0..<0
        var shown: [(key: String, cells: [[UInt8]])] = []
        /// A Boolean value that indicates whether the stream has a later version than the rows.
        var isOld = false
        /// The time before which the rows aren't read again.
        var notBefore = ContinuousClock.now

        init(_ cursor: DocumentCursor, _ columns: [Column], table: String?) {
            (self.cursor, self.columns, self.table) = (cursor, columns, table)
        }
    }

    static let mostCursors = 8

    /// - Parameters:
    ///   - isWritable: A Boolean value that indicates whether edits are permitted.
    ///   - memory: The states that pages store.
    ///   - send: Sends a push to the page.
    ///   - ask: Sends a request of an administrator, in the form of the page's messages, and returns the answer.
    public init(
        isWritable: Bool,
        memory: DocumentMemory,
        send: @escaping @Sendable (StudioJSON) -> Void,
        ask: @escaping @Sendable (StudioJSON) async throws -> String
    ) { (self.isWritable, self.memory, self.send, self.ask) = (isWritable, memory, send, ask) }

    private typealias Handler = @Sendable (DocumentSession, StudioRequest) async throws -> StudioJSON

    private static let handlers: [String: Handler] = [
        "openData": { try await $0.openData($1) },
        "open": { try await $0.open($1) },
        "rows": { try await $0.rows($1) },
        "place": { try await $0.position($1) },
        "seen": { _, _ in [:] },
        "close": { try await $0.close($1) },
        "follow": { session, _ in try await session.follow() },
        "copy": { try await $0.copy($1) },
        "parse": { try await $0.parse($1) },
        "complete": { try await $0.complete($1) },
        "condition": { try await $0.condition($1) },
        "object": { try await $0.object($1) },
        "part": { try await $0.part($1) },
        "linked": { try await $0.linked($1) },
        "find": { try await $0.find($1) },
        "stage": { try await $0.stage($1) },
        "waiting": { session, _ in try await session.waiting() },
        "discard": { try await $0.discard($1) },
        "check": { session, _ in try await session.check() },
        "write": { try await $0.write($1) },
        "remember": { try await $0.remember($1) },
        "recall": { session, _ in try await session.recall() },
    ]

    /// Returns a Boolean value that indicates whether a message is a request that this session answers.
    public static func answers(_ message: StudioJSON) -> Bool {
        message["do"]?.text.map { handlers[$0] != nil } ?? false
    }

    /// Returns the answer to a request.
    ///
    /// - Throws: `StudioError`
    public func answer(_ message: StudioJSON) async throws -> StudioJSON {
        let request = try StudioRequest(message)
        guard let handler = Self.handlers[request.name] else {
            throw StudioError(.unknown, "The program doesn't know the request '\(request.name.prefix(40))'.")
        }
        do { return try await handler(self, request) } catch { throw StudioError(error) }
    }

    // MARK: The app

    /// Handles `openData {app, stream?}`: shows the documents of an app. Queries and waiting edits of another app or stream are closed.
    private func openData(_ request: StudioRequest) async throws -> StudioJSON {
        let (app, stream) = (try request.text("app"), try request.optionalText("stream"))
        let text = try await ask(["do": "classes", "app": .string(app)])
        let requests = DocumentRequests(app: app, stream: stream, ask: ask)
        let isSame = place?.requests.app == app && place?.requests.stream == stream && place?.classes.text == text
        let version = try await requests.version()
        if !isSame {
            place = Place(requests: requests, classes: try DocumentClasses(text))
            (cursors, followed, linked) = ([:], nil, nil)
            edits = DocumentEdits()
        }
        self.version = version
        guard let place else { throw Self.noPlace }
        return [
            "file": [
                "name": .string(app), "kind": "server", "version": .int(version),
                "flags": ["write": .bool(isWritable), "live": true, "encrypted": false, "synced": false],
                // The features of the screen that a server supports. A file supports all of them.
                "features": ["condition", "find"], "copies": .array(DocumentCopy.formats.map { .string($0.rawValue) }),
            ],
            "version": .int(version), "classes": place.classes.json,
        ]
    }

    private static let noPlace = StudioError(.noFile, "No app is chosen.")

    func shown() throws(StudioError) -> Place {
        guard let place else { throw Self.noPlace }
        return place
    }

    // MARK: Queries

    /// Handles `open`: opens a query of a class, or of the elements of a list of links.
    private func open(_ request: StudioRequest) async throws -> StudioJSON {
        let place = try shown()
        let start = ContinuousClock.now
        let (query, columns) = try await query(request, in: place)
        let name = try request.optionalText("table")
        let cursor = DocumentCursor(query, place.requests)
        let rows = try await cursor.documents(0..<DocumentCursor.partLength)
        if let name { for (number, open) in cursors where open.table == name { cursors[number] = nil } }
        guard cursors.count < Self.mostCursors else {
            throw StudioError(.limit, "A page has at most \(Self.mostCursors) open queries of a server.")
        }
        lastCursor += 1
        cursors[lastCursor] = OpenDocuments(cursor, columns, table: name)
        let (count, isWhole) = (await cursor.count, await cursor.isWhole)
        return [
            "cursor": .int(lastCursor), "count": .int(isWhole ? count : max(count, rows.count)),
            "whole": .bool(isWhole),
            "known": .int(await cursor.known),
            "version": .int(version), "class": .string(query.table.name),
            "took": .milliseconds(ContinuousClock.now - start), "columns": .array(columns.map { .string($0.name) }),
        ]
    }

    private func query(_ request: StudioRequest, in place: Place) async throws -> (DocumentCursor.Query, [Column]) {
        let text = try request.optionalText("query") ?? ""
        guard text.utf8.count <= 4 << 10 else { throw StudioError(.tooLarge, "A query of a server has at most 4 KiB.") }
        var (table, key) = try place.classes.documents(try request.text("class"))
        var origin = DocumentCursor.Origin.condition(text)
        if let of = request.optional("of") {
            let (target, keys) = try await elements(of, in: place)
            (table, key) = try place.classes.documents(target.name)
            origin = .keys(keys)
        } else if !text.allSatisfy(\.isWhitespace) {
            // The library finds the position of an error, and similar names. The server decides whether it serves the condition.
            _ = try TableQuery(className: table.name, text: text).compiled(in: place.classes.view, place.classes.facts)
        }
        var sort: [(column: Column, isAscending: Bool)] = []
        for element in try request.optionalList("sort") ?? [] {
            guard let pair = element.elements, pair.count == 2, let name = pair[0].text, let order = pair[1].text,
                order == "asc" || order == "desc"
            else { throw StudioError(.invalid, "A sort is a list of pairs of a property and 'asc' or 'desc'.") }
            let column = try place.classes.facts.column(name, of: table)
            guard column.collection == .none, column.type != .link, column.type != .mixed, column.type != .data else {
                throw StudioError(.invalid, "Documents can't be sorted by '\(name)'.")
            }
            sort.append((column, order == "asc"))
        }
        // The server's own order needs no sorting.
        if let first = sort.first, first.column.isPrimaryKey, first.isAscending { sort = [] }
        let columns =
            try request.optionalTexts("columns")?.map { name throws(StudioError) in
                try place.classes.facts.column(name, of: table)
            } ?? table.columns
        guard columns.count <= 500 else { throw StudioError(.tooLarge, "A query has at most 500 columns.") }
        return (
            DocumentCursor.Query(table: table, key: key, columns: columns, origin: origin, sort: sort), columns
        )
    }

    /// Returns the keys in a list or set of links of a document.
    private func elements(_ of: StudioJSON, in place: Place) async throws -> (Table, [BSONValue]) {
        guard let name = of["class"]?.text, let text = of["key"]?.text, let property = of["property"]?.text else {
            throw StudioError(.invalid, "The collection of a query has a class, a key and a property.")
        }
        let table = try place.classes.facts.table(name)
        let column = try place.classes.facts.column(property, of: table)
        guard column.type == .link, column.collection == .list || column.collection == .set,
            let target = place.classes.target(column), !target.isEmbedded
        else { throw StudioError(.invalid, "'\(property)' isn't a list or set of links.") }
        let (owner, document) = try await object(DocumentPlace(text, in: table))
        guard case .array(let keys)? = owner.adding(property).value(in: document) else { return (target, []) }
        return (target, keys)
    }

    func opened(_ request: StudioRequest) throws(StudioError) -> OpenDocuments {
        let number = try request.number("cursor")
        guard let open = cursors[number] else { throw StudioError(.notFound, "There is no open query \(number).") }
        return open
    }

    private func close(_ request: StudioRequest) throws -> StudioJSON {
        cursors[try request.number("cursor")] = nil
        return [:]
    }

    /// Handles `rows`: returns rows with their cells. The count grows as the end of the result is approached.
    private func rows(_ request: StudioRequest) async throws -> StudioJSON {
        let range = try request.range(limit: 500)
        let open = try opened(request)
        let rows = try await rendered(range, of: open)
        if request.body["window"]?.flag ?? true {
            open.window = range
            open.shown = rows
        }
        return [
            "version": .int(version), "count": .int(await open.cursor.count), "whole": .bool(await open.cursor.isWhole),
            "known": .int(await open.cursor.known),
            "from": .int(range.lowerBound), "rows": .array(rows.map { Self.json($0) }),
        ]
    }

    private static func json(_ row: (key: String, cells: [[UInt8]])) -> StudioJSON {
        .array([.string(row.key), .array(row.cells.map { .raw($0) })])
    }

    private func rendered(_ range: Range<Int>, of open: OpenDocuments) async throws -> [(key: String, cells: [[UInt8]])]
    {
        let classes = try shown().classes
        let documents = try await open.cursor.documents(range)
        let table = open.cursor.query.table
        let writer = DocumentWriter(classes: classes)
        return documents.map { document in
            let key = document["_id"].flatMap { DocumentPlace.text(ofKey: $0) } ?? ""
            let place = DocumentPlace(className: table.name, key: key)
            let cells = open.columns.map { column in
                var out = JSONText()
                writer.write(document[DocumentClasses.field(column)], column, of: place, to: &out)
                return out.bytes
            }
            return (key, cells)
        }
    }

    private func position(_ request: StudioRequest) async throws -> StudioJSON {
        let open = try opened(request)
        let key = try DocumentPlace.key(try request.text("key"), open.cursor.query.key)
        return ["index": .whole(await open.cursor.index(of: key))]
    }

    // MARK: Following

    /// Handles `follow`: reads the visible rows and the followed document again if the stream has a later version. A page sends this request once in
    /// a second.
    private func follow() async throws -> StudioJSON {
        let requests = try shown().requests
        guard !isFollowing else { return ["version": .int(version)] }
        isFollowing = true
        defer { isFollowing = false }
        let newest = try await requests.version()
        let commits = newest > version ? newest - version : 1
        if newest != version {
            version = newest
            for open in cursors.values { open.isOld = true }
            try await renewObject()
        }
        // A result whose reading takes long, because the server compares many documents, is read less often.
        for (number, open) in cursors where open.isOld && ContinuousClock.now >= open.notBefore {
            let start = ContinuousClock.now
            open.isOld = false
            try await renew(number, open, commits: commits)
            let end = ContinuousClock.now
            open.notBefore = end + (end - start) * 10
        }
        return ["version": .int(version)]
    }

    private func renew(_ number: Int, _ open: OpenDocuments, commits: UInt64) async throws {
        let (before, window) = (open.shown, open.window)
        await open.cursor.refresh()
        let rows: [(key: String, cells: [[UInt8]])]
        do { rows = try await rendered(window, of: open) } catch {
            guard cursors[number] != nil else { return }
            return send(["push": "gone", "cursor": .int(number), "error": StudioError(error).json])
        }
        // The page may have closed the query or moved the window during the read.
        guard cursors[number] != nil, open.window == window else { return }
        open.shown = rows
        let hasMoved = before.map(\.key) != rows.map(\.key)
        let old = Dictionary(before.map { ($0.key, $0.cells) }) { first, _ in first }
        let cells = rows.compactMap { row -> StudioJSON? in
            guard let cells = old[row.key] else { return nil }
            let changed = row.cells.indices.filter { cells[$0] != row.cells[$0] }
            return changed.isEmpty ? nil : .array([.string(row.key), .array(changed.map { .int($0) })])
        }
        send([
            "push": "changed", "cursor": .int(number), "version": .int(version), "count": .int(await open.cursor.count),
            "whole": .bool(await open.cursor.isWhole), "known": .int(await open.cursor.known), "commits": .int(commits),
            "moved": .bool(hasMoved),
            "elsewhere": true, "cells": .array(cells), "from": .int(window.lowerBound),
            "rows": .array(rows.map { Self.json($0) }),
        ])
    }

    private func renewObject() async throws {
        guard let (place, table, old) = followed else { return }
        let document = try await shown().requests.document(DocumentPlace(className: place.className, key: place.key))
        guard followed?.place == place, document != old else { return }
        followed = (place, table, document)
        let fields = table.columns.filter { column in
            let inner = place.adding(DocumentClasses.field(column))
            return old.flatMap { inner.value(in: $0) } != document.flatMap { inner.value(in: $0) }
        }
        send([
            "push": "object", "class": .string(table.name), "key": .string(place.text), "version": .int(version),
            "gone": .bool(document == nil), "fields": .array(fields.map { .string($0.name) }), "links": false,
        ])
    }

    // MARK: The page's state

    private func remember(_ request: StudioRequest) throws -> StudioJSON {
        guard let state = request.optional("state"), case .object = state else {
            throw StudioError(.invalid, "'state' is an object.")
        }
        try memory.store(state, of: try shown().requests.app)
        return [:]
    }

    private func recall() throws -> StudioJSON { ["state": memory.state(of: try shown().requests.app)] }

    /// The number of documents that the session holds, for tests.
    func keptDocuments() async -> Int {
        var count = 0
        for open in cursors.values { count += await open.cursor.keptDocuments }
        return count
    }
}
