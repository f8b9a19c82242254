import Foundation

@testable import Freehold

/// The content of a graph of ``GrowthModels``, as plain values: the oracle for every way to store it.
struct GrowthContents: Equatable {
    indirect enum Mixed: Equatable {
        case none, int(Int), text(String), float(Float)
        case plant(Int), weed(Int)
        case list([Mixed])
        case dictionary([String: Mixed])
    }

    /// The content of an object or embedded object.
    struct Part: Equatable {
        var size = 0
        var note: String?
        var price: Decimal128 = 0
        var suit: Suit?
        var ratio = Ratio.half
        var numbers: [Int] = []
        var words: Set<String> = []
        var counts: [String: Int?] = [:]
        var plant: Int?
        var plants: [Int] = []
        var plantSet: Set<Int> = []
        var plantMap: [String: Int?] = [:]
        var weed: Int?
        var weeds: [Int] = []
        var mixed = Mixed.none
        var mixedList: [Mixed] = []
        // Properties of weeds and twigs.
        var place: Point2?
        var places: [Point2] = []
        var placeMap: [String: Point2?] = [:]
        // Properties of all parts except buds.
        var child: [Part] = []
        var children: [Part] = []
        var childMap: [String: Part?] = [:]
    }

    var plants: [Int: Part] = [:]
    var weeds: [Int: Part] = [:]
}

// MARK: Random contents

extension GrowthContents {
    /// - Parameters:
    ///   - density: The probability that a property has a value, from 0 to 1.
    ///   - weeds: The number of objects without a primary key beside the plants.
    static func random(
        plants: Int,
        weeds: Int,
        density: Double,
        using random: inout SeededRandom
    ) -> GrowthContents {
        var maker = Maker(plants: plants, weeds: weeds, density: density, random: random)
        var contents = GrowthContents()
        for id in 0..<plants { contents.plants[id] = maker.part(level: 0, isPlaced: false) }
        for id in 0..<weeds { contents.weeds[id] = maker.part(level: 0, isPlaced: true) }
        random = maker.random
        return contents
    }

    private struct Maker {
        let plants: Int
        let weeds: Int
        let density: Double
        var random: SeededRandom

        mutating func maybe() -> Bool { Double.random(in: 0..<1, using: &random) < density }
        mutating func number() -> Int { Int.random(in: -5...5, using: &random) }
        mutating func text() -> String {
            ["", "a", "é", String(repeating: "long ", count: 60)].randomElement(using: &random)!
        }
        mutating func names() -> [String] { ["a", "b", "c"].filter { _ in Bool.random(using: &random) } }
        mutating func plantID() -> Int { Int.random(in: 0..<plants, using: &random) }
        mutating func weedID() -> Int { Int.random(in: 0..<weeds, using: &random) }
        mutating func point() -> Point2 { Point2(x: Double(number()), y: Double(number())) }
        mutating func count() -> Int { Int.random(in: 1...3, using: &random) }

        mutating func mixed(_ depth: Int) -> Mixed {
            switch Int.random(in: 0..<(depth < 3 ? 8 : 6), using: &random) {
            case 0: return .none
            case 1: return .int(number())
            case 2: return .text(text())
            case 3: return .float(1.5)
            case 4: return plants > 0 ? .plant(plantID()) : .none
            case 5: return weeds > 0 ? .weed(weedID()) : .none
            case 6:
                var list: [Mixed] = []
                for _ in 0..<count() { list.append(mixed(depth + 1)) }
                return .list(list)
            default:
                var entries: [String: Mixed] = [:]
                for name in names() { entries[name] = mixed(depth + 1) }
                return .dictionary(entries)
            }
        }

