import Foundation
import FreeholdEngine

/// What files cost: compaction and copies, and all that a key changes. A plain and an encrypted file of the same people,
/// run by run after each other.
struct FileFigures {
    struct Row {
        let name: String
        let unit: String
        var plain: [Double] = []
        var encrypted: [Double] = []

        /// Of a time and of a size: how many times the plain one. Of a throughput the other way round.
        var overhead: Double {
            let (a, b) = (median(plain), median(encrypted))
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
            for isEncrypted in [false, true] { measure(isEncrypted) }
        }
        for row in rows {
            progress(
                "\(row.name): plain \(figure(median(row.plain))), encrypted \(figure(median(row.encrypted))) \(row.unit)"
            )
        }
    }

    private mutating func note(_ name: String, _ unit: String, _ isEncrypted: Bool, _ value: Double) {
        if !rows.contains(where: { $0.name == name }) { rows.append(Row(name: name, unit: unit)) }
        let place = rows.firstIndex { $0.name == name }!
        if isEncrypted { rows[place].encrypted.append(value) } else { rows[place].plain.append(value) }
    }

    private mutating func time<R>(_ name: String, _ operations: Int, _ isEncrypted: Bool, _ body: () -> R) -> R {
        sync()
        let start = ContinuousClock.now
        let result = body()
        note(name, "ns", isEncrypted, (ContinuousClock.now - start) / .nanoseconds(1) / Double(operations))
        return result
    }

    private mutating func throughput(_ name: String, _ bytes: Double, _ isEncrypted: Bool, _ body: () -> Void) {
        sync()
        let start = ContinuousClock.now
        body()
        note(name, "MiB/s", isEncrypted, bytes / 1_048_576 / ((ContinuousClock.now - start) / .seconds(1)))
    }

    private mutating func measure(_ isEncrypted: Bool) {
        let (data, newKey) = (data, key)
        let ownKey = isEncrypted ? key : nil
        let subject = EngineSubject(data, folder: folder, key: ownKey)
        let n = data.count
        let path = subject.path(.people)
        subject.create(.people)
        time("bulk insert, one transaction", n, isEncrypted) {
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
            let first = time(name + ", just opened", operations, isEncrypted) { work() }
            let again = time(name + ", again", operations, isEncrypted) { work() }
            if first != again { fail("\(name): \(first) and \(again)") }
        }
        _ = time("open the file and read one value", 1, isEncrypted) { subject.openAndReadOne(.people, id: n / 2) }
        subject.open(.people)
        time("update one Int on all objects", n, isEncrypted) { subject.updateAll() }
        let singles = min(100, n)
        time("one object a durable transaction", singles, isEncrypted) {
            subject.insertMore(singles)
        }
        let used = subject.attempt { () throws(EngineError) in Double(try subject.database.fileUse().used) }
        note("pages in use", "MiB", isEncrypted, used / 1_048_576)
        let copy = folder + "/copy.realm"
        for (name, key) in [("backup, with its own key", ownKey), ("copy with a new key", newKey)] {
            unlink(copy)
            throughput(name, used, isEncrypted) {
                subject.attempt { () throws(EngineError) in try subject.view.copy(to: copy, key: key) }
            }
        }
        unlink(copy)
        throughput("verify", used, isEncrypted) {
            let problems = subject.view.verify()
            if !problems.isEmpty { fail("verify: \(problems)") }
        }
        subject.close()
        throughput("compaction", used, isEncrypted) {
            subject.attempt { () throws(EngineError) in _ = try Database.compact(at: path, key: ownKey) }
        }
        for suffix in ["", "-lock", ".writer"] { unlink(path + suffix) }
    }

    // MARK: The report

    var markdown: String {
        var lines = [
            """
            ## Files and encryption

            The engine on a plain file and on an encrypted one, medians. A time is per operation, the overhead how many times \
            the plain one's. "Just opened" decrypts what it reads, "again" finds it decrypted. Throughputs count the pages in \
            use, flush to the disk included.

            | Workload | Plain | Encrypted | Overhead |
            |---|---:|---:|---:|
            """
        ]
        for row in rows {
            let (plain, encrypted) = (median(row.plain), median(row.encrypted))
            let unit = row.unit
            lines.append(
                "| \(row.name) | \(figure(plain)) \(unit) | \(figure(encrypted)) \(unit) | "
                    + String(format: "%.2f ×", row.overhead) + " |"
            )
        }
        return lines.joined(separator: "\n")
    }
}

func median(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }
