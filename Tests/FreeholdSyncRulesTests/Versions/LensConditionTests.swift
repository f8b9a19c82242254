import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Conditions of apps of several versions, on what is stored.
struct LensConditionTests {
    private func up(_ claim: UInt64, _ className: SyncString, _ text: SyncString) throws -> SyncString {
        let lens = try require(VersionModels.versions().lens(for: claim))
        return try lens.up(ClassQuery(className: className, condition: text)).condition
    }

    @Test(arguments: [
        ("title == \"Rex\"", "name == \"Rex\""), ("house.road BEGINSWITH 'S'", "home.street BEGINSWITH \"S\""),
        ("ANY places.road == 'x'", "ANY places.street == \"x\""),
        ("keeper == obj('Person', 1)", "owner == obj(\"Person\", 1)"),
        ("keeper.name == 'Ann'", "owner.name == \"Ann\""), ("places.@count > 1", "places.@count > 1"),
        ("@links.Hound.any.title == 'x'", "@links.Dog.any.name == \"x\""),
        ("SUBQUERY(places, $p, $p.road == 'x').@count > 0", "SUBQUERY(places, $p, $p.street == \"x\").@count > 0"),
        ("title.length > 3", "name.length > 3"), ("any == obj('Hound', 1)", "SELF.any == obj(\"Dog\", 1)"),
        ("NOT (title == 'a' OR breed == 'b')", "NOT (name == \"a\" || breed == \"b\")"),
        ("breed == 'x'", "breed == 'x'"),
        ("TRUEPREDICATE", "TRUEPREDICATE"), ("any == obj('Person', 2)", "any == obj('Person', 2)"),
        ("house == NULL AND title TEXT 'x'", "home == NULL && name TEXT \"x\""),
        ("age @ 1", ""), ("title == 'x' SORT(title ASC)", ""), ("nick == 1", ""), ("name == 'x'", ""),
        ("house.street == 'x'", ""),
        ("title.x == 1", ""), ("any.title == 'x'", ""), ("obj('Cat', 1) == any", ""),
        ("@links.Dog.any.title == 'x'", ""),
        ("SUBQUERY(places, $p, $p.street == 'x').@count > 0", ""), ("SUBQUERY(any, $p, $p.x == 1).@count > 0", ""),
    ])
    func `names of conditions become stored names`(_ text: String, _ stored: String) throws {
        guard stored.isEmpty else {
            try expectEqual(up(2, "Hound", SyncString(text)).string, stored)
            return
        }
        #expect(throws: ConditionError.self) { try up(2, "Hound", SyncString(text)) }
    }

    @Test func `an error has its place in the app's text`() throws {
        let error = #expect(throws: ConditionError.self) { try up(2, "Hound", "title == 'ü' AND x == 1") }
        expectEqual(error, ConditionError(position: 18, text: "Class Hound has no property 'x'."))
        #expect(throws: ConditionError.self) { try up(2, "Dog", "TRUEPREDICATE") }
        #expect(throws: ConditionError.self) { try up(2, "Address", "TRUEPREDICATE") }
    }

    private static let types: [(ColumnType, Set<ColumnType>)] = [
        (.int, [.int, .double]), (.int, [.int, .decimal128]), (.float, [.float, .double]),
        (.float, [.int, .float, .double]), (.double, [.float, .double]),
    ]

