import Foundation
import Freehold
import FreeholdBSON
import FreeholdSync
import Testing

@testable import FreeholdSyncCore

/// The seed documents' sentences on models on a server: each object of a class is a document.
extension SyncedRealmTests {
    @MainActor
    @Test(
        "Seeds: a server has BSON documents by stored names, keys for links, arrays for lists, documents for embedded objects"
    )
    func seedDocuments() async throws {
        let (one, two) = (try await realm(try await user("ann")), try await realm(try await user("bob")))
        let id = ObjectId.generate()
        try one.write {
            let rex = one.create(
                Dog.self,
                value: ["_id": id, "name": "Rex", "age": 3, "collar": ["color": "red"], "tags": ["brown"]]
                    as [String: Any]
            )
            let person = one.create(Person.self, value: ["_id": "ann", "name": "Ann", "best": rex])
            person.dogs.append(rex)
            one.create(Person.self, value: ["_id": "bob"])
        }
        try await settle(one, two)

        var documents: [String: [BSONDocument]] = [:]
        for (name, object) in server.backup.contents(of: StreamName(app: "test")) {
            documents[name.className.description, default: []].append(object.stored(name.key).doc)
        }
        // A collection for each class; embedded objects have none.
        expectEqual(documents.keys.sorted(), ["Dog", "Person"])
        let dog: BSONDocument = [
            "_id": .objectId(id), "age": .int64(3), "collar": .document(["color": "red"]), "name": "Rex",
            "tags": ["brown"],
        ]
        // The inverse relationship, `owners`, is nowhere.
        expectEqual(documents["Dog"], [dog])
        let ann: BSONDocument = [
            "_id": "ann", "best": .objectId(id), "dogs": .array([.objectId(id)]), "full_name": "Ann",
        ]
        expectEqual(documents["Person"]?.contains(ann), true, "\(documents)")
        // A person without dogs has no best dog, and causes no error.
        let bob = documents["Person"]?.first { $0["_id"] == "bob" }
        expect(bob?["best"] == nil || bob?["best"] == .null)

        // They are downloaded as Swift's values.
        let person = try require(two.object(ofType: Person.self, forPrimaryKey: "ann"))
        expect(person.name == "Ann" && person.best?._id == id && person.dogs.map(\.name) == ["Rex"])
        expect(person.best?.collar?.color == "red" && person.best?.age == 3 && person.best?.owners.count == 1)
    }
}
