import ModelWriter

extension SeedModel {
    static let javaScript: [SeedModel] = [
        SeedModel(
            title: "Book with an index",
            language: .javascript,
            source: """
                class Book extends Realm.Object {
                static schema = {
                name: 'Book',
                properties: {
                name: {type: 'string', indexed: true},
                price: 'int?',
                },
                };
                }
                """,
            classes: [model("Book", "name: string indexed, price: int?")]
        ),
        SeedModel(
            title: "Address in Contact and Business, as schemas without classes",
            language: .javascript,
            source: """
                const AddressSchema = {
                name: "Address",
                embedded: true, // default: false
                properties: {
                street: "string?",
                city: "string?",
                country: "string?",
                postalCode: "string?",
                },
                };
                const ContactSchema = {
                name: "Contact",
                primaryKey: "_id",
                properties: {
                _id: "objectId",
                name: "string",
                address: "Address", // Embed a single object
                },
                };
                const BusinessSchema = {
                name: "Business",
                primaryKey: "_id",
                properties: {
                _id: "objectId",
                name: "string",
                addresses: { type: "list", objectType: "Address" }, // Embed an array of objects
                },
                };
                """,
            classes: [
                model(
                    "Address",
                    "street: string?, city: string?, country: string?, postalCode: string?",
                    embedded: true
                ), model("Contact", "_id: objectId key, name: string, address: Address"),
                model("Business", "_id: objectId key, name: string, addresses: Address[]"),
            ],
            isInClasses: false
        ),
        SeedModel(
            title: "WeatherSensor",
            language: .javascript,
            source: """
                class WeatherSensor extends Realm.Object {
                static schema = {
                name: 'WeatherSensor',
                asymmetric: true,
                primaryKey: '_id',
                properties: {
                _id: 'objectId',
                deviceId: 'string',
                temperatureInFahrenheit: 'int',
                barometricPressureInHg: 'float',
                windSpeedInMph: 'float',
                },
                };
                }
                """,
            classes: [
                model(
                    "WeatherSensor",
                    "_id: objectId key, deviceId: string, temperatureInFahrenheit: int, barometricPressureInHg: float, windSpeedInMph: float",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "MyGeoPoint in Company",
            language: .javascript,
            source: """
                class MyGeoPoint {
                static schema = {
                name: "MyGeoPoint",
                embedded: true,
                properties: {
                type: "string",
                coordinates: "double[]",
                },
                };
                }
                class Company extends Realm.Object {
                static schema = {
                name: "Company",
                properties: {
                _id: "int",
                location: "MyGeoPoint",
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [
                model("MyGeoPoint", "type: string, coordinates: double[]", embedded: true),
                model("Company", "_id: int key, location: MyGeoPoint"),
            ]
        ),
        SeedModel(
            title: "Car, optional miles",
            language: .javascript,
            source: """
                class Car extends Realm.Object {
                static schema = {
                name: "Car",
                properties: {
                _id: { type: "objectId", default: () => new Realm.BSON.ObjectId() },
                make: "string",
                model: "string",
                miles: "int?",
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [model("Car", "_id: objectId key, make: string, model: string, miles: int?")]
        ),
        SeedModel(
            // The SDK uses `mapTo` in the opposite way to this page: the key is the name in code.
            title: "Car, one name in code and one stored",
            language: .javascript,
            source: """
                class Car extends Realm.Object {
                static schema = {
                name: "Car",
                properties: {
                _id: { type: "objectId", indexed: true },
                make: "string",
                model_name: { type: "string", mapTo: "modelName" },
                miles: { type: "int", default: 0 },
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [model("Car", "_id: objectId key, make: string, model_name=modelName: string, miles: int")]
        ),
        SeedModel(
            title: "Task, stored as Todo_Item",
            language: .javascript,
            source: """
                class Task extends Realm.Object {
                static schema = {
                // Here, we store items as `Todo_Item` instead of the class's `Task` name.
                name: "Todo_Item",
                properties: {
                _id: "int",
                name: "string",
                owner_id: "string?",
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [model("Task", as: "Todo_Item", "_id: int key, name: string, owner_id: string?")]
        ),
    ]

    static let typeScript: [SeedModel] = [
        SeedModel(
            title: "Book with an index for full text",
            language: .typescript,
            source: """
                class Book extends Realm.Object<Book> {
                name!: string;
                price?: number;
                static schema: ObjectSchema = {
                name: "Book",
                properties: {
                name: { type: "string", indexed: "full-text" },
                price: "int?",
                },
                };
                }
                """,
            classes: [model("Book", "name: string full-text, price: int?")]
        ),
        SeedModel(
            title: "Manufacturer, CarWithEmbed and Warranty",
            language: .typescript,
            source: """
                class Manufacturer extends Realm.Object {
                _id!: BSON.ObjectId;
                name!: string;
                cars!: Realm.List<CarWithEmbed>;
                warranties!: Realm.List<Warranty>;
                static schema: Realm.ObjectSchema = {
                name: 'Manufacturer',
                properties: {
                _id: 'objectId',
                name: 'string',
                cars: 'CarWithEmbed[]',
                // Embed an array of objects
                warranties: 'Warranty[]',
                },
                };
                }
                class CarWithEmbed extends Realm.Object {
                _id!: BSON.ObjectId;
                model!: string;
                miles?: number;
                warranty?: Warranty;
                static schema: Realm.ObjectSchema = {
                name: 'CarWithEmbed',
                properties: {
                _id: 'objectId',
                model: 'string',
                miles: 'int?',
                // Embed one object
                warranty: 'Warranty?',
                },
                };
                }
                class Warranty extends Realm.Object {
                name!: string;
                termLength!: number;
                cost!: number;
                static schema: Realm.ObjectSchema = {
                name: 'Warranty',
                embedded: true,
                properties: {
                name: 'string',
                termLength: 'int',
                cost: 'int',
                },
                };
                }
                """,
            classes: [
                model("Manufacturer", "_id: objectId, name: string, cars: CarWithEmbed[], warranties: Warranty[]"),
                model("CarWithEmbed", "_id: objectId, model: string, miles: int?, warranty: Warranty"),
                model("Warranty", "name: string, termLength: int, cost: int", embedded: true),
            ]
        ),
        SeedModel(
            title: "WeatherSensor",
            language: .typescript,
            source: """
                class WeatherSensor extends Realm.Object<WeatherSensor> {
                _id!: Realm.BSON.ObjectId;
                deviceId!: string;
                temperatureInFahrenheit!: number;
                barometricPressureInHg!: number;
                windSpeedInMph!: number;
                static schema: ObjectSchema = {
                name: 'WeatherSensor',
                asymmetric: true,
                primaryKey: '_id',
                properties: {
                _id: 'objectId',
                deviceId: 'string',
                temperatureInFahrenheit: 'int',
                barometricPressureInHg: 'float',
                windSpeedInMph: 'float',
                },
                };
                }
                """,
            classes: [
                model(
                    "WeatherSensor",
                    "_id: objectId key, deviceId: string, temperatureInFahrenheit: int, barometricPressureInHg: float, windSpeedInMph: float",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "Company with a place",
            language: .typescript,
            source: """
                class Company extends Realm.Object<Company> {
                _id!: number;
                location!: MyGeoPoint;
                static schema: ObjectSchema = {
                name: "Company",
                properties: {
                _id: "int",
                location: "MyGeoPoint",
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [model("Company", "_id: int key, location: MyGeoPoint")]
        ),
        SeedModel(
            title: "Task, stored as Todo_Item",
            language: .typescript,
            source: """
                class Task extends Realm.Object<Task> {
                _id!: number;
                name!: string;
                owner_id?: string;
                static schema: ObjectSchema = {
                name: "Todo_Item",
                properties: {
                _id: "int",
                name: "string",
                owner_id: "string?",
                },
                primaryKey: "_id",
                };
                }
                """,
            classes: [model("Task", as: "Todo_Item", "_id: int key, name: string, owner_id: string?")]
        ),
    ]
}
