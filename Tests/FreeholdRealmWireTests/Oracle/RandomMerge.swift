import FreeholdRealmWire

@testable import TestRealmClient

/// Concurrent changesets of two sides, and the world in which both begin.
struct RandomMerge {
    /// The cases that a generator creates.
    struct Options {
        /// A Boolean value that indicates whether cases are created in which two official clients end differently: moved elements
        /// with contents (Q1), embedded objects in dictionaries that both sides put (Q4), numbers of two types in a mixed set (Q6),
        /// and clears of collections inside collections.
        var hasQuirks = false
        /// The greatest number of changesets of a side.
        var entries = 3
        /// The greatest number of actions in a changeset. An action is one or a few instructions, as an SDK records them.
        var actions = 5
        /// The rate of actions, in percent, that add classes and fields, or create and delete objects.
        var structure = 8

        /// A Boolean value that indicates whether classes and fields are erased. Official clients never do that, and some edits of an
        /// erased field remain (Q3).
        var hasErasures = false

        /// One action on each side.
        static let pairs = Options(entries: 1, actions: 1, structure: 25)
    }

    var seed: UInt64
    var start: ModelWorld
    /// The instructions that lead to `start` from a file without classes.
    var preparation: [Instruction]
    var local: [ModelEntry]
    var incoming: [ModelEntry]
    /// The worlds of both sides before they receive the other side's changesets.
    var localWorld: ModelWorld
    var incomingWorld: ModelWorld

    init(
        seed: UInt64,
        start: ModelWorld,
        preparation: [Instruction] = [],
        local: [ModelEntry],
        incoming: [ModelEntry],
        localWorld: ModelWorld,
        incomingWorld: ModelWorld
    ) {
        self.seed = seed
        self.start = start
        self.preparation = preparation
        self.local = local
        self.incoming = incoming
        self.localWorld = localWorld
        self.incomingWorld = incomingWorld
    }

    /// Creates the case of a seed.
    init(seed: UInt64, options: Options = Options()) throws {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        var prepared = options
        prepared.hasQuirks = true
        prepared.structure = options.hasErasures ? 50 : 0
        var start = Self.emptyWorld
        preparation = Self.schema
        // A few fields only, so that both sides often change the same one.
        let isList = random.oneIn(3)
        let focus: Set<WireText> =
            isList
            ? [random.pick(["li", "kl", "lm", "le"])]
            : Set((0..<random.number(1..<4)).map { _ in random.pick(Self.fields) })
        for _ in 0..<random.number(isList ? 8..<16 : 0..<20) {
            var generator = RandomActions(world: start, options: prepared, focus: focus, random: random)
            preparation += generator.next()
            (start, random) = (generator.world, generator.random)
        }
        func side(_ ident: UInt64) -> ([ModelEntry], ModelWorld) {
            var generator = RandomActions(world: start, options: options, focus: focus, random: random)
            var entries: [ModelEntry] = []
            for _ in 0..<generator.random.number(1..<(options.entries + 1)) {
                var instructions: [Instruction] = []
                for _ in 0..<generator.random.number(1..<(options.actions + 1)) { instructions += generator.next() }
                // Times of one file may decrease, and may equal times of the other file.
                let timestamp = UInt64(generator.random.number(1..<6))
                entries.append(ModelEntry(instructions, timestamp: timestamp, ident: ident))
            }
            random = generator.random
            return (entries, generator.world)
        }
        let isSwapped = random.oneIn(2)
        (local, localWorld) = side(isSwapped ? 3 : 2)
        (incoming, incomingWorld) = side(isSwapped ? 2 : 3)
        self.start = start
    }

    /// Returns a world with a class T that has a field of each kind, a class Q of link targets, and embedded classes E and F.
    static let emptyWorld = try! ModelWorld().applying(schema)

    /// The instructions that make the empty world.
    static let schema = makeSchema()

    private static let fields = emptyWorld.tables["T"]!.columns.keys.sorted()

