import BenchModels
import Foundation
import Freehold

/// How many shelves, and how many edits of a large collection.
struct ShelfSizes {
    let shelves: Int
    let large: Int
    let edits = 1000

    init(_ data: Dataset) {
        shelves = max(1, data.count / 10)
        large = data.count
    }

    static let words = ["history", "travel", "poetry", "science", "cooking", "music", "gardens"]

    static func word(_ shelf: Int, at i: Int) -> String { words[(shelf + i * 2) % words.count] }
    static func street(_ shelf: Int) -> String { "Street \(shelf % 1000)" }
    static func key(_ i: Int) -> String { "key \(i)" }
    /// Positions all over a large collection, in no order.
    func place(_ i: Int) -> Int { (i * 7_919 + 13) % large }
}

extension LMDBSubject {
    func shelves(_ work: ShelfWork) -> Int64 { fail("a row per object has no collections") }
}

extension EngineSubject {
    func shelves(_ work: ShelfWork) -> Int64 { fail("shelves are measured as objects") }
}

extension ObjectSubject {
    private var all: Results<Shelf> { realm.objects(Shelf.self) }
    private var first: Shelf { all[0] }

    func shelves(_ work: ShelfWork) -> Int64 {
        let sizes = ShelfSizes(data)
        var sum = 0
        switch work {
        case .addWithEmbedded:
            write {
                for number in 0..<sizes.shelves {
                    let shelf = Shelf()
                    shelf.id = number
                    let address = Address()
                    address.street = ShelfSizes.street(number)
                    address.number = number
                    shelf.address = address
                    realm.add(shelf)
                }
            }
        case .readThroughEmbedded: for shelf in all { sum += shelf.address?.number ?? 0 }
        case .fillSets:
            write {
                for shelf in all {
                    let tags = shelf.tags
                    for i in 0..<3 { tags.insert(ShelfSizes.word(shelf.id, at: i)) }
                }
            }
        case .askSets: for shelf in all where shelf.tags.contains("music") { sum += 1 }
        case .fillMaps:
            write {
                for shelf in all {
                    let counts = shelf.counts
                    for i in 0..<3 { counts[ShelfSizes.word(shelf.id, at: i)] = i }
                }
            }
        case .readMaps: for shelf in all { sum += shelf.counts["music"] ?? 0 }
        case .setMixed:
            write {
                for shelf in all {
                    switch shelf.id % 3 {
                    case 0: shelf.any = .int(shelf.id)
                    case 1: shelf.any = .string(ShelfSizes.street(shelf.id))
                    default: shelf.any = .double(Double(shelf.id))
                    }
                }
            }
        case .walkMixed:
            for shelf in all {
                switch shelf.any {
                case .int(let value): sum += value
                case .double(let value): sum += Int(value)
                case .string(let text): sum += text.utf8.count
                default: break
                }
            }
        case .fillLargeList:
            write {
                let shelf = Shelf()
                realm.add(shelf)
                let numbers = shelf.numbers
                for i in 0..<sizes.large { numbers.append(i) }
            }
        case .walkLargeList: for number in first.numbers { sum += number }
        case .readLargeList:
            let numbers = first.numbers
            for i in 0..<sizes.large / 10 { sum += numbers[sizes.place(i)] }
        case .insertInLargeList:
            write {
                let numbers = first.numbers
                for i in 0..<sizes.edits { numbers.insert(i, at: sizes.large / 2 + sizes.place(i) % 1000) }
            }
        case .fillLargeMap:
            write {
                let counts = first.counts
                for i in 0..<sizes.large { counts[ShelfSizes.key(i)] = i }
            }
        case .readLargeMap:
            let counts = first.counts
            for i in 0..<sizes.large / 10 { sum += counts[ShelfSizes.key(sizes.place(i))] ?? 0 }
        case .insertInLargeMap:
            write {
                let counts = first.counts
                for i in 0..<sizes.edits { counts["new " + ShelfSizes.key(sizes.place(i))] = i }
            }
        }
        return Int64(sum)
    }
}