        mutating func part(level: Int, isPlaced: Bool) -> Part {
            var part = Part()
            if maybe() { part.size = number() }
            if maybe() { part.note = text() }
            if maybe() { part.price = Decimal128(number()) }
            if maybe() { part.suit = .spades }
            if maybe() { part.ratio = .whole }
            if maybe() { part.numbers = (0..<count()).map { _ in number() } }
            if maybe() { part.words = Set((0..<count()).map { _ in text() }) }
            if maybe() {
                for name in names() {
                    part.counts.updateValue(Bool.random(using: &random) ? number() : nil, forKey: name)
                }
            }
            if plants > 0 {
                if maybe() { part.plant = plantID() }
                if maybe() { part.plants = (0..<count()).map { _ in plantID() } }
                if maybe() { part.plantSet = Set((0..<count()).map { _ in plantID() }) }
                if maybe() {
                    for name in names() {
                        part.plantMap.updateValue(Bool.random(using: &random) ? plantID() : nil, forKey: name)
                    }
                }
            }
            if weeds > 0 {
                if maybe() { part.weed = weedID() }
                if maybe() { part.weeds = (0..<count()).map { _ in weedID() } }
            }
            if maybe() { part.mixed = mixed(0) }
            if maybe() { part.mixedList = (0..<count()).map { _ in mixed(1) } }
            if isPlaced {
                if maybe() { part.place = point() }
                if maybe() { part.places = (0..<count()).map { _ in point() } }
                if maybe() {
                    for name in names() {
                        part.placeMap.updateValue(Bool.random(using: &random) ? point() : nil, forKey: name)
                    }
                }
            }
            if level < 3 {
                let isPlaced = level == 1
                if maybe() { part.child = [self.part(level: level + 1, isPlaced: isPlaced)] }
                if maybe() {
                    for _ in 0..<count() { part.children.append(self.part(level: level + 1, isPlaced: isPlaced)) }
                }
                if maybe() {
                    for name in names() {
                        let child = Bool.random(using: &random) ? self.part(level: level + 1, isPlaced: isPlaced) : nil
                        part.childMap.updateValue(child, forKey: name)
                    }
                }
            }
            return part
        }
    }

    /// Returns the part that can be reached from these objects.
    func reachable(plants roots: [Int], weeds weedRoots: [Int] = []) -> GrowthContents {
        var found = GrowthContents()
        var open: [Mixed] = roots.map { .plant($0) } + weedRoots.map { .weed($0) }
        while let next = open.popLast() {
            switch next {
            case .plant(let id) where found.plants[id] == nil:
                found.plants[id] = plants[id]!
                open += plants[id]!.targets
            case .weed(let id) where found.weeds[id] == nil:
                found.weeds[id] = weeds[id]!
                open += weeds[id]!.targets
            default: break
            }
        }
        return found
    }
}

extension GrowthContents.Part {
    /// The objects that this, or what it owns, links to.
    var targets: [GrowthContents.Mixed] {
        var found: [GrowthContents.Mixed] = []
        if let plant { found.append(.plant(plant)) }
        found += (plants + plantSet + plantMap.values.compactMap { $0 }).map { .plant($0) }
        if let weed { found.append(.weed(weed)) }
        found += weeds.map { .weed($0) }
        var values = mixedList + [mixed]
        while let value = values.popLast() {
            switch value {
            case .plant, .weed: found.append(value)
            case .list(let list): values += list
            case .dictionary(let entries): values += entries.values
            default: break
            }
        }
        for part in child + children + childMap.values.compactMap({ $0 }) { found += part.targets }
        return found
    }
}

// MARK: As objects

extension GrowthContents {
    /// Creates the objects of these contents property by property.
    func makeObjects() -> (plants: [Int: Plant], weeds: [Int: Weed]) {
        let objects = (
            plants: Dictionary(uniqueKeysWithValues: plants.keys.map { ($0, Plant()) }),
            weeds: Dictionary(uniqueKeysWithValues: weeds.keys.map { ($0, Weed()) })
        )
        let filler = Filler(plants: objects.plants, weeds: objects.weeds)
        for (id, plant) in objects.plants {
            plant.id = id
            filler.fill(plant, plants[id]!)
        }
        for (id, weed) in objects.weeds {
            weed.id = id
            filler.fill(weed, weeds[id]!)
        }
        return objects
    }

    /// Sets only the values that aren't defaults. Other properties are never accessed.
    struct Filler {
        let plants: [Int: Plant]
        let weeds: [Int: Weed]

        func fill<P: Branching>(_ object: P, _ part: Part) {
            fill(values: object, part)
            if let child = part.child.first { object.child = make(child) }
            if !part.children.isEmpty { object.children.append(objectsIn: part.children.map { make($0) as P.Child }) }
            for (name, child) in part.childMap { object.childMap.updateValue(child.map { make($0) }, forKey: name) }
        }

