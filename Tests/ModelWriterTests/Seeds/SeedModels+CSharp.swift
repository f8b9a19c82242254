import ModelWriter

extension SeedModel {
    static let csharp: [SeedModel] = [
        SeedModel(
            title: "Dog, whose key is stored as _id, and Person",
            language: .csharp,
            source: """
                public partial class Dog : IRealmObject
                {
                [PrimaryKey]
                [MapTo("_id")]
                public ObjectId Id { get; set; }
                public string Name { get; set; }
                public int Age { get; set; }
                public string Breed { get; set; }
                public IList<Person> Owners { get; }
                }
                public partial class Person : IRealmObject
                {
                [PrimaryKey]
                [MapTo("_id")]
                public ObjectId Id { get; set; }
                public string Name { get; set; }
                }
                """,
            classes: [
                model("Dog", "_id: objectId key, Name: string, Age: int, Breed: string, Owners: Person[]"),
                model("Person", "_id: objectId key, Name: string"),
            ]
        ),
        SeedModel(
            title: "Address in Contact and Business, stored under other names",
            language: .csharp,
            source: """
                public partial class Address : IEmbeddedObject
                {
                [MapTo("street")]
                public string Street { get; set; }
                [MapTo("city")]
                public string City { get; set; }
                [MapTo("country")]
                public string Country { get; set; }
                [MapTo("postalCode")]
                public string PostalCode { get; set; }
                }
                public partial class Contact : IRealmObject
                {
                [PrimaryKey]
                [MapTo("_id")]
                public ObjectId Id { get; set; } = ObjectId.GenerateNewId();
                [MapTo("_partition")]
                public string Partition { get; set; }
                [MapTo("name")]
                public string Name { get; set; }
                [MapTo("address")]
                public Address? Address { get; set; } // embed a single address
                }
                public partial class Business : IRealmObject
                {
                [PrimaryKey]
                [MapTo("_id")]
                public ObjectId Id { get; set; } = ObjectId.GenerateNewId();
                [MapTo("_partition")]
                public string Partition { get; set; }
                [MapTo("name")]
                public string Name { get; set; }
                [MapTo("addresses")]
                public IList<Address> Addresses { get; }
                }
                """,
            classes: [
                model("Address", "street: string, city: string, country: string, postalCode: string", embedded: true),
                model("Contact", "_id: objectId key, _partition: string, name: string, address: Address"),
                model("Business", "_id: objectId key, _partition: string, name: string, addresses: Address[]"),
            ]
        ),
        SeedModel(
            title: "CustomGeoPoint in Company",
            language: .csharp,
            source: """
                public partial class CustomGeoPoint : IEmbeddedObject
                {
                [MapTo("coordinates")]
                public IList<double> Coordinates { get; } = null!;
                [MapTo("type")]
                private string Type { get; set; } = "Point";
                }
                public partial class Company : IRealmObject
                {
                [PrimaryKey]
                [MapTo("_id")]
                public Guid Id { get; private set; } = Guid.NewGuid();
                public CustomGeoPoint? Location { get; set; }
                }
                """,
            classes: [
                model("CustomGeoPoint", "coordinates: double[], type: string", embedded: true),
                model("Company", "_id: uuid key, Location: CustomGeoPoint"),
            ]
        ),
        SeedModel(
            title: "Person with both kinds of index, Dog with a key of text",
            language: .csharp,
            source: """
                public partial class Person : IRealmObject
                {
                [Indexed(IndexType.General)]
                public string Name { get; set; }
                [Indexed(IndexType.FullText)]
                public string Biography { get; set; }
                }
                public partial class Dog : IRealmObject
                {
                [PrimaryKey]
                public string Name { get; set; }
                public int Age { get; set; }
                public Person? Owner { get; set; }
                }
                """,
            classes: [
                model("Person", "Name: string indexed, Biography: string full-text"),
                model("Dog", "Name: string key, Age: int, Owner: Person"),
            ]
        ),
        SeedModel(
            title: "Person with everything nullable and not, and the dogs that it is a backlink of",
            language: .csharp,
            source: """
                public partial class Person : IRealmObject
                {
                public string NonNullableName { get; set; }
                public string? NullableName { get; set; }
                public byte[] NonNullableArray { get; set; }
                public byte[]? NullableArray { get; set; }
                public int NonNullableInt { get; set; }
                public int? NullableInt { get; set; }
                public Dog? NullableDog { get; set; }
                public IList<int> IntListWithNonNullableValues { get; }
                public IList<int?> IntListWithNullableValues { get; }
                public IList<Dog> ListOfNonNullableObjects { get; }
                public ISet<Dog> SetOfNonNullableObjects { get; }
                public IDictionary<string, Dog?> DictionaryOfNullableObjects { get; }
                [Backlink(nameof(Dog.Person))]
                public IQueryable<Dog> MyDogs { get; }
                }
                public partial class Dog : IRealmObject
                {
                public Person? Person { get; set; }
                }
                """,
            classes: [
                model(
                    "Person",
                    """
                    NonNullableName: string, NullableName: string?, NonNullableArray: data, NullableArray: data?, NonNullableInt: int, \
                    NullableInt: int?, NullableDog: Dog, IntListWithNonNullableValues: int[], IntListWithNullableValues: int?[], \
                    ListOfNonNullableObjects: Dog[], SetOfNonNullableObjects: Dog<>, DictionaryOfNullableObjects: Dog{}, \
                    @MyDogs: Dog.Person
                    """
                ), model("Dog", "Person: Person"),
            ]
        ),
        SeedModel(
            title: "Person, stored as Human, with a name stored as moniker",
            language: .csharp,
            source: """
                [MapTo("Human")]
                public partial class Person : IRealmObject
                {
                [MapTo("moniker")]
                public string Name { get; set; }
                }
                """,
            classes: [model("Person", as: "Human", "Name=moniker: string")]
        ),
    ]

