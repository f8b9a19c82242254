import Foundation
import FreeholdEngine
import Synchronization

@testable import FreeholdStudio

/// A page of a test: it sends requests to a session, and waits for answers and pushes.
final class TestPage: Sendable {
    private struct State {
        var answers: [Int: StudioJSON] = [:]
        var waiting: [Int: CheckedContinuation<StudioJSON, Never>] = [:]
        var pushes: [StudioJSON] = []
        var waitingForPush:
            [(matches: @Sendable (StudioJSON) -> Bool, continuation: CheckedContinuation<StudioJSON, Never>)] = []
        var lastID = 0
    }

    /// An error that a session answered.
    struct Refusal: Error, CustomStringConvertible {
        let error: StudioJSON
        var code: String { error["code"]?.text ?? "" }
        var description: String { error.written }
    }

    private final class Inbox: Sendable {
        let state = Mutex(State())

        func receive(_ bytes: [UInt8]) {
            guard let json = try? StudioJSON(parsing: bytes) else { return }
            let resumed: CheckedContinuation<StudioJSON, Never>? = state.withLock { state in
                if let id = json["id"]?.int {
                    if let waiting = state.waiting.removeValue(forKey: id) { return waiting }
                    state.answers[id] = json
                    return nil
                }
                if let i = state.waitingForPush.firstIndex(where: { $0.matches(json) }) {
                    return state.waitingForPush.remove(at: i).continuation
                }
                state.pushes.append(json)
                return nil
            }
            resumed?.resume(returning: json)
        }
    }

    let session: StudioSession
    let program: StudioProgram
    private let inbox: Inbox

    init(_ program: StudioProgram) {
        let inbox = Inbox()
        (self.program, self.inbox) = (program, inbox)
        session = StudioSession(program) { inbox.receive($0) }
    }

    deinit { session.close() }

    /// Sends a request and returns the answer.
    ///
    /// - Throws: `Refusal` if the answer is an error.
    @discardableResult
    func ask(_ name: String, _ parameters: StudioJSON = [:]) async throws -> StudioJSON {
        let id = inbox.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let members = parameters.members ?? []
        let message = StudioJSON.object([.init("id", .number("\(id)")), .init("do", .string(name))] + members)
        session.receive(message.bytes) {}
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<StudioJSON, Never>) in
            let known: StudioJSON? = inbox.state.withLock { state in
                if let known = state.answers.removeValue(forKey: id) { return known }
                state.waiting[id] = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
        if let error = answer["error"] { throw Refusal(error: error) }
        return answer["ok"] ?? .null
    }

    /// Returns the code of the error of a request, or `nil` if it succeeds.
    func refusal(_ name: String, _ parameters: StudioJSON = [:]) async -> String? {
        do {
            try await ask(name, parameters)
            return nil
        } catch { return (error as? Refusal)?.code }
    }

    /// Waits for a push.
    func push(_ name: String, where matches: @escaping @Sendable (StudioJSON) -> Bool = { _ in true }) async
        -> StudioJSON
    {
        let isWanted: @Sendable (StudioJSON) -> Bool = { $0["push"]?.text == name && matches($0) }
        return await withCheckedContinuation { continuation in
            let known: StudioJSON? = inbox.state.withLock { state in
                if let i = state.pushes.firstIndex(where: isWanted) { return state.pushes.remove(at: i) }
                state.waitingForPush.append((isWanted, continuation))
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}

/// A folder with a database, and the program that shows it.
final class StudioWorld: Sendable {
    let folder: URL
    let path: String
    let database: Database
    let program: StudioProgram

    /// - Parameters:
    ///   - isWritable: whether the program may change the file.
    ///   - fill: fills the database.
    init(
        writes isWritable: Bool = false,
        key: EncryptionKey? = nil,
        fill: (WriteTransaction) throws -> Void = { try StudioWorld.fill($0) },
        configure: (inout StudioOptions) -> Void = { _ in }
    ) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("app.realm").path
        var options = Database.Options()
        options.mapSize = 1 << 30
        options.encryptionKey = key
        database = try Database.open(at: path, options: options)
        let write = try database.beginWrite()
        try fill(write)
        _ = try write.commit()
        var studio = StudioOptions(temporaryFolder: folder.path)
        studio.files = [path]
        studio.isWritable = isWritable
        // A test that waits for the machine loses no ticket.
        studio.ticketSeconds = 3_600
        configure(&studio)
        program = StudioProgram(studio)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Opens a page with the file.
    func page(key: StudioJSON? = nil) async throws -> TestPage {
        let page = TestPage(program)
        try await page.ask("openFile", .members(["file": "f1", "key": key]))
        return page
    }

    func write(_ body: (WriteTransaction) throws -> Void) throws {
        let transaction = try database.beginWrite()
        try body(transaction)
        _ = try transaction.commit()
    }

    // MARK: Classes

    static let specs = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true),
                ColumnSpec("age", .int, optional: true),
                ColumnSpec("city", .string), ColumnSpec("friend", .link, optional: true, target: "Person"),
                ColumnSpec("pets", .link, collection: .list, target: "Pet"),
                ColumnSpec("address", .link, optional: true, target: "Address"),
                ColumnSpec("tags", .string, collection: .set), ColumnSpec("scores", .int, collection: .dictionary),
                ColumnSpec("extra", .mixed), ColumnSpec("photo", .data, optional: true),
                ColumnSpec("born", .timestamp, optional: true),
            ],
            primaryKey: "id"
        ),
        TableSpec("Pet", columns: [ColumnSpec("name", .string), ColumnSpec("weight", .double)]),
        TableSpec("Address", columns: [ColumnSpec("street", .string), ColumnSpec("zip", .string)], isEmbedded: true),
    ]

    /// Creates 100 persons with pets and addresses.
    static func fill(_ write: WriteTransaction) throws { try fill(write, people: 100) }

    static func fill(_ write: WriteTransaction, people: Int) throws {
        try write.applySchema(specs)
        let (person, pet, address) = (
            write.schema.table(named: "Person")!, write.schema.table(named: "Pet")!,
            write.schema.table(named: "Address")!
        )
        func column(_ name: String) -> Column { person.column(named: name)! }
        for i in 0..<people {
            let key = try write.create(person, primaryKey: .int(Int64(i)))
            try write.set(column("name"), key, to: .string("Person \(i)"))
            try write.set(column("age"), key, to: i % 10 == 0 ? .null : .int(Int64(i % 50)))
            try write.set(column("city"), key, to: .string(["Berlin", "Paris", "Rome"][i % 3]))
            if i > 0 { try write.set(column("friend"), key, to: .link(ObjectKey(Int64(i - 1)))) }
            let animal = try write.create(pet)
            try write.set(pet.columns[0], animal, to: .string("Pet \(i)"))
            try write.listAppend(column("pets"), key, values: [.link(animal)])
            let home = try write.create(address)
            try write.set(address.columns[0], home, to: .string("Street \(i)"))
            try write.set(column("address"), key, to: .link(home))
            _ = try write.setInsert(column("tags"), key, values: [.string("a"), .string("b")])
            try write.dictionarySet(column("scores"), key, forKey: "x", to: .int(Int64(i)))
            try write.set(column("extra"), key, to: .list(NestedList([.int(1), .string("two")])))
        }
    }
}

extension StudioJSON {
    /// Returns the value that an answer contains as a parsed value: answers contain parts that were written before.
    var parsed: StudioJSON { (try? StudioJSON(parsing: bytes)) ?? .null }

    static func number(of value: Int) -> StudioJSON { .number("\(value)") }
}
