import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServerStore

@testable import FreeholdSyncCore
@testable import SyncWorlds

/// A store in files next to the one in memory. Each request is performed on both, and the answers must be equal.
struct TwinStore: WorldStore {
    var memory: MemoryServerStore
    private(set) var file: FileServerStore
    let folder: String
    let options: FileServerStore.Options
    let schemas: [SyncString: [TableSpec]]
    private(set) var problems: [String] = []
    private(set) var counts: [String: Int] = [:]

    init(
        epoch: UInt64 = 7,
        schemas: [SyncString: [TableSpec]] = [:],
        options: FileServerStore.Options = TwinStore.small
    ) throws {
        folder = NSTemporaryDirectory() + "freehold-server-store-" + UUID().uuidString
        memory = MemoryServerStore(epoch: epoch)
        (self.options, self.schemas) = (options, schemas)
        file = try FileServerStore(at: folder, epoch: epoch, schemas: schemas, options: options)
    }

    /// Many clusters with few rows.
    static var small: FileServerStore.Options {
        var options = FileServerStore.Options()
        (options.clusterSpan, options.mapSize) = (4, 64 << 20)
        return options
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: folder)
        try? FileManager.default.removeItem(atPath: folder + "-none")
    }

    mutating func reopen() {
        do { file = try FileServerStore(at: folder, epoch: 7, schemas: schemas, options: options) } catch {
            problems.append("it can't be opened: \(error)")
        }
    }

    /// Closes the file before it is opened with other options.
    mutating func reopen(options: FileServerStore.Options) throws {
        file = try FileServerStore(at: folder + "-none", epoch: 7)
        file = try FileServerStore(at: folder, epoch: 7, schemas: schemas, options: options)
    }

    mutating func forgetProblems() { problems = [] }

    func contents(of stream: StreamName) -> [ObjectName: MergedObject] { memory.contents(of: stream) }
    func head(of stream: StreamName) -> StreamHead { memory.head(of: stream) }
    func files(of stream: StreamName) -> [FileIdent: FileRow] { memory.files(of: stream) }
    func ingested(of stream: StreamName) -> [ObjectName: [NewField]] { memory.ingested(of: stream) }

    mutating func perform(_ request: ServerStoreRequest) -> ServerStoreAnswer {
        let head = memory.head(of: request.stream)
        let expected = memory.perform(request)
        let answer = file.perform(request)
        if let difference = difference(answer, expected, request, head) {
            problems.append("\(request.kind): \(difference)")
        }
        return expected
    }

    private mutating func note(_ kind: String) { counts[kind, default: 0] += 1 }

    private mutating func difference(
        _ answer: ServerStoreAnswer,
        _ expected: ServerStoreAnswer,
        _ request: ServerStoreRequest,
        _ head: StreamHead
    ) -> String? {
        switch (answer, expected) {
        case (.bind(let a), .bind(let b)):
            note("bind")
            let isSame =
                a.head == b.head && a.file == b.file && a.answers == b.answers && a.hash == b.hash
                && a.cursor == b.cursor && a.bootstrap == b.bootstrap && a.staged == b.staged
            return isSame ? nil : "\(a)\nexpected\n\(b)"
        case (.file(let a), .file(let b)): return a == b ? nil : "\(a)\nexpected\n\(b)"
        case (.done, .done): return nil
        case (.rows(let a), .rows(let b)):
            note("rows")
            return Self.difference(a, b, memory.contents(of: request.stream))
        case (.parts(let a), .parts(let b)):
            note("parts")
            return a == b ? nil : "\(a)\nexpected\n\(b)"
        case (.step(let a), .step(let b)):
            note(b == nil ? "no step" : "step")
            return Self.difference(a, b)
        case (.page(let a), .page(let b)):
            note(b == nil ? "no page" : "page")
            // In memory, data that a later horizon removed is missing. A held version of the file still has it.
            if case .page(_, _, let version, _) = request.kind, version < head.horizon { return nil }
            guard let a, let b else { return (a == nil) == (b == nil) ? nil : "a page, or none" }
            if a.through != b.through { return "through" }
            if a.isLast != b.isLast {
                // The store in memory counts dead objects behind the page as further ones.
                guard a.isLast, case .page(let name, let key, let version, _) = request.kind else { return "isLast" }
                let rest = ServerStoreRequest.Kind.page(
                    class: name,
                    after: b.objects.last?.name.key ?? key,
                    at: version,
                    objects: 1_000
                )
                guard case .page(let rest?) = memory.perform(ServerStoreRequest(request.stream, rest)),
                    rest.objects.isEmpty
                else { return "isLast, but there are more" }
            }
            return Self.difference(a.objects.map { ($0.name, $0.object) }, b.objects.map { ($0.name, $0.object) })
        case (.objects(let a), .objects(let b)):
            note(b == nil ? "no objects" : "objects")
            guard let a, let b else { return (a == nil) == (b == nil) ? nil : "objects, or none" }
            return Self.difference(a.sorted { $0.key < $1.key }, b.sorted { $0.key < $1.key })
        case (.keptParts(let a), .keptParts(let b)):
            note("kept parts")
            return a == b ? nil : "other bytes of an incomplete commit"
        case (.head(let a), .head(let b)): return a == b ? nil : "\(a)\nexpected\n\(b)"
        case (.failed(let a), .failed(let b)): return a == b ? nil : "\(a) expected \(b)"
        default: return "\(answer)\nexpected\n\(expected)"
        }
    }

    /// Compares objects of an older version. Slots of later refused work may already exist in them, as dead ones.
    private static func isSame(_ a: MergedObject?, _ b: MergedObject?) -> Bool {
        guard let a, let b else { return (a == nil) == (b == nil) }
        return a == b || a.born == b.born && a.died == b.died && a.changed == b.changed && a.contents == b.contents
    }

    private static func difference(
        _ a: [(ObjectName, MergedObject?)],
        _ b: [(ObjectName, MergedObject?)],
        isExact: Bool = false
    ) -> String? {
        if a.map(\.0) != b.map(\.0) { return "objects \(a.map(\.0))\nexpected\n\(b.map(\.0))" }
        for ((name, a), (_, b)) in zip(a, b) where isExact ? a != b : !isSame(a, b) {
            return "\(name) is \(a.map { "\($0)" } ?? "nil")\nexpected\n\(b.map { "\($0)" } ?? "nil")"
        }
        return nil
    }

    private static func difference(_ a: [ObjectName: MergedObject], _ b: [ObjectName: MergedObject]) -> String? {
        difference(a.sorted { $0.key < $1.key }.map { ($0, $1) }, b.sorted { $0.key < $1.key }.map { ($0, $1) })
    }

    private static func difference(_ a: StoreRows, _ b: StoreRows, _ contents: [ObjectName: MergedObject]) -> String? {
        if a.head != b.head { return "head \(a.head)\nexpected\n\(b.head)" }
        if a.known != b.known { return "the hash at a known version" }
        if a.users != b.users { return "users \(a.users)\nexpected\n\(b.users)" }
        if a.files != b.files { return "files \(a.files)\nexpected\n\(b.files)" }
        if a.answers != b.answers || a.asked != b.asked { return "answers \(a.answers)\nexpected\n\(b.answers)" }
        if a.clocks != b.clocks { return "clocks \(a.clocks)\nexpected\n\(b.clocks)" }
        for (query, names) in b.links where !Set(names).isSubset(of: a.links[query] ?? []) {
            return "links \(query): \(a.links[query] ?? [])\nexpected\n\(names)"
        }
        for query in b.holders.keys {
            let expected = contents.filter { name, object in
                name.className == query.className
                    && zip(query.properties, query.values).allSatisfy { property, element in
                        guard case .value(let value)? = object.content(property) else { return false }
                        return SetElement(value) == element
                    }
            }
            if !Set(expected.keys).isSubset(of: a.holders[query] ?? []) { return "holders \(query)" }
        }
        return difference(
            a.objects.sorted { $0.key < $1.key }.map { ($0, $1) },
            b.objects.sorted { $0.key < $1.key }.map { ($0, $1) },
            isExact: true
        )
    }

    private static func difference(_ a: StreamStep?, _ b: StreamStep?) -> String? {
        guard let a, let b else { return (a == nil) == (b == nil) ? nil : "a step, or none" }
        if a.from != b.from || a.to != b.to || a.clock != b.clock { return "\(a.to)\nexpected\n\(b.to)" }
        if a.commits != b.commits { return "commits \(a.commits)\nexpected\n\(b.commits)" }
        if a.head != b.head || a.horizon != b.horizon { return "head \(a.head as Any)\nexpected\n\(b.head as Any)" }
        let (one, two) = (a.objects.sorted { $0.name < $1.name }, b.objects.sorted { $0.name < $1.name })
        return difference(one.map { ($0.name, $0.before) }, two.map { ($0.name, $0.before) })
            ?? difference(one.map { ($0.name, $0.after) }, two.map { ($0.name, $0.after) })
    }

    // MARK: Comparing all

    /// Reads everything of a stream from the file, and compares.
    mutating func compare(_ stream: StreamName) {
        let head = memory.head(of: stream)
        for name in Set(memory.contents(of: stream).keys.map(\.className)) {
            _ = perform(
                ServerStoreRequest(stream, .page(class: name, after: nil, at: head.version, objects: 1_000_000))
            )
        }
        for version in head.logStart...head.version {
            let kind = ServerStoreRequest.Kind.bind(FileQuery(ident: nil, acknowledged: 0, cursor: version))
            guard case .bind(let answer) = memory.perform(ServerStoreRequest(stream, kind)), let hash = answer.cursor
            else { continue }
            let cursor = Cursor(epoch: head.epoch, version: version, hash: hash)
            _ = perform(ServerStoreRequest(stream, .step(after: cursor, objects: 1_000_000)))
        }
        for ident in memory.files(of: stream).keys {
            _ = perform(ServerStoreRequest(stream, .bind(FileQuery(ident: ident, acknowledged: 0))))
        }
        compareDocuments(stream)
    }

    /// Compares the content of an export with the shown objects.
    private mutating func compareDocuments(_ stream: StreamName) {
        var expected: [String: [BSONDocument]] = [:]
        func note(_ name: ObjectName, _ object: MergedObject) {
            expected[name.className.string, default: []].append(object.stored(name.key).doc)
        }
        for (name, object) in memory.contents(of: stream) where object.isAlive { note(name, object) }
        for (name, fields) in memory.ingested(of: stream) { note(name, MergedObject(ingested: fields)) }
        var found: [String: [BSONDocument]] = [:]
        do {
            let count = try file.forEachDocument(of: stream) { found[$0.string, default: []].append($1) }
            if count != found.values.reduce(0, { $0 + $1.count }) { problems.append("documents are miscounted") }
        } catch { problems.append("documents can't be read: \(error)") }
        func texts(_ documents: [String: [BSONDocument]]) -> [String: [String]] {
            documents.mapValues { $0.map { "\($0)" }.sorted() }
        }
        if texts(found) != texts(expected) { problems.append("documents \(found)\nexpected\n\(expected)") }
    }
}
