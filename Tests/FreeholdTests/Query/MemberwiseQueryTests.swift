import Foundation
import TestRandom
import Testing

@testable import Freehold

class MemberPair: EmbeddedObject {
    @Persisted var first = ""
    @Persisted var second: String?
}

/// Stored as an embedded object.
struct MemberWord: CustomPersistable, Hashable {
    typealias PersistedType = MemberPair
    var first: String
    var second: String?

    init(_ first: String, _ second: String?) { (self.first, self.second) = (first, second) }
    init(persistedValue: MemberPair) { self.init(persistedValue.first, persistedValue.second) }
    var persistableValue: MemberPair { MemberPair(value: ["first": first, "second": second as Any]) }
}

class MemberShelf: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var word: MemberWord
    @Persisted var maybe: MemberWord?
    @Persisted var words: List<MemberWord>
    @Persisted var map: Map<String, MemberWord?>
    @Persisted var next: MemberShelf?
    @Persisted var shelves: List<MemberShelf>
    @Persisted var named: Map<String, MemberShelf?>
    @Persisted(originProperty: "next") var previous: LinkingObjects<MemberShelf>
}

class MemberList: EmbeddedObject {
    @Persisted var numbers: List<Int>
}

/// A value that can't be compared, because it contains a list.
struct MemberNumbers: CustomPersistable, Hashable {
    typealias PersistedType = MemberList
    var numbers: [Int] = []
    init() {}
    init(persistedValue: MemberList) { numbers = Array(persistedValue.numbers) }
    var persistableValue: MemberList { MemberList(value: [numbers]) }
}

class MemberNumbersHolder: Object {
    @Persisted var numbers: MemberNumbers
}

@Suite("Query: custom values that are stored as embedded objects")
struct MemberwiseQueryTests {
    typealias Shelf = Query<MemberShelf>

    static func realm() throws -> Realm {
        var configuration = newConfiguration()
        configuration.objectTypes = [MemberShelf.self, MemberPair.self]
        return try Realm(configuration: configuration)
    }

    /// The content of the models, without a realm.
    struct Plain {
        var word = MemberWord("", nil)
        var maybe: MemberWord?
        var words: [MemberWord] = []
        var map: [String: MemberWord?] = [:]
        var next: Int?
        var shelves: [Int] = []
        var named: [String: Int?] = [:]
    }

    @Test
    func `a map's entry is compared as a whole`() throws {
        let realm = try Self.realm()
        try realm.write {
            let shelf = realm.create(MemberShelf.self, value: ["id": 1])
            shelf.map["1"] = MemberWord("a", "d")
            shelf.map["2"] = MemberWord("c", "b")
        }
        let all = realm.objects(MemberShelf.self)
        expect(all.where { $0.map.values == MemberWord("a", "b") }.isEmpty)
        expect(all.where { $0.map == MemberWord("a", "b") }.isEmpty)
        expect(all.where { $0.map.contains(MemberWord("a", "b")) }.isEmpty)
        expectEqual(all.where { $0.map.values == MemberWord("a", "d") }.count, 1)
        expectEqual(all.where { $0.map.values != MemberWord("a", "d") }.count, 1)
        try realm.write { realm.objects(MemberShelf.self).first!.map["2"] = nil }
        expect(all.where { $0.map.values != MemberWord("a", "d") }.isEmpty)
    }

