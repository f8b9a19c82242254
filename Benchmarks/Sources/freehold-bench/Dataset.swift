/// SplitMix64: the same numbers in every run.
struct Random {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

/// One row as every engine gets it. Rows are a function of their number, so that a child process that measures
/// memory needs no arrays.
struct Row {
    var id: Int64
    /// 9 to 15 ASCII bytes, 12 on average.
    var name: String
    var age: Int64
    /// A multiple of a quarter, so that sums are exact in every order.
    var score: Double
    var active: Bool
    /// Microseconds since 1970, whole milliseconds.
    var created: Int64

    private static let syllables = [
        "ka", "lo", "mi", "ren", "sta", "vo", "bel", "dor", "fin", "gra", "hu", "jen", "kol", "lin", "mar", "nor",
        "ola", "per", "qui", "ras", "sol", "tam", "ulf", "ver", "win", "xan", "yor", "zel", "ath", "bri", "cor", "del",
    ]

    init(_ number: Int) {
        var random = Random(UInt64(number) &* 0x5851_F42D_4C95_7F2D &+ 11)
        id = Int64(number)
        var text = ""
        let syllables = Self.syllables
        for position in 0..<5 {
            let syllable = syllables[random.below(syllables.count)]
            if position == 2 { text += " " }
            text += position == 0 || position == 2 ? syllable.prefix(1).uppercased() + syllable.dropFirst() : syllable
            if text.utf8.count > 11 { break }
        }
        name = text
        age = Int64(random.below(100))
        score = Double(random.below(4000)) / 4
        active = random.below(2) == 0
        created =
            1_600_000_000_000_000 + Int64(random.below(100_000_000)) * 1_000_000 + Int64(random.below(1000)) * 1000
    }
}

/// All rows in memory, made before anything is timed. Texts are held twice, as Swift strings for Freehold and as bytes
/// for the C libraries, so that no library is measured with a conversion that its usual callers don't need.
final class Dataset: @unchecked Sendable {  // filled by init, read-only after
    let count: Int
    /// Rows past `count`, for the transactions of one object.
    static let extra = 5000
    let rows: [Row]
    let nameBytes: UnsafeMutablePointer<UInt8>
    let nameStarts: [Int]
    let allIDs: [Int]
    let shuffledIDs: [Int]
    /// At most 100,000 random ids.
    let lookups: [Int]
    /// At most 10,000 distinct random ids.
    let updates: [Int]

    let dogCount: Int
    let dogAges: [Int64]
    /// A dog for each row, and three for its list.
    let dogOf: [Int]
    let listDogs: [Int]

    init(count: Int) {
        self.count = count
        rows = (0..<count + Self.extra).map(Row.init)
        var starts: [Int] = []
        starts.reserveCapacity(rows.count + 1)
        var total = 0
        for row in rows {
            starts.append(total)
            total += row.name.utf8.count
        }
        starts.append(total)
        nameStarts = starts
        nameBytes = .allocate(capacity: total)
        for (number, row) in rows.enumerated() {
            var at = nameBytes + starts[number]
            for byte in row.name.utf8 {
                at.pointee = byte
                at += 1
            }
        }
        var random = Random(42)
        var order = Array(0..<count)
        allIDs = order
        for i in stride(from: count - 1, to: 0, by: -1) { order.swapAt(i, random.below(i + 1)) }
        shuffledIDs = order
        lookups = (0..<min(count, 100_000)).map { _ in random.below(count) }
        updates = Array(order.prefix(min(max(count / 10, 1), 10_000)))
        dogCount = max(count / 10, 1)
        let dogs = dogCount
        dogAges = (0..<dogs).map { _ in Int64(random.below(20)) }
        dogOf = (0..<count).map { _ in random.below(dogs) }
        listDogs = (0..<count * 3).map { _ in random.below(dogs) }
    }

    deinit { nameBytes.deallocate() }

    func nameBuffer(_ number: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: nameBytes + nameStarts[number], count: nameStarts[number + 1] - nameStarts[number])
    }

    /// Over every position and name: equal only for the same order (names that are equal may change places).
    func orderChecksum(names ids: [Int64]) -> Int64 {
        var sum: Int64 = 0
        for (position, id) in ids.enumerated() {
            var hash: Int64 = 17
            for byte in nameBuffer(Int(id)) { hash = hash &* 31 &+ Int64(byte) }
            sum = sum &+ hash &* Int64(position + 1)
        }
        return sum
    }

    func orderChecksum(ages ids: [Int64]) -> Int64 {
        var sum: Int64 = 0
        for (position, id) in ids.enumerated() { sum = sum &+ (rows[Int(id)].age + 1) &* Int64(position + 1) }
        return sum
    }
}
