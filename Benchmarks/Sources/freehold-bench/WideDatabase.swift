import BenchMachine
import CRivalSQLite
import Foundation

/// A file of SQLite with texts, with a write-ahead log and `synchronous = FULL`.
final class WideDatabase {
    private var connection: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]

    init(_ path: String) {
        guard sqlite3_open(path, &connection) == SQLITE_OK else { fail("SQLite: can't open \(path)") }
        for sql in [
            "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL",
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
            "CREATE TABLE items (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        ] {
            guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
                fail("SQLite: \(message) in \(sql)")
            }
        }
    }

    private var message: String { String(cString: sqlite3_errmsg(connection)) }

    /// Runs a statement, which is prepared once, with `?1` and `?2`.
    func run(_ sql: String, _ number: Int = 0, text: String = "") {
        var statement = statements[sql]
        if statement == nil {
            guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
                fail("SQLite: \(message) in \(sql)")
            }
            statements[sql] = statement
        }
        if sqlite3_bind_parameter_count(statement) == 2 { sqlite3_bind_int64(statement, 1, Int64(number)) }
        var text = text
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                if sqlite3_bind_parameter_count(statement) == 2 {
                    sqlite3_bind_text(statement, 2, bytes.baseAddress, Int32(bytes.count), nil)
                }
                return sqlite3_step(statement)
            }
        }
        guard code == SQLITE_DONE else { fail("SQLite: \(message) in \(sql)") }
        sqlite3_reset(statement)
    }

    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        guard sqlite3_close(connection) == SQLITE_OK else { fail("SQLite: \(message)") }
    }
}