    @Test
    func `a member that is a collection is refused with its name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var configuration = Realm.Configuration(inMemoryIdentifier: "members")
            configuration.objectTypes = [MemberNumbersHolder.self, MemberList.self]
            let realm = try Realm(configuration: configuration)
            _ = realm.objects(MemberNumbersHolder.self).where { $0.numbers == MemberNumbers() }.count
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("'MemberList.numbers' for memberwise equality"), "\(message)")
    }

    @Test
    func `a value of another class, an order, and a list without IN are errors`() throws {
        let all = try Self.realm().objects(MemberShelf.self)
        let word = MemberWord("a", nil)
        for (text, arguments) in [
            ("next == %@", [word]), ("word < %@", [word]), ("word ==[c] %@", [word]), ("words == %@", [[word]]),
        ] as [(String, [Any])] {
            #expect(throws: QueryError.self, "\(text)") { try all.filtered(text, arguments) }
        }
    }

    // MARK: Random

    private static func words(_ random: inout SeededRandom) -> MemberWord {
        MemberWord(["a", "b"].randomElement(using: &random)!, ["a", "b", nil].randomElement(using: &random)!)
    }

    private static func plain(_ count: Int, _ random: inout SeededRandom) -> [Plain] {
        (0..<count).map { _ in
            var plain = Plain()
            plain.word = words(&random)
            plain.maybe = Bool.random(using: &random) ? words(&random) : nil
            plain.words = (0..<Int.random(in: 0..<3, using: &random)).map { _ in words(&random) }
            for key in ["k", "l", "m"].prefix(Int.random(in: 0..<4, using: &random)) {
                plain.map[key] = .some(Int.random(in: 0..<4, using: &random) == 0 ? nil : words(&random))
            }
            plain.next = Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : nil
            plain.shelves = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                Int.random(in: 0..<count, using: &random)
            }
            for key in ["k", "n"].prefix(Int.random(in: 0..<3, using: &random)) {
                plain.named[key] = .some(Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : nil)
            }
            return plain
        }
    }

    private static func store(_ plain: [Plain], in realm: Realm) throws {
        try realm.write {
            let shelves = plain.indices.map { realm.create(MemberShelf.self, value: ["id": $0]) }
            for (shelf, plain) in zip(shelves, plain) {
                shelf.word = plain.word
                shelf.maybe = plain.maybe
                shelf.words.append(objectsIn: plain.words)
                for (key, value) in plain.map { shelf.map.updateValue(value, forKey: key) }
                shelf.next = plain.next.map { shelves[$0] }
                shelf.shelves.append(objectsIn: plain.shelves.map { shelves[$0] })
                for (key, value) in plain.named { shelf.named.updateValue(value.map { shelves[$0] }, forKey: key) }
            }
        }
    }

    /// A path: as a closure's, as text, and its values.
    private struct Path {
        let text: String
        let isToMany: Bool
        let equal: (Shelf, MemberWord?) -> Query<Bool>
        let differ: (Shelf, MemberWord?) -> Query<Bool>
        let isOne: (Shelf, [MemberWord?]) -> Query<Bool>
        let values: (Plain, [Plain]) -> [MemberWord?]
    }

    private static func path(
        _ text: String,
        _ query: @escaping (Shelf) -> Query<MemberWord>,
        isToMany: Bool = false,
        _ values: @escaping (Plain, [Plain]) -> [MemberWord?]
    ) -> Path {
        Path(
            text: text,
            isToMany: isToMany,
            equal: { shelf, word in word.map { query(shelf) == $0 } ?? (query(shelf) == nil) },
            differ: { shelf, word in word.map { query(shelf) != $0 } ?? (query(shelf) != nil) },
            isOne: { query($0).in($1.compactMap { $0 }) },
            values: values
        )
    }

    private static func optionalPath(
        _ text: String,
        _ query: @escaping (Shelf) -> Query<MemberWord?>,
        isToMany: Bool = false,
        _ values: @escaping (Plain, [Plain]) -> [MemberWord?]
    ) -> Path {
        Path(
            text: text,
            isToMany: isToMany,
            equal: { query($0) == $1 },
            differ: { query($0) != $1 },
            isOne: { query($0).in($1) },
            values: values
        )
    }

    private static var paths: [Path] {
        [
            path("word", { $0.word }) { plain, _ in [plain.word] },
            optionalPath("maybe", { $0.maybe }) { plain, _ in [plain.maybe] },
            path("next.word", { $0.next.word }) { plain, all in [plain.next.map { all[$0].word }] },
            optionalPath("next.maybe", { $0.next.maybe }) { plain, all in [plain.next.flatMap { all[$0].maybe }] },
            optionalPath("map['k']", { $0.map["k"] }) { plain, _ in [plain.map["k"] ?? nil] },
            optionalPath("next.map['k']", { $0.next.map["k"] }) { plain, all in
                [plain.next.flatMap { all[$0].map["k"] ?? nil }]
            },
            Path(
                text: "words",
                isToMany: true,
                equal: { shelf, word in word.map { shelf.words == $0 } ?? (shelf.id == -1) },
                differ: { shelf, word in word.map { shelf.words != $0 } ?? (shelf.words.count > 0) },
                isOne: { $0.words.containsAny(in: $1.compactMap { $0 }) },
                values: { plain, _ in plain.words }
            ),
            Path(
                text: "map",
                isToMany: true,
                equal: { $0.map == $1 },
                differ: { $0.map != $1 },
                isOne: { $0.map.containsAny(in: $1) },
                values: { plain, _ in plain.map.values.map { $0 } }
            ),
            optionalPath("map.@values", { $0.map.values }, isToMany: true) { plain, _ in plain.map.values.map { $0 } },
            path("shelves.word", { $0.shelves.word }, isToMany: true) { plain, all in plain.shelves.map { all[$0].word }
            },
            optionalPath("shelves.maybe", { $0.shelves.maybe }, isToMany: true) { plain, all in
                plain.shelves.map { all[$0].maybe }
            },
            optionalPath("shelves.next.maybe", { $0.shelves.next.maybe }, isToMany: true) { plain, all in
                plain.shelves.map { all[$0].next.flatMap { all[$0].maybe } }
            },
            Path(
                text: "shelves.words",
                isToMany: true,
                equal: { shelf, word in word.map { shelf.shelves.words == $0 } ?? (shelf.id == -1) },
                differ: { shelf, word in word.map { shelf.shelves.words != $0 } ?? (shelf.shelves.words.count > 0) },
                isOne: { $0.shelves.words.containsAny(in: $1.compactMap { $0 }) },
                values: { plain, all in plain.shelves.flatMap { all[$0].words } }
            ),
            path("previous.word", { $0.previous.word }, isToMany: true) { _, _ in [] },
        ]
    }

    @Test(arguments: [
        UInt64(ProcessInfo.processInfo.environment["FREEHOLD_SEED"] ?? "") ?? TestSeed.random(in: 0 ... .max), 7,
    ])
    func `random conditions find what a plain evaluator finds`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let realm = try Self.realm()
        let plain = Self.plain(40, &random)
        try Self.store(plain, in: realm)
        let all = realm.objects(MemberShelf.self).sorted(by: \.id)
        let rounds = ProcessInfo.processInfo.environment["FREEHOLD_SOAK"] == nil ? 2 : 60
        var cases = 0
        for path in Self.paths {
            let values = plain.indices.map { i -> [MemberWord?] in
                guard path.text == "previous.word" else { return path.values(plain[i], plain) }
                return plain.filter { $0.next == i }.map(\.word)
            }
            func ids(_ holds: (MemberWord?) -> Bool, _ quantifier: String = "ANY") -> [Int] {
                plain.indices.filter { i in
                    switch quantifier {
                    case "ALL": values[i].allSatisfy(holds)
                    case "NONE": !values[i].contains(where: holds)
                    default: values[i].contains(where: holds)
                    }
                }
            }
            for _ in 0..<rounds {
                cases += 1
                let hasNull = !["words", "shelves.words"].contains(path.text)
                let word: MemberWord? =
                    hasNull && Int.random(in: 0..<4, using: &random) == 0 ? nil : Self.words(&random)
                let list: [MemberWord?] = [Self.words(&random), word]
                let name = "seed \(seed): \(path.text) \(String(describing: word))"
                func check(_ expected: [Int], _ query: (Shelf) -> Query<Bool>) throws {
                    let found: [Int] = all.where(query).map(\.id)
                    expectEqual(found, expected, "\(name)")
                    expectEqual(
                        all.where { !query($0) }.map(\.id),
                        plain.indices.filter { !expected.contains($0) },
                        "\(name)"
                    )
                    let text = query(Shelf._constructForTesting()).queryString
                    try expectEqual(all.filter(validating: text).map(\.id), expected, "\(name): \(text)")
                    let (format, arguments) = query(Shelf._constructForTesting())._constructPredicate()
                    try expectEqual(all.filtered(format, arguments).map(\.id), expected, "\(name): \(format)")
                }
                if word != nil || (hasNull && path.text != "map") {
                    try check(ids { $0 == word }) { path.equal($0, word) }
                    try check(ids { $0 != word }) { path.differ($0, word) }
                }
                let sought = hasNull ? list : list.compactMap { $0 }
                if path.text.hasSuffix("word") {
                    let words = sought.compactMap { $0 }
                    try check(ids { value in words.contains { $0 == value } }) { path.isOne($0, words) }
                } else {
                    try check(ids { value in sought.contains { $0 == value } }) { path.isOne($0, sought) }
                }
                guard path.isToMany, let word else { continue }
                for quantifier in ["ANY", "ALL", "NONE"] {
                    for (op, holds) in [
                        ("==", { $0 == word }), ("!=", { $0 != word }),
                    ] as [(String, (MemberWord?) -> Bool)] {
                        let text = "\(quantifier) \(path.text) \(op) %@"
                        try expectEqual(
                            all.filtered(text, [word]).map(\.id),
                            ids(holds, quantifier),
                            "\(name): \(text)"
                        )
                    }
                    let text = "\(quantifier) \(path.text) IN %@"
                    let expected = ids({ sought.contains($0) }, quantifier)
                    try expectEqual(all.filtered(text, [sought]).map(\.id), expected, "\(name): \(text)")
                }
            }
        }
        print("MemberwiseQueryTests: FREEHOLD_SEED=\(seed), \(cases) rounds")
        expectEqual(cases, Self.paths.count * rounds)
    }
}
