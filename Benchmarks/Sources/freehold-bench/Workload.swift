/// What PERFORMANCE asks of a workload.
struct Goal {
    enum Bound {
        /// At most so many times the rival's median in the same run.
        case ratio(Double, to: Layer)
        /// At most so many nanoseconds an operation.
        case nanoseconds(Double)
    }

    let layer: Layer
    let bound: Bound

    static func engine(_ ratio: Double, of rival: Layer = .lmdb) -> Goal {
        Goal(layer: .engine, bound: .ratio(ratio, to: rival))
    }
    static func objects(_ ratio: Double, of rival: Layer = .lmdb) -> Goal {
        Goal(layer: .objects, bound: .ratio(ratio, to: rival))
    }
    static func engine(nanoseconds: Double) -> Goal { Goal(layer: .engine, bound: .nanoseconds(nanoseconds)) }
    static func objects(nanoseconds: Double) -> Goal { Goal(layer: .objects, bound: .nanoseconds(nanoseconds)) }
}

/// One row of the report.
struct Workload {
    let name: String
    /// What the time of a run is divided by.
    let operations: Int
    /// Nil: all of them.
    var layers: [Layer]?
    var goals: [Goal] = []
    /// Brings the subject's files into the state that the run starts from; not timed.
    let prepare: (Harness, any Subject) -> Void
    /// The timed part. What it returns makes the figure that all subjects must agree on, and isn't timed.
    let run: (any Subject) -> () -> Int64

    func takesPart(_ layer: Layer) -> Bool { layers?.contains(layer) ?? true }
}

enum Workloads {
    static func all(_ data: Dataset) -> [Workload] {
        inserts(data) + reads(data) + accessors() + changes(data) + links(data) + queries(data) + shelves(data)
            + opening(data)
    }

    /// Those that the growth table shows.
    static func growing(_ data: Dataset) -> [Workload] {
        let names: Set = [
            Name.bulkInsert, Name.indexedInsert, Name.find, Name.walkScalars, Name.countAge, Name.countContains,
            Name.sumScore,
            Name.findIndexed, Name.open,
        ]
        return all(data).filter { names.contains($0.name) }
    }

    enum Name {
        static let bulkInsert = "bulk insert, one transaction"
        static let indexedInsert = "same with an indexed string"
        static let find = "find by primary key, random, read Int + String"
        static let walkScalars = "walk all objects, read 3 properties (Int, Double, Bool)"
        static let countAge = "count `age > 50`, no index"
        static let countContains = "count CONTAINS"
        static let sumScore = "sum of a Double"
        static let findIndexed = "indexed string equality, random, first match read"
        static let open = "open the file and read one value (warm)"
    }

    static func inserts(_ data: Dataset) -> [Workload] {
        let n = data.count
        let single = min(300, n)
        func insert(_ kind: FileKind, _ ids: [Int], perTransaction: Int = .max / 2) -> (
            prepare: (Harness, any Subject) -> Void, run: (any Subject) -> () -> Int64
        ) {
            (
                { $0.create(kind, $1) },
                { subject in
                    subject.insert(ids[...], perTransaction: perTransaction)
                    return { subject.countPeople() }
                }
            )
        }
        func workload(
            _ name: String,
            _ goals: [Goal],
            body: (prepare: (Harness, any Subject) -> Void, run: (any Subject) -> () -> Int64)
        ) -> Workload {
            Workload(name: name, operations: n, goals: goals, prepare: body.prepare, run: body.run)
        }
        let extra = Array(n..<n + single)
        return [
            workload(Name.bulkInsert, [.engine(1.0), .objects(1.6)], body: insert(.people, data.allIDs)),
            workload(Name.indexedInsert, [.engine(1.0)], body: insert(.indexed, data.allIDs)),
            workload("insert in random key order", [.engine(1.0)], body: insert(.shuffled, data.shuffledIDs)),
            workload(
                "1,000 objects a transaction",
                [.engine(1.0)],
                body: insert(.scratch, data.allIDs, perTransaction: 1000)
            ),
            Workload(
                name: "one object a durable transaction",
                operations: single,
                goals: [.engine(1.3)],
                prepare: { $0.copy(.people, to: .scratch, $1) },
                run: { subject in
                    subject.insert(extra[...], perTransaction: 1)
                    return { subject.countPeople() }
                }
            ),
        ]
    }

    private static func onPeople(
        _ name: String,
        _ operations: Int,
        goals: [Goal],
        kind: FileKind = .people,
        run: @escaping (any Subject) -> Int64
    ) -> Workload {
        Workload(name: name, operations: operations, goals: goals, prepare: { $0.use(kind, $1) }) { subject in
            let figure = run(subject)
            return { figure }
        }
    }

