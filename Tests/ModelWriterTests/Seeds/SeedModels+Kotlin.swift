import ModelWriter

extension SeedModel {
    static let kotlin: [SeedModel] = [
        SeedModel(
            title: "Frog",
            language: .kotlin,
            source: """
                class Frog : RealmObject { // Empty constructor required by Realm
                @PrimaryKey
                var _id: ObjectId = ObjectId()
                var name: String = ""
                var age: Int = 0
                var species: String? = null
                var owner: String? = null
                }
                """,
            classes: [model("Frog", "_id: objectId key, name: string, age: int, species: string?, owner: string?")]
        ),
        SeedModel(
            title: "EmbeddedAddress, which links to a contact",
            language: .kotlin,
            source: """
                class EmbeddedAddress : EmbeddedRealmObject {
                // CANNOT have primary key
                var street: String? = null
                var city: String? = null
                var state: String? = null
                var postalCode: String? = null
                var propertyOwner: Contact? = null
                }
                class Contact : RealmObject {
                @PrimaryKey
                var _id: ObjectId = ObjectId()
                }
                """,
            classes: [
                model(
                    "EmbeddedAddress",
                    "street: string?, city: string?, state: string?, postalCode: string?, propertyOwner: Contact",
                    embedded: true
                ), model("Contact", "_id: objectId key"),
            ]
        ),
        SeedModel(
            title: "WeatherSensor, whose key is stored as _id",
            language: .kotlin,
            source: """
                class WeatherSensor : AsymmetricRealmObject {
                @PersistedName("_id")
                @PrimaryKey
                var id: ObjectId = ObjectId()
                var deviceId: String = ""
                var temperatureInFarenheit: Float = 0.0F
                var barometricPressureInHg: Float = 0.0F
                var windSpeedInMph: Int = 0
                }
                """,
            classes: [
                model(
                    "WeatherSensor",
                    "id=_id: objectId key, deviceId: string, temperatureInFarenheit: float, barometricPressureInHg: float, windSpeedInMph: int",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "CustomGeoPoint in Company",
            language: .kotlin,
            source: """
                class CustomGeoPoint : EmbeddedRealmObject {
                var coordinates: RealmList<Double> = realmListOf()
                private var type: String = "Point"
                }
                class Company : RealmObject {
                @PrimaryKey
                var _id: ObjectId = ObjectId()
                var location: CustomGeoPoint? = null
                }
                """,
            classes: [
                model("CustomGeoPoint", "coordinates: double[], type: string", embedded: true),
                model("Company", "_id: objectId key, location: CustomGeoPoint"),
            ]
        ),
        SeedModel(
            title: "properties that are indexed, for full text, optional, and stored under another name",
            language: .kotlin,
            source: """
                class Frog : RealmObject {
                @Index
                var name: String = "" // Indexed property
                @FullText
                var physicalDescription: String? = null // Full-text search indexed property
                var stringOpt: String? = null
                @PersistedName("latin_name")
                var species: String? = null // Remapped property
                }
                """,
            classes: [
                model(
                    "Frog",
                    "name: string indexed, physicalDescription: string? full-text, stringOpt: string?, species=latin_name: string?"
                )
            ]
        ),
        SeedModel(
            title: "Frog, stored as Frog_Entity",
            language: .kotlin,
            source: """
                @PersistedName(name = "Frog_Entity") // Remapped class name
                class Frog : RealmObject {
                @PrimaryKey
                var _id: ObjectId = ObjectId()
                var name: String = ""
                var age: Int = 0
                var species: String? = null
                var owner: String? = null
                }
                """,
            classes: [
                model(
                    "Frog",
                    as: "Frog_Entity",
                    "_id: objectId key, name: string, age: int, species: string?, owner: string?"
                )
            ]
        ),
    ]

    static let javaKotlin: [SeedModel] = [
        SeedModel(
            title: "Frog",
            language: .javaKotlin,
            source: """
                open class Frog : RealmObject {
                var name: String? = null
                var age = 0
                var species: String? = null
                var owner: String? = null
                }
                """,
            classes: [model("Frog", "name: string?, age: int, species: string?, owner: string?")]
        ),
        SeedModel(
            title: "Fly in Frog",
            language: .javaKotlin,
            source: """
                @RealmClass(embedded = true)
                open class Fly : RealmObject {
                private var name: String? = null
                }
                open class Frog : RealmObject {
                var name: String? = null
                var age = 0
                var species: String? = null
                var owner: String? = null
                var lastMeal: Fly? = null
                }
                """,
            classes: [
                model("Fly", "name: string?", embedded: true),
                model("Frog", "name: string?, age: int, species: string?, owner: string?, lastMeal: Fly"),
            ]
        ),
        SeedModel(
            title: "Frog with an indexed species",
            language: .javaKotlin,
            source: """
                open class Frog : RealmObject {
                var name: String? = null
                var age = 0
                @Index var species : String? = null
                var owner: String? = null
                }
                """,
            classes: [model("Frog", "name: string?, age: int, species: string? indexed, owner: string?")]
        ),
        SeedModel(
            title: "Frog with a nullable key and a species stored as latinName",
            language: .javaKotlin,
            source: """
                open class Frog : RealmObject {
                @PrimaryKey var name : String? = null
                var age = 0
                @RealmField("latinName") var species: String? = null
                var owner: String? = null
                }
                """,
            classes: [model("Frog", "name: string? key, age: int, species=latinName: string?, owner: string?")]
        ),
        SeedModel(
            title: "Frog with a name that is never null",
            language: .javaKotlin,
            source: """
                open class Frog : RealmObject {
                var name: String = "Kitty"
                var age = 0
                var species: String? = null
                var owner: String? = null
                }
                """,
            classes: [model("Frog", "name: string, age: int, species: string?, owner: string?")]
        ),
    ]

    private static let javaAccessors = """
        public Frog(){} // RealmObject subclasses must provide an empty constructor
        public String getName() { return name; }
        public void setName(String name) { this.name = name; }
        public int getAge() { return age; }
        public void setAge(int age) { this.age = age; }
        public String getSpecies() { return species; }
        public void setSpecies(String species) { this.species = species; }
        public String getOwner() { return owner; }
        public void setOwner(String owner) { this.owner = owner; }
        """
    private static let javaConstructor = """
        public Frog(String name, int age, String species, String owner) {
        this.name = name;
        this.age = age;
        this.species = species;
        this.owner = owner;
        }
        """

    static let java: [SeedModel] = [
        SeedModel(
            title: "Frog",
            language: .java,
            source: """
                public class Frog extends RealmObject {
                private String name;
                private int age;
                private String species;
                private String owner;
                \(javaConstructor)
                \(javaAccessors)
                }
                """,
            classes: [model("Frog", "name: string?, age: int, species: string?, owner: string?")]
        ),
        SeedModel(
            title: "Fly in Frog",
            language: .java,
            source: """
                @RealmClass(embedded=true)
                public class Fly extends RealmObject {
                private String name;
                public Fly(String name) {
                this.name = name;
                }
                public Fly() {} // RealmObject subclasses must provide an empty constructor
                public String getName() { return name; }
                public void setName(String name) { this.name = name; }
                }
                public class Frog extends RealmObject {
                private String name;
                private int age;
                private String species;
                private String owner;
                private Fly lastMeal;
                public Frog(String name, int age, String species, String owner, Fly lastMeal) {
                this.name = name;
                }
                \(javaAccessors)
                public Fly getLastMeal() { return lastMeal; }
                public void setLastMeal(Fly lastMeal) { this.lastMeal = lastMeal; }
                }
                """,
            classes: [
                model("Fly", "name: string?", embedded: true),
                model("Frog", "name: string?, age: int, species: string?, owner: string?, lastMeal: Fly"),
            ]
        ),
        SeedModel(
            title: "Frog with a key, an index and a stored name",
            language: .java,
            source: """
                public class Frog extends RealmObject {
                @PrimaryKey private String name;
                private int age;
                @RealmField("latinName") private String species;
                @Index private String owner;
                \(javaConstructor)
                \(javaAccessors)
                }
                """,
            classes: [model("Frog", "name: string? key, age: int, species=latinName: string?, owner: string? indexed")]
        ),
    ]
}
