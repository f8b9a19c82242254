import BenchMachine
import BenchModels
import Foundation
import Freehold

/// Objects with indexes and collections: what adding them costs, and taking all of them, or half, out again.
struct DeletionFigures {
    private(set) var rows: [(name: String, nanoseconds: [Double], mebibytes: [Double])] = []
    private let folder: String
    private let count: Int

    init(count: Int, folder: String, repeats: Int, only: String? = nil) {
        self.folder = folder
        self.count = count
        for _ in 0..<repeats {
            if only ?? "add" == "add" { add() }
            if only ?? "all" == "all" { run("deleteAll", deletes: count) { $0.deleteAll() } }
            if only ?? "class" == "class" {
                run("delete all objects of the class", deletes: count) { $0.delete($0.objects(Reading.self)) }
            }
            if only ?? "results" == "results" {
                run("delete all results of a condition", deletes: count) {
                    $0.delete($0.objects(Reading.self).where { $0.kind >= 0 })
                }
            }
            if only ?? "half" == "half" {
                run("delete half by a condition", deletes: count / 2) {
                    $0.delete($0.objects(Reading.self).where { $0.kind < 50 })
                }
            }
        }
        for row in rows {
            progress(
                "\(row.name): \(figure(median(row.nanoseconds))) (\(figure(row.nanoseconds.min()!))) ns an object, "
                    + "\(figure(median(row.mebibytes))) MiB"
            )
        }
    }

    private func configuration() -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: "\(folder)/deletions.realm"), objectTypes: [Reading.self])
    }

    private func remove() {
        for suffix in ["", "-lock", ".writer"] { unlink("\(folder)/deletions.realm" + suffix) }
    }

    private func makeFile(_ measure: (() -> Void) -> Void = { $0() }) {
        remove()
        let realm = try! Realm(configuration: configuration())
        measure { try! realm.write { for number in 0..<count { realm.add(Reading(number)) } } }
    }

    private mutating func add() {
        let memory = MemoryWatch()
        makeFile { body in
            let start = ContinuousClock.now
            body()
            let time = (ContinuousClock.now - start) / .nanoseconds(1)
            note("add objects with indexes and collections", time / Double(count), memory: memory.growth())
        }
        remove()
    }

    private mutating func run(_ name: String, deletes: Int, _ body: (Realm) -> Void) {
        makeFile()
        let realm = try! Realm(configuration: configuration())
        precondition(realm.objects(Reading.self).count == count)
        let memory = MemoryWatch()
        let start = ContinuousClock.now
        try! realm.write { body(realm) }
        let time = (ContinuousClock.now - start) / .nanoseconds(1)
        note(name, time / Double(deletes), memory: memory.growth())
        let left = realm.objects(Reading.self).count
        precondition(left == count - deletes, "\(left) left")
        remove()
    }

    private mutating func note(_ name: String, _ time: Double, memory: Double) {
        if let i = rows.firstIndex(where: { $0.name == name }) {
            rows[i].nanoseconds.append(time)
            rows[i].mebibytes.append(memory)
        } else {
            rows.append((name, [time], [memory]))
        }
    }

    var markdown: String {
        var lines = [
            "## Deletions", "",
            "\(grouped(count)) objects of a class with a primary key, two indexes, a list, a set and a map. Nanoseconds an object "
                + "(for a deletion, a deleted one), commit included: **median** (minimum); and what memory grew by, without the file's pages.",
            "", "| | ns | MiB |", "|---|---:|---:|",
        ]
        for row in rows {
            lines.append(
                "| \(row.name) | **\(figure(median(row.nanoseconds)))** (\(figure(row.nanoseconds.min()!))) | "
                    + "\(figure(median(row.mebibytes))) |"
            )
        }
        return lines.joined(separator: "\n")
    }
}

/// The most memory of its own that the process has from when this is made.
final class MemoryWatch: @unchecked Sendable {
    private let before = MemoryWatch.own()
    private let lock = NSLock()
    private var peak = 0
    private var isOver = false

    init() {
        Thread.detachNewThread { [self] in
            while lock.withLock({ !isOver }) {
                let now = Self.own()
                lock.withLock { peak = max(peak, now) }
                usleep(2000)
            }
        }
    }

    /// MiB; ends the watch.
    func growth() -> Double {
        let now = Self.own()
        return lock.withLock {
            isOver = true
            return Double(max(peak, now) - before) / 1024
        }
    }

    private static func own() -> Int {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
