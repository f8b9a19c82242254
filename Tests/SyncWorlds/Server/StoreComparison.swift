@testable import FreeholdSyncCore

/// The comparison of a store with the one in memory: the same requests have to have the same answers.
struct StoreComparison {
    /// The number of answers that were compared, by kinds.
    private(set) var counts: [String: Int] = [:]

    private mutating func note(_ kind: String) { counts[kind, default: 0] += 1 }

    /// Returns the difference between two answers. Returns `nil` if they are the same.
    ///
    /// - Parameters:
    ///   - expected: The answer of the store in memory.
    ///   - head: The head before the request.
    mutating func difference(
        _ answer: ServerStoreAnswer,
        _ expected: ServerStoreAnswer,
        to request: ServerStoreRequest,
        at head: StreamHead,
        _ memory: inout MemoryServerStore
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

    /// Returns requests that read all of a stream.
    static func questions(about stream: StreamName, _ memory: inout MemoryServerStore) -> [ServerStoreRequest.Kind] {
        let head = memory.head(of: stream)
        var questions: [ServerStoreRequest.Kind] = []
        for name in Set(memory.contents(of: stream).keys.map(\.className)).sorted() {
            questions.append(.page(class: name, after: nil, at: head.version, objects: 1_000_000))
        }
        for version in head.logStart...head.version {
            let kind = ServerStoreRequest.Kind.bind(FileQuery(ident: nil, acknowledged: 0, cursor: version))
            guard case .bind(let answer) = memory.perform(ServerStoreRequest(stream, kind)), let hash = answer.cursor
            else { continue }
            let cursor = Cursor(epoch: head.epoch, version: version, hash: hash)
            questions.append(.step(after: cursor, objects: 1_000_000))
        }
        for ident in memory.files(of: stream).keys.sorted() {
            questions.append(.bind(FileQuery(ident: ident, acknowledged: 0)))
        }
        return questions
    }
}
