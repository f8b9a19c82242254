import Freehold

class Collar: EmbeddedObject {
    @Persisted var color = ""
}

class Dog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var collar: Collar?
    @Persisted var tags: List<String>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}

class Person: Object {
    @Persisted(primaryKey: true) var _id: String
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>
    @Persisted var best: Dog?

    override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
}
