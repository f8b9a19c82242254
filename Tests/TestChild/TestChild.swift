import Dispatch
import Freehold
import FreeholdEngine
import TestHerd
import TestRandom
import TestScript

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that tests start, communicate with and kill. It writes every printed line at once.
///
/// If its environment contains `FREEHOLD_TEST_ENCRYPTED`, its files have the script's key. `FREEHOLD_TEST_LOG` gives
/// them a commit log of that many bytes.
///
/// - `writer PATH SEED [BUDGET]`: runs the script's transactions without end, starting at the state of the file. Prints
///   the number of each after its commit has returned. BUDGET is the transaction's memory in bytes.
/// - `transactions PATH SEED COUNT`: like `writer`, for a number of transactions, then ends.
/// - `grouped PATH SEED COUNT`: like `transactions`, with groups of three commits. Prints `committed NUMBER` for each,
///   and the number when the group has been made durable.
/// - `turns PATH SEED`: runs the script's transactions without end, each on the present state of the file, so that
///   other processes can write in between. Prints the number of each.
/// - `threads PATH THREADS COUNT`: starts a number of threads. Each creates an object and increments its number COUNT
///   times. Prints `THREAD NUMBER` after each commit.
/// - `graph PATH SEED`: runs the graph script's transactions without end, and prints the number of each.
/// - `lock PATH`: begins a write transaction, prints `locked` and waits for the end of its input.
/// - `increment PATH COUNT`: adds one to the number of object 0, COUNT times, in a transaction each.
/// - `reader PATH`: for every line of its input, prints the transaction that its newest snapshot shows.
/// - `migrate PATH BUDGET`: migrates a file of the migration tests to its second version, and prints its progress.
/// - `herd-writer PATH SEED COUNT`: runs a number of random transactions on a file of cows, and prints the number of
///   each.
/// - `herd-watcher PATH`: observes all kinds of things of a file of cows. Prints `ready`, and for every line of its
///   input the errors in its copies, or `fine` and the number of calls so far.
/// - `busy-writer PATH WAY`: requests an asynchronous write of a file of cows, prints `asked`, keeps the realm's place
///   busy until it reads a line, and prints `wrote` when the write has been committed.
/// - `damage PATH FOLDER FIRST END`: damages a file once for each seed: see `DamageProbe`.
/// - `contents FOLDER`: for every line of its input, the path of a file, prints `values NUMBER` or the code of an
///   error, and the number of problems that `verify` finds: `verified COUNT`.
/// - `lock-watch PATH`: for every line of its input, prints whether a process has LMDB's lock file open: `held` or
///   `free`.
/// - `sync-writer PATH FIRST COUNT`: creates persons in a synced file, one for each commit, and prints the number of
///   each.
/// - `sync-client PATH`: performs a sync client's requests without end, and prints each version that it has downloaded.
/// - `pin PATH`: holds one snapshot, prints `pinned VERSION`, and for every line of input the content of that snapshot.
@main
struct TestChild {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { fail("usage: freehold-testchild COMMAND PATH …") }
        let path = arguments[2]
        func number(_ position: Int) -> Int? { position < arguments.count ? Int(arguments[position]) : nil }
        do {
            switch arguments[1] {
            case "writer":
                try write(path, seed: number(3) ?? 0, budget: number(4), count: .max)
            case "transactions":
                try write(path, seed: number(3) ?? 0, budget: nil, count: number(4) ?? 1)
            case "grouped":
                try write(path, seed: number(3) ?? 0, budget: nil, count: number(4) ?? 1, group: 3)
            case "turns": try takeTurns(path, seed: number(3) ?? 0)
            case "threads": try writeOnThreads(path, number(3) ?? 4, count: number(4) ?? 10)
            case "graph":
                try writeGraph(path, seed: number(3) ?? 0)
            case "lock":
                let database = try open(path)
                let transaction = try database.beginWrite()
                say("locked")
                while readLine() != nil {}
                transaction.cancel()
            case "increment":
                try increment(path, count: number(3) ?? 1)
            case "reader":
                let database = try open(path)
                say("ready")
                while readLine() != nil { say("\(State(try database.snapshot()).transaction)") }
            case "migrate":
                try migrate(path, budget: number(3) ?? 64 << 20)
            case "herd-writer":
                try writeHerd(path, seed: UInt64(number(3) ?? 0), count: number(4) ?? 1)
            case "herd-watcher":
                try watchHerd(path)
            case "busy-writer": BusyWriter.run(path, arguments[3], say)
            case "damage":
                // The error output of a process that ends goes to the reader of its output.
                dup2(1, 2)
                limitMemory()
                try DamageProbe.run(
                    path,
                    folder: arguments[3],
                    seeds: UInt64(number(4) ?? 0)..<UInt64(number(5) ?? 1),
                    say
                )
            case "contents":
                dup2(1, 2)
                limitMemory()
                while let file = readLine() { tellContents(file) }
            case "lock-watch":
                say("ready")
                while readLine() != nil { say(try isLockHeld(path) ? "held" : "free") }
            case "sync-writer":
                try SyncChild.write(path, first: Int64(number(3) ?? 1), count: number(4) ?? 1, say: say)
            case "sync-events": try SyncChild.hand(path, first: Int64(number(3) ?? 1), say: say)
            case "sync-client": try SyncChild.sync(path, say: say)
            case "pin":
                let database = try open(path)
                let snapshot = try database.snapshot()
                say("pinned \(snapshot.version)")
                while readLine() != nil { say("\(State(snapshot).transaction)") }
            default:
                fail("no such command: \(arguments[1])")
            }
        } catch {
            fail("\(error)")
        }
    }

    static func open(_ path: String, _ options: Database.Options = .init()) throws -> Database {
        var options = options
        if getenv(Script.encryptedVariable) != nil { options.encryptionKey = Script.key }
        if let capacity = getenv(Script.logVariable).flatMap({ Int(String(cString: $0)) }) {
            options.commitLog = true
            options.commitLogCapacity = capacity
        }
        return try Database.open(at: path, options: options)
    }

    static func write(_ path: String, seed: Int, budget: Int?, count: Int, group: Int = 1) throws {
        var options = Database.Options()
        if let budget { options.memoryBudget = budget }
        let database = try open(path, options)
        let script = Script(seed: UInt64(seed))
        // Only a write transaction shows the last commit of a killed writer with certainty.
        let last = try database.beginWrite()
        var state = State(last)
        last.cancel()
        say("ready")
        for _ in 0..<count {
            let n = state.transaction + 1
            let steps = script.steps(n, on: state)
            let transaction = try database.beginWrite()
            try script.run(steps, in: transaction)
            _ = try transaction.commit(durably: group == 1)
            if group > 1 {
                say("committed \(n)")
                if n % Int64(group) == 0 { try database.makeDurable() }
            }
            if n % Int64(group) == 0 { say("\(n)") }
            state.apply(steps)
        }
    }

    static func takeTurns(_ path: String, seed: Int) throws {
        let database = try open(path)
        let script = Script(seed: UInt64(seed))
        say("ready")
        while true { say("\(try script.takeTurn(in: database))") }
    }

    static func writeOnThreads(_ path: String, _ threads: Int, count: Int) throws {
        let database = try open(path)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do {
                for i in 0...count {
                    let transaction = try database.beginWrite()
                    try transaction.applySchema(Script.specs, userVersion: 1)
                    let table = transaction.schema.table(named: Script.tableName)!
                    let column = table.column(named: "number")!
                    if let key = transaction.find(primaryKey: .int(Int64(thread)), in: table) {
                        try transaction.set(column, key, to: .int(Int64(i)))
                    } else {
                        let key = try transaction.create(table, primaryKey: .int(Int64(thread)))
                        try transaction.set(column, key, to: .int(Int64(i)))
                    }
                    _ = try transaction.commit()
                    say("\(thread) \(i)")
                }
            } catch {
                fail("\(error)")
            }
        }
    }

    static func writeGraph(_ path: String, seed: Int) throws {
        let database = try open(path)
        let script = GraphScript(seed: UInt64(seed))
        let last = try database.beginWrite()
        let number = GraphScript.Graph(last).number
        last.cancel()
        // Hidden links can't be read from the file.
        var graph = GraphScript.Graph()
        while graph.number < number { graph.apply(script.steps(on: graph)) }
        say("ready")
        while true {
            try script.commit(to: database, &graph)
            say("\(graph.number)")
        }
    }

    /// The classes of the file after the migration: "n" is optional, "gone" and "any" are removed, "more" is new, and
    /// "name" is the primary key.
    static func migrate(_ path: String, budget: Int) throws {
        var options = Database.Options()
        options.memoryBudget = budget
        let database = try open(path, options)
        let specs = [
            TableSpec(
                "P",
                columns: [
                    ColumnSpec("id", .int), ColumnSpec("name", .string, indexed: true),
                    ColumnSpec("n", .int, optional: true), ColumnSpec("next", .link, target: "P"),
                    ColumnSpec("more", .string),
                ],
                primaryKey: "name"
            ), TableSpec("Q", columns: [ColumnSpec("x", .int)]),
        ]
        let transaction = try database.beginWrite()
        say("began")
        try transaction.extendSchema(to: specs, suspendsPrimaryKeys: true)
        say("extended")
        let table = transaction.schema.table(named: "P")!
        for key in transaction.keys(table) {
            try transaction.set(table.column(named: "more")!, key, to: .string("more \(key.raw)"))
        }
        say("written")
        try transaction.finishSchema(specs, userVersion: 2)
        say("finished")
        _ = try transaction.commit()
        say("committed")
    }

    /// Limits the memory, so that allocations of damaged sizes fail.
    static func limitMemory() {
        #if canImport(Glibc)
            var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        #endif
    }

    static func tellContents(_ file: String) {
        func tell(_ body: (Snapshot) throws -> String) {
            do {
                var options = DamageSample.options()
                options.readOnly = true
                say(try body(try Database.open(at: file, options: options).snapshot()))
            } catch let error as EngineError {
                say("error \(error.code.rawValue)")
            } catch {
                say("error \(error)")
            }
        }
        alarm(30)
        tell { "values \(try Contents.digest($0))" }
        tell { "verified \($0.verify().count)" }
        alarm(0)
    }

    static func writeHerd(_ path: String, seed: UInt64, count: Int) throws {
        let realm = try Realm(configuration: Herd.configuration(path))
        var random = SeededRandom(seed: seed)
        say("ready")
        for i in 0..<count {
            try realm.write { Herd.change(realm, &random) }
            say("\(i)")
        }
    }

    /// Used on its queue.
    private final class Watcher: @unchecked Sendable {
        var watch: HerdWatch?
    }

    static func watchHerd(_ path: String) throws {
        let queue = DispatchQueue(label: "herd")
        let watcher = Watcher()
        try queue.sync {
            watcher.watch = HerdWatch(try Realm(configuration: Herd.configuration(path), queue: queue))
        }
        say("ready")
        while readLine() != nil {
            queue.sync {
                let failures = watcher.watch!.check()
                say(failures.isEmpty ? "fine \(watcher.watch!.calls)" : failures.joined(separator: "; "))
            }
        }
    }

    /// Tests the lock like LMDB when it determines whether it is the first process, except that the lock isn't taken.
    static func isLockHeld(_ path: String) throws -> Bool {
        let descriptor = fopen(path + "-lock", "r+")
        guard let descriptor else { return false }
        defer { fclose(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        guard fcntl(fileno(descriptor), F_GETLK, &lock) == 0 else { fail("F_GETLK: \(errno)") }
        return lock.l_type != Int16(F_UNLCK)
    }

    static func increment(_ path: String, count: Int) throws {
        let database = try open(path)
        for i in 0..<count {
            let transaction = try database.beginWrite()
            let table = transaction.schema.table(named: Script.tableName)!
            let column = table.column(named: "number")!
            let key = transaction.find(primaryKey: .int(0), in: table)!
            try transaction.set(column, key, to: .int((transaction.readInt(column, key) ?? 0) + 1))
            _ = try transaction.commit()
            say("\(i)")
        }
    }

    /// One `write`, so that a kill can't leave half a line unseen in a buffer.
    static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        _ = bytes.withUnsafeBytes { Self.write(1, $0) }
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress!, bytes.count)
        #elseif canImport(Musl)
            Musl.write(descriptor, bytes.baseAddress!, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress!, bytes.count)
        #endif
    }

    static func fail(_ message: String) -> Never {
        let bytes = Array((message + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(2, $0) }
        exit(1)
    }
}
