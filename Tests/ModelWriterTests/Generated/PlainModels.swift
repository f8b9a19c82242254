import Freehold

final class PlainDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var age: Int?

    override class func mappedName() -> String? { "Dog" }
}

final class PlainPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?

    override class func mappedName() -> String? { "Person" }
}
