import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

@Suite("Realm: bad data is an error")
struct ErrorTests {
    /// One piece of bad data, and its error.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: Realm.Error.Code
        let property: String?
        let make: @Sendable (Realm) -> Void

        var testDescription: String { name }
    }

    @Test func `the description of an error doesn't repeat its cause`() {
        let error = Realm.Error(EngineError(.fileExists, "A file is there.", path: "/a"))
        #expect("\(error)" == "Realm.Error.fileExists: A file is there. [/a]")
        let other = Realm.Error(.fail, "It failed.", cause: EngineError(.fileExists, "A file is there."))
        #expect("\(other)" == "Realm.Error.fail: It failed. (cause: fileExists: A file is there.)")
    }

    static let cases: [Case] = [
        Case(name: "duplicate key in add", code: .duplicatePrimaryKey, property: "id") { $0.add(RTDog(id: 1)) },
        Case(name: "duplicate key in create", code: .duplicatePrimaryKey, property: "id") {
            $0.create(RTDog.self, value: ["id": 1])
        },
        Case(name: "duplicate key in a list", code: .duplicatePrimaryKey, property: "id") {
            $0.objects(RTPerson.self)[0].dogs.append(RTDog(id: 1))
        },
        Case(name: "duplicate key in a link", code: .duplicatePrimaryKey, property: "id") {
            $0.objects(RTPerson.self)[0].favourite = RTDog(id: 1)
        },
        Case(name: "text for a number", code: .invalidValue, property: "age") {
            $0.create(RTDog.self, value: ["id": 2, "age": "old"] as [String: Any])
        },
        Case(name: "number for a text", code: .invalidValue, property: "name") {
            $0.create(RTPerson.self, value: ["name": 5])
        },
        Case(name: "text for an object", code: .invalidValue, property: "favourite") {
            $0.create(RTPerson.self, value: ["favourite": "Rex"])
        },
        Case(name: "bad data deep inside", code: .invalidValue, property: "age") {
            $0.create(RTPerson.self, value: ["friend": ["dogs": [["id": 7], ["id": 8, "age": [1]] as [String: Any]]]])
        },
        Case(name: "object for a list", code: .invalidValue, property: "tags") {
            $0.create(RTPerson.self, value: ["tags": ["a": 1]])
        },
        Case(name: "wrong element", code: .invalidValue, property: "scores") {
            $0.create(RTPerson.self, value: ["scores": [1, "two"] as [Any]])
        },
        Case(name: "null for a required value", code: .missingValue, property: "age") {
            $0.create(RTDog.self, value: ["id": 2, "age": NSNull()] as [String: Any])
        },
        Case(name: "null in a list", code: .missingValue, property: "tags") {
            $0.create(RTPerson.self, value: ["tags": ["a", nil] as [String?]])
        },
        Case(name: "too many values", code: .invalidValue, property: nil) {
            $0.create(RTDog.self, value: [2, "a", 1, 1.0, 5, 6, 7] as [Any])
        },
        Case(name: "a string over the limit in add", code: .limitExceeded, property: "name") {
            $0.add(RTDog(id: 2, name: String(repeating: "x", count: 16_777_200)))
        },
        Case(name: "a string over the limit in a setter", code: .limitExceeded, property: "name") {
            $0.objects(RTDog.self)[0].name = String(repeating: "x", count: 16_777_200)
        },
        Case(name: "data over the limit", code: .limitExceeded, property: "data") {
            $0.create(RTEverything.self, value: ["key": "a", "data": Data(count: 16_777_201)] as [String: Any])
        },
        Case(name: "another primary key", code: .primaryKeyChanged, property: "id") {
            $0.objects(RTDog.self)[0].id = 2
        },
        Case(name: "bad data in an unmanaged object", code: .invalidValue, property: "age") {
            $0.add(RTDog(value: ["id": 2, "age": "x"] as [String: Any]))
        },
    ]

    private func prepared() throws -> Realm {
        let realm = try newRealm()
        try realm.write {
            realm.add(RTDog(id: 1, name: "First", age: 1))
            realm.add(RTPerson(name: "Somebody"))
        }
        return realm
    }

    private func check(_ realm: Realm) {
        expectEqual(realm.objects(RTDog.self).map(\.name), ["First"])
        expectEqual(realm.objects(RTDog.self)[0].id, 1)
        expectEqual(realm.objects(RTPerson.self).map(\.name), ["Somebody"])
        expect(realm.objects(RTEverything.self).isEmpty)
    }

    @Test(arguments: cases)
    func `write throws bad data and rolls back, and the realm stays usable`(_ bad: Case) throws {
        let realm = try prepared()
        var reachedEnd = false
        do {
            try realm.write {
                realm.create(RTPerson.self, value: ["name": "before"])
                let before = (realm.objects(RTDog.self).count, realm.objects(RTPerson.self).count)
                bad.make(realm)
                expect((realm.objects(RTDog.self).count, realm.objects(RTPerson.self).count) == before)
                expectEqual(realm.pendingError?.code, bad.code)
                realm.create(RTPerson.self, value: ["name": "after"])
                reachedEnd = true
            }
            Issue.record("nothing was thrown")
        } catch let error as Realm.Error {
            expectEqual(error.code, bad.code)
            expectEqual(error.property, bad.property)
            expect(error.className != nil && !error.message.isEmpty)
        }
        expect(reachedEnd && !realm.isInWriteTransaction)
        check(realm)
        try realm.write { realm.create(RTPerson.self, value: ["name": "later"]) }
        expect(realm.pendingError == nil)
        expectEqual(realm.objects(RTPerson.self).count, 2)
    }

    @Test
    func `the first error is thrown`() throws {
        let realm = try prepared()
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(RTDog(id: 1))
                realm.create(RTDog.self, value: ["id": "x"])
            }
        }
        expectEqual(error?.code, .duplicatePrimaryKey)
    }

    @Test
    func `create returns an unmanaged object for bad data`() throws {
        let realm = try prepared()
        realm.beginWrite()
        let dog = realm.create(RTDog.self, value: ["id": 1, "name": "Twin"] as [String: Any])
        expect(dog.realm == nil)
        dog.age = 5
        expectEqual(thrownCode { try realm.commitWrite() }, .duplicatePrimaryKey)
        expect(!realm.isInWriteTransaction)
        check(realm)
    }

    @Test
    func `an error of the block has the pending one as its cause`() throws {
        let realm = try prepared()
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.add(RTDog(id: 1))
                throw Realm.Error(.fail, "mine")
            }
        }
        expectEqual(error?.message, "mine")
        expectEqual((error?.cause as? Realm.Error)?.code, .duplicatePrimaryKey)
        struct Mine: Error {}
        #expect(throws: Mine.self) {
            try realm.write {
                realm.add(RTDog(id: 1))
                throw Mine()
            }
        }
        expectEqual(realm.pendingError?.code, .duplicatePrimaryKey)
        check(realm)
    }

    @Test
    func `codes match in catch clauses`() {
        let error: any Swift.Error = Realm.Error(.fileNotFound, fileURL: URL(fileURLWithPath: "/nowhere"))
        do { throw error } catch Realm.Error.fileNotFound {} catch { Issue.record("not matched") }
        expect(!(Realm.Error.fail ~= error))
        expect((error as NSError).domain == "io.realm" && (error as NSError).code == 5)
        expect("\(error)".contains("fileNotFound") && "\(error)".contains("/nowhere"))
        expectEqual(error.localizedDescription, Realm.Error(.fileNotFound).message)
    }
}
