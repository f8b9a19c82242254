import Foundation
import FreeholdBSON
import FreeholdEngine
import FreeholdServerStore

@testable import FreeholdSyncCore
@testable import SyncWorlds

typealias StreamDriver = StoreDriver<TwinStore>

/// A store in files next to the one in memory. Each request is performed on both, and the answers must be equal.
struct TwinStore: WorldStore {
    var memory: MemoryServerStore
    private(set) var file: FileServerStore
    let folder: String
    let options: FileServerStore.Options
    let schemas: [SyncString: [TableSpec]]
    private(set) var problems: [String] = []
    private var comparison = StoreComparison()
    var counts: [String: Int] { comparison.counts }

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

    /// Many clusters with few rows, and differences of all lists.
    static var small: FileServerStore.Options {
        var options = FileServerStore.Options()
        (options.clusterSpan, options.mapSize, options.longList) = (4, 64 << 20, 1)
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
        if let difference = comparison.difference(answer, expected, to: request, at: head, &memory) {
            problems.append("\(request.kind): \(difference)")
        }
        return expected
    }

    // MARK: Comparing all

    /// Reads everything of a stream from the file, and compares.
    mutating func compare(_ stream: StreamName) {
        for kind in StoreComparison.questions(about: stream, &memory) {
            _ = perform(ServerStoreRequest(stream, kind))
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