    private static func makeSchema() -> [Instruction] {
        func table(_ name: WireText, _ kind: ColumnKind?) -> Instruction {
            let key = kind.map { TableSpec.PrimaryKey(field: "_id", kind: $0, isNullable: false) }
            return .addTable(TableSpec(name: name, kind: key == nil ? .embedded : .topLevel, primaryKey: key))
        }
        func column(
            _ name: String,
            _ kind: ColumnKind,
            in collection: CollectionKind = .single,
            target: WireText? = nil,
            isNullable: Bool = false
        ) -> Instruction {
            let parts = name.split(separator: ".").map { WireText(String($0)) }
            let isNullableLink = kind == .link && (collection == .single || collection == .dictionary)
            return .addColumn(
                ColumnSpec(
                    table: parts[0],
                    field: parts[1],
                    kind: kind,
                    isNullable: isNullable || kind == .mixed || isNullableLink,
                    collection: collection,
                    target: target
                )
            )
        }
        return [
            table("T", .int), table("Q", .string), table("E", nil), table("F", nil),
            column("T.n", .int, isNullable: true), column("T.i", .int),
            column("T.s", .string, isNullable: true),
            column("T.x", .mixed), column("T.li", .int, in: .list), column("T.lm", .mixed, in: .list),
            column("T.ls", .string, in: .list, isNullable: true), column("T.d", .int, in: .dictionary),
            column("T.dm", .mixed, in: .dictionary), column("T.si", .int, in: .set), column("T.sm", .mixed, in: .set),
            column("T.k", .link, target: "Q"), column("T.kl", .link, in: .list, target: "Q"),
            column("T.ks", .link, in: .set, target: "Q"), column("T.kd", .link, in: .dictionary, target: "Q"),
            column("T.e", .link, target: "E"), column("T.le", .link, in: .list, target: "E"),
            column("T.de", .link, in: .dictionary, target: "E"),
            column("Q.n", .int),
            column("E.a", .int), column("E.s", .string, isNullable: true), column("E.q", .int, in: .list),
            column("E.m", .mixed), column("E.g", .link, target: "F"),
            column("E.lf", .link, in: .list, target: "F"),
            column("F.z", .int), column("F.ts", .string, in: .set),
            .createObject(WireObject(table: "T", key: .int(1))),
            .createObject(WireObject(table: "Q", key: .string("u"))),
        ]
    }
}

/// Random writes of an app on a world, with the instructions that an SDK records for each.
struct RandomActions {
    var world: ModelWorld
    var options: RandomMerge.Options
    /// The fields of class T that are changed most often.
    var focus: Set<WireText>
    var random: SeededRandom

    /// Returns the instructions of an action, and applies them to the world.
    mutating func next() -> [Instruction] {
        for _ in 0..<30 {
            let instructions = random.chance(options.structure) ? structure() : contents()
            if !instructions.isEmpty, let next = try? world.applying(instructions) {
                world = next
                return instructions
            }
        }
        return []
    }

    // MARK: Classes and objects

    private mutating func structure() -> [Instruction] {
        let one = WireObject(table: "T", key: .int(random.oneIn(3) ? 2 : 1))
        let target = WireObject(table: "Q", key: .string(random.pick(["u", "v"])))
        if options.hasErasures, random.chance(60) { return erasure() }
        switch random.below(12) {
        case 0, 1, 2, 3: return [.createObject(one)]
        case 4: return [.eraseObject(one)]
        // An app replaces an object: the official SDKs record the deletion and the creation.
        case 5: return [.eraseObject(one), .createObject(one)]
        case 6, 7: return [.createObject(target)]
        case 8: return [.eraseObject(target)]
        case 9:
            let name: WireText = random.pick(["N", "O"])
            let key = TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
            return [.addTable(TableSpec(name: name, kind: .topLevel, primaryKey: key))]
        default:
            let table: WireText = random.pick(["N", "O", "T"])
            return [
                .addColumn(ColumnSpec(table: table, field: random.pick(["y", "w"]), kind: .int, isNullable: false))
            ]
        }
    }

    /// Returns an erasure of a class or a field, or an addition that may meet one.
    private mutating func erasure() -> [Instruction] {
        let table: WireText = random.pick(["N", "O"])
        let field: WireText = random.pick(["y", "w"])
        let key = TableSpec.PrimaryKey(field: "_id", kind: .int, isNullable: false)
        switch random.below(8) {
        case 0, 1: return [.eraseTable(name: table)]
        case 2, 3: return [.eraseColumn(table: random.pick(["T", "T", "N"]), field: field)]
        case 4: return [.addTable(TableSpec(name: table, kind: .topLevel, primaryKey: key))]
        case 5: return [.addColumn(ColumnSpec(table: "T", field: field, kind: .int, isNullable: false))]
        case 6: return [.addColumn(ColumnSpec(table: "T", field: "o", kind: .link, isNullable: true, target: "O"))]
        default: return [.createObject(WireObject(table: table, key: .int(1)))]
        }
    }