extension SQLiteSubject {
    func createShelves() {
        execute("CREATE TABLE shelves (id INTEGER PRIMARY KEY, any)")
        execute("CREATE TABLE addresses (shelf INTEGER PRIMARY KEY, street TEXT NOT NULL, number INTEGER NOT NULL)")
        execute("CREATE TABLE tags (shelf INTEGER, tag TEXT, PRIMARY KEY (shelf, tag)) WITHOUT ROWID")
        execute(
            "CREATE TABLE counts (shelf INTEGER, key TEXT, count INTEGER, PRIMARY KEY (shelf, key)) WITHOUT ROWID"
        )
        execute(
            "CREATE TABLE items (shelf INTEGER, position INTEGER, item INTEGER, PRIMARY KEY (shelf, position)) "
                + "WITHOUT ROWID"
        )
    }

    func bound(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = text
        text.withUTF8(body)
    }

    func shelves(_ work: ShelfWork) -> Int64 {
        let sizes = ShelfSizes(data)
        var sum: Int64 = 0
        switch work {
        case .addWithEmbedded:
            transaction {
                let shelf = prepare("INSERT INTO shelves VALUES (?, NULL)")
                let address = prepare("INSERT INTO addresses VALUES (?, ?, ?)")
                for number in 0..<sizes.shelves {
                    shelf.bind(1, Int64(number))
                    shelf.run()
                    bound(ShelfSizes.street(number)) {
                        address.bind(1, Int64(number))
                        address.bind(2, $0)
                        address.bind(3, Int64(number))
                        address.run()
                    }
                }
            }
        case .readThroughEmbedded:
            let all = prepare("SELECT number FROM shelves LEFT JOIN addresses ON shelf = id ORDER BY id")
            while all.step() { sum += all.int(0) }
            all.reset()
        case .fillSets:
            transaction {
                let tag = prepare("INSERT OR IGNORE INTO tags VALUES (?, ?)")
                for number in 0..<sizes.shelves {
                    for i in 0..<3 {
                        bound(ShelfSizes.word(number, at: i)) {
                            tag.bind(1, Int64(number))
                            tag.bind(2, $0)
                            tag.run()
                        }
                    }
                }
            }
        case .askSets:
            let one = prepare("SELECT count(*) FROM tags WHERE shelf = ? AND tag = 'music'")
            for number in 0..<sizes.shelves {
                one.bind(1, Int64(number))
                sum += one.single()
            }
        case .fillMaps:
            transaction {
                let count = prepare("INSERT OR REPLACE INTO counts VALUES (?, ?, ?)")
                for number in 0..<sizes.shelves {
                    for i in 0..<3 {
                        bound(ShelfSizes.word(number, at: i)) {
                            count.bind(1, Int64(number))
                            count.bind(2, $0)
                            count.bind(3, Int64(i))
                            count.run()
                        }
                    }
                }
            }
        case .readMaps:
            let one = prepare("SELECT total(count) FROM counts WHERE shelf = ? AND key = 'music'")
            for number in 0..<sizes.shelves {
                one.bind(1, Int64(number))
                sum += one.single()
            }
        case .setMixed:
            transaction {
                let set = prepare("UPDATE shelves SET any = ? WHERE id = ?")
                for number in 0..<sizes.shelves {
                    set.bind(2, Int64(number))
                    switch number % 3 {
                    case 0:
                        set.bind(1, Int64(number))
                        set.run()
                    case 1:
                        bound(ShelfSizes.street(number)) {
                            set.bind(1, $0)
                            set.run()
                        }
                    default:
                        set.bind(1, Double(number))
                        set.run()
                    }
                }
            }
        case .walkMixed:
            let all = prepare(
                "SELECT CASE typeof(any) WHEN 'text' THEN length(any) ELSE any END FROM shelves ORDER BY id"
            )
            while all.step() { sum += all.int(0) }
            all.reset()
        case .fillLargeList:
            transaction {
                let item = prepare("INSERT INTO items VALUES (0, ?, ?)")
                for i in 0..<sizes.large {
                    item.bind(1, Int64(i))
                    item.bind(2, Int64(i))
                    item.run()
                }
            }
        case .walkLargeList:
            let all = prepare("SELECT item FROM items WHERE shelf = 0 ORDER BY position")
            while all.step() { sum += all.int(0) }
            all.reset()
        case .readLargeList:
            let one = prepare("SELECT item FROM items WHERE shelf = 0 AND position = ?")
            for i in 0..<sizes.large / 10 {
                one.bind(1, Int64(sizes.place(i)))
                sum += one.single()
            }
        case .fillLargeMap:
            transaction {
                let count = prepare("INSERT OR REPLACE INTO counts VALUES (0, ?, ?)")
                for i in 0..<sizes.large {
                    bound(ShelfSizes.key(i)) {
                        count.bind(1, $0)
                        count.bind(2, Int64(i))
                        count.run()
                    }
                }
            }
        case .readLargeMap:
            let one = prepare("SELECT count FROM counts WHERE shelf = 0 AND key = ?")
            for i in 0..<sizes.large / 10 {
                bound(ShelfSizes.key(sizes.place(i))) {
                    one.bind(1, $0)
                    sum += one.single()
                }
            }
        case .insertInLargeMap:
            transaction {
                let count = prepare("INSERT OR REPLACE INTO counts VALUES (0, ?, ?)")
                for i in 0..<sizes.edits {
                    bound("new " + ShelfSizes.key(sizes.place(i))) {
                        count.bind(1, $0)
                        count.bind(2, Int64(i))
                        count.run()
                    }
                }
            }
        case .insertInLargeList: fail("a table has no middle")
        }
        return sum
    }
}

