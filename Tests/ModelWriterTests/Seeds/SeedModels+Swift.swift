import ModelWriter

extension SeedModel {
    static let swift: [SeedModel] = [
        SeedModel(
            title: "Dog",
            language: .swift,
            source: """
                class Dog: Object {
                @Persisted(primaryKey: true) var _id: ObjectId
                @Persisted var name = ""
                @Persisted var breed: String?
                @Persisted var dateOfBirth = Date()
                }
                """,
            classes: [model("Dog", "_id: objectId key, name: string, breed: string?, dateOfBirth: date")]
        ),
        SeedModel(
            title: "Person, DogClub and Address",
            language: .swift,
            source: """
                class Person: Object {
                @Persisted(primaryKey: true) var id = 0
                @Persisted var name = ""
                // To-many relationship - a person can have many dogs
                @Persisted var dogs: List<Dog>
                // Inverse relationship - a person can be a member of many clubs
                @Persisted(originProperty: "members") var clubs: LinkingObjects<DogClub>
                // Embed a single object.
                @Persisted var address: Address?
                }
                class DogClub: Object {
                @Persisted var name = ""
                @Persisted var members: List<Person>
                @Persisted var regionalOfficeAddresses: List<Address>
                }
                class Address: EmbeddedObject {
                @Persisted var street: String?
                @Persisted var city: String?
                @Persisted var country: String?
                @Persisted var postalCode: String?
                }
                """,
            classes: [
                model("Person", "id: int key, name: string, dogs: Dog[], address: Address, @clubs: DogClub.members"),
                model("DogClub", "name: string, members: Person[], regionalOfficeAddresses: Address[]"),
                model(
                    "Address",
                    "street: string?, city: string?, country: string?, postalCode: string?",
                    embedded: true
                ),
            ]
        ),
        SeedModel(
            title: "WeatherSensor",
            language: .swift,
            source: """
                class WeatherSensor: AsymmetricObject {
                @Persisted(primaryKey: true) var _id: ObjectId
                @Persisted var deviceId: String
                @Persisted var temperatureInFahrenheit: Float
                @Persisted var barometricPressureInHg: Float
                @Persisted var windSpeedInMph: Int
                }
                """,
            classes: [
                model(
                    "WeatherSensor",
                    "_id: objectId key, deviceId: string, temperatureInFahrenheit: float, barometricPressureInHg: float, windSpeedInMph: int",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "CustomGeoPoint",
            language: .swift,
            source: """
                class CustomGeoPoint: EmbeddedObject {
                @Persisted private var type: String = "Point"
                @Persisted private var coordinates: List<Double>
                }
                """,
            classes: [model("CustomGeoPoint", "type: string, coordinates: double[]", embedded: true)]
        ),
        SeedModel(
            title: "an indexed Book, a Project with a key, a Person with optional properties",
            language: .swift,
            source: """
                class Book: Object {
                @Persisted var priceCents = 0
                @Persisted(indexed: true) var title = ""
                }
                class Project: Object {
                @Persisted(primaryKey: true) var id = 0
                @Persisted var name = ""
                }
                class Person: Object {
                @Persisted var name = ""
                @Persisted var address: String?
                @Persisted var ageYears = 0
                @Persisted var heightCm: Float?
                }
                """,
            classes: [
                model("Book", "priceCents: int, title: string indexed"), model("Project", "id: int key, name: string"),
                model("Person", "name: string, address: string?, ageYears: int, heightCm: float?"),
            ]
        ),
        SeedModel(
            title: "a Person with stored names",
            language: .swift,
            source: """
                class Person: Object {
                @Persisted var firstName = ""
                @Persisted var lastName = ""
                override class public func propertiesMapping() -> [String: String] {
                ["firstName": "first_name",
                "lastName": "last_name"]
                }
                }
                """,
            classes: [model("Person", "firstName=first_name: string, lastName=last_name: string")]
        ),
        SeedModel(
            title: "the Person and Address of class projections",
            language: .swift,
            source: """
                class Person: Object {
                @Persisted var firstName = ""
                @Persisted var lastName = ""
                @Persisted var address: Address?
                @Persisted var friends = List<Person>()
                }
                class Address: EmbeddedObject {
                @Persisted var city: String = ""
                @Persisted var country = ""
                }
                """,
            classes: [
                model("Person", "firstName: string, lastName: string, address: Address, friends: Person[]"),
                model("Address", "city: string, country: string", embedded: true),
            ]
        ),
        SeedModel(
            title: "Dog and Person of the page on device sync, with both relationships",
            language: .swift,
            source: """
                class Dog: Object {
                @Persisted(primaryKey: true) var _id = ObjectId()
                @Persisted var name = ""
                @Persisted var age = 0
                // The backlink to the `Person` who has this `Dog`.
                @Persisted(originProperty: "dogs") var person: LinkingObjects<Person>
                }
                class Person: Object {
                @Persisted(primaryKey: true) var _id = ObjectId()
                @Persisted var name = ""
                @Persisted var dogs: List<Dog>
                }
                """,
            classes: [
                model("Dog", "_id: objectId key, name: string, age: int, @person: Person.dogs"),
                model("Person", "_id: objectId key, name: string, dogs: Dog[]"),
            ]
        ),
    ]

    static let objectiveC: [SeedModel] = [
        SeedModel(
            title: "Dog",
            language: .objc,
            source: """
                @interface Dog : RLMObject
                @property RLMObjectId *_id;
                @property NSString *name;
                @property NSString *breed;
                @property NSDate *dateOfBirth;
                @end
                @implementation Dog
                + (NSString *)primaryKey {
                return @"_id";
                }
                + (NSArray<NSString *> *)requiredProperties {
                return @[
                @"_id", @"name", @"dateOfBirth"
                ];
                }
                @end
                """,
            classes: [model("Dog", "_id: objectId key, name: string, breed: string?, dateOfBirth: date")]
        ),
        SeedModel(
            title: "Address in Contact and Business",
            language: .objc,
            source: """
                @interface Address : RLMEmbeddedObject
                @property NSString *street;
                @property NSString *city;
                @property NSString *country;
                @property NSString *postalCode;
                @end
                RLM_COLLECTION_TYPE(Address)
                @implementation Address
                @end
                @interface Contact : RLMObject
                @property NSString *name;
                @property Address *address;
                @end
                @implementation Contact
                @end
                @interface Business : RLMObject
                @property NSString *name;
                @property RLMArray<Address *><Address> *addresses;
                @end
                """,
            classes: [
                model(
                    "Address",
                    "street: string?, city: string?, country: string?, postalCode: string?",
                    embedded: true
                ), model("Contact", "name: string?, address: Address"),
                model("Business", "name: string?, addresses: Address[]"),
            ]
        ),
        SeedModel(
            title: "an indexed Book, a Project with a key, a Person with optional properties",
            language: .objc,
            source: """
                @interface Book : RLMObject
                @property int priceCents;
                @property NSString *title;
                @end
                @implementation Book
                + (NSArray *)indexedProperties {
                return @[@"title"];
                }
                @end
                @interface Project : RLMObject
                @property NSInteger id; // Intended primary key
                @property NSString *name;
                @end
                @implementation Project
                + (NSString *)primaryKey {
                return @"id";
                }
                @end
                @interface Person : RLMObject
                @property NSString *name;
                @property NSString *address;
                @property int ageYears;
                @property NSNumber<RLMFloat> *heightCm;
                @end
                @implementation Person
                + (NSArray<NSString *> *)requiredProperties {
                return @[@"name"];
                }
                @end
                """,
            classes: [
                model("Book", "priceCents: int, title: string? indexed"),
                model("Project", "id: int key, name: string?"),
                model("Person", "name: string, address: string?, ageYears: int, heightCm: float?"),
            ]
        ),
    ]
}
