import BenchMachine
import BenchModels
import Foundation
import Freehold

/// By how much the file grows with each small commit while one version is held, and while none is.
struct HeldVersionFigures {
    private(set) var rows: [(name: String, bytes: Double, microseconds: Double)] = []
    private let folder: String

    init(count: Int, folder: String, commits: Int) {
        self.folder = folder
        run("one property of one object", count: count, commits: commits) { realm, i in
            realm.object(ofType: Reading.self, forPrimaryKey: i * 7919 % count)!.score = Double(i)
        }
        run("one object more", count: count, commits: commits) { realm, i in realm.add(Reading(count + i)) }
        for row in rows {
            progress("\(row.name): \(figure(row.bytes / 1024)) KiB, \(figure(row.microseconds)) µs a commit")
        }
    }

    private mutating func run(_ name: String, count: Int, commits: Int, body: (Realm, Int) -> Void) {
        for isHeld in [false, true] {
            let path = "\(folder)/held.realm"
            for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) }
            let realm = try! Realm(
                configuration: .init(fileURL: URL(fileURLWithPath: path), objectTypes: [Reading.self])
            )
            try! realm.write { for number in 0..<count { realm.add(Reading(number)) } }
            for i in 0..<64 { try! realm.write { body(realm, commits + i) } }
            let held = isHeld ? realm.freeze() : nil
            let before = Self.size(path)
            let start = ContinuousClock.now
            for i in 0..<commits { try! realm.write { body(realm, i) } }
            let time = (ContinuousClock.now - start) / .microseconds(1)
            let growth = Self.size(path) - before
            precondition(held.map { $0.objects(Reading.self).count >= count } ?? true)
            rows.append(
                (
                    "\(name), \(isHeld ? "a version held" : "none held")",
                    Double(growth) / Double(commits), time / Double(commits)
                )
            )
            for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) }
        }
    }

    private static func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    var markdown: String {
        var lines = [
            "## Held versions", "", "By how much the file grows with each durable commit, KiB, and what it takes, µs.",
            "",
            "| | KiB | µs |", "|---|---:|---:|",
        ]
        for row in rows {
            lines.append("| \(row.name) | \(figure(row.bytes / 1024)) | \(figure(row.microseconds)) |")
        }
        return lines.joined(separator: "\n")
    }
}