extension Workloads {
    /// Collections, embedded objects and mixed values, as a program uses them, beside SQLite's tables for the same.
    static func shelves(_ data: Dataset) -> [Workload] {
        let sizes = ShelfSizes(data)
        let both: [Layer] = [.sqlite, .objects]
        func change(
            _ name: String,
            _ operations: Int,
            work: ShelfWork,
            from base: FileKind?,
            to kind: FileKind,
            layers: [Layer] = [.sqlite, .objects],
            check: ShelfWork?
        ) -> Workload {
            Workload(
                name: name,
                operations: operations,
                layers: layers,
                prepare: { harness, subject in
                    if let base { harness.copy(base, to: kind, subject) } else { harness.create(kind, subject) }
                },
                run: { subject in
                    _ = subject.shelves(work)
                    return { check.map { subject.shelves($0) } ?? 0 }
                }
            )
        }
        func read(_ name: String, _ operations: Int, work: ShelfWork, kind: FileKind) -> Workload {
            Workload(name: name, operations: operations, layers: both, prepare: { $0.use(kind, $1) }) { subject in
                let figure = subject.shelves(work)
                return { figure }
            }
        }
        let n = sizes.shelves
        return [
            change(
                "add objects with an embedded object each",
                n,
                work: .addWithEmbedded,
                from: nil,
                to: .shelves,
                check: .readThroughEmbedded
            ),
            read("walk objects, read through the embedded object", n, work: .readThroughEmbedded, kind: .shelves),
            change("insert 3 strings in a set", n, work: .fillSets, from: .shelves, to: .sets, check: .askSets),
            read("does the set contain a string", n, work: .askSets, kind: .sets),
            change("set 3 entries of a map", n, work: .fillMaps, from: .shelves, to: .maps, check: .readMaps),
            read("read a map's value by key", n, work: .readMaps, kind: .maps),
            change("set a mixed value", n, work: .setMixed, from: .shelves, to: .mixed, check: .walkMixed),
            read("walk objects, read a mixed value", n, work: .walkMixed, kind: .mixed),
            change(
                "append to one large list, one transaction",
                sizes.large,
                work: .fillLargeList,
                from: nil,
                to: .large,
                check: .walkLargeList
            ),
            read("walk a large list", sizes.large, work: .walkLargeList, kind: .large),
            read("read random elements of a large list", sizes.large / 10, work: .readLargeList, kind: .large),
            change(
                "insert 1,000 in the middle of a large list, one transaction",
                sizes.edits,
                work: .insertInLargeList,
                from: .large,
                to: .largeChanged,
                layers: [.objects],
                check: .walkLargeList
            ),
            change(
                "fill one large map, one transaction",
                sizes.large,
                work: .fillLargeMap,
                from: .large,
                to: .largeChanged,
                check: .readLargeMap
            ),
            read("read random keys of a large map", sizes.large / 10, work: .readLargeMap, kind: .largeChanged),
            change(
                "insert 1,000 keys in a large map, one transaction",
                sizes.edits,
                work: .insertInLargeMap,
                from: .largeChanged,
                to: .large,
                check: .readLargeMap
            ),
        ]
    }
}
