import ModelWriter

extension SeedModel {
    static let cpp: [SeedModel] = [
        SeedModel(
            title: "Dog and Person",
            language: .cpp,
            source: """
                namespace realm {
                struct Dog {
                std::string name;
                int64_t age;
                };
                REALM_SCHEMA(Dog, name, age)
                struct Person {
                realm::primary_key<int64_t> _id;
                std::string name;
                int64_t age;
                // Create relationships by pointing an Object field to another struct or class
                Dog *dog;
                };
                REALM_SCHEMA(Person, _id, name, age, dog)
                } // namespace realm
                """,
            classes: [
                model("Dog", "name: string, age: int"),
                model("Person", "_id: int key, name: string, age: int, dog: Dog"),
            ]
        ),
        SeedModel(
            title: "ContactDetails in Business",
            language: .cpp,
            source: """
                namespace realm {
                struct ContactDetails {
                std::string emailAddress;
                std::string phoneNumber;
                };
                REALM_EMBEDDED_SCHEMA(ContactDetails, emailAddress, phoneNumber)
                struct Business {
                realm::object_id _id;
                std::string name;
                ContactDetails *contactDetails;
                };
                REALM_SCHEMA(Business, _id, name, contactDetails)
                } // namespace realm
                """,
            classes: [
                model("ContactDetails", "emailAddress: string, phoneNumber: string", embedded: true),
                model("Business", "_id: objectId, name: string, contactDetails: ContactDetails"),
            ]
        ),
        SeedModel(
            title: "WeatherSensorReading",
            language: .cpp,
            source: """
                struct WeatherSensorReading {
                realm::primary_key<realm::object_id> _id{realm::object_id::generate()};
                std::string deviceId;
                double temperatureInFahrenheit;
                int64_t windSpeedInMph;
                };
                REALM_ASYMMETRIC_SCHEMA(WeatherSensorReading, _id, deviceId,
                temperatureInFahrenheit, windSpeedInMph)
                """,
            classes: [
                model(
                    "WeatherSensorReading",
                    "_id: objectId key, deviceId: string, temperatureInFahrenheit: double, windSpeedInMph: int",
                    asymmetric: true
                )
            ]
        ),
        SeedModel(
            title: "Employee, and an optional text",
            language: .cpp,
            source: """
                namespace realm {
                struct Employee {
                realm::primary_key<int64_t> _id;
                std::string firstName;
                std::string lastName;
                std::optional<std::string> optStringName;
                };
                REALM_SCHEMA(Employee, _id, firstName, lastName, optStringName)
                } // namespace realm
                """,
            classes: [model("Employee", "_id: int key, firstName: string, lastName: string, optStringName: string?")]
        ),
    ]
}
