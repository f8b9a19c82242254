import Foundation
import Testing

@testable import Freehold

enum Suit: String, PersistableEnum, Codable { case clubs, diamonds, hearts, spades }
enum Level: Int8, PersistableEnum { case low = 1, middle = 5, high = 10 }
enum Ratio: Double, PersistableEnum { case half = 0.5, whole = 1 }

class EnumModel: Object {
    @Persisted(primaryKey: true) var id: Suit
    @Persisted var suit = Suit.hearts
    @Persisted var level: Level
    @Persisted var ratio: Ratio
    @Persisted(indexed: true) var indexed: Level
    @Persisted var maybe: Suit?
    @Persisted(indexed: true) var maybeLevel: Level?
    @Persisted var suits: List<Suit>
    @Persisted var levels: List<Level?>
}

/// The same table with plain types.
class EnumModelRaw: Object {
    override class func _realmObjectName() -> String? { "EnumModel" }
    @Persisted(primaryKey: true) var id: String
    @Persisted var suit: String
    @Persisted var level: Int
    @Persisted var ratio: Double
    @Persisted(indexed: true) var indexed: Int
    @Persisted var maybe: String?
    @Persisted(indexed: true) var maybeLevel: Int?
    @Persisted var suits: List<String>
    @Persisted var levels: List<Int?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Enums as properties")
struct EnumTests {
    private func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [EnumModel.self])
    }

    @Test
    func `a property without a default value starts with the first case`() throws {
        let object = EnumModel()
        expect(object.id == .clubs && object.suit == .hearts && object.level == .low && object.ratio == .half)
        expect(object.maybe == nil && object.maybeLevel == nil && object.suits.isEmpty)
    }

    @Test
    func `cases are stored, read, changed and nulled`() throws {
        var configuration = newConfiguration(inMemory: false)
        configuration.objectTypes = [EnumModel.self]
        defer { try? FileManager.default.removeItem(at: configuration.fileURL!) }
        do {
            let realm = try Realm(configuration: configuration)
            let object = EnumModel()
            object.id = .spades
            object.level = .high
            object.maybe = .diamonds
            object.maybeLevel = .middle
            object.suits.append(objectsIn: [.clubs, .hearts])
            object.levels.append(objectsIn: [.low, nil, .high])
            try realm.write { realm.add(object) }
            expect(object.id == .spades && object.suit == .hearts && object.level == .high && object.ratio == .half)
            expect(object.maybe == .diamonds && object.maybeLevel == .middle)
            try realm.write {
                object.suit = .clubs
                object.ratio = .whole
                object.maybe = nil
                object.suits[0] = .spades
            }
        }
        let realm = try Realm(configuration: configuration)
        let object = try require(realm.object(ofType: EnumModel.self, forPrimaryKey: Suit.spades))
        expectEqual(realm.object(ofType: EnumModel.self, forPrimaryKey: "spades"), object)
        expect(object.suit == .clubs && object.ratio == .whole && object.maybe == nil && object.maybeLevel == .middle)
        expect(Array(object.suits) == [.spades, .hearts] && Array(object.levels) == [.low, nil, .high])
        expect(object.suits.index(of: .hearts) == 1 && object.suits.contains(.spades))
        expect(object["suit"] as? String == "clubs" && object["level"] as? Int == 10 && object["maybe"] == nil)
    }

    @Test
    func `create and init(value:) accept cases and raw values, and refuse values without a case`() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            let made = realm.create(
                EnumModel.self,
                value: [
                    "id": Suit.clubs, "suit": "spades", "level": 5, "maybe": NSNull(), "suits": ["hearts", Suit.clubs],
                ]
            )
            expect(made.suit == .spades && made.level == .middle && Array(made.suits) == [.hearts, .clubs])
        }
        for (property, value) in [("suit", "stars"), ("level", 7), ("level", Suit.clubs), ("suits", ["stars"])]
            as [(String, Any)]
        {
            let error = #expect(throws: Realm.Error.self) { try EnumModel(validating: [property: value]) }
            expect(error?.code == .invalidValue && error?.property == property)
            #expect(throws: Realm.Error.self) {
                try realm.write { realm.create(EnumModel.self, value: ["id": "hearts", property: value]) }
            }
            expectEqual(realm.objects(EnumModel.self).count, 1)
        }
    }

    @Test
    func `queries, sorts and aggregates accept cases`() throws {
        let realm = try Realm(configuration: configuration())
        try realm.write {
            for (i, suit) in Suit.allCases.enumerated() {
                let object = EnumModel()
                object.id = suit
                object.level = Level.allCases[i % 3]
                object.indexed = object.level
                object.maybeLevel = i == 0 ? nil : object.level
                object.suits.append(suit)
                realm.add(object)
            }
        }
        let all = realm.objects(EnumModel.self)
        expectEqual(all.where { $0.id == .hearts }.count, 1)
        expect(all.where { $0.level == .low }.count == 2 && all.where { $0.indexed == .low }.count == 2)
        expectEqual(all.where { $0.level != .low }.count, 2)
        expect(all.where { $0.level.in([.low, .high]) }.count == 3 && all.where { $0.indexed.in([.high]) }.count == 1)
        expect(all.where { $0.maybeLevel == nil }.count == 1 && all.where { $0.maybeLevel == .low }.count == 1)
        expect(
            all.where { $0.level > .low }.count == 2 && all.where { $0.level.contains(.low ... .middle) }.count == 3
        )
        expectEqual(all.where { $0.id.rawValue.starts(with: "h") }.count, 1)
        expectEqual(all.where { $0.suits.contains(.spades) }.count, 1)
        expectEqual(all.sorted(by: \.level).map(\.level), [.low, .low, .middle, .high])
        expect(all.max(of: \.level) == .high && all.min(of: \.level) == .low)
    }

    @Test
    func `a stored value without a case reads as nil if the property permits it`() throws {
        var configuration = configuration()
        configuration.objectTypes = [EnumModelRaw.self]
        let raw = try Realm(configuration: configuration)
        try raw.write {
            raw.create(
                EnumModelRaw.self,
                value: [
                    "id": "clubs", "maybe": "stars", "maybeLevel": 3, "level": 1, "ratio": 1, "suit": "clubs",
                    "indexed": 1, "levels": [1, 2, nil] as [Int?],
                ]
            )
        }
        configuration.objectTypes = [EnumModel.self]
        try readOnNewThread(configuration) { realm in
            let object = try require(realm.objects(EnumModel.self).first)
            expect(object.maybe == nil && object.maybeLevel == nil && Array(object.levels) == [.low, nil, nil])
            expectEqual(object.ratio, .whole)
        }
    }

    @Test
    func `a stored value without a case traps if it can't be nil`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [EnumModelRaw.self]
            )
            let raw = try Realm(configuration: configuration)
            try raw.write { raw.create(EnumModelRaw.self, value: ["id": "clubs", "suit": "stars"]) }
            configuration.objectTypes = [EnumModel.self]
            try readOnNewThread(configuration) { realm in _ = realm.objects(EnumModel.self).first!.suit }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("stars") && message.contains("stands for no Suit"), "\(message)")
    }
}

/// A realm of another thread, so that the schema may be another.
func readOnNewThread(
    _ configuration: Realm.Configuration,
    _ body: @escaping @Sendable (Realm) throws -> Void
) throws {
    nonisolated(unsafe) var outcome: Result<Void, any Error>?
    let thread = Thread { outcome = Result { try body(Realm(configuration: configuration)) } }
    thread.stackSize = 4 << 20
    thread.start()
    while !thread.isFinished { usleep(500) }
    try outcome?.get()
}
