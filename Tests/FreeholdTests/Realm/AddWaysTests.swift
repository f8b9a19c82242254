import Foundation
import Testing

@testable import Freehold

/// Random graphs are stored in every way, and must be read equal. The fast paths are compared with the general one.
///
/// `FREEHOLD_SEED` repeats one seed, `FREEHOLD_SOAK` runs many. The other seeds have four densities, and the dense
/// graphs are small.
@Suite("Every way of storing a graph stores all of it")
struct AddWaysTests {
    enum Way: String, CaseIterable {
        case add, addEach, addSequence, addModified, addAll, addOverOthers, addAllOverOthers
        case createFromObject, createFromManaged, createFromPlainData, createOverOthers, dynamicCreate
        case append, assignLink, insertIntoSet, setInMap, setMixed, appendMixed
        case assignEmbedded, appendEmbedded, setEmbeddedInMap
        case importJSON, importDocument, copyOfFile
    }

    static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        if let seed = UInt64(environment["FREEHOLD_SEED"] ?? "") { return [seed] }
        return environment["FREEHOLD_SOAK"] != nil ? Array(1...2_000) : [18, 20, 22, 29]
    }

    private static func newRealm() throws -> Realm {
        try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: growthTypes))
    }

    private static func newFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("growth-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func contents(_ seed: UInt64, salt: UInt64 = 0) -> GrowthContents {
        var random = SeededRandom(seed: seed &* 31 &+ salt)
        // Most objects of the sparse graphs take the short path, and few of the dense ones.
        let density = [0.02, 0.05, 0.1, 0.2, 0.4, 0.6][Int(seed % 6)]
        return .random(plants: 1 + Int(seed % 7), weeds: Int(seed % 3), density: density, using: &random)
    }

    @Test(arguments: Way.allCases)
    func `every way stores graphs of objects, embedded objects in three levels, collections and mixed values`(
        _ way: Way
    ) throws {
        var cases = 0
        for seed in Self.seeds {
            cases += 1
            let contents = Self.contents(seed)
            let realm = try Self.newRealm()
            let expected = try store(contents, by: way, in: realm, seed)
            let found = GrowthContents(way.isElsewhere ? expected.realm : realm)
            try require(
                found == expected.contents,
                "\(way), seed \(seed)\n\(Self.differences(found, expected.contents))"
            )
            let problems = try expected.realm.core.database.snapshot().verify()
            try require(problems.isEmpty, "\(way), seed \(seed): \(problems)")
        }
        print("AddWaysTests: \(way), \(cases) graphs")
        expectEqual(cases, Self.seeds.count)
    }

    @Test
    func `an embedded object's lists and maps of embedded objects are stored with it on every path`() throws {
        let plant = Plant()
        let limb = Limb()
        limb.children.append(objectsIn: [Twig(value: ["size": 1]), Twig(value: ["size": 2])])
        limb.childMap["a"] = Twig(value: ["size": 3])
        plant.child = limb
        let realm = try Self.newRealm()
        try realm.write { realm.add(plant) }
        expect(plant.child?.children.map(\.size) == [1, 2] && plant.child?.childMap["a"]??.size == 3)
        expectEqual(realm.objects(Plant.self).first?.child?.children.count, 2)
    }

    /// Stores the contents, and returns the expected content and the realm to read.
    private func store(
        _ contents: GrowthContents,
        by way: Way,
        in realm: Realm,
        _ seed: UInt64
    ) throws -> (contents: GrowthContents, realm: Realm) {
        let objects = contents.makeObjects()
        let plants = objects.plants.sorted { $0.key < $1.key }.map(\.value)
        let weeds = objects.weeds.sorted { $0.key < $1.key }.map(\.value)
        let first = try require(objects.plants[0])
        let reachable = contents.reachable(plants: [0])
        switch way {
        case .add:
            try realm.write { realm.add(first) }
            return (reachable, realm)
        case .addEach, .addModified, .addAll:
            let policy: Realm.UpdatePolicy = way == .addEach ? .error : way == .addAll ? .all : .modified
            try realm.write {
                for plant in plants where plant.realm == nil { realm.add(plant, update: policy) }
                for weed in weeds where weed.realm == nil { realm.add(weed) }
            }
            return (contents, realm)
        case .addSequence:
            try realm.write {
                realm.add(plants)
                realm.add(weeds)
            }
            return (contents, realm)
        case .addOverOthers, .addAllOverOthers:
            // Other contents under the same keys, in the same transaction or one before.
            let others = Self.contents(seed, salt: 1).makeObjects()
            let existing = others.plants.values.filter { objects.plants[$0.id] != nil }
            realm.beginWrite()
            realm.add(existing, update: .modified)
            if seed.isMultiple(of: 2) {
                try realm.commitWrite()
                realm.beginWrite()
            }
            realm.add(plants, update: way == .addOverOthers ? .modified : .all)
            realm.delete(realm.objects(Weed.self).filter { weed in !weeds.contains { $0 === weed || $0 == weed } })
            for weed in weeds where weed.realm == nil { realm.add(weed) }
            try realm.commitWrite()
            return (contents, realm)
        case .createFromObject:
            try realm.write { realm.create(Plant.self, value: first) }
            return (reachable, realm)
        case .createFromManaged:
            let other = try Self.newRealm()
            try other.write { other.add(first) }
            try realm.write { realm.create(Plant.self, value: first) }
            return (reachable, realm)
        case .createFromPlainData, .createOverOthers, .dynamicCreate:
            let plain = contents.withoutUntypedLinks()
            if way == .createOverOthers {
                let others = Self.contents(seed, salt: 2).withoutUntypedLinks()
                let reached = plain.reachable(plants: [0]).plants
                try realm.write {
                    for plant in others.makeObjects().plants.values where reached[plant.id] != nil {
                        realm.add(plant, update: .modified)
                    }
                    realm.delete(realm.objects(Plant.self).filter { reached[$0.id] == nil })
                }
            }
            try realm.write {
                let data = plain.plainData(ofPlant: 0)
                if way == .dynamicCreate {
                    realm.dynamicCreate("Plant", value: data, update: .modified)
                } else {
                    realm.create(Plant.self, value: data, update: seed.isMultiple(of: 2) ? .modified : .all)
                }
            }
            return (plain.reachable(plants: [0]), realm)
        case .append, .assignLink, .setInMap, .setMixed, .appendMixed:
            try realm.write {
                let garden = realm.create(Garden.self)
                switch way {
                case .append: garden.beds.append(first)
                case .assignLink: garden.favourite = first
                case .setInMap: garden.named["a"] = first
                case .setMixed: garden.any = .object(first)
                default: garden.anyList.append(.object(first))
                }
            }
            return (reachable, realm)
        case .insertIntoSet:
            try realm.write {
                let garden = realm.create(Garden.self)
                for weed in weeds where weed.realm == nil { garden.wild.insert(weed) }
            }
            return (contents.reachable(plants: [], weeds: Array(contents.weeds.keys)), realm)
        case .assignEmbedded, .appendEmbedded, .setEmbeddedInMap:
            // Assigns each of the first plant's embedded objects to an owner that is already managed.
            guard let part = contents.plants[0], let limb = part.child.first ?? part.children.first else {
                return (GrowthContents(), realm)
            }
            let filler = GrowthContents.Filler(plants: objects.plants, weeds: objects.weeds)
            try realm.write {
                realm.add(plants)
                realm.add(weeds)
                let garden = realm.create(Garden.self)
                let made: Limb = filler.make(limb)
                switch way {
                case .assignEmbedded: garden.limb = made
                case .appendEmbedded: garden.limbs.append(made)
                default: garden.limbMap["a"] = made
                }
            }
            let garden = try require(realm.objects(Garden.self).first)
            let stored = try require(garden.limb ?? garden.limbs.first ?? garden.limbMap["a"] ?? nil)
            try require(GrowthContents.part(stored) == limb, "\(way), seed \(seed)")
            return (contents, realm)
        case .importJSON:
            let plain = contents.withoutUntypedLinks()
            let objects = plain.makeObjects()
            let source = try Self.newRealm()
            try source.write { source.add(objects.plants.values) }
            var data = Data()
            _ = try source.objects(Plant.self).exportJSON { data += $0 }
            _ = try realm.importJSON(from: data, into: Plant.self)
            return (GrowthContents(plants: plain.plants), realm)
        case .importDocument:
            let source = try Self.newRealm()
            try source.write {
                source.add(plants)
                source.add(weeds)
            }
            var document = Data()
            _ = try source.exportDocument { document += $0 }
            let folder = try Self.newFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let imported = Realm.Configuration(
                fileURL: folder.appendingPathComponent("import.realm"),
                objectTypes: growthTypes
            )
            var rest = document[...]
            _ = try Realm.importDocument(to: imported) {
                defer { rest = rest.dropFirst(4_096) }
                return Data(rest.prefix(4_096))
            }
            return (contents, try Realm(configuration: imported))
        case .copyOfFile:
            let folder = try Self.newFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            try realm.write {
                realm.add(plants)
                realm.add(weeds)
            }
            let url = folder.appendingPathComponent("copy.realm")
            try realm.writeCopy(toFile: url)
            let copy = try Realm(configuration: .init(fileURL: url, objectTypes: growthTypes))
            return (contents, copy)
        }
    }

    private static func differences(_ found: GrowthContents, _ expected: GrowthContents) -> String {
        var lines: [String] = []
        for id in Set(found.plants.keys).union(expected.plants.keys).sorted() {
            lines += differences(found.plants[id], expected.plants[id]).map { "plant \(id) \($0)" }
        }
        for id in Set(found.weeds.keys).union(expected.weeds.keys).sorted() {
            lines += differences(found.weeds[id], expected.weeds[id]).map { "weed \(id) \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    private static func differences(_ found: GrowthContents.Part?, _ expected: GrowthContents.Part?) -> [String] {
        guard let found, let expected else { return found == expected ? [] : ["\(found as Any) \(expected as Any)"] }
        if found == expected { return [] }
        return zip(Mirror(reflecting: found).children, Mirror(reflecting: expected).children).compactMap { one, other in
            let (one, name, other) = ("\(one.value)", one.label ?? "", "\(other.value)")
            return one == other ? nil : ".\(name)\n    is        \(one)\n    should be \(other)"
        }
    }
}

extension AddWaysTests.Way {
    /// Whether the result is in another realm than the written one.
    fileprivate var isElsewhere: Bool { self == .copyOfFile || self == .importDocument }
}
