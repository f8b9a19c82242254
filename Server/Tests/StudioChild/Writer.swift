import Foundation
import FreeholdEngine

extension World {
    /// Adds the rows, which all link to one object and are linked from it.
    static func fill(_ file: URL, count: Int) throws {
        let database = try Database.open(at: file.path)
        let transaction = try database.beginWrite()
        guard let row = transaction.schema.table(named: "Row"), let hub = transaction.schema.table(named: "Hub"),
            let all = transaction.find(primaryKey: .string("all"), in: hub)
        else { fatalError("The file has other classes.") }
        let (name, value, half, link) = (row.columns[1], row.columns[2], row.columns[3], row.columns[4])
        var keys: [Value] = []
        for number in 0..<count {
            let key = try transaction.create(row, primaryKey: .int(Int64(number)))
            transaction.setString(name, key, to: "row \(number)")
            transaction.setDouble(value, key, to: Double(number &* 7919 % 10_007) / 8)
            transaction.setBool(half, key, to: number % 2 == 0)
            transaction.setLink(link, key, to: all)
            keys.append(.link(key))
        }
        try transaction.listAppend(hub.columns[1], all, values: keys)
        _ = try transaction.commit()
    }
}

/// Another process that commits while Studio shows the file.
struct Writer {
    private let database: Database

    init(_ file: URL) throws {
        database = try Database.open(at: file.path)
    }

    /// Runs a command, and returns the version that it has committed.
    func run(_ line: String) throws -> String {
        let words = line.split(separator: " ")
        switch words.first {
        case "bump": return "\(try bump(Int(words[1]) ?? 0))"
        case "insert": return "\(try insert())"
        case "delete": return "\(try delete())"
        case "run":
            let end = Date().addingTimeInterval(Double(words[1]) ?? 1)
            var commits = 0
            while Date() < end {
                _ = try bump(commits % 20)
                commits += 1
            }
            return "\(commits)"
        default: return "unknown"
        }
    }

    private func bump(_ number: Int) throws -> UInt64 {
        try commit { transaction in
            guard let table = transaction.schema.table(named: "Row"),
                let key = transaction.find(primaryKey: .int(Int64(number)), in: table)
            else { return }
            // The number of milliseconds since 1970, so that a test can compute the age of the value.
            transaction.setDouble(table.columns[2], key, to: (Date().timeIntervalSince1970 * 1000).rounded())
        }
    }

    private func insert() throws -> UInt64 {
        try commit { transaction in
            guard let table = transaction.schema.table(named: "Species") else { return }
            _ = try transaction.create(table, primaryKey: .string("Inserted \(Date().timeIntervalSince1970)"))
        }
    }

    private func delete() throws -> UInt64 {
        try commit { transaction in
            guard let table = transaction.schema.table(named: "Species"),
                let key = transaction.find(primaryKey: .string("Sitta europaea"), in: table)
            else { return }
            transaction.delete(table, key)
        }
    }

    private func commit(_ body: (WriteTransaction) throws -> Void) throws -> UInt64 {
        let transaction = try database.beginWrite()
        try body(transaction)
        return try transaction.commit().version
    }
}
