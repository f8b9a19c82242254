public import Foundation
import Testing

@testable public import Freehold

struct Celsius: CustomPersistable {
    typealias PersistedType = Double
    var degrees: Double
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
}

/// Only some strings are codes.
struct CountryCode: FailableCustomPersistable, Hashable {
    typealias PersistedType = String
    let letters: String
    init?(persistedValue: String) {
        if persistedValue.count != 2 { return nil }
        letters = persistedValue
    }
    init(_ letters: String) { self.letters = letters }
    var persistableValue: String { letters }
}

extension URL: FailableCustomPersistable {
    public typealias PersistedType = String
    public init?(persistedValue: String) { self.init(string: persistedValue) }
    public var persistableValue: String { absoluteString }
}

class PointRow: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

struct Point2: CustomPersistable, Hashable {
    typealias PersistedType = PointRow
    var x: Double
    var y: Double
    init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
    init(persistedValue: PointRow) { self.init(x: persistedValue.x, y: persistedValue.y) }
    var persistableValue: PointRow {
        let row = PointRow()
        row.x = x
        row.y = y
        return row
    }
}

class CustomModel: Object {
    @Persisted(primaryKey: true) var code = CountryCode("GB")
    @Persisted var temperature: Celsius
    @Persisted var highest: Celsius?
    @Persisted(indexed: true) var home: CountryCode? = CountryCode("FR")
    @Persisted var link: URL?
    @Persisted var readings: List<Celsius>
    @Persisted var codes: List<CountryCode?>
    @Persisted var place: Point2
    @Persisted var goal: Point2?
    @Persisted var way: List<Point2>
}

