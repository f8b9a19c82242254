import Freehold

final class ToOneDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var age: Int?

    override class func mappedName() -> String? { "Dog" }
}

final class ToOnePerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var dog: ToOneDog?

    override class func mappedName() -> String? { "Person" }
}
