import CRivalSQLite
import Foundation

/// SQLite through its C library with prepared statements, a write-ahead log and `synchronous = FULL`, so that a commit
/// is durable as Freehold's is.
final class SQLiteSubject: Subject {
    let layer = Layer.sqlite
    let data: Dataset
    let folder: String
    var kind = FileKind.people
    private var connection: OpaquePointer?
    private var statements: [String: Statement] = [:]

    init(_ data: Dataset, folder: String) {
        self.data = data
        self.folder = folder
    }

    var version: String { "SQLite \(String(cString: sqlite3_libversion()))" }

    func path(_ kind: FileKind) -> String { "\(folder)/\(layer.fileName)-\(kind.rawValue).db" }

    func create(_ kind: FileKind) {
        close()
        for suffix in ["", "-wal", "-shm"] { unlink(path(kind) + suffix) }
        open(kind)
        if kind.hasShelves {
            createShelves()
            return
        }
        if kind == .articles || kind == .shops {
            createQueried()
            return
        }
        execute(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL, "
                + "active INTEGER NOT NULL, created INTEGER NOT NULL\(isKennel ? ", dog INTEGER" : ""))"
        )
        if kind == .indexed { execute("CREATE INDEX people_name ON people (name)") }
        if isKennel {
            execute("CREATE TABLE dogs (id INTEGER PRIMARY KEY, age INTEGER NOT NULL)")
            execute("CREATE INDEX people_dog ON people (dog)")
            for table in ["numbers", "dog_lists"] {
                execute(
                    "CREATE TABLE \(table) (owner INTEGER NOT NULL, position INTEGER NOT NULL, item INTEGER NOT NULL, "
                        + "PRIMARY KEY (owner, position)) WITHOUT ROWID"
                )
            }
        }
    }

    func open(_ kind: FileKind) {
        close()
        self.kind = kind
        guard sqlite3_open(path(kind), &connection) == SQLITE_OK else { fail("SQLite: can't open \(path(kind))") }
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
    }

    var isKennel: Bool { kind == .kennel || kind == .linked || kind == .lists }

    func close() {
        for statement in statements.values { sqlite3_finalize(statement.handle) }
        statements = [:]
        if let connection, sqlite3_close(connection) != SQLITE_OK { fail("SQLite: \(message)") }
        connection = nil
    }

    private var message: String { String(cString: sqlite3_errmsg(connection)) }

    func execute(_ sql: String) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else { fail("SQLite: \(message) in \(sql)") }
    }

    func transaction<R>(_ body: () -> R) -> R {
        prepare("BEGIN").run()
        let result = body()
        prepare("COMMIT").run()
        return result
    }

    /// The statement, prepared once a connection.
    func prepare(_ sql: String) -> Statement {
        if let statement = statements[sql] { return statement }
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &handle, nil) == SQLITE_OK else {
            fail("SQLite: \(message) in \(sql)")
        }
        let statement = Statement(handle: handle!)
        statements[sql] = statement
        return statement
    }

    struct Statement {
        let handle: OpaquePointer

        @inline(__always)
        func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

        @inline(__always)
        func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

        /// The bytes must live until the statement has run.
        @inline(__always)
        func bind(_ index: Int32, _ text: UnsafeBufferPointer<UInt8>) {
            text.withMemoryRebound(to: CChar.self) {
                _ = sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), nil)
            }
        }

        @inline(__always)
        func step() -> Bool {
            let code = sqlite3_step(handle)
            if code == SQLITE_ROW { return true }
            guard code == SQLITE_DONE else {
                fail("SQLite: \(String(cString: sqlite3_errmsg(sqlite3_db_handle(handle))))")
            }
            return false
        }

        /// Runs to the end, and makes the statement ready for the next time.
        @inline(__always)
        func run() {
            while step() {}
            reset()
        }

        @inline(__always)
        func reset() { sqlite3_reset(handle) }

        @inline(__always)
        func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

        @inline(__always)
        func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

        @inline(__always)
        func string(_ column: Int32) -> String {
            let bytes = sqlite3_column_text(handle, column)!
            let count = Int(sqlite3_column_bytes(handle, column))
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }

        /// The first column of the only row.
        func single() -> Int64 {
            guard step() else { fail("SQLite: no row") }
            let value = int(0)
            reset()
            return value
        }
    }
}
