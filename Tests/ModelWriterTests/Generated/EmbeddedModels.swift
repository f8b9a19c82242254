import Freehold

final class EmbeddedDog: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var age: Int?

    override class func mappedName() -> String? { "Dog" }
}

final class EmbeddedPerson: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String?
    @Persisted var dogs: List<EmbeddedDog>
    @Persisted var address: EmbeddedAddress?

    override class func mappedName() -> String? { "Person" }
}

final class EmbeddedDogClub: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name: String
    @Persisted var members: List<EmbeddedPerson>
    @Persisted var addresses: List<EmbeddedAddress>

    override class func mappedName() -> String? { "DogClub" }
}

final class EmbeddedAddress: EmbeddedObject {
    @Persisted var street: String?
    @Persisted var city: String?
    @Persisted var country: String?
    @Persisted var postalCode: String?

    override class func mappedName() -> String? { "Address" }
}