    static func reads(_ data: Dataset) -> [Workload] {
        let n = data.count
        func count(_ name: String, _ condition: Condition, nanoseconds: Double) -> Workload {
            onPeople(name, n, goals: [.engine(nanoseconds: nanoseconds)]) { $0.count(condition) }
        }
        func sort(
            _ name: String,
            _ goals: [Goal],
            check: @escaping ([Int64]) -> Int64,
            run: @escaping (any Subject) -> [Int64]
        ) -> Workload {
            Workload(name: name, operations: n, goals: goals, prepare: { $0.use(.people, $1) }) { subject in
                let ids = run(subject)
                return { check(ids) }
            }
        }
        return [
            onPeople(Name.find, data.lookups.count, goals: [.engine(1.0), .objects(1.3)]) { $0.find(data.lookups) },
            onPeople(Name.walkScalars, n, goals: [.engine(nanoseconds: 15), .objects(nanoseconds: 120)]) {
                $0.walkScalars()
            },
            onPeople(
                "walk all objects, read 3 properties (String, Int, Double)",
                n,
                goals: [.engine(nanoseconds: 15), .objects(nanoseconds: 120)]
            ) { $0.walkWithText() },
            count(Name.countAge, .ageOver50, nanoseconds: 1.5),
            count("count of a string equality, no index", .nameEquals, nanoseconds: 4),
            count(Name.countContains, .nameContains, nanoseconds: 15),
            count("count CONTAINS[c]", .nameContainsFolded, nanoseconds: 20),
            count("count BEGINSWITH", .nameBegins, nanoseconds: 6),
            count("count BEGINSWITH[c]", .nameBeginsFolded, nanoseconds: 8),
            count("count of three conditions ANDed", .threeConditions, nanoseconds: 4),
            onPeople("sum of an Int", n, goals: [.engine(nanoseconds: 1)]) { $0.sumAges() },
            onPeople(Name.sumScore, n, goals: [.engine(nanoseconds: 1)]) { Int64($0.sumScores() * 4) },
            sort("sort all by String", [.engine(1.0)], check: { data.orderChecksum(names: $0) }) { $0.sortedByName() },
            sort("sort all by Int", [.engine(1.0)], check: { data.orderChecksum(ages: $0) }) { $0.sortedByAge() },
            sort(
                "filter, sort by String, first 100",
                [.engine(nanoseconds: 40)],
                check: { data.orderChecksum(names: $0) }
            ) {
                $0.firstHundredByName()
            },
            onPeople(Name.findIndexed, data.lookups.count, goals: [.engine(0.6)], kind: .indexed) {
                $0.findIndexed(data.lookups)
            },
        ]
    }

    static func changes(_ data: Dataset) -> [Workload] {
        let n = data.count
        return [
            Workload(
                name: "update one Int on all objects",
                operations: n,
                goals: [.engine(nanoseconds: 60), .objects(nanoseconds: 150)],
                prepare: { $0.copy(.people, to: .scratch, $1) },
                run: { subject in
                    subject.updateAll()
                    return { subject.sumAges() }
                }
            ),
            Workload(
                name: "update one Int on random objects",
                operations: data.updates.count,
                goals: [.engine(nanoseconds: 5000)],
                prepare: { $0.copy(.people, to: .scratch, $1) },
                run: { subject in
                    subject.update(data.updates)
                    return { subject.sumAges() }
                }
            ),
            Workload(
                name: "delete half by query (per object deleted)",
                operations: n / 2,
                goals: [.engine(nanoseconds: 150)],
                prepare: { $0.copy(.people, to: .scratch, $1) },
                run: { subject in
                    subject.deleteUnder50()
                    return { subject.countPeople() }
                }
            ),
        ]
    }

    static func links(_ data: Dataset) -> [Workload] {
        let n = data.count
        return [
            Workload(
                name: "set `person.dog` on all",
                operations: n,
                goals: [.engine(nanoseconds: 400)],
                prepare: { $0.copy(.kennel, to: .linked, $1) },
                run: { subject in
                    subject.setDogs()
                    return { subject.countBacklinks() }
                }
            ),
            onPeople("`person.dog.age`, in order", n, goals: [.engine(nanoseconds: 150)], kind: .linked) {
                $0.walkDogAges()
            },
            onPeople("count `dog.age > 5` across the link", n, goals: [.engine(nanoseconds: 30)], kind: .linked) {
                $0.countAcrossLink()
            },
            onPeople("backlink count", data.dogCount, goals: [.engine(nanoseconds: 60)], kind: .linked) {
                $0.countBacklinks()
            },
            Workload(
                name: "append 3 Ints to a list",
                operations: n,
                goals: [.engine(nanoseconds: 400)],
                prepare: { $0.copy(.kennel, to: .lists, $1) },
                run: { subject in
                    subject.appendNumbers()
                    return { 0 }
                }
            ),
            onPeople("read 3 Ints of a list", n, goals: [.engine(nanoseconds: 300)], kind: .lists) { $0.readNumbers() },
            Workload(
                name: "append 3 links to a list (Freehold also stores their backlinks)",
                operations: n,
                goals: [.engine(nanoseconds: 400)],
                prepare: { $0.copy(.kennel, to: .lists, $1) },
                run: { subject in
                    subject.appendDogs()
                    return { 0 }
                }
            ),
            onPeople(
                "read 3 links of a list and the age behind each",
                n,
                goals: [.engine(nanoseconds: 300)],
                kind: .lists
            ) {
                $0.readDogs()
            },
        ]
    }

    static func opening(_ data: Dataset) -> [Workload] {
        let id = data.count / 2
        return [
            Workload(
                name: Name.open,
                operations: 5,
                goals: [.engine(nanoseconds: 500_000)],
                prepare: { $0.close($1) },
                run: { subject in
                    var sum: Int64 = 0
                    for _ in 0..<5 { sum += subject.openAndReadOne(.people, id: id) }
                    return { sum }
                }
            )
        ]
    }
}
