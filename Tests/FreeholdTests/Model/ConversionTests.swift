import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

/// A value for a property of `Everything`. It is immutable, so that tests can pass it to any thread.
struct Given: @unchecked Sendable, CustomStringConvertible {
    let property: String
    let value: Any

    init(_ property: String, _ value: Any) {
        self.property = property
        self.value = value
    }

    var description: String { "\(property): \(value)" }
}

@Suite("Values for objects")
struct ConversionTests {
    @Test
    func `dictionaries, arrays and objects fill an object, including nested links and lists`() throws {
        let person = ModelPerson(value: [
            "name": "Ann", "dog": ["name": "Fido", "best": ["age": 9]], "dogs": [["_id": 1], ["_id": 2]],
            "nicknames": ["A", "B"], "unknown": 1,
        ])
        expect(person._unmanagedError == nil)
        expect(person.name == "Ann" && person.dog?.best?.age == 9 && person.luck == 7)
        expect(person.dogs.map(\._id) == [1, 2] && Array(person.nicknames) == ["A", "B"])

        let dog = ModelDog(value: [5, "Rolf"] as [Any])
        expect(dog._id == 5 && dog.name == "Rolf" && dog.age == 3)

        let copy = ModelPerson(value: person)
        expect(copy.name == "Ann" && copy.dog === person.dog && copy.dogs.count == 2 && copy.dogs !== person.dogs)
    }

    @Test
    func `Foundation's JSON values are accepted`() throws {
        let text =
            #"{"int": 5, "double": 2, "float": 1.5, "bool": true, "optInt": null, "string": "s", "ints": [1, 2], "links": [{"name": "x"}]}"#
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let all = try Everything(validating: value)
        expect(all.int == 5 && all.double == 2 && all.float == 1.5 && all.bool && all.string == "s")
        expect(all.optInt == nil && Array(all.ints) == [1, 2] && all.links.first?.name == "x")
    }

    @Test(
        arguments: [
            (Given("int", UInt8(3)), .int(3)), (Given("int8", 127), .int(127)),
            (Given("int", NSNumber(value: 4)), .int(4)),
            (Given("double", 3), .double(3)), (Given("double", Float(1.5)), .double(1.5)),
            (Given("float", 2.5), .float(2.5)),
            (Given("float", 3), .float(3)), (Given("bool", true), .bool(true)),
            (Given("bool", NSNumber(value: false)), .bool(false)),
            (Given("decimal", "1.5"), .decimal128(Decimal128("1.5"))),
            (Given("decimal", 2), .decimal128(Decimal128(2))),
            (Given("decimal", 2.5), .decimal128(Decimal128(2.5))), (Given("optInt", Optional(5) as Any), .int(5)),
            (Given("optInt", NSNull()), .null), (Given("optString", Optional<String>.none as Any), .null),
            (Given("string", "ab".dropFirst()), .string("b")),
            (
                Given("uuid", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
                .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!)
            ),
        ] as [(Given, Value)]
    )
    func `values of related types are accepted`(_ given: Given, _ stored: Value) throws {
        let all = try Everything(validating: [given.property: given.value])
        let info = ClassInfo.of(Everything.self)
        expectEqual(info.value(of: all, at: info.index(named: given.property)!), stored)
    }

    @Test(
        arguments: [
            (Given("int8", 128), .invalidValue), (Given("int", true), .invalidValue), (Given("bool", 2), .invalidValue),
            (Given("int", 1.5), .invalidValue), (Given("int", "1"), .invalidValue),
            (Given("int", UInt64.max), .invalidValue),
            (Given("string", 1), .invalidValue), (Given("float", 1e300), .invalidValue),
            (Given("int", NSNull()), .missingValue),
            (Given("bool", NSNumber(value: 2)), .invalidValue), (Given("int", NSNumber(value: true)), .invalidValue),
            (Given("decimal", "x"), .invalidValue), (Given("date", 5), .invalidValue),
            (Given("link", 5), .invalidValue),
            (Given("link", ["age": "old"]), .invalidValue), (Given("ints", ["a"]), .invalidValue),
            (Given("ints", 5), .invalidValue),
            (Given("ints", [1, NSNull()] as [Any]), .missingValue), (Given("links", [NSNull()]), .missingValue),
            (Given("objectId", "x"), .invalidValue), (Given("uuid", "x"), .invalidValue),
        ] as [(Given, Realm.Error.Code)]
    )
    func `an unsuitable value is an error with class and property`(_ given: Given, _ code: Realm.Error.Code) {
        do {
            _ = try Everything(validating: [given.property: given.value])
            Issue.record("no error")
        } catch let error as Realm.Error {
            expectEqual(error.code, code)
            let nested = given.property == "link" && given.value is [String: Any]
            expectEqual(error.className, (nested ? "ModelDog" : "Everything"))
            expectEqual(error.property, (nested ? "age" : given.property))
        } catch {
            Issue.record(error)
        }
    }

    @Test
    func `init(value:) keeps the error and changes nothing; too many values, wrong kinds and nil are errors`() {
        let dog = ModelDog(value: ["age": 8, "name": 5] as [String: Any])
        expect(dog.age == 3 && dog._unmanagedError?.property == "name")
        expectEqual(ModelDog(value: [1, "a", 2, NSNull(), 5] as [Any])._unmanagedError?.code, .invalidValue)
        expectEqual(ModelDog(value: 5)._unmanagedError?.code, .invalidValue)
        expectEqual(ModelDog(value: Optional<Int>.none as Any)._unmanagedError?.code, .missingValue)
    }

    @Test
    func `null empties a list and clears a link`() throws {
        let all = try Everything(validating: [
            "ints": NSNull(), "link": NSNull(), "optStrings": ["a", nil] as [String?],
        ])
        expect(all.ints.isEmpty && all.link == nil && Array(all.optStrings) == ["a", nil])
    }
}
