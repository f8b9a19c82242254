import FreeholdEngine
import Testing

@testable import FreeholdSyncCore
@testable import FreeholdSyncRules
@testable import SyncWorlds

/// Apps of all versions of random chains sync at once. Each has exactly the content that the plain oracle predicts, for
/// all authors and all ways of transmission.
struct RandomVersionsTests {
    private struct World {
        var chain: RandomVersionChain
        var bench: VersionBench
        var plain = PlainWorld()
        /// For each version a client with all objects, and one with a condition.
        var clients: [Int] = []
        var asking: [(client: Int, version: Int, condition: RandomCondition)] = []
        var lastNumber: OwnNumber = 1_000
        var trace: [String] = []

        init(_ random: SeededRandom) {
            chain = RandomVersionChain(random: random)
            bench = VersionBench(chain.versions)
        }

        mutating func push() throws {
            try chain.push()
            bench.push(chain.versions)
        }

        mutating func addClients() {
            let version = chain.versions.newest
            let names = version.tables.filter { !$0.isEmbedded }.map { SyncString($0.name) }
            clients.append(bench.add(version.number, names))
            guard let condition = RandomCondition(chain.history.last!, &chain.random) else { return }
            let client = bench.bench.add(
                [ClassQuery(className: SyncString(condition.className), condition: SyncString(condition.text))],
                claim: SchemaClaim(version: version.number, hash: .empty)
            )
            asking.append((client, chain.history.count - 1, condition))
        }

        mutating func number() -> OwnNumber {
            lastNumber += 100
            return lastNumber
        }

        // MARK: Edits

        /// Makes one edit by an app of a version, of an object that it has.
        mutating func edit(_ index: Int) {
            let version = chain.versions.versions[index]
            let client = clients[index]
            let table = chain.random.pick(version.tables.filter { !$0.isEmbedded })
            let name = ObjectName(SyncString(table.name), .int(.random(in: 0..<4, using: &chain.random)))
            var number = number()
            guard let object = bench.bench.clients[client].objects[name] else {
                let fields = chain.fields(of: table, in: version, &number)
                return commit(.create(name, fields), index)
            }
            if chain.random.chance(5) { return commit(.delete(name, .edit), index) }
            guard let change = change(at: Place(name, []), table, version, object.fields, &number) else { return }
            commit(change, index)
        }

        private mutating func commit(_ change: Change, _ index: Int) {
            trace.append("version \(chain.versions.versions[index].number): \(change)")
            let refused = bench.bench.clients[clients[index]].refusals.count
            bench.commit(clients[index], [change])
            if bench.bench.clients[clients[index]].refusals.count > refused { trace.append("refused") }
            plain.apply(change, chain.history[index], fills: chain.fills[index])
        }

        /// An edit of one property of an object, or of an embedded one.
        private mutating func change(
            at owner: Place,
            _ table: TableSpec,
            _ version: SchemaVersion,
            _ fields: [ConfirmedField],
            _ number: inout OwnNumber
        ) -> Change? {
            let columns = table.columns.filter { $0.name != "_id" }
            guard let column = columns.randomElement(using: &chain.random) else { return nil }
            let name = SyncString(column.name)
            let place = owner.property(name)
            let held = fields.first { $0.name == name }?.content
            switch column.collection {
            case .none: return single(place, column, version, held, &number)
            case .list:
                var elements: [ConfirmedContent] = []
                if case .list(let runs)? = held { elements = runs.flatMap(\.elements) }
                guard let index = elements.indices.randomElement(using: &chain.random), chain.random.chance(60) else {
                    let at = Int.random(in: 0...elements.count, using: &chain.random)
                    let first = number
                    number += 1
                    let gap = Gap(
                        after: at == 0 ? nil : .confirmed(at - 1),
                        before: at == elements.count ? nil : .confirmed(at)
                    )
                    return .insert(place, gap, first: first, [chain.element(column, version, first, &number)])
                }
                if chain.random.chance(40) { return .remove(place, [.confirmed(index)]) }
                return single(place.element(.confirmed(index)), column, version, elements[index], &number)
            case .set:
                if chain.random.chance(15) { return .clearSet(place, hidden: []) }
                let value = chain.plain(column.type, isOptional: column.isOptional)
                return chain.random.chance(60) ? .insertIntoSet(place, [value]) : .removeFromSet(place, [value])
            case .dictionary:
                var entries: [ConfirmedEntry] = []
                if case .dictionary(let old)? = held { entries = old }
                guard let entry = entries.randomElement(using: &chain.random), chain.random.chance(60) else {
                    let key = SyncString("k\(Int.random(in: 0..<4, using: &chain.random))")
                    return .set(place.entry(key), chain.element(column, version, nil, &number), .real)
                }
                if chain.random.chance(30) { return .removeEntry(place.entry(entry.key)) }
                return single(place.entry(entry.key), column, version, entry.content, &number)
            }
        }

        private mutating func single(
            _ place: Place,
            _ column: ColumnSpec,
            _ version: SchemaVersion,
            _ held: ConfirmedContent?,
            _ number: inout OwnNumber
        ) -> Change? {
            if case .embedded(let instance)? = held, let target = column.target.flatMap({ version.table($0) }),
                chain.random.chance(70)
            {
                return change(at: place.instance(.confirmed), target, version, instance.fields, &number)
            }
            if column.type == .int, chain.random.chance(40), !column.isOptional || held != .value(.null) && held != nil
            {
                return .increment(place, .random(in: -3...3, using: &chain.random))
            }
            return .set(place, chain.element(column, version, nil, &number), .real)
        }

