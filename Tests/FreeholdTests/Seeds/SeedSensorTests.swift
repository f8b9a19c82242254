import Foundation
import Testing

@testable import Freehold

// The models of "Define an Asymmetric Object". That they only go to a server is in AsymmetricTests; here their properties
// are those of plain objects.

private enum CPlusPlus {
    class WeatherSensorReading: SeedObject {
        @Persisted(primaryKey: true) var _id = ObjectId.generate()
        @Persisted var deviceId = ""
        @Persisted var temperatureInFahrenheit = 0.0
        @Persisted var windSpeedInMph: Int64 = 0
    }
}

private enum Dart {
    class WeatherSensor: SeedObject {
        @Persisted(primaryKey: true, mapTo: "_id") var id: ObjectId
        @Persisted var deviceId = ""
        @Persisted var modtemperatureInFahrenheitel = 0.0
        @Persisted var barometricPressureInHg = 0.0
        @Persisted var windSpeedInMph = 0.0
    }
}

private enum JavaScript {
    class WeatherSensor: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var deviceId = ""
        @Persisted var temperatureInFahrenheit = 0
        @Persisted var barometricPressureInHg: Float = 0
        @Persisted var windSpeedInMph: Float = 0
    }
}

private enum Kotlin {
    class WeatherSensor: SeedObject {
        @Persisted(primaryKey: true, mapTo: "_id") var id = ObjectId.generate()
        @Persisted var deviceId = ""
        @Persisted var temperatureInFarenheit: Float = 0
        @Persisted var barometricPressureInHg: Float = 0
        @Persisted var windSpeedInMph = 0
    }
}

private enum SwiftTab {
    class WeatherSensor: SeedObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var deviceId: String
        @Persisted var temperatureInFahrenheit: Float
        @Persisted var barometricPressureInHg: Float
        @Persisted var windSpeedInMph: Int
    }
}

@Suite("Seeds 000, 001, 003: sensors, as plain objects")
struct SeedSensorTests {
    /// Stores readings of a class by name, so that one test serves all tabs.
    private func check<S: Object>(_ type: S.Type, temperature: String, _ values: [String: Any]) throws {
        let file = SeedFile(type)
        try file.open { realm in
            try realm.write {
                _ = realm.create(type, value: values)
                _ = realm.create(type, value: values)
            }
        }
        try file.open { realm in
            let sensors = realm.objects(type)
            expect(sensors.count == 2 && sensors[0] != sensors[1])
            for (name, value) in values {
                expectEqual((sensors[0][name] as? AnyHashable), (value as? AnyHashable), "\(type).\(name)")
            }
            try realm.write {
                sensors[0].setValue(-40, forKey: temperature)
                realm.delete(sensors[1])
            }
        }
        try file.open { realm in
            expectEqual(realm.objects(type).count, 1)
            expect(
                (realm.objects(type)[0][temperature] as? any BinaryFloatingPoint).map { Double($0) } == -40
                    || realm.objects(type)[0][temperature] as? Int == -40
            )
            try realm.write { realm.deleteAll() }
        }
    }

    @Test func `C++`() throws {
        try check(
            CPlusPlus.WeatherSensorReading.self,
            temperature: "temperatureInFahrenheit",
            ["deviceId": "a", "temperatureInFahrenheit": 70.5, "windSpeedInMph": 3]
        )
    }

    @Test func `the model in Dart`() throws {
        try check(
            Dart.WeatherSensor.self,
            temperature: "modtemperatureInFahrenheitel",
            [
                "deviceId": "a", "modtemperatureInFahrenheitel": 70.5, "barometricPressureInHg": 29.9,
                "windSpeedInMph": 3.25,
            ]
        )
        expectEqual(Dart.WeatherSensor().objectSchema["id"]?.columnName, "_id")
    }

    @Test func `JavaScript, TypeScript`() throws {
        try check(
            JavaScript.WeatherSensor.self,
            temperature: "temperatureInFahrenheit",
            [
                "deviceId": "a", "temperatureInFahrenheit": 70, "barometricPressureInHg": Float(29.9),
                "windSpeedInMph": Float(3),
            ]
        )
    }

    @Test func `the model in Kotlin`() throws {
        try check(
            Kotlin.WeatherSensor.self,
            temperature: "temperatureInFarenheit",
            [
                "deviceId": "a", "temperatureInFarenheit": Float(70.5), "barometricPressureInHg": Float(29.9),
                "windSpeedInMph": 3,
            ]
        )
        expectEqual(Kotlin.WeatherSensor().objectSchema["id"]?.columnName, "_id")
    }

    @Test func `the model in Swift`() throws {
        try check(
            SwiftTab.WeatherSensor.self,
            temperature: "temperatureInFahrenheit",
            [
                "deviceId": "a", "temperatureInFahrenheit": Float(70.5), "barometricPressureInHg": Float(29.9),
                "windSpeedInMph": 3,
            ]
        )
    }
}
