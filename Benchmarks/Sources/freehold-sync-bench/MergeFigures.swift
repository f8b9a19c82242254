import BenchMachine
import FreeholdSyncCore

/// How long the server's merge takes, and what it keeps beside a list.
enum MergeFigures {
    static func table(_ count: Int) throws -> SyncTable {
        var table = SyncTable(
            "Merge: \(grouped(count)) changes",
            ["", "ns a change", "a second", "meta bytes an element"]
        )
        func add(_ name: String, _ seconds: Double, bytes: Double?) {
            let each = seconds / Double(count)
            table.add(name, figure(each * 1e9), grouped(Int(1 / each)), bytes.map { figure($0) } ?? "")
        }
        add("set a field of one of 100,000 objects, 200 a commit, 10 files", try fieldSets(count), bytes: nil)
        for kind in ListWork.allCases {
            var stream = MergeStream()
            let seconds = try time { try insert(count, kind, stream: &stream) }
            guard let list = stream.objects[name], case .list(let elements)? = list.contents["list"] else {
                fatalError("there is no list")
            }
            guard elements.count == count else { fatalError("\(elements.count) elements") }
            add(kind.rawValue, seconds, bytes: Double(list.stored(name.key).meta.count) / Double(count))
        }
        table.note = "Goal: 100,000 operations a second, of which the merge is a part."
        return table
    }

    private static func fieldSets(_ count: Int) throws -> Double {
        var stream = MergeStream()
        let names = (0..<100_000).map { ObjectName("Item", .int(Int64($0))) }
        let properties: [SyncString] = ["a", "b", "c", "d", "e"]
        for start in stride(from: 0, to: names.count, by: 1_000) {
            try stream.commit(
                1,
                names[start..<start + 1_000].map { name in
                    .create(name, properties.map { NewField($0, .value(.int(0))) })
                }
            )
        }
        var random = SystemRandomNumberGenerator()
        return try time {
            for round in 0..<count / 200 {
                let changes = (0..<200).map { number -> Change in
                    let place = Place(names.randomElement(using: &random)!, properties[number % 5])
                    return .set(place, .int(Int64(number)), .real)
                }
                try stream.commit(UInt32(round % 10 + 1), changes)
            }
        }
    }

    // MARK: Lists

    private static let name = ObjectName("Text", 1)

    enum ListWork: String, CaseIterable {
        case append = "append to one list, one element a change"
        case front = "insert at its front"
        case random = "insert at a random place"
        case typing = "type runs of 30 at random places, one element a change"
    }

    private static func insert(_ count: Int, _ kind: ListWork, stream: inout MergeStream) throws {
        var random = SystemRandomNumberGenerator()
        try stream.commit(1, [.create(name, [NewField("list", .list(first: 1, []))])])
        let place = Place(name, "list")
        var (done, own) = (0, OwnNumber(1))
        while done < count {
            let size = min(1_000, count - done)
            var changes: [Change] = []
            changes.reserveCapacity(size)
            var last: ElementReference?
            var next: ElementReference?
            for number in 0..<size {
                let gap: Gap
                switch kind {
                case .append:
                    gap = Gap(after: last ?? (done > 0 ? .confirmed(done - 1) : nil), before: nil)
                case .front:
                    gap = Gap(after: nil, before: last ?? (done > 0 ? .confirmed(0) : nil))
                case .random, .typing:
                    if kind == .random || number % 30 == 0 {
                        let index = Int.random(in: 0...done, using: &random)
                        last = index > 0 ? .confirmed(index - 1) : nil
                        next = index < done ? .confirmed(index) : nil
                    }
                    gap = Gap(after: last, before: next)
                }
                changes.append(.insert(place, gap, first: own, [.int(Int64(number))]))
                if kind != .random { last = .own(own) }
                own += 1
            }
            try stream.commit(1, changes)
            done += size
        }
    }
}