        // MARK: Checks

        func problems() -> [String] {
            var problems: [String] = []
            for (index, client) in clients.enumerated() {
                let (own, classes) = (bench.bench.clients[client], chain.history[index])
                problems += (own.mistakes + own.faults.map { "\($0)" } + own.queryErrors.map { "\($0)" })
                    .map { "client of \(index): \($0)" }
                problems += own.refusals.map { "client of \(index): \($0)" }
                let expected = plain.shown(classes, fills: chain.fills[index])
                for name in Set(expected.keys).union(own.objects.keys).sorted() {
                    let owner = classes.first { $0.name == name.className.string }
                    let held = own.objects[name].map { object in
                        owner.map { PlainWorld.held(object.fields, $0, classes) }
                    }
                    if held != expected[name] {
                        problems.append(
                            "client of \(index) has \(name) as\n\(held as Any)\nexpected\n\(expected[name] as Any)"
                        )
                    }
                }
            }
            for (client, version, condition) in asking {
                let own = bench.bench.clients[client]
                problems += (own.mistakes + own.queryErrors.map { "\($0)" }).map { "\(condition.text): \($0)" }
                let expected = plain.shown(chain.history[version], fills: chain.fills[version]).filter { name, fields in
                    name.className.string == condition.className && condition.isTrue(of: fields)
                }
                let found = Set(own.objects.keys)
                if found != Set(expected.keys) {
                    problems.append("'\(condition.text)' of \(version) finds \(found), expected \(expected)")
                }
            }
            return problems
        }
    }

    @Test func `each app has the content that the oracle predicts`() throws {
        var random = SeededRandom(test: "versions at once")
        let budget = TestBudget.cases(8, soak: 1_250)
        var cases = 0
        for round in 0..<budget {
            var world = World(random)
            world.addClients()
            for push in 0..<4 {
                for step in 0..<30 {
                    world.edit(Int.random(in: world.clients.indices, using: &world.chain.random))
                    let problems = step % 5 == 4 ? world.problems() : []
                    try require(problems.isEmpty, "round \(round): \(problems)\n\(world.trace.suffix(12))")
                }
                guard push < 3 else { break }
                try world.push()
                world.addClients()
                let problems = world.problems()
                try require(
                    problems.isEmpty,
                    "round \(round), after push \(push): \(problems)\n\(world.trace.suffix(5))"
                )
            }
            // New clients have the same content.
            for index in world.clients.indices {
                let version = world.chain.versions.versions[index]
                let names = version.tables.filter { !$0.isEmbedded }.map { SyncString($0.name) }
                world.clients[index] = world.bench.add(version.number, names)
            }
            let problems = world.problems()
            try require(problems.isEmpty, "round \(round), anew: \(problems)")
            random = world.chain.random
            cases += 1
        }
        expect(TestBudget.isSpent("RandomVersionsTests", cases: cases, of: budget))
    }
}

/// A comparison of a single value, and what it means.
struct RandomCondition {
    let className: String
    let text: String
    private let property: SyncString
    private let test: @Sendable (Double?) -> Bool

    /// Returns `nil` if no class has a number.
    init?(_ classes: [RandomVersionChain.Class], _ random: inout SeededRandom) {
        let owners = classes.filter { owner in !owner.isEmbedded && owner.properties.contains(where: Self.isNumber) }
        guard let owner = owners.randomElement(using: &random),
            let property = owner.properties.filter(Self.isNumber).randomElement(using: &random)
        else { return nil }
        (className, self.property) = (owner.name, SyncString(property.name))
        let (whole, hasHalf) = (Double(Int.random(in: -3...6, using: &random)), random.chance(30))
        let distance = Double(Int.random(in: 0...3, using: &random))
        let choice = Int.random(in: 0..<10, using: &random)
        // No integer equals a fraction, and the language refuses such a condition.
        let isRefused = property.type == .int && [0, 1, 6].contains(choice)
        let a = whole + (hasHalf && !isRefused ? 0.5 : 0)
        let b = a + distance
        let (x, y) = (Self.text(a), Self.text(b))
        let name = property.name
        (text, test) =
            switch choice {
            case 0: ("\(name) == \(x)", { $0 == a })
            case 1: ("\(name) != \(x)", { $0 != a })
            case 2: ("\(name) < \(x)", { $0.map { $0 < a } ?? false })
            case 3: ("\(name) <= \(x)", { $0.map { $0 <= a } ?? false })
            case 4: ("\(name) > \(x)", { $0.map { $0 > a } ?? false })
            case 5: ("\(x) <= \(name)", { $0.map { $0 >= a } ?? false })
            case 6: ("\(name) IN {\(x), \(y)}", { $0 == a || $0 == b })
            case 7: ("\(name) BETWEEN {\(x), \(y)}", { $0.map { $0 >= a && $0 <= b } ?? false })
            case 8: ("\(name) == NULL", { $0 == nil })
            default: ("NOT (\(name) == NULL OR \(name) > \(x))", { !($0 == nil || $0.map { $0 > a } ?? false) })
            }
    }

    private static func isNumber(_ property: RandomVersionChain.Property) -> Bool {
        property.isSinglePlain && (property.type == .int || property.type == .double)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? "\(Int64(number))" : "\(number)"
    }

    func isTrue(of fields: [SyncString: PlainWorld.Shown]) -> Bool {
        switch fields[property] {
        case .value(.int(let value))?: test(Double(value))
        case .value(.double(let value))?: test(value)
        default: test(nil)
        }
    }
}