    // MARK: Values

    private mutating func contents() -> [Instruction] {
        let objects = world.objects.keys.sorted { $0.sortingText < $1.sortingText }
        let preferred = objects.filter { $0.table == "T" }
        let candidates = random.chance(8) || preferred.isEmpty ? objects : preferred
        guard let object = candidates.randomElement(using: &random), let table = world.tables[object.table] else {
            return []
        }
        var fields = table.columns.keys.sorted()
        if object.table == "T", random.chance(85) {
            let erasable: Set<WireText> = options.hasErasures ? ["y", "w"] : []
            fields = fields.filter { focus.contains($0) || erasable.contains($0) }
        }
        guard let field = fields.randomElement(using: &random) else { return [] }
        let path = WirePath(object: object, field: field)
        return change(world.objects[object]![field]!, at: ModelPlace(column: table.columns[field]!), path)
    }

    private mutating func change(_ value: ModelValue, at place: ModelPlace, _ path: WirePath) -> [Instruction] {
        switch value {
        case .list(let elements): return changeList(elements, at: place, path)
        case .dictionary(let entries): return changeDictionary(entries, at: place, path)
        case .set(let elements): return changeSet(elements, at: place.inside(.element), path)
        case .object(let fields):
            if random.chance(75), let table = world.embeddedTable(at: place),
                let field = table.columns.keys.sorted().randomElement(using: &random)
            {
                let place = ModelPlace(column: table.columns[field]!)
                return change(fields[field]!, at: place, path.appending(.name(field)))
            }
            return replace(at: place, path)
        case .scalar: return replace(at: place, path)
        }
    }

    /// Replaces the value of a field, or adds to it.
    private mutating func replace(at place: ModelPlace, _ path: WirePath, size: Int? = nil) -> [Instruction] {
        // An update of a list's element needs the size of the list.
        if place.position == .element, size == nil { return [] }
        let mark = size.map { UpdateMark.element(priorSize: UInt32($0)) } ?? .field(isDefault: isDefault(at: place))
        if world.embeddedTable(at: place) != nil {
            if place.position == .entry, !options.hasQuirks { return [] }
            let creation = Instruction.update(at: path, value: .object, mark: mark)
            guard place.position == .field else { return [creation] }
            let removal = Instruction.update(at: path, value: .null, mark: mark)
            return random.pick([[removal], [creation], [removal, creation]])
        }
        if size == nil, place.position == .field, place.column.kind == .int || place.isMixed, random.chance(35) {
            return [.addInteger(at: path, amount: Int64(random.number(-3..<9)))]
        }
        // The store accepts a clear of any mixed value. The SDKs record one only after an update.
        if options.hasQuirks, place.isMixed, random.chance(8) {
            return [.clear(at: path, kind: random.pick([.list, .dictionary]))]
        }
        let value = payload(at: place)
        let update = Instruction.update(at: path, value: value, mark: mark)
        if value == .list || value == .dictionary, place.position == .element, !options.hasQuirks { return [] }
        switch value {
        case .list: return [update, .clear(at: path, kind: .list)]
        case .dictionary: return [update, .clear(at: path, kind: .dictionary)]
        default: return [update]
        }
    }

    private mutating func isDefault(at place: ModelPlace) -> Bool { place.position == .field && random.chance(12) }