    /// Each condition finds an object exactly if it is true of what the app is shown.
    @Test(arguments: types)
    func `conditions test the values that the app is shown`(_ type: ColumnType, _ types: Set<ColumnType>) throws {
        var random = SeededRandom(test: "shown conditions")
        let numbers: [Double] = [
            0, -0.0, 0.5, -0.5, 1, -1, 1.5, -1.5, 0.1, 2, 3, -3, 16_777_216, 16_777_217, 1e10, 1e300, -1e300, .infinity,
            -.infinity, .nan, 0x1p-149, 0x1p-150, 3.5e38,
        ]
        func value(_ type: ColumnType) -> SyncValue {
            let number = random.pick(numbers)
            switch type {
            case .int:
                return .int(random.chance(10) ? random.pick([.min, .max]) : Int64(exactly: number.rounded(.down)) ?? 7)
            case .float: return .float(Float(number))
            case .decimal128: return .decimal128(Decimal128(number))
            default: return .double(number)
            }
        }
        let lens = NumberLens(type: type)
        for isRequired in [false, true] {
            let fill: SyncValue? =
                isRequired ? random.pick([SyncValue.zero(type), RandomVersionChain.value(2, type)]) : nil
            let property = PropertyMap(
                ColumnSpec("v", type, optional: !isRequired),
                stored: "v",
                isKey: false,
                isNullable: true,
                types: types,
                fill: fill,
                target: nil
            )
            let found = ClassMap("A", stored: "A", isEmbedded: false, [property], names: [("v", 0)])
            let mapper = ConditionMapper(VersionMap([found], names: ["A": 0]))
            let budget = TestBudget.cases(1_000, soak: 200_000)
            var cases = 0
            for _ in 0..<budget {
                cases += 1
                // Texts of floats are compared with the nearest float: these are exact.
                let constants = [value(type), value(type)].map { value -> SyncValue in
                    if case .float(let number) = value, random.chance(50) { return .double(Double(number)) }
                    return value
                }
                let (x, y) = (Self.text(constants[0]), Self.text(constants[1]))
                let relation = random.pick(["==", "!=", "<", "<=", ">", ">="])
                let text = random.pick([
                    "v \(relation) \(x)", "\(x) \(relation) v", "v IN {\(x), \(y)}", "v BETWEEN {\(x), \(y)}",
                    "v \(relation) NULL",
                    "NOT v \(relation) \(x)", "v \(relation) 1.25",
                ])
                let stored: SyncValue =
                    random.chance(10) ? .null : value(random.pick(types.sorted { $0.rawValue < $1.rawValue }))
                let shown = stored == .null ? property.fill ?? .null : lens.shown(stored)
                let mapped = try mapper.mapped(ClassQuery(className: "A", condition: SyncString(text)))
                // Stored values have several types, so they are compared as they are.
                let isFound = try Self.matches(mapped.condition, stored, as: .mixed)
                let isTrue = try Self.matches(SyncString(text), shown)
                expectEqual(isFound, isTrue, "\(text) of \(stored), shown as \(shown): \(mapped.condition)")
                if isFound != isTrue { return }
            }
            expect(TestBudget.isSpent("LensConditionTests, \(type)", cases: cases, of: budget))
        }
    }

    /// Returns the value as a constant of the query language.
    private static func text(_ value: SyncValue) -> String {
        let constant: Value =
            switch value {
            case .int(let value): .int(value)
            case .float(let value): .float(value)
            case .double(let value): .double(value)
            case .decimal128(let value): .decimal128(value)
            default: .null
            }
        let condition = Condition.compare(.path(NamedPath([.name("v")])), .equal, .constant(.value(constant)), [])
        return String(QueryPrinter.text(condition) { _ in nil }.dropFirst("v == ".count))
    }

    private static func matches(_ text: SyncString, _ value: SyncValue, as type: ColumnType? = nil) throws -> Bool {
        let schema = type.map { ConditionSchema([TableSpec("A", columns: [ColumnSpec("v", $0)])]) }
        return try QueryMatcher().compile("A", text, in: schema).matches(ObjectName("A", 1), ["v": .value(value)])
    }

    @Test func `conditions find the value that is shown for null`() throws {
        func finds(_ text: SyncString, _ contents: [SyncString: MergedContent]) throws -> Bool {
            let condition = try up(2, "Hound", text)
            return try QueryMatcher().compile("Dog", condition).matches(ObjectName("Dog", 1), contents)
        }
        // `weight` is shown as 1.5, `zip` as 0.
        expect(try finds("weight == 1.5", [:]))
        expect(try finds("weight == 1.5", ["weight": .value(.null)]))
        expect(try !finds("weight == 1.5", ["weight": .value(.double(2))]))
        expect(try !finds("weight != 1.5", [:]))
        expect(try !finds("weight == NULL", [:]))
        expect(try finds("weight > 1 AND weight < 2", [:]))
        expect(try finds("house.zip == 0", ["home": .embedded([:])]))
        expect(try !finds("house.zip == 0", ["home": .value(.null)]))
        expect(try !finds("house.zip == 0", [:]))
        expect(try finds("house.zip == NULL", [:]))
        expect(try !finds("house.zip == NULL", ["home": .embedded([:])]))
        // An equality stays one that is found by value.
        let condition = try QueryMatcher().compile("Dog", up(0, "Dog", "nick == 'R'"))
        expectEqual(condition.equality, ConditionEquality("nick", ["R"]))
    }
}
