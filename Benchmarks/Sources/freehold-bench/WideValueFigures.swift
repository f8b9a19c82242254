import BenchMachine
import BenchModels
import Foundation
import Freehold

/// What a durable commit writes, and takes of the processor, that changes one wide value: a text, a list, a map or a mixed value.
/// SQLite does the same beside it, with collections as rows of a table of their own.
struct WideValueFigures {
    struct Row {
        let name: String
        let layer: Layer
        /// The mean of the commits, as the figures below.
        let bytes: Double
        let processor: Double
        let time: Double
    }

    private(set) var rows: [Row] = []
    private let folder: String
    private let commits: Int

    /// - Parameter count: the objects of the row with many.
    init(count: Int, folder: String, commits: Int) {
        self.folder = folder
        self.commits = commits
        for (size, objects) in [(100, 1_024), (1_000, 1_024), (8_000, 1_024), (1_000, count)] {
            change("one changed text of \(grouped(size)) B among \(grouped(objects))", objects: objects, size: size)
        }
        add("one added object with a text of 1,000 B", 1_024)
        for kind in Kind.allCases { change(kind, 1_024) }
        for row in rows {
            progress(
                "\(row.name), \(row.layer.fileName): \(figure(row.bytes / 1024)) KiB, \(figure(row.processor)) µs of the processor, \(figure(row.time)) µs"
            )
        }
    }

    private enum Kind: String, CaseIterable { case list, map, mixed }

    // MARK: The workloads

    private mutating func change(_ name: String, objects count: Int, size: Int) {
        realm(name, objects: count, size: size) { realm, i in
            realm.object(ofType: WideNote.self, forPrimaryKey: i &* 397 % count)!.text = Self.text(size, at: i)
        }
        sqlite(name, objects: count, size: size) { database, i in
            database.run("UPDATE notes SET text = ?2 WHERE id = ?1", i &* 397 % count, text: Self.text(size, at: i))
        }
    }

    private mutating func add(_ name: String, _ count: Int) {
        realm(name, objects: count, size: 1_000) { realm, i in realm.add(WideNote(count + i, Self.text(1_000, at: i))) }
        sqlite(name, objects: count, size: 1_000) { database, i in
            database.run("INSERT INTO notes VALUES (?1, ?2)", count + i, text: Self.text(1_000, at: i))
        }
    }

    private mutating func change(_ kind: Kind, _ count: Int) {
        let name = "one changed \(kind.rawValue) of 1 KB among \(grouped(count))"
        realm(name, objects: count, size: 0) { realm, i in
            let shelf = realm.object(ofType: WideShelf.self, forPrimaryKey: i &* 397 % count)!
            switch kind {
            case .list: shelf.list[i % 9] = Self.text(90, at: i)
            case .map: shelf.map["\(i % 9)"] = Self.text(90, at: i)
            case .mixed: shelf.mixed = .string(Self.text(1_000, at: i))
            }
        }
        sqlite(name, objects: count, size: 0) { database, i in
            let row = i &* 397 % count
            if kind == .mixed {
                return database.run("UPDATE notes SET text = ?2 WHERE id = ?1", row, text: Self.text(1_000, at: i))
            }
            database.run("UPDATE items SET text = ?2 WHERE id = ?1", row * 9 + i % 9, text: Self.text(90, at: i))
        }
    }

    static func text(_ count: Int, at i: Int) -> String {
        let start = "\(i) "
        return start + String(repeating: Character(UnicodeScalar(UInt8(97 + i % 26))), count: count - start.utf8.count)
    }

    // MARK: The databases

    private mutating func realm(_ name: String, objects count: Int, size: Int, _ body: (Realm, Int) -> Void) {
        let path = "\(folder)/wide.realm"
        func remove() { for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) } }
        remove()
        defer { remove() }
        let types: [ObjectBase.Type] = [WideNote.self, WideShelf.self]
        let realm = try! Realm(configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: types))
        try! realm.write {
            for i in 0..<count {
                if size > 0 {
                    realm.add(WideNote(i, Self.text(size, at: i)))
                } else {
                    realm.add(WideShelf(i, Self.text(90, at: i)))
                }
            }
        }
        measure(name, .objects) { i in try! realm.write { body(realm, i) } }
    }

    private mutating func sqlite(_ name: String, objects count: Int, size: Int, _ body: (WideDatabase, Int) -> Void) {
        let path = "\(folder)/wide.db"
        func remove() { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        remove()
        defer { remove() }
        let database = WideDatabase(path)
        database.run("BEGIN")
        for i in 0..<count {
            database.run("INSERT INTO notes VALUES (?1, ?2)", i, text: Self.text(max(size, 1_000), at: i))
            if size == 0 {
                for j in 0..<9 {
                    database.run("INSERT INTO items VALUES (?1, ?2)", i * 9 + j, text: Self.text(90, at: i))
                }
            }
        }
        database.run("COMMIT")
        measure(name, .sqlite) { i in
            database.run("BEGIN")
            body(database, i)
            database.run("COMMIT")
        }
        database.close()
    }

    private mutating func measure(_ name: String, _ layer: Layer, body: (Int) -> Void) {
        for i in 0..<64 { body(i) }
        let (bytes, processor, start) = (Self.bytesWritten, Self.processorTime, ContinuousClock.now)
        for i in 64..<64 + commits { body(i) }
        let time = (ContinuousClock.now - start) / .microseconds(1)
        rows.append(
            Row(
                name: name,
                layer: layer,
                bytes: Double(Self.bytesWritten - bytes) / Double(commits),
                processor: (Self.processorTime - processor) / Double(commits),
                time: time / Double(commits)
            )
        )
    }

    /// The bytes that this process has given to the system to write.
    private static var bytesWritten: Int {
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
        return line.flatMap { Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces)) } ?? 0
    }

    /// Microseconds of all threads.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    // MARK: The report

    var markdown: String {
        var lines = [
            "## One wide value", "",
            """
            What a durable commit that changes one value gives to the system to write, KiB, what it takes of the processor (all threads), µs, \
            and how long it lasts, µs. SQLite's log is carried over in between, which counts.
            """, "", "| | | KiB | processor | time |", "|---|---|---:|---:|---:|",
        ]
        for row in rows {
            lines.append(
                "| \(row.name) | \(row.layer.rawValue) | \(figure(row.bytes / 1024)) | \(figure(row.processor)) | \(figure(row.time)) |"
            )
        }
        return lines.joined(separator: "\n")
    }
}