    static let dart: [SeedModel] = [
        SeedModel(
            title: "Car",
            language: .dart,
            source: """
                @RealmModel()
                class _Car {
                @PrimaryKey()
                late ObjectId id;
                late String make;
                late String? model;
                late int? miles;
                }
                """,
            classes: [model("Car", "id: objectId key, make: string, model: string?, miles: int?")]
        ),
        SeedModel(
            title: "Address in Person",
            language: .dart,
            source: """
                @RealmModel(ObjectType.embeddedObject)
                class _Address {
                late String street;
                late String city;
                late String state;
                late String country;
                }
                @RealmModel()
                class _Person {
                @PrimaryKey()
                late ObjectId id;
                late String name;
                // Embedded object in parent object schema
                late _Address? address; // Must be nullable
                }
                """,
            classes: [
                model("Address", "street: string, city: string, state: string, country: string", embedded: true),
                model("Person", "id: objectId key, name: string, address: Address"),
            ]
        ),
        SeedModel(
            title: "WeatherSensor, whose key is stored as _id",
            language: .dart,
            source: """
                @RealmModel(ObjectType.asymmetricObject)
                class _WeatherSensor {
                @PrimaryKey()
                @MapTo("_id")
                late ObjectId id;
                late String deviceId;
                late double modtemperatureInFahrenheitel;
                late double barometricPressureInHg;
                late double windSpeedInMph;
                }
                """,
            classes: [
                model(
                    "WeatherSensor",
                    "_id: objectId key, deviceId: string, modtemperatureInFahrenheitel: double, barometricPressureInHg: double, windSpeedInMph: double",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "MyGeoPoint in Company",
            language: .dart,
            source: """
                @RealmModel(ObjectType.embeddedObject)
                class _MyGeoPoint {
                final String type = 'Point';
                final List<double> coordinates = const [];
                double get lon => coordinates[0];
                set lon(double value) => coordinates[0] = value;
                GeoPoint toGeoPoint() => GeoPoint(lon: lon, lat: lat);
                }
                @RealmModel()
                class _Company {
                @PrimaryKey()
                late ObjectId id;
                _MyGeoPoint? location;
                }
                """,
            classes: [
                model("MyGeoPoint", "type: string, coordinates: double[]", embedded: true),
                model("Company", "id: objectId key, location: MyGeoPoint"),
            ]
        ),
        SeedModel(
            // The page leaves the first line out.
            title: "Vehicle, with an index and a stored name",
            language: .dart,
            source: """
                @RealmModel()
                class _Vehicle {
                @PrimaryKey()
                late ObjectId id;
                late String? maybeDescription; // optional value
                late double milesTravelled = 0; // 0 is default value
                @Ignored()
                late String notInRealmModel;
                @Indexed()
                late String make;
                @MapTo('wheels') // 'wheels' is property name in the RealmObject
                late int numberOfWheels;
                }
                """,
            classes: [
                model(
                    "Vehicle",
                    "id: objectId key, maybeDescription: string?, milesTravelled: double, make: string indexed, numberOfWheels=wheels: int"
                )
            ]
        ),
        SeedModel(
            title: "Rug for full text, EventLog with mixed details, Boat stored as naval_ship",
            language: .dart,
            source: """
                @RealmModel()
                class _Rug {
                @PrimaryKey()
                late ObjectId id;
                @Indexed(RealmIndexType.fullText)
                late String pattern;
                @Indexed(RealmIndexType.fullText)
                late String material;
                late int softness;
                }
                @RealmModel()
                class _EventLog {
                @PrimaryKey()
                late ObjectId id;
                late String eventType;
                late DateTime timestamp;
                late String userId;
                late RealmValue details;
                }
                @RealmModel()
                @MapTo('naval_ship')
                class _Boat {
                @PrimaryKey()
                late ObjectId id;
                late String name;
                late int? maxKnots;
                late int? nauticalMiles;
                }
                """,
            classes: [
                model(
                    "Rug",
                    "id: objectId key, pattern: string full-text, material: string full-text, softness: int"
                ),
                model(
                    "EventLog",
                    "id: objectId key, eventType: string, timestamp: date, userId: string, details: mixed"
                ),
                model("Boat", as: "naval_ship", "id: objectId key, name: string, maxKnots: int?, nauticalMiles: int?"),
            ]
        ),
    ]
}