    private mutating func changeList(_ elements: [ModelValue], at place: ModelPlace, _ path: WirePath) -> [Instruction]
    {
        let inside = place.inside(.element)
        let index = random.below(elements.count + 1)
        let element = path.appending(.index(UInt32(index)))
        let size = UInt32(elements.count)
        if index == elements.count || random.chance(25) {
            if place.isMixed, random.chance(15) { return replace(at: place, path) }
            if random.chance(12), mayClear(at: place) { return [.clear(at: path, kind: .list)] }
            let value = world.embeddedTable(at: inside) == nil ? payload(at: inside) : .object
            let insertion = Instruction.arrayInsert(at: element, value: value, priorSize: size)
            switch value {
            case .list where options.hasQuirks: return [insertion, .clear(at: element, kind: .list)]
            case .dictionary where options.hasQuirks: return [insertion, .clear(at: element, kind: .dictionary)]
            default: return [insertion]
            }
        }
        switch random.below(10) {
        case 0, 1, 2: return [.arrayErase(at: element, priorSize: size)]
        case 3, 4, 5:
            // A moved element with contents is a quirk (Q1).
            let mayHaveContents = inside.isMixed || world.embeddedTable(at: inside) != nil
            guard options.hasQuirks || !mayHaveContents else { return [] }
            let target = random.below(elements.count)
            return target == index ? [] : [.arrayMove(at: element, target: UInt32(target), priorSize: size)]
        default:
            switch elements[index] {
            case .object where random.oneIn(6):
                // An app replaces an embedded object of a list.
                return [
                    .arrayErase(at: element, priorSize: size),
                    .arrayInsert(at: element, value: .object, priorSize: size - 1),
                ]
            case .object, .list, .dictionary:
                if random.chance(75) { return change(elements[index], at: inside, element) }
                return inside.isMixed ? replace(at: inside, element, size: elements.count) : []
            default: return replace(at: inside, element, size: elements.count)
            }
        }
    }

    /// Returns `false` for the inside of a collection, where both sides may end differently: no rule changes the index of the clear
    /// of a list's element, and the clear of a dictionary's entry may meet a removal of it.
    private func mayClear(at place: ModelPlace) -> Bool { place.position == .field || options.hasQuirks }

    private mutating func changeDictionary(
        _ entries: [WireText: ModelValue],
        at place: ModelPlace,
        _ path: WirePath
    ) -> [Instruction] {
        let inside = place.inside(.entry)
        if place.isMixed, random.chance(15) { return replace(at: place, path) }
        if random.chance(8), mayClear(at: place) { return [.clear(at: path, kind: .dictionary)] }
        let key: WireText = random.pick(["p", "q", "r"])
        let entry = path.appending(.name(key))
        guard let present = entries[key] else { return replace(at: inside, entry) }
        if random.chance(25) { return [.update(at: entry, value: .erased, mark: .field(isDefault: false))] }
        switch present {
        case .object, .list, .dictionary:
            return random.chance(75) ? change(present, at: inside, entry) : replace(at: inside, entry)
        default: return replace(at: inside, entry)
        }
    }

    private mutating func changeSet(_ elements: Set<Payload>, at place: ModelPlace, _ path: WirePath) -> [Instruction] {
        if random.chance(12) { return [.clear(at: path, kind: .set)] }
        var value = payload(at: place)
        // A set has no collections.
        if value == .list || value == .dictionary { value = .string("a") }
        let isPresent = elements.contains { $0.isSameElement(as: value) }
        return [isPresent ? .setErase(at: path, value: value) : .setInsert(at: path, value: value)]
    }

    /// Returns a value for a place that isn't of embedded objects.
    private mutating func payload(at place: ModelPlace) -> Payload {
        if place.isNullable, random.oneIn(8) { return .null }
        switch place.column.kind {
        case .int: return .int(Int64(random.below(5)))
        case .string: return .string(random.pick(["a", "b", "c"]))
        case .link: return .link(WireObject(table: "Q", key: .string(random.pick(["u", "v"]))))
        default:
            switch random.below(12) {
            case 0, 1, 2: return .int(Int64(random.below(4)))
            case 3: return .string("a")
            case 4: return .double(options.hasQuirks ? 1 : 1.5)
            case 5: return .link(WireObject(table: "Q", key: .string(random.pick(["u", "v"]))))
            case 6: return .bool(true)
            case 7, 8: return .dictionary
            default: return .list
            }
        }
    }
}

extension WirePath {
    /// Returns the path with a further step.
    fileprivate func appending(_ element: PathElement) -> WirePath {
        var path = self
        path.elements.append(element)
        return path
    }
}

extension WireObject {
    fileprivate var sortingText: String {
        switch key {
        case .int(let key): "\(table):\(key)"
        case .string(let key): "\(table):\(key)"
        default: "\(table)"
        }
    }
}
