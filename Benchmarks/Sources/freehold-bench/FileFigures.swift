import BenchMachine
import Foundation
import FreeholdEngine

/// What files cost: compaction and copies, and all that checksums, a key and a journal change. Files of each kind with the same
/// people, run by run after each other.
struct FileFigures {
    enum Kind: String, CaseIterable {
        case plain = "Plain"
        /// The format before: it has no checksums, and blocks of a column lie next to each other.
        case formatBefore = "Format 4"
        case encrypted = "Encrypted"
        case journalled = "With a journal"
    }

    struct Row {
        let name: String
        let unit: String
        var values: [Kind: [Double]] = [:]

        /// Returns the time or size as a multiple of that of a plain file. For a throughput, the quotient is inverted.
        func ratio(_ kind: Kind) -> Double? {
            guard let own = values[kind] else { return nil }
            let (a, b) = (median(values[.plain]!), median(own))
            return unit == "MiB/s" ? a / b : b / a
        }
    }

    private(set) var rows: [Row] = []
    private let data: Dataset
    private let folder: String
    private let key = EncryptionKey((0..<64).map { _ in UInt8.random(in: .min ... .max) })

    init(_ data: Dataset, folder: String, repeats: Int) {
        self.data = data
        self.folder = folder
        for _ in 0..<repeats {
            for kind in Kind.allCases { measure(kind) }
        }
        for row in rows {
            let figures = Kind.allCases.map { kind in
                "\(kind.rawValue.lowercased()) \(row.values[kind].map { figure(median($0)) } ?? "–")"
            }
            progress("\(row.name): \(figures.joined(separator: ", ")) \(row.unit)")
        }
    }

    private mutating func note(_ name: String, unit: String, kind: Kind, value: Double) {
        if !rows.contains(where: { $0.name == name }) { rows.append(Row(name: name, unit: unit)) }
        rows[rows.firstIndex { $0.name == name }!].values[kind, default: []].append(value)
    }

    private mutating func time<R>(_ name: String, _ operations: Int, kind: Kind, body: () -> R) -> R {
        sync()
        let start = ContinuousClock.now
        let result = body()
        note(name, unit: "ns", kind: kind, value: (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
        return result
    }

    private mutating func throughput(_ name: String, _ bytes: Double, kind: Kind, body: () -> Void) {
        sync()
        let start = ContinuousClock.now
        body()
        note(name, unit: "MiB/s", kind: kind, value: bytes / 1_048_576 / ((ContinuousClock.now - start) / .seconds(1)))
    }

    private mutating func measure(_ kind: Kind) {
        let (data, newKey) = (data, key)
        let ownKey = kind == .encrypted ? key : nil
        var options = Database.Options()
        options.encryptionKey = ownKey
        if kind == .formatBefore { options.formatVersion = 4 }
        let subject = EngineSubject(data, folder: folder, options: options, isJournalled: kind == .journalled)
        let n = data.count
        let path = subject.path(.people)
        subject.create(.people)
        time("bulk insert, one transaction", n, kind: kind) {
            subject.insert(data.allIDs[...], perTransaction: .max / 2)
        }
        func reopen() {
            subject.close()
            subject.open(.people)
        }
        // What is read first is opened; what is read again isn't.
        let reads: [(name: String, work: () -> Int64)] = [
            ("find by primary key, random", { subject.find(data.lookups) }),
            ("walk all objects, read 3 properties", { subject.walkScalars() }),
            ("count `age > 50`", { subject.count(.ageOver50) }),
            ("count CONTAINS", { subject.count(.nameContains) }),
        ]
        for (name, work) in reads {
            let operations = name.hasPrefix("find") ? data.lookups.count : n
            reopen()
            let first = time(name + ", just opened", operations, kind: kind) { work() }
            let again = time(name + ", again", operations, kind: kind) { work() }
            if first != again { fail("\(name): \(first) and \(again)") }
        }
        _ = time("open the file and read one value", 1, kind: kind) { subject.openAndReadOne(.people, id: n / 2) }
        subject.open(.people)
        time("update one Int on all objects", n, kind: kind) { subject.updateAll() }
        let singles = min(100, n)
        time("one object a durable transaction", singles, kind: kind) {
            subject.insertMore(singles)
        }
        let used = subject.attempt { () throws(EngineError) in Double(try subject.database.fileUse().used) }
        note("pages in use", unit: "MiB", kind: kind, value: used / 1_048_576)
        // For these kinds, the remaining workloads would do the same work with other blocks.
        if kind == .formatBefore || kind == .journalled {
            subject.close()
            return removeFile(path)
        }
        let copy = folder + "/copy.realm"
        for (name, key) in [("backup, with its own key", ownKey), ("copy with a new key", newKey)] {
            unlink(copy)
            throughput(name, used, kind: kind) {
                subject.attempt { () throws(EngineError) in try subject.view.copy(to: copy, key: key) }
            }
        }
        unlink(copy)
        throughput("verify", used, kind: kind) {
            let problems = subject.view.verify()
            if !problems.isEmpty { fail("verify: \(problems)") }
        }
        subject.close()
        throughput("compaction", used, kind: kind) {
            subject.attempt { () throws(EngineError) in _ = try Database.compact(at: path, key: ownKey) }
        }
        removeFile(path)
    }

    private func removeFile(_ path: String) { for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) } }

    // MARK: The report

    var markdown: String {
        var lines = [
            """
            ## Files: checksums, encryption, the journal

            The engine on files of several kinds, medians; in brackets how many times the plain one's time or size. A time is per \
            operation. "Just opened" checks or decrypts what it reads, "again" finds it so. Files of format 4 have no checksums. With \
            a journal without a reader, so that it grows. Throughputs count the pages in use, flush to the disk included.

            | Workload | \(Kind.allCases.map(\.rawValue).joined(separator: " | ")) |
            |---\(String(repeating: "|---:", count: Kind.allCases.count))|
            """
        ]
        for row in rows {
            let cells = Kind.allCases.map { kind -> String in
                guard let values = row.values[kind], let ratio = row.ratio(kind) else { return "–" }
                let value = "\(figure(median(values))) \(row.unit)"
                return kind == .plain ? value : value + String(format: " (%.2f ×)", ratio)
            }
            lines.append("| \(row.name) | \(cells.joined(separator: " | ")) |")
        }
        return lines.joined(separator: "\n")
    }
}
