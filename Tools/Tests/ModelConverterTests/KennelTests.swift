import Foundation
import ModelConverter
import RealmSwift
import Testing

/// The files in the folder `Converted` are the expected output of the converter. They are compiled as a part of these
/// tests, which proves that the output compiles.
struct KennelTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    private func text(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appendingPathComponent(name)))
    }

    @Test func `models of every shape become the models that are compiled here`() throws {
        let source = SourceFile(path: "KennelModels.swift", bytes: try text("Old/KennelModels.txt"))
        let conversion = Conversion([source])
        let expected = try text("Converted/KennelModels.swift")
        let difference = UnifiedDiff.text(from: expected, to: conversion.files[0].new, path: "KennelModels.swift")
        expectEqual(String(decoding: difference, as: UTF8.self), "")
        expectEqual(conversion.findings.filter { $0.kind != .note }, [])
        expectEqual(
            conversion.findings.map(\.message),
            [
                "KennelThing.made: observers run for stored objects as well now, not only before an object is added",
                "$0.weight.value has become $0.weight, taken for a model's",
            ]
        )
    }

    @Test func `what was converted isn't changed again`() throws {
        let source = SourceFile(path: "KennelModels.swift", bytes: try text("Converted/KennelModels.swift"))
        let conversion = Conversion([source])
        expect(!conversion.files[0].isChanged && conversion.findings == [])
        expectEqual(conversion.counts, .init())
    }

    @Test func `the converted models store what the older ones did`() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "kennel-\(UUID())")
        configuration.objectTypes = [
            KennelDog.self, KennelPerson.self, KennelCollar.self, KennelAddress.self, KennelThing.self, KennelBowl.self,
            KennelBed.self,
        ]
        let realm = try Realm(configuration: configuration)
        let schema = realm.schema
        expectEqual(schema["KennelDog"]?.primaryKeyProperty?.name, "_id")
        expectEqual(schema["KennelBowl"]?.primaryKeyProperty?.name, "id")
        expectEqual(schema["KennelDog"]?.properties.filter(\.isIndexed).map(\.name).contains("born"), true)
        expect(schema["KennelPerson"]?["tmp"] == nil)
        try realm.write {
            let person = realm.create(KennelPerson.self, value: ["id": 1, "name": "Ada"])
            let dog = KennelDog()
            dog.birthday()
            dog.birthday()
            dog.collar = KennelCollar()
            person.dogs.append(dog)
            person.mood = .wild
        }
        let dog = try require(realm.objects(KennelDog.self).first)
        expect(dog.age == 2 && dog.rank == 3 && dog.mood == .calm && dog.nick == nil && dog.collar?.size == 1.5)
        expect(dog.owners.first?.name == "Ada" && dog.owners.first?.mood == .wild && dog.weight == nil)
        expect(dog.title == " (2, ?)" && KennelDog.byName(realm).count == 1)
        expectEqual(weights(realm.objects(KennelDog.self), of: dog), [0])
    }

    @Test func `the article's example becomes what the article says`() throws {
        let article = "../../../Sources/Freehold/Freehold.docc/MovingFromRealmSwift.md"
        let blocks = String(decoding: try text(article), as: UTF8.self).split(separator: "```swift\n").map {
            String($0.prefix(upTo: $0.firstRange(of: "```")?.lowerBound ?? $0.endIndex))
        }
        let old = try require(blocks.firstIndex { $0.hasPrefix("@objcMembers class Dog") })
        let conversion = Conversion([SourceFile(path: "Dog.swift", text: blocks[old])])
        expectEqual(String(decoding: conversion.files[0].new, as: UTF8.self), blocks[old + 1])
        expectEqual(conversion.findings, [])
    }

    @Test func `observers run for stored objects as well`() throws {
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: "kennel-\(UUID())", objectTypes: [KennelThing.self])
        )
        try realm.write {
            let thing = KennelThing()
            realm.add(thing)
            thing.made = Date()
            expectEqual(thing.changes, 1)
        }
    }
}
