import Foundation
import FreeholdSync
import RealmSwift
import ServerTestRandom
import ShiftedClock

/// One of the two marks that a transaction makes. A client that sees one of them sees both.
final class Mark: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var author = 0
    @Persisted var number = 0
}

/// The object that all clients change. Only client 0 creates it: if two clients created objects with one key, only the
/// collections of the later object would stay.
final class Board: Object {
    @Persisted(primaryKey: true) var _id = "board"
    @Persisted var total = 0
    @Persisted var marks: List<String>
    @Persisted var names: MutableSet<String>
    @Persisted var latest = ""
}

/// A client of `HistoryTests`. It works by itself, reports what it saw and did, and is killed at any moment.
///
/// Arguments: the server's address, a folder, the client's number, the number of clients, a seed. The lines of the
/// output:
///
///     O             its realm is open
///     R 3,0,2       it sees so many transactions of each client
///     I 4 3,0,2     it is about to commit its transaction 4, and saw that
///     C 4           it has committed it
///     E …           something failed that is tried again: the disk is full
///     V …           what it sees contradicts itself
///     U             everything it did is at the server
///     F 4,5,2 …     what it sees at the end, and all contents
@MainActor struct Worker {
    let realm: Realm
    let me: Int
    let clients: Int

    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Returns the number of transactions of each client. Each client numbers its transactions from 1.
    func look() -> [Int] {
        var seen = [Int](repeating: 0, count: clients)
        var halves = [[Int]](repeating: [], count: clients)
        for mark in realm.objects(Mark.self) { halves[mark.author].append(mark.number) }
        for author in 0..<clients {
            let numbers = halves[author].sorted()
            seen[author] = numbers.count / 2
            let whole = (0..<seen[author]).flatMap { [$0 + 1, $0 + 1] }
            if numbers != whole { Self.say("V the marks of \(author) are \(numbers)") }
        }
        let sum = seen.reduce(0, +)
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else {
            if sum > 0 { Self.say("V there are marks \(seen), but no board") }
            return seen
        }
        if board.total != sum { Self.say("V the total is \(board.total) and there are \(sum)") }
        var next = [Int](repeating: 1, count: clients)
        for mark in board.marks {
            let parts = mark.split(separator: ":").compactMap { Int($0) }
            if parts.count != 2 || parts[1] != next[parts[0]] { Self.say("V the list has \(mark) too early or twice") }
            next[parts[0]] += 1
        }
        if next.map({ $0 - 1 }) != seen { Self.say("V the list has \(next) and the marks are \(seen)") }
        if board.names.count != sum { Self.say("V the set has \(board.names.count) and there are \(sum)") }
        return seen
    }

    func show() -> String { look().map(String.init).joined(separator: ",") }

    func transact() throws {
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else {
            if me == 0 { try realm.write { _ = realm.create(Board.self, value: [:]) } }
            return
        }
        var number = 0
        try realm.write {
            let seen = show()
            number = look()[me] + 1
            Self.say("I \(number) \(seen)")
            let name = "\(me):\(number)"
            for half in ["a", "b"] {
                realm.create(Mark.self, value: ["_id": name + half, "author": me, "number": number])
            }
            board.increment(\.total, by: 1)
            board.marks.append(name)
            board.names.insert(name)
            board.latest = name
        }
        Self.say("C \(number)")
    }

    func contents() -> String {
        guard let board = realm.object(ofType: Board.self, forPrimaryKey: "board") else { return "nothing" }
        let marks = realm.objects(Mark.self).map(\._id).sorted()
        let parts = [Array(board.marks), board.names.sorted(), [board.latest, "\(board.total)"], Array(marks)]
        return parts.map { $0.joined(separator: " ") }.joined(separator: " | ")
    }
}

@MainActor func run() async throws {
    shifted_clock()
    let arguments = CommandLine.arguments
    if arguments.last == "life" { return try await Life.run(arguments) }
    let (me, clients, seed) = (Int(arguments[3])!, Int(arguments[4])!, UInt64(arguments[5])!)
    var random = SeededRandom(seed: seed)
    var settings = AppConfiguration(baseURL: arguments[1])
    settings.rootDirectory = URL(fileURLWithPath: arguments[2], isDirectory: true)
    let app = App(id: "history", configuration: settings)
    let user: User
    if let known = app.currentUser { user = known } else { user = try await logIn(app, "client\(me)@example.org") }
    var configuration = user.flexibleSyncConfiguration()
    configuration.objectTypes = [Mark.self, Board.self]
    let realm = try await insist { try await Realm(configuration: configuration, downloadBeforeOpen: .never) }
    if realm.subscriptions.count == 0 {
        try await insist {
            try await realm.subscriptions.update {
                realm.subscriptions.append(QuerySubscription<Mark>(), QuerySubscription<Board>())
            }
        }
    }
    if arguments.count > 6, arguments[6] == "storm" { return try await StormWorker(realm, me: me).run(seed: seed) }
    let worker = Worker(realm: realm, me: me, clients: clients)
    Worker.say("O")
    var isWorking = true
    let commands = Commands()
    while true {
        switch commands.next() {
        case "upload"?:
            isWorking = false
            realm.syncSession?.resume()
            try await insist { try await realm.syncSession?.wait(for: .upload) }
            Worker.say("U")
        case "finish"?:
            try await insist { try await realm.syncSession?.wait(for: .download) }
            realm.refresh()
            Worker.say("F \(worker.show()) \(worker.contents())")
        case "quit"?: return
        default: break
        }
        try await Task.sleep(for: .milliseconds(random.below(25)))
        guard isWorking else { continue }
        realm.refresh()
        Worker.say("R \(worker.show())")
        switch random.below(20) {
        case 0: realm.syncSession?.suspend()
        case 1, 2: realm.syncSession?.resume()
        case 3..<14: do { try worker.transact() } catch { Worker.say("E \(error)") }
        default: break
        }
    }
}

@MainActor func insist<Result>(_ body: @MainActor () async throws -> Result) async throws -> Result {
    while true {
        do { return try await body() } catch {
            Worker.say("E \(error)")
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}

/// Registers and logs in. Repeats failed attempts, because the server or the network may be down.
@MainActor func logIn(_ app: App, _ email: String) async throws -> User {
    while true {
        do {
            do { try await app.emailPasswordAuth.registerUser(email: email, password: "a long password") } catch let
                error as AppError where error.code == .accountNameInUse
            {}
            return try await app.login(credentials: .emailPassword(email: email, password: "a long password"))
        } catch {
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// The commands of the test, one on each line. The process ends at the end of its input.
final class Commands: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []

    init() {
        Thread.detachNewThread { [self] in
            while let line = readLine() { lock.withLock { lines.append(line) } }
            exit(0)
        }
    }

    func next() -> String? { lock.withLock { lines.isEmpty ? nil : lines.removeFirst() } }
}

do { try await run() } catch {
    Worker.say("V the client ends: \(error)")
    exit(1)
}
