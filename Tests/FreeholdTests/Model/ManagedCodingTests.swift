import Foundation
import Testing

@testable import Freehold

class CDog: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var born: Date
    @Persisted var chip: Data?
    @Persisted var weight: Decimal128
    @Persisted var score: Double?
    @Persisted var uuid: UUID
    @Persisted var tag: ObjectId
    @Persisted var friend: CDog?
    @Persisted var puppies: List<CDog>
    @Persisted var marks: List<Int?>
    @Persisted var walked: List<Date>
}

/// Some properties, under other names.
class CRenamed: Object, Codable {
    @Persisted var name = ""
    @Persisted var age: Int
    @Persisted var secret = "hidden"

    enum CodingKeys: String, CodingKey {
        case name = "full_name"
        case age
    }
}

/// Written by hand, as RealmSwift requires for managed objects.
class CByHand: Object, Encodable {
    @Persisted var name = ""
    @Persisted var parent: CByHand?
    @Persisted(originProperty: "parent") var children: LinkingObjects<CByHand>

    enum CodingKeys: String, CodingKey { case name, parent, children }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(children.map(\.name).sorted(), forKey: .children)
    }
}

struct CReply: Codable {
    var dog: CDog
    var other: CDog?
    var dogs: [CDog]
    var byName: [String: CDog]
}

private func generic<T: Encodable>(_ value: T) throws -> Data { try JSONEncoder().encode(value) }

