public import FreeholdEngine
import TestRandom

/// A sequence of transactions, each of which is a function of its number and a seed. A test therefore knows the content
/// of a file after any of them, no matter which process wrote it.
///
/// Transaction `n` adds objects, changes some, edits lists, sets links and deletes the oldest, so that the file stays
/// small in a run of any length. The `number` of the object with primary key 0 is `n`.
public struct Script: Sendable {
    public let seed: UInt64

    public init(seed: UInt64) { self.seed = seed }

    /// The key of encrypted files.
    public static let key = EncryptionKey((0..<64).map { UInt8($0 * 3 + 1) })!
    /// In a child's environment: that its files are encrypted.
    public static let encryptedVariable = "FREEHOLD_TEST_ENCRYPTED"

    /// The same: the bytes of their commit log.
    public static let logVariable = "FREEHOLD_TEST_LOG"

    public static let tableName = "Entry"
    public static let specs = [
        TableSpec(
            tableName,
            columns: [
                ColumnSpec("id", .int), ColumnSpec("number", .int), ColumnSpec("text", .string, indexed: true),
                ColumnSpec("note", .string, optional: true), ColumnSpec("score", .double),
                ColumnSpec("next", .link, optional: true, target: tableName),
                ColumnSpec("items", .int, collection: .list),
                ColumnSpec("others", .link, collection: .list, target: tableName),
            ],
            primaryKey: "id"
        )
    ]

    /// Objects that are kept besides object 0.
    static let kept = 150

    /// The work of one transaction, without types of the engine.
    public enum Step: Equatable, Sendable {
        case add(Int64, Entry)
        case set(Int64, number: Int64, text: String)
        case append(Int64, [Int64])
        case removeFirstItem(Int64)
        case delete(Int64)
    }

    /// The steps of transaction `n` (from 1) on a file that holds `state`.
    public func steps(_ n: Int64, on state: State) -> [Step] {
        var random = SeededRandom(seed: seed &+ UInt64(n) &* 0x9E37_79B9)
        var steps: [Step] = []
        var ids = state.entries.keys.filter { $0 != 0 }.sorted()
        if state.entries[0] == nil { steps.append(.add(0, Entry(number: 0, text: "counter"))) }
        // Now and then a transaction large enough to be hit in its middle.
        let added = random.below(8) == 0 ? 60 : 1 + random.below(4)
        for i in 0..<added {
            let id = n * 1000 + Int64(i)
            var entry = Entry(number: n, text: random.text(1 + random.below(12)))
            if random.below(3) == 0 { entry.note = random.text(random.below(20) == 0 ? 5000 : 40) }
            entry.score = Double(random.below(1000)) / 8
            entry.items = (0..<random.below(6)).map { _ in Int64(random.below(1 << 20)) }
            if !ids.isEmpty {
                entry.next = ids[random.below(ids.count)]
                entry.others = (0..<random.below(4)).map { _ in ids[random.below(ids.count)] }
            }
            steps.append(.add(id, entry))
            ids.append(id)
        }
        for _ in 0..<random.below(6) {
            let id = ids[random.below(ids.count)]
            switch random.below(3) {
            case 0: steps.append(.set(id, number: -n, text: random.text(8)))
            case 1: steps.append(.append(id, (0..<1 + random.below(40)).map { _ in Int64(random.below(100)) }))
            default: steps.append(.removeFirstItem(id))
            }
        }
        let excess = ids.count - Self.kept
        if excess > 0 { steps += ids.prefix(excess).map { .delete($0) } }
        if random.below(5) == 0 { steps.append(.delete(ids[ids.count - 1])) }
        steps.append(.set(0, number: n, text: "counter"))
        return steps
    }
}

/// One object of the script's table.
public struct Entry: Equatable, Sendable {
    public var number: Int64
    public var text: String
    public var note: String?
    public var score = 0.0
    public var next: Int64?
    public var items: [Int64] = []
    public var others: [Int64] = []

    public init(number: Int64, text: String) {
        self.number = number
        self.text = text
    }
}

extension SeededRandom {
    fileprivate mutating func text(_ length: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyzäöüß水")
        return String((0..<length).map { _ in letters[below(letters.count)] })
    }
}
