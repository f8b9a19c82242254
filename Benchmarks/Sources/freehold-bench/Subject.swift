/// What is measured: one way to store and ask for the same data.
enum Layer: String, CaseIterable, Sendable {
    case lmdb = "LMDB, a row per object"
    case sqlite = "SQLite"
    case engine = "Freehold engine"
    case objects = "Freehold objects"

    var fileName: String {
        switch self {
        case .lmdb: "lmdb"
        case .sqlite: "sqlite"
        case .engine: "engine"
        case .objects: "objects"
        }
    }
}

/// The files that a subject keeps during a run. Which tables and indexes a file has follows from its kind.
enum FileKind: String, CaseIterable {
    /// People with a primary key.
    case people
    /// People with a primary key and an index on the name.
    case indexed
    /// People inserted in random order of their keys.
    case shuffled
    /// People, to be changed by a workload: a copy or a fresh file.
    case scratch
    /// Dogs, and owners without dogs.
    case kennel
    /// Dogs, and owners with one dog each.
    case linked
    /// Dogs, and owners with lists of three.
    case lists
    /// Shelves with an embedded object each.
    case shelves
    /// Shelves with sets of three elements, with maps of three entries, and with mixed values.
    case sets, maps, mixed
    /// One shelf with a list, and a map, of as many elements as there are people otherwise; and a copy to be changed.
    case large, largeChanged
    /// Articles with a full-text index.
    case articles
    /// Shops with an index of their places.
    case shops

    var hasShelves: Bool {
        switch self {
        case .shelves, .sets, .maps, .mixed, .large, .largeChanged: true
        default: false
        }
    }
}

/// What is done with shelves.
enum ShelfWork {
    case addWithEmbedded, readThroughEmbedded
    case fillSets, askSets
    case fillMaps, readMaps
    case setMixed, walkMixed
    case fillLargeList, walkLargeList, readLargeList, insertInLargeList
    case fillLargeMap, readLargeMap, insertInLargeMap
}

/// What is asked beyond the conditions on people.
enum QueryWork {
    case inMany, inManyIndexed, rangeIndexed, prefixIndexed, firstHundredIndexed
    case columns, distinctAges, groupByAge, groupByName
    case anyInList, subquery
    case addArticles, findWord, findTwoWords, findPrefix, findPhrase, rank
    case addShops, circles
}

/// A condition on people. Each subject states it in its own way.
enum Condition: CaseIterable {
    case ageOver50
    case nameEquals
    case nameContains
    case nameContainsFolded
    case nameBegins
    case nameBeginsFolded
    case threeConditions

    static let equalName = Row(4321).name
    static let contained = "mar"
    static let containedFolded = "MAR"
    static let beginning = "Ver"
    static let beginningFolded = "vER"
}

/// One engine. Every call does a whole workload, so that the calls themselves cost nothing; every call that reads
/// returns a figure that all subjects must agree on.
///
/// A call that fails ends the process with a message: a benchmark has nothing to recover.
protocol Subject: AnyObject {
    var layer: Layer { get }
    /// What the report says of the version.
    var version: String { get }

    /// Closes what is open, removes the file of that kind, makes an empty one and opens it.
    func create(_ kind: FileKind)
    /// Closes what is open, and opens the file of that kind.
    func open(_ kind: FileKind)
    func close()
    func path(_ kind: FileKind) -> String

    /// Adds people in the order given, so many a transaction.
    func insert(_ numbers: ArraySlice<Int>, perTransaction: Int)
    /// As `insert` in one transaction, from generated rows instead of prepared ones (to measure memory).
    func insertGenerated(count: Int)
    func countPeople() -> Int64

    /// Looks each id up and reads age and name; the sum of ages and name lengths.
    func find(_ ids: [Int]) -> Int64
    /// Reads age, score and active of everyone; the sum of ages, four times the scores and the active.
    func walkScalars() -> Int64
    /// Reads name, age and score of everyone; the sum of name lengths, ages and four times the scores.
    func walkWithText() -> Int64
    func count(_ condition: Condition) -> Int64
    func sumAges() -> Int64
    func sumScores() -> Double
    func sortedByName() -> [Int64]
    func sortedByAge() -> [Int64]
    /// Returns the first 100 people over 50 by name.
    func firstHundredByName() -> [Int64]
    /// Looks up the names of these people by the index and reads the first match's age; the sum of name lengths found.
    func findIndexed(_ numbers: [Int]) -> Int64

    /// Adds one to the age of everyone, in one transaction.
    func updateAll()
    /// Adds one to the age of these, in one transaction.
    func update(_ ids: [Int])
    /// Deletes those under 50 in one transaction.
    func deleteUnder50()

    func insertKennel()
    func setDogs()
    func walkDogAges() -> Int64
    /// Owners whose dog is over 5.
    func countAcrossLink() -> Int64
    /// The sum of squares of the numbers of owners of each dog.
    func countBacklinks() -> Int64
    func appendNumbers()
    func readNumbers() -> Int64
    func appendDogs()
    /// The sum of the ages of the dogs in the lists.
    func readDogs() -> Int64

    /// A figure that all agree on; 0 where there is none.
    func shelves(_ work: ShelfWork) -> Int64
    /// A figure that all agree on.
    func ask(_ work: QueryWork) -> Int64

    /// Opens the file of that kind, reads one age and closes.
    func openAndReadOne(_ kind: FileKind, id: Int) -> Int64
}

func fail(_ message: String) -> Never {
    fatalError(message)
}
