import Foundation
import FreeholdBSON
import FreeholdEngine

/// The documents that fulfil a condition. They are read in parts, when the page shows them. The server returns documents by rising keys, after a
/// position from an earlier answer. The cursor holds the position of each part that was read, and the documents of the last few parts. Rows before
/// the end of the read parts are found by these positions. The number of rows is known when the end has been read. Memory: some 100 bytes for each
/// part of 200 documents, and the documents of at most ``mostKept`` parts.
actor DocumentCursor {
    /// The origin of the documents.
    enum Origin: Sendable {
        case condition(String)
        /// The documents with these keys, in this order.
        case keys([BSONValue])
    }

    /// The description of a cursor.
    struct Query: Sendable {
        var table: Table
        var key: Column
        var columns: [Column]
        var origin: Origin
        /// The order. Empty for rising keys, in which the server returns documents.
        var sort: [(column: Column, isAscending: Bool)] = []
    }

    /// The number of documents of a part.
    static let partLength = 200
    /// The maximum number of parts whose documents are kept.
    static let mostKept = 6
    /// The maximum size of the kept documents, in bytes of answers. If they are larger, fewer parts are kept.
    static let mostBytes = 24 << 20
    /// The maximum number of documents of a result that is sorted.
    static let mostSorted = 5_000
    /// The maximum number of parts of a result.
    static let mostParts = 100_000

    /// The beginning of a part.
    private struct Start {
        var index: Int
        /// The position in the server's list. `nil` at the beginning.
        var after: String?
        /// The key of the last row before the part.
        var key: BSONValue?
        /// The position up to which the server has compared documents without finding a match. `nil` if the search hasn't begun.
        var resume: String?
    }

    private struct Part {
        var documents: [BSONDocument]
        var bytes: Int
    }

    nonisolated let query: Query
    private let requests: DocumentRequests
    private var starts = [Start(index: 0)]
    private var end: Int?
    /// The documents of parts, by the number of the part, and the numbers in the order of their use.
    private var kept: [Int: Part] = [:]
    private var used: [Int] = []
    /// The documents of a sorted result. `nil` if they weren't read.
    private var sorted: [BSONDocument]?
    private var isBusy = false
    private var turns: [CheckedContinuation<Void, Never>] = []

    init(_ query: Query, _ requests: DocumentRequests) { (self.query, self.requests) = (query, requests) }

    // MARK: Rows

    /// The number of rows. If the end hasn't been read, it is an estimate: the number of the known rows and of one more part.
    var count: Int {
        if case .keys(let keys) = query.origin { return keys.count }
        return sorted?.count ?? end ?? (starts.last?.index ?? 0) + Self.partLength
    }

    /// The number of rows that are known to exist.
    var known: Int { isWhole ? count : starts.last?.index ?? 0 }

    /// A Boolean value that indicates whether the end of the result is known.
    var isWhole: Bool {
        if case .keys = query.origin { return true }
        return sorted != nil || end != nil
    }

    /// The size of the kept documents, in bytes of answers.
    var keptBytes: Int { kept.values.reduce(0) { $0 + $1.bytes } }

    /// The number of kept documents.
    var keptDocuments: Int { kept.values.reduce(sorted?.count ?? 0) { $0 + $1.documents.count } }

    /// Returns the documents of the existing rows in a range. For a key whose document is missing, the result has a document with this key only.
    func documents(_ range: Range<Int>) async throws -> [BSONDocument] {
        try await inTurn {
            switch self.query.origin {
            case .keys(let keys): return try await self.documents(Array(keys[range.clamped(to: keys.indices)]))
            case .condition(let text):
                guard self.query.sort.isEmpty else {
                    let all = try await self.sortedDocuments(text)
                    return Array(all[range.clamped(to: all.indices)])
                }
                return try await self.documents(range, of: text)
            }
        }
    }

    private func documents(_ range: Range<Int>, of text: String) async throws -> [BSONDocument] {
        var found: [BSONDocument] = []
        // At most one part after the known rows is read. Otherwise a request for a row far after them would read all documents before it.
        let range = range.clamped(to: 0..<max(end ?? 0, starts.last?.index ?? 0) + Self.partLength)
        var number = max(0, (starts.firstIndex { $0.index > range.lowerBound } ?? starts.count) - 1)
        while number < starts.count, starts[number].index < range.upperBound {
            let part = try await part(number, of: text)
            let rows = starts[number].index..<starts[number].index + part.documents.count
            let wanted = range.clamped(to: rows)
            found += part.documents[wanted.lowerBound - rows.lowerBound..<wanted.upperBound - rows.lowerBound]
            number += 1
        }
        return found
    }

    /// Returns the part with a number, and records the beginning of the next one.
    private func part(_ number: Int, of text: String) async throws -> Part {
        if let part = kept[number] {
            use(number)
            return part
        }
        let page = try await page(number, of: text)
        let (start, part) = (starts[number], Part(documents: page.documents, bytes: page.bytes))
        if let next = page.next {
            let key = page.documents.last?["_id"]
            let index = start.index + page.documents.count
            // If documents were inserted or deleted since the part was read, the parts after it have other beginnings.
            let isSame = starts.count > number + 1 && starts[number + 1].index == index && starts[number + 1].key == key
            if !isSame {
                forget(from: number + 1)
                guard starts.count < Self.mostParts else {
                    throw StudioError(.tooLarge, "The result has too many documents. Narrow the condition.")
                }
                starts.append(Start(index: index, after: next, key: key))
                end = nil
            }
        } else {
            forget(from: number + 1)
            end = start.index + page.documents.count
        }
        kept[number] = part
        use(number)
        trim()
        return part
    }

    /// Reads a part. The server ends an answer after some seconds, also without a document.
    private func page(_ number: Int, of text: String) async throws -> DocumentRequests.Page {
        let until = ContinuousClock.now + .seconds(10)
        while true {
            let page = try await requests.page(
                query.table.name,
                query: text,
                after: starts[number].resume ?? starts[number].after,
                limit: Self.partLength
            )
            guard page.documents.isEmpty, let next = page.next else { return page }
            // The search continues after the documents that were compared.
            starts[number].resume = next
            guard ContinuousClock.now < until else {
                throw StudioError(
                    .timedOut,
                    "The server has compared documents for ten seconds without finding the next one. Run the query again to continue, or narrow it."
                )
            }
        }
    }

    private func forget(from number: Int) {
        guard number < starts.count else { return }
        starts.removeSubrange(number...)
        for other in Array(kept.keys) where other >= number { drop(other) }
    }

    private func use(_ number: Int) {
        used.removeAll { $0 == number }
        used.append(number)
    }

    private func drop(_ number: Int) {
        kept[number] = nil
        used.removeAll { $0 == number }
    }

    private func trim() {
        while used.count > Self.mostKept || used.count > 1 && keptBytes > Self.mostBytes { drop(used[0]) }
    }

    /// Reads all documents of the result, and sorts them.
    private func sortedDocuments(_ text: String) async throws -> [BSONDocument] {
        if let sorted { return sorted }
        var (all, bytes, after) = ([BSONDocument](), 0, String?.none)
        let until = ContinuousClock.now + .seconds(10)
        repeat {
            let page = try await requests.page(query.table.name, query: text, after: after, limit: 1_000)
            all += page.documents
            bytes += page.bytes
            after = page.next
            guard all.count <= Self.mostSorted, bytes <= Self.mostBytes, ContinuousClock.now < until else {
                throw StudioError(
                    .tooLarge,
                    "The server returns documents by their keys. Studio sorts results of at most \(Self.mostSorted) documents. Narrow the condition."
                )
            }
        } while after != nil
        let order = query.sort.map { (field: DocumentClasses.field($0.column), type: $0.column.type, $0.isAscending) }
        let keyed = all.enumerated().map { index, document in
            (index, order.map { SortValue(document[$0.field], $0.type) })
        }
        let positions = keyed.sorted { a, b in
            for (i, key) in order.enumerated() {
                if a.1[i] < b.1[i] { return key.2 }
                if b.1[i] < a.1[i] { return !key.2 }
            }
            return a.0 < b.0
        }
        let result = positions.map { all[$0.0] }
        sorted = result
        return result
    }

    /// Returns the documents with the keys, in the order of the keys.
    private func documents(_ keys: [BSONValue]) async throws -> [BSONDocument] {
        var found: [BSONValue: BSONDocument] = [:]
        let condition = DocumentCondition(classes: query.table, key: query.key)
        var rest = keys[...]
        while !rest.isEmpty {
            let turn = rest.prefix(Self.partLength)
            rest = rest.dropFirst(turn.count)
            let text = condition.text(keys: Array(turn))
            var after: String?
            repeat {
                let page = try await requests.page(query.table.name, query: text, after: after, limit: turn.count)
                for document in page.documents { if let key = document["_id"] { found[key.withLongNumber] = document } }
                after = page.next
            } while after != nil
        }
        return keys.map { found[$0.withLongNumber] ?? ["_id": $0] }
    }

    // MARK: Changes

    /// Removes the documents, so that they are read again. The beginnings of the parts are kept, because they are keys. The next read compares them.
    func refresh() async {
        await enter()
        kept = [:]
        used = []
        sorted = nil
        for index in starts.indices { starts[index].resume = nil }
        leave()
    }

    /// Returns the row of a document, if it is in a part that is kept.
    func index(of key: BSONValue) -> Int? {
        let key = key.withLongNumber
        func position(_ documents: [BSONDocument]) -> Int? {
            documents.firstIndex { $0["_id"]?.withLongNumber == key }
        }
        if case .keys(let keys) = query.origin { return keys.firstIndex { $0.withLongNumber == key } }
        if let sorted { return position(sorted) }
        for (number, part) in kept { if let offset = position(part.documents) { return starts[number].index + offset } }
        return nil
    }

    // MARK: Turns

    /// Runs a closure after all earlier calls have ended, so that only one read runs at a time.
    private func inTurn<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        await enter()
        defer { leave() }
        return try await body()
    }

    private func enter() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { turns.append($0) }
    }

    private func leave() {
        guard !turns.isEmpty else {
            isBusy = false
            return
        }
        turns.removeFirst().resume()
    }

    /// Checks the invariants of the positions and of the kept parts.
    func checkInvariants() {
        precondition(starts.first?.index == 0 && starts.first?.after == nil)
        for (one, next) in zip(starts, starts.dropFirst()) { precondition(one.index <= next.index) }
        precondition(Set(used) == Set(kept.keys) && used.count == kept.count)
        precondition(kept.count <= Self.mostKept)
        precondition(kept.keys.allSatisfy { $0 < starts.count })
    }
}

extension BSONValue {
    /// The value with whole numbers of 64 bits, so that keys can be compared.
    var withLongNumber: BSONValue { if case .int32(let number) = self { .int64(Int64(number)) } else { self } }
}

/// A value by which results are sorted. Null and missing values are the first.
private enum SortValue: Comparable {
    case nothing
    case bool(Int)
    case int(Int64)
    case double(Double)
    case text(String)

    init(_ value: BSONValue?, _ type: ColumnType) {
        switch value.flatMap({ DocumentWriter.engineValue($0, type) }) {
        case .bool(let flag)?: self = .bool(flag ? 1 : 0)
        case .int(let number)?: self = .int(number)
        case .float(let number)?: self = .double(Double(number))
        case .double(let number)?: self = number.isNaN ? .nothing : .double(number)
        case .decimal128(let number)?: self = Double(number.description).map { .double($0) } ?? .nothing
        case .timestamp(let moment)?:
            self = .double(Double(moment.seconds) + Double(moment.nanoseconds) / 1_000_000_000)
        case .string(let text)?: self = .text(text)
        case .objectId(let id)?: self = .text("\(id)")
        case .uuid(let id)?: self = .text(id.uuidString)
        default: self = .nothing
        }
    }
}
