import Foundation
import Freehold
import Testing

class OtherDog: Object {
    @Persisted var name = ""
    @Persisted(originProperty: "dog") var owners: LinkingObjects<OtherOwner>
    @Persisted var age = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has all properties of a dog.
private class OtherCat: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var lives = 9
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has one of them.
private class OtherBird: Object {
    @Persisted var name = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OtherStone: Object {
    @Persisted var weight = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OtherTag: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var age = 0
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class OtherOwner: Object {
    @Persisted var dog: OtherDog?
    @Persisted var dogs: List<OtherDog>
    @Persisted var pack: MutableSet<OtherDog>
    @Persisted var named: Map<String, OtherDog?>
    @Persisted fileprivate var tag: OtherTag?
    @Persisted fileprivate var tags: List<OtherTag>
    @Persisted fileprivate var namedTags: Map<String, OtherTag?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Objects of another class than the property's")
struct OtherClassTests {
    enum Position: String, CaseIterable { case dog, dogs, pack, named, tag, tags, namedTags }

    /// The way in which a property of an owner gets a value.
    enum Way: CaseIterable {
        case initializer, create, createByName, unmanaged, managed, byName

        /// If plain data may represent new objects, an object of another class gives its values.
        var copies: Bool { [.initializer, .create, .createByName].contains(self) }
    }

    enum Given: CaseIterable { case cat, bird, stone }

    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    OtherDog.self, OtherCat.self, OtherBird.self, OtherStone.self, OtherTag.self, OtherOwner.self,
                ]
            )
        )
    }

    private func object(_ given: Given) -> Object {
        switch given {
        case .cat: OtherCat(value: ["name": "Tom", "age": 4])
        case .bird: OtherBird(value: ["name": "Tweety"])
        case .stone: OtherStone(value: [3])
        }
    }

    private func give(_ object: Object, _ position: Position, _ way: Way, _ realm: Realm) throws {
        let value: Any =
            switch position {
            case .dog, .tag: object
            case .dogs, .pack, .tags: [object]
            case .named, .namedTags: ["a": object]
            }
        let values = [position.rawValue: value]
        switch way {
        case .initializer: realm.add(try OtherOwner(validating: values))
        case .create: realm.create(OtherOwner.self, value: values)
        case .createByName: realm.dynamicCreate("OtherOwner", value: values)
        case .unmanaged:
            let owner = OtherOwner()
            owner[position.rawValue] = value
            realm.add(owner)
        case .managed:
            let owner = OtherOwner()
            realm.add(owner)
            owner[position.rawValue] = value
        case .byName: realm.dynamicCreate("OtherOwner")[position.rawValue] = value
        }
    }

    private func contents(_ owner: OtherOwner, _ position: Position) -> [String] {
        let objects: [ObjectBase] =
            switch position {
            case .dog: [owner.dog].compactMap { $0 }
            case .dogs: Array(owner.dogs)
            case .pack: Array(owner.pack)
            case .named: owner.named.values.compactMap { $0 }
            case .tag: [owner.tag].compactMap { $0 }
            case .tags: Array(owner.tags)
            case .namedTags: owner.namedTags.values.compactMap { $0 }
            }
        return objects.map { "\($0.value(forKey: "name") as? String ?? "-") \($0.value(forKey: "age") as? Int ?? -1)" }
    }

    @Test(arguments: Position.allCases, Way.allCases)
    func `create copies an object with all properties, and refuses other ones`(position: Position, way: Way) throws {
        for given in Given.allCases {
            for isManaged in [false, true] {
                let realm = try realm()
                let object = object(given)
                if isManaged { try realm.write { realm.add(object) } }
                let code = thrown { try realm.write { try give(object, position, way, realm) } }
                let owners = realm.objects(OtherOwner.self)
                if given == .cat && way.copies {
                    expect(code == nil && owners.count == 1, "\(given) \(isManaged)")
                    expectEqual(owners.map { contents($0, position) }, [["Tom 4"]], "\(given) \(isManaged)")
                } else {
                    expect(code == .invalidValue && owners.isEmpty, "\(given) \(isManaged)")
                }
            }
        }
    }

    @Test func `create and initialisers accept an object of another class only with all properties`() throws {
        let realm = try realm()
        for given in Given.allCases {
            for isManaged in [false, true] {
                let object = object(given)
                if isManaged { try realm.write { realm.add(object) } }
                let expected: Realm.Error.Code? = given == .cat ? nil : .invalidValue
                expectEqual(thrown { _ = try OtherDog(validating: object) }, expected)
                expectEqual(thrown { try realm.write { _ = realm.create(OtherDog.self, value: object) } }, expected)
                expectEqual(thrown { try realm.write { _ = realm.dynamicCreate("OtherDog", value: object) } }, expected)
                guard isManaged else { continue }
                let dynamic = realm.dynamicObjects("\(type(of: object))").last!
                expectEqual(thrown { try realm.write { _ = realm.create(OtherDog.self, value: dynamic) } }, expected)
            }
        }
        expectEqual(realm.objects(OtherDog.self).map { "\($0.name) \($0.age)" }, Array(repeating: "Tom 4", count: 5))
    }

    @Test func `the error names both classes and the missing property`() throws {
        let error = try #require(throws: Realm.Error.self) { _ = try OtherDog(validating: OtherBird()) }
        expect(error.className == "OtherDog" && error.property == "age")
        expect(error.message.contains("Invalid value") && error.message.contains("OtherBird"))
    }

    @Test func `a map's setValue(_:forKey:) accepts only plain data and objects of the class`() throws {
        let realm = try realm()
        let owner = OtherOwner()
        try realm.write { realm.add(owner) }
        try realm.write {
            owner.named.setValue(["name": "Rex"], forKey: "a")
            owner.named.setValue(OtherDog(value: ["name": "Fido"]), forKey: "b")
        }
        for given in Given.allCases {
            expectEqual(thrown { try realm.write { owner.named.setValue(object(given), forKey: "c") } }, .invalidValue)
        }
        expect(owner.named.keys.sorted() == ["a", "b"] && owner.named["a"]??.name == "Rex")
    }

    private func thrown(_ body: () throws -> Void) -> Realm.Error.Code? { thrownCode(body) }
}