class CustomModelRaw: Object {
    override class func _realmObjectName() -> String? { "CustomModel" }
    @Persisted(primaryKey: true) var code: String
    @Persisted var temperature: Double
    @Persisted var highest: Double?
    @Persisted(indexed: true) var home: String?
    @Persisted var link: String?
    @Persisted var readings: List<Double>
    @Persisted var codes: List<String?>
    @Persisted var place: PointRow?
    @Persisted var goal: PointRow?
    @Persisted var way: List<PointRow>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Custom types as properties")
struct CustomTypeTests {
    private func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [CustomModel.self, PointRow.self])
    }

    @Test
    func `a property starts with the value of the stored type's default`() {
        let object = CustomModel()
        expect(object.temperature.degrees == 0 && object.highest == nil && object.home?.letters == "FR")
        expect(object.place == Point2(x: 0, y: 0) && object.goal == nil && object.way.isEmpty)
    }

    @Test
    func `values are stored, read, changed and nulled; the schema shows the stored types`() throws {
        var configuration = newConfiguration(inMemory: false)
        configuration.objectTypes = [CustomModel.self, PointRow.self]
        defer { try? FileManager.default.removeItem(at: configuration.fileURL!) }
        do {
            let realm = try Realm(configuration: configuration)
            let object = CustomModel()
            object.temperature = Celsius(persistedValue: -3.5)
            object.link = URL(string: "https://example.org/a")
            object.readings.append(objectsIn: [Celsius(persistedValue: 1), Celsius(persistedValue: 2)])
            object.codes.append(objectsIn: [CountryCode("DE"), nil])
            object.place = Point2(x: 1, y: 2)
            object.way.append(objectsIn: [Point2(x: 3, y: 4), Point2(x: 5, y: 6)])
            try realm.write { realm.add(object) }
            expect(object.place == Point2(x: 1, y: 2) && object.goal == nil)
            try realm.write {
                object.highest = Celsius(persistedValue: 40)
                object.goal = Point2(x: 9, y: 9)
                object.home = nil
                object.way[0] = Point2(x: 7, y: 7)
                object.readings.remove(at: 0)
            }
            expectEqual(object.goal, Point2(x: 9, y: 9))
        }
        let realm = try Realm(configuration: configuration)
        let object = try require(realm.object(ofType: CustomModel.self, forPrimaryKey: "GB"))
        expect(object.code == CountryCode("GB") && object.temperature.degrees == -3.5 && object.highest?.degrees == 40)
        expect(object.home == nil && object.link?.path == "/a" && object.readings.map(\.degrees) == [2])
        expect(Array(object.codes) == [CountryCode("DE"), nil] && object.place == Point2(x: 1, y: 2))
        expect(Array(object.way) == [Point2(x: 7, y: 7), Point2(x: 5, y: 6)] && object.goal == Point2(x: 9, y: 9))
        let schema = try require(realm.schema["CustomModel"])
        expect(schema["temperature"]?.type == .double && schema["place"]?.objectClassName == "PointRow")
        expectEqual(object["temperature"] as? Double, -3.5)
    }

    @Test
    func `plain data is converted to values, and unsuitable data is refused`() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            let made = realm.create(
                CustomModel.self,
                value: [
                    "code": "IT", "temperature": 5, "place": ["x": 1.0, "y": 2.0], "goal": Point2(x: 3, y: 4),
                    "way": [[1.0, 1.0], Point2(x: 2, y: 2)], "home": CountryCode("ES"),
                ]
            )
            expect(
                made.temperature.degrees == 5 && made.place == Point2(x: 1, y: 2) && made.goal == Point2(x: 3, y: 4)
            )
            expect(Array(made.way) == [Point2(x: 1, y: 1), Point2(x: 2, y: 2)] && made.home?.letters == "ES")
        }
        for (property, value) in [("code", "ITA"), ("home", "x"), ("codes", ["abc"]), ("temperature", "5")]
            as [(String, Any)]
        {
            let error = #expect(throws: Realm.Error.self) { try CustomModel(validating: [property: value]) }
            expect(error?.code == .invalidValue && error?.property == property)
        }
    }

    @Test
    func `queries and sorts accept values`() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for (i, code) in ["AT", "BE", "CH"].enumerated() {
                let object = CustomModel()
                object.code = CountryCode(code)
                object.home = i == 0 ? nil : CountryCode(code)
                object.temperature = Celsius(persistedValue: Double(10 - i))
                object.readings.append(Celsius(persistedValue: Double(i)))
                realm.add(object)
            }
        }
        let all = realm.objects(CustomModel.self)
        expectEqual(all.where { $0.code == CountryCode("BE") }.count, 1)
        expect(all.where { $0.home == CountryCode("CH") }.count == 1 && all.where { $0.home == nil }.count == 1)
        expectEqual(all.where { $0.temperature > Celsius(persistedValue: 8) }.count, 2)
        expectEqual(all.where { $0.readings.contains(Celsius(persistedValue: 2)) }.count, 1)
        expectEqual(all.sorted(by: \.temperature).map(\.code.letters), ["CH", "BE", "AT"])
        expectEqual(all.sorted(by: \.home).map(\.code.letters), ["AT", "BE", "CH"])
    }

    @Test
    func `a stored value without a counterpart reads as nil if the property permits it`() throws {
        var configuration = configuration()
        configuration.objectTypes = [CustomModelRaw.self, PointRow.self]
        let raw = try Realm(configuration: configuration)
        try raw.write {
            raw.create(
                CustomModelRaw.self,
                value: ["code": "GB", "home": "long", "codes": ["FR", "long", nil] as [String?]]
            )
        }
        configuration.objectTypes = [CustomModel.self, PointRow.self]
        try readOnNewThread(configuration) { realm in
            let object = try require(realm.objects(CustomModel.self).first)
            expect(object.home == nil && Array(object.codes) == [CountryCode("FR"), nil, nil])
            // No embedded object: the default.
            expectEqual(object.place, Point2(x: 0, y: 0))
        }
    }

    @Test
    func `a stored value without a counterpart traps if it can't be nil`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [CustomModelRaw.self, PointRow.self]
            )
            let raw = try Realm(configuration: configuration)
            try raw.write { raw.create(CustomModelRaw.self, value: ["code": "GBR"]) }
            configuration.objectTypes = [CustomModel.self, PointRow.self]
            try readOnNewThread(configuration) { realm in _ = realm.objects(CustomModel.self).first!.code }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("GBR") && message.contains("CountryCode"), "\(message)")
    }
}
