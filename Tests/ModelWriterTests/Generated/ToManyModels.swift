import Freehold

final class ToManyDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var age: Int?

    override class func mappedName() -> String? { "Dog" }
}

final class ToManyPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var dogs: List<ToManyDog>

    override class func mappedName() -> String? { "Person" }
}