        func fill(values object: some Growing, _ part: Part) {
            if part.size != 0 { object.size = part.size }
            if part.note != nil { object.note = part.note }
            if part.price != 0 { object.price = part.price }
            if part.suit != nil { object.suit = part.suit }
            if part.ratio != .half { object.ratio = part.ratio }
            if !part.numbers.isEmpty { object.numbers.append(objectsIn: part.numbers) }
            if !part.words.isEmpty { object.words.insert(objectsIn: part.words) }
            for (name, count) in part.counts { object.counts.updateValue(count, forKey: name) }
            if let plant = part.plant { object.plant = plants[plant]! }
            if !part.plants.isEmpty { object.plants.append(objectsIn: part.plants.map { plants[$0]! }) }
            if !part.plantSet.isEmpty { object.plantSet.insert(objectsIn: part.plantSet.map { plants[$0]! }) }
            for (name, id) in part.plantMap { object.plantMap.updateValue(id.map { plants[$0]! }, forKey: name) }
            if let weed = part.weed { object.weed = weeds[weed]! }
            if !part.weeds.isEmpty { object.weeds.append(objectsIn: part.weeds.map { weeds[$0]! }) }
            if part.mixed != .none { object.mixed = value(part.mixed) }
            if !part.mixedList.isEmpty { object.mixedList.append(objectsIn: part.mixedList.map { value($0) }) }
            if let placed = object as? any Placed {
                if let place = part.place { placed.place = place }
                if !part.places.isEmpty { placed.places.append(objectsIn: part.places) }
                for (name, point) in part.placeMap { placed.placeMap.updateValue(point, forKey: name) }
            }
        }

        func make<P: EmbeddedObject & Growing>(_ part: Part) -> P {
            let object: ObjectBase
            switch P.self {
            case is Limb.Type:
                let limb = Limb()
                fill(limb, part)
                object = limb
            case is Twig.Type:
                let twig = Twig()
                fill(twig, part)
                object = twig
            default:
                let bud = Bud()
                fill(values: bud, part)
                object = bud
            }
            return object as! P
        }

        func value(_ mixed: Mixed) -> AnyRealmValue {
            switch mixed {
            case .none: .none
            case .int(let value): .int(value)
            case .text(let value): .string(value)
            case .float(let value): .float(value)
            case .plant(let id): .object(plants[id]!)
            case .weed(let id): .object(weeds[id]!)
            case .list(let list): .fromArray(list.map { value($0) })
            case .dictionary(let entries): .fromDictionary(entries.mapValues { value($0) })
            }
        }
    }
}

// MARK: As plain data

extension GrowthContents {
    /// Returns a plant as `create` accepts it: each plant with all values at its first occurrence, and by its key
    /// afterwards.
    func plainData(ofPlant id: Int) -> [String: Any] {
        var mentioned: Set<Int> = []
        return plainData(ofPlant: id, &mentioned)
    }

    private func plainData(ofPlant id: Int, _ mentioned: inout Set<Int>) -> [String: Any] {
        var data: [String: Any] = mentioned.insert(id).inserted ? plainData(plants[id]!, level: 0, &mentioned) : [:]
        data["id"] = id
        return data
    }

    func plainData(_ part: Part, level: Int) -> [String: Any] {
        var mentioned: Set<Int> = []
        return plainData(part, level: level, &mentioned)
    }

    private func plainData(_ part: Part, level: Int, _ mentioned: inout Set<Int>) -> [String: Any] {
        var data: [String: Any] = [
            "size": part.size, "note": part.note ?? NSNull(), "price": part.price, "numbers": part.numbers,
            "suit": part.suit?.rawValue ?? NSNull(), "ratio": part.ratio.rawValue, "words": Array(part.words),
            "counts": part.counts.mapValues { $0 ?? NSNull() as Any },
        ]
        data["plant"] = part.plant.map { plainData(ofPlant: $0, &mentioned) } ?? NSNull() as Any
        data["plants"] = part.plants.map { plainData(ofPlant: $0, &mentioned) }
        data["plantSet"] = part.plantSet.map { plainData(ofPlant: $0, &mentioned) }
        data["plantMap"] = part.plantMap.mapValues { $0.map { plainData(ofPlant: $0, &mentioned) } ?? NSNull() as Any }
        if level == 2 {
            func point(_ point: Point2?) -> Any { point.map { ["x": $0.x, "y": $0.y] } ?? NSNull() as Any }
            data["place"] = point(part.place)
            data["places"] = part.places.map { point($0) }
            data["placeMap"] = part.placeMap.mapValues { point($0) }
        }
        if level < 3 {
            data["child"] = part.child.first.map { plainData($0, level: level + 1, &mentioned) } ?? NSNull() as Any
            data["children"] = part.children.map { plainData($0, level: level + 1, &mentioned) }
            data["childMap"] = part.childMap.mapValues {
                $0.map { plainData($0, level: level + 1, &mentioned) } ?? NSNull() as Any
            }
        }
        func plain(_ mixed: Mixed) -> Any {
            switch mixed {
            case .none, .plant, .weed: NSNull()
            case .int(let value): value
            case .text(let value): value
            case .float(let value): value
            case .list(let list): list.map { plain($0) }
            case .dictionary(let entries): entries.mapValues { plain($0) }
            }
        }
        data["mixed"] = plain(part.mixed)
        data["mixedList"] = part.mixedList.map { plain($0) }
        return data
    }

