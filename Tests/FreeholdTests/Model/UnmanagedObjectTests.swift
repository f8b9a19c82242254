import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Unmanaged objects")
struct UnmanagedObjectTests {
    @Test
    func `properties without a default start at zero, empty, nil, now and new identifiers`() {
        let before = Date()
        let a = Everything()
        let b = Everything()
        expect(a.bool == false && a.int == 0 && a.int8 == 0 && a.float == 0 && a.double == 0)
        expect(a.string == "" && a.data.isEmpty && a.decimal == Decimal128())
        expect(a.date >= before && a.date <= Date())
        expect(a.objectId != b.objectId && a.uuid != b.uuid)
        expect(a.optInt == nil && a.optString == nil && a.link == nil && a.links.isEmpty)
        expect(ModelPerson().luck == 7 && ModelPerson().notStored == 8)
    }

    @Test
    func `values are kept and can be changed in place`() {
        let a = Everything()
        a.int = 5
        a.int += 2
        a.optInt = 4
        a.optInt! += 1
        a.string = "x"
        a.string.append("y")
        a.link = ModelDog()
        a.link?.age += 1
        a.optBool = true
        expect(a.int == 7 && a.optInt == 5 && a.string == "xy" && a.link?.age == 4 && a.optBool == true)
        a.link = nil
        expect(a.link == nil)
    }

    @Test
    func `a list property keeps its list, and an assignment copies the elements`() {
        let person = ModelPerson()
        let list = person.dogs
        expect(person.dogs === list)
        let other = List<ModelDog>()
        other.append(ModelDog())
        person.dogs = other
        expect(person.dogs === list && list.count == 1)
        other.append(ModelDog())
        expectEqual(list.count, 1)
        person.dogs = person.dogs
        expectEqual(list.count, 1)
    }

    @Test
    func `equality is identity, and a primary key determines the hash`() {
        let a = ModelDog()
        let b = ModelDog()
        expect(a == a && a != b && a.hash == b.hash)
        b._id = 5
        expect(a.hash != b.hash)
        expect(a.isSameObject(as: a) && !a.isSameObject(as: b) && !a.isSameObject(as: nil))
        let people = (ModelPerson(), ModelPerson())
        expect(people.0.hash != people.1.hash)
        expectEqual(ModelOverriding(), ModelOverriding())
        expectEqual("\(ModelOverriding())", "overridden 1")
        expect(a.id != b.id)
        expect(a.realm == nil && !a.isInvalidated)
    }

    @Test
    func `the subscript reads and converts by name`() {
        let a = Everything()
        a["int8"] = 100
        a["optString"] = "s"
        a["link"] = ["name": "Fido"]
        a["links"] = [["age": 1], ["age": 2]]
        expect(a.int8 == 100 && a["int8"] as? Int == 100)
        expect(a.optString == "s" && a["optInt"] == nil)
        expect(a.link?.name == "Fido" && a.links.map(\.age) == [1, 2])
        a["int8"] = 1000
        expectEqual(a.int8, 100)
        expectEqual(a._unmanagedError?.property, "int8")
    }

    @Test
    func `descriptions nest to depth 5, and cut collections at 100 elements and data at 24 bytes`() {
        let dog = ModelDog()
        dog.best = dog
        let text = "\(dog)"
        expectEqual(text.components(separatedBy: "ModelDog {").count, 6)
        expect(text.contains("Maximum depth exceeded"))
        expect(text.contains("name = Rex;"))
        let all = Everything()
        all.data = Data(repeating: 0xab, count: 30)
        all.ints.append(objectsIn: 0..<150)
        expect("\(all)".contains("<" + String(repeating: "ab", count: 24) + "…>"))
        expect("\(all.ints)".contains("[99] 99"))
        expect("\(all.ints)".contains("50 elements skipped"))
    }

    @Test
    func `models with synthesised coding are coded as JSON`() throws {
        let a = CodableModel()
        a.name = "n"
        a.tags.append(objectsIn: ["a", "b"])
        let data = try JSONEncoder().encode(a)
        let b = try JSONDecoder().decode(CodableModel.self, from: data)
        expect(b.name == "n" && b.note == nil && Array(b.tags) == ["a", "b"])
        let c = try JSONDecoder().decode(CodableModel.self, from: Data(#"{"name":"m","tags":[]}"#.utf8))
        expect(c.name == "m" && c.note == nil)
        let d = try JSONDecoder().decode(CodableModel.self, from: Data(#"{"name":"m","note":null,"tags":["x"]}"#.utf8))
        expect(d.note == nil && d.tags.first == "x")
    }
}

class CodableModel: Object, Codable {
    @Persisted var name = ""
    @Persisted var note: String?
    @Persisted var tags: List<String>
}