@Suite("Codable: managed objects")
struct ManagedCodingTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [CDog.self, CRenamed.self, CByHand.self]
            )
        )
    }

    private func dog(_ id: Int) -> CDog {
        let dog = CDog()
        dog.id = id
        dog.name = "Dog \(id)"
        dog.born = Date(timeIntervalSince1970: 1_700_000_000)
        dog.chip = Data([1, 2, 3])
        dog.weight = "12.50"
        dog.score = 0.1
        dog.marks.append(objectsIn: [1, nil, 3])
        dog.walked.append(Date(timeIntervalSince1970: 0))
        return dog
    }

    private func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.dateEncodingStrategy = .secondsSince1970
        return encoder
    }

    @Test
    func `a managed object encodes as before it was added, links and lists included`() throws {
        let parent = dog(1)
        parent.friend = dog(2)
        parent.friend!.friend = dog(3)
        parent.puppies.append(objectsIn: [dog(4), dog(5)])
        let before = try encoder().encode(parent)
        let realm = try realm()
        try realm.write {
            realm.add(parent)
            let inside = try encoder().encode(parent)
            expectEqual(inside, before)
        }
        try expectEqual(encoder().encode(parent), before)
        let found = realm.object(ofType: CDog.self, forPrimaryKey: 1)!
        try expectEqual(encoder().encode(found), before)
        // And is decoded to the same.
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let copy = try decoder.decode(CDog.self, from: before)
        expect(copy.realm == nil && copy.friend?.friend?.name == "Dog 3" && copy.puppies.map(\.id) == [4, 5])
        expect(copy.weight == "12.5" && copy.chip == Data([1, 2, 3]) && Array(copy.marks) == [1, nil, 3])
        expect(copy.uuid == parent.uuid && copy.tag == parent.tag && copy.born == parent.born)
        try expectEqual(encoder().encode(copy), before)
    }

    @Test
    func `arrays, dictionaries, results, lists and structs of managed objects encode`() throws {
        let realm = try realm()
        try realm.write {
            let parent = dog(1)
            parent.puppies.append(objectsIn: [dog(2), dog(3)])
            realm.add(parent)
        }
        let all = realm.objects(CDog.self).sorted(by: \.id)
        let parent = all[0]
        let array = try encoder().encode(Array(all))
        try expectEqual(encoder().encode(all), array)
        try expectEqual(encoder().encode(AnyRealmCollection(all)), array)
        try expectEqual(encoder().encode(parent.puppies), encoder().encode([all[1], all[2]]))
        let decoded = try JSONDecoder().decode([CDog].self, from: JSONEncoder().encode(Array(all)))
        expect(decoded.map(\.id) == [1, 2, 3] && decoded.map(\.name) == ["Dog 1", "Dog 2", "Dog 3"])

        let reply = CReply(dog: all[0], other: all[1], dogs: Array(all), byName: ["x": all[2]])
        let again = try JSONDecoder().decode(CReply.self, from: JSONEncoder().encode(reply))
        expect(again.dog.name == "Dog 1" && again.other?.name == "Dog 2")
        expect(again.dogs.count == 3 && again.byName["x"]?.name == "Dog 3")
        let one: CDog? = parent
        try expectEqual(encoder().encode(one), encoder().encode(parent))
        expect(try encoder().encode(["k": parent]).count > 50)
        let list = try PropertyListDecoder().decode([CDog].self, from: PropertyListEncoder().encode(Array(all)))
        expectEqual(list.map(\.name), ["Dog 1", "Dog 2", "Dog 3"])
        try expectEqual(PropertyListDecoder().decode(CDog.self, from: PropertyListEncoder().encode(parent)).id, 1)
    }

    @Test("a managed object behind a generic parameter needs EncodableObject, and the error says so")
    func hidden() throws {
        let realm = try realm()
        let parent = dog(1)
        #expect(throws: Never.self) { try generic(parent) }
        try realm.write { realm.add(parent) }
        let error = #expect(throws: EncodingError.self) { try generic(parent) }
        guard case .invalidValue(_, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        expect(context.debugDescription.contains("EncodableObject"))
        let decoded = try JSONDecoder().decode(CDog.self, from: generic(EncodableObject(parent)))
        expectEqual(decoded.name, "Dog 1")
        #expect(throws: Never.self) { try generic(realm.objects(CDog.self)) }
    }

    @Test
    func `strategies for dates, data, keys and numbers are those of the coder`() throws {
        let realm = try realm()
        let value = dog(7)
        value.score = .infinity
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.map { String($0) }.joined(separator: "-"))
        }
        encoder.keyEncodingStrategy = .custom { path in
            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            return path.last!.intValue == nil ? Key(stringValue: "k_" + path.last!.stringValue) : path.last!
        }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+∞",
            negativeInfinity: "-∞",
            nan: "NaN"
        )
        for isManaged in [false, true] {
            if isManaged { try realm.write { realm.add(value) } }
            let text = String(decoding: try encoder.encode(value), as: UTF8.self)
            expect(text.contains(#""k_born":"2023-11-14T22:13:20Z""#), "\(text)")
            expect(text.contains(#""k_chip":"1-2-3""#) && text.contains(#""k_score":"+∞""#))
            expect(text.contains(#""k_walked":["1970-01-01T00:00:00Z"]"#) && text.contains(#""k_weight":"12.50""#))
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) * 60)
        }
        decoder.dataDecodingStrategy = .custom { decoder in
            Data(try decoder.singleValueContainer().decode(String.self).utf8)
        }
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let json = """
            {"id":1,"name":"n","born":2,"chip":"raw","weight":1.5,"uuid":"\(UUID())","tag":"\(ObjectId())",
             "puppies":[],"marks":[],"walked":[1,2]}
            """
        let decoded = try decoder.decode(CDog.self, from: Data(json.utf8))
        expect(decoded.born == Date(timeIntervalSince1970: 120) && decoded.chip == Data("raw".utf8))
        expect(decoded.walked.map(\.timeIntervalSince1970) == [60, 120] && decoded.weight == "1.5")
        // Missing keys of optionals are nil.
        expect(decoded.score == nil && decoded.friend == nil)
    }

    @Test
    func `coding keys select and rename, managed or not`() throws {
        let realm = try realm()
        let object = CRenamed()
        object.name = "n"
        object.age = 3
        let expected = #"{"age":3,"full_name":"n"}"#
        expectEqual(String(decoding: try encoder().encode(object), as: UTF8.self), expected)
        try realm.write { realm.add(object) }
        expectEqual(String(decoding: try encoder().encode(object), as: UTF8.self), expected)
        let decoded = try JSONDecoder().decode(CRenamed.self, from: Data(expected.utf8))
        expect(decoded.name == "n" && decoded.age == 3 && decoded.secret == "hidden")
    }

    @Test
    func `an encode(to:) written by hand sees the managed object`() throws {
        let realm = try realm()
        let parent = CByHand()
        parent.name = "p"
        try realm.write {
            for name in ["a", "b"] {
                let child = CByHand()
                child.name = name
                child.parent = parent
                realm.add(child)
            }
        }
        let text = String(decoding: try encoder().encode(parent), as: UTF8.self)
        expectEqual(text, #"{"children":["a","b"],"name":"p"}"#)
    }

    @Test
    func `null, a wrong type and a missing list are decoding errors if a value is required`() {
        let decoder = JSONDecoder()
        for json in [
            #"{"full_name":null,"age":1}"#, #"{"full_name":"n","age":"x"}"#, #"{"full_name":"n"}"#, "[]",
        ] {
            #expect(throws: DecodingError.self, "\(json)") {
                try decoder.decode(CRenamed.self, from: Data(json.utf8))
            }
        }
        #expect(throws: DecodingError.self) {
            try decoder.decode(CodableModel.self, from: Data(#"{"name":"m"}"#.utf8))
        }
    }
}