    /// Returns the content without the parts that plain data can't express: links to objects without a key, and links
    /// in mixed values.
    func withoutUntypedLinks() -> GrowthContents {
        func mixed(_ value: Mixed) -> Mixed {
            switch value {
            case .plant, .weed, .float: .none
            case .list(let list): .list(list.map(mixed))
            case .dictionary(let entries): .dictionary(entries.mapValues(mixed))
            default: value
            }
        }
        func part(_ given: Part) -> Part {
            var result = given
            result.weed = nil
            result.weeds = []
            result.mixed = mixed(given.mixed)
            result.mixedList = given.mixedList.map(mixed)
            result.child = given.child.map(part)
            result.children = given.children.map(part)
            result.childMap = given.childMap.mapValues { $0.map(part) }
            return result
        }
        return GrowthContents(plants: plants.mapValues(part), weeds: weeds.mapValues(part))
    }
}

// MARK: Reading

extension GrowthContents {
    /// All plants and weeds of a realm.
    init(_ realm: Realm) {
        for plant in realm.objects(Plant.self) { plants[plant.id] = Self.part(plant) }
        for weed in realm.objects(Weed.self) { weeds[weed.id] = Self.part(weed) }
    }

    static func part<P: Branching>(_ object: P) -> Part {
        var part = values(object)
        if let child = object.child { part.child = [self.part(embedded: child)] }
        part.children = object.children.map { self.part(embedded: $0) }
        for (name, child) in object.childMap.asKeyValueSequence() {
            part.childMap.updateValue(child.map { self.part(embedded: $0) }, forKey: name)
        }
        return part
    }

    static func part(embedded object: some Growing) -> Part {
        if let limb = object as? Limb { return part(limb) }
        if let twig = object as? Twig { return part(twig) }
        return values(object)
    }

    private static func values(_ object: some Growing) -> Part {
        var part = Part()
        part.size = object.size
        part.note = object.note
        part.price = object.price
        part.suit = object.suit
        part.ratio = object.ratio
        part.numbers = Array(object.numbers)
        part.words = Set(object.words)
        for (name, count) in object.counts.asKeyValueSequence() { part.counts.updateValue(count, forKey: name) }
        part.plant = object.plant?.id
        part.plants = object.plants.map(\.id)
        part.plantSet = Set(object.plantSet.map(\.id))
        for (name, plant) in object.plantMap.asKeyValueSequence() { part.plantMap.updateValue(plant?.id, forKey: name) }
        part.weed = object.weed?.id
        part.weeds = object.weeds.map(\.id)
        part.mixed = mixed(object.mixed)
        part.mixedList = object.mixedList.map { mixed($0) }
        if let placed = object as? any Placed {
            part.place = placed.place
            part.places = Array(placed.places)
            for (name, point) in placed.placeMap.asKeyValueSequence() { part.placeMap.updateValue(point, forKey: name) }
        }
        return part
    }

    private static func mixed(_ value: AnyRealmValue) -> Mixed {
        switch value {
        case .int(let value): .int(value)
        case .string(let value): .text(value)
        case .float(let value): .float(value)
        case .object(let object): (object as? Plant).map { .plant($0.id) } ?? .weed((object as! Weed).id)
        case .list(let list): .list(list.map { mixed($0) })
        case .dictionary(let map):
            .dictionary(
                Dictionary(uniqueKeysWithValues: map.asKeyValueSequence().map { ($0.key, mixed($0.value)) })
            )
        default: .none
        }
    }
}
