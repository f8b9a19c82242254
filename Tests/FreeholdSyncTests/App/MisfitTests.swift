import Foundation
import Freehold
@testable import FreeholdSync
import Testing

enum Suit: String, PersistableEnum { case clubs, hearts }
enum Grade: Int8, PersistableEnum { case low = 1, high = 127 }

final class NarrowPart: EmbeddedObject {
    @Persisted var small: Int8
    @Persisted var suit: Suit

    override class func _realmObjectName() -> String { "Part" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class NarrowCard: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var small: Int8 = 5
    @Persisted var optional: Int16?
    @Persisted var suit = Suit.hearts
    @Persisted var maybe: Suit?
    @Persisted var grade = Grade.low
    @Persisted var smalls: List<Int8>
    @Persisted var suits: List<Suit>
    @Persisted var numbers: MutableSet<Int32>
    @Persisted var byName: Map<String, Int16>
    @Persisted var part: NarrowPart?
    @Persisted var parts: List<NarrowPart>
    @Persisted var date = Date.distantPast

    override class func _realmObjectName() -> String { "Card" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class WidePart: EmbeddedObject {
    @Persisted var small: Int
    @Persisted var suit: String

    override class func _realmObjectName() -> String { "Part" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The class as another version of the app declares it.
final class WideCard: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var small: Int
    @Persisted var optional: Int?
    @Persisted var suit: String
    @Persisted var maybe: String?
    @Persisted var grade: Int
    @Persisted var smalls: List<Int>
    @Persisted var suits: List<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var byName: Map<String, Int>
    @Persisted var part: WidePart?
    @Persisted var parts: List<WidePart>
    @Persisted var date: Date

    override class func _realmObjectName() -> String { "Card" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Synced values that a property's type doesn't represent.
struct MisfitTests {
    private let folder: TemporaryFolder
    private let accounts = AccountServer()
    private let server = LoopbackServer()
    private let app: App

    init() throws {
        folder = try TemporaryFolder()
        app = testApp(folder, accounts, server)
    }

    @MainActor private func realm<Card: Object>(_ name: String, of type: Card.Type, part: ObjectBase.Type) async throws
        -> Realm
    {
        try await app.emailPasswordAuth.registerUser(email: name, password: "secret")
        let user = try await app.login(credentials: .emailPassword(email: name, password: "secret"))
        var configuration = user.flexibleSyncConfiguration()
        configuration.objectTypes = [type, part]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Card>()) }
        return realm
    }

    @MainActor private func settle(_ realms: Realm...) async throws {
        for realm in realms { try await realm.syncSession?.wait(for: .upload) }
        for realm in realms {
            try await realm.syncSession?.wait(for: .download)
            realm.refresh()
        }
    }

    @MainActor @Test func `two increments with a sum out of range read as the greatest value, and are reported once`()
        async throws
    {
        let one = try await realm("ann", of: NarrowCard.self, part: NarrowPart.self)
        let two = try await realm("bob", of: NarrowCard.self, part: NarrowPart.self)
        try one.write { one.create(NarrowCard.self, value: ["_id": 1, "small": 100, "optional": 32_000]) }
        try await settle(one, two)
        for realm in [one, two] {
            realm.syncSession?.suspend()
            try realm.write {
                let card = realm.objects(NarrowCard.self).first!
                card.increment(\.small, by: 20)
                card.increment(\.optional, by: 500)
            }
        }
        var errors = app.syncManager.errors.makeAsyncIterator()
        for realm in [one, two] { realm.syncSession?.resume() }
        try await settle(one, two)
        try await settle(one, two)
        for realm in [one, two] {
            let card = try require(realm.objects(NarrowCard.self).first)
            expectEqual(card.small, 127)
            expectEqual(card.optional, 32_767)
            expectEqual(card.value(forKey: "small") as? Int, 127)
            expect("\(card)".contains("127"))
            expectEqual(realm.objects(NarrowCard.self).where { $0.small > 127 }.count, 1)
        }
        var texts: [String] = []
        for _ in 0..<4 {
            let error = try require(await errors.next()?.error as? SyncError)
            expectEqual(error.code, .serverWarning)
            texts.append(error.message)
        }
        expectEqual(texts.filter { $0.contains("NarrowCard.small") }.count, 2, "\(texts)")
        expectEqual(texts.filter { $0.contains("NarrowCard.optional") }.count, 2, "\(texts)")
        // Nothing else is reported, and work continues.
        try one.write { one.objects(NarrowCard.self).first!.small = 3 }
        try await settle(one, two)
        expectEqual(two.objects(NarrowCard.self).first?.small, 3)
        try two.write { two.objects(NarrowCard.self).first!.increment(\.small, by: 1) }
        try await settle(two, one)
        expectEqual(one.objects(NarrowCard.self).first?.small, 4)
    }

    @MainActor @Test func `values of another version of the app never trap`() async throws {
        let wide = try await realm("ann", of: WideCard.self, part: WidePart.self)
        let narrow = try await realm("bob", of: NarrowCard.self, part: NarrowPart.self)
        let far = Date(timeIntervalSince1970: 1e17)
        try wide.write {
            let value: [String: Any] = [
                "_id": 1, "small": -1_000, "optional": Int.max, "suit": "stars", "maybe": "stars", "grade": 300,
                "smalls": [1, 300, -300],
                "suits": ["clubs", "stars"], "numbers": [1, Int.max], "byName": ["a": 70_000],
                "part": ["small": 300, "suit": "stars"],
                "parts": [["small": 1, "suit": "clubs"], ["small": 300, "suit": "stars"]], "date": far,
            ]
            wide.create(WideCard.self, value: value)
        }
        try await settle(wide, narrow)
        let card = try require(narrow.objects(NarrowCard.self).first)
        expectEqual(card.small, -128)
        expectEqual(card.optional, .max)
        // The declared default value, not the first case.
        expectEqual(card.suit, .hearts)
        expect(card.maybe == nil)
        // 127 is a case, but not the stored value.
        expectEqual(card.grade, .low)
        expectEqual(Array(card.smalls), [1, 127, -128])
        expectEqual(Array(card.suits), [.clubs, .clubs])
        expectEqual(card.suits[1], .clubs)
        expectEqual(Set(card.numbers), [1, .max])
        expectEqual(card.byName["a"], 32_767)
        expectEqual(card.part?.small, 127)
        expectEqual(card.part?.suit, .clubs)
        expectEqual(card.parts.map(\.small), [1, 127])
        expectEqual(card.date, far)
        expectEqual(narrow.objects(NarrowCard.self).grouped(by: \.suit).map(\.key), [.clubs])
        expectEqual(narrow.objects(NarrowCard.self).max(of: \.small), nil)
        expectEqual(narrow.objects(NarrowCard.self).freeze().first?.small, -128)

        // The other version's values are complete, unless they are written.
        try narrow.write { card.small = 7 }
        try await settle(narrow, wide)
        let object = try require(wide.objects(WideCard.self).first)
        expectEqual(object.small, 7)
        expectEqual(object.optional, .max)
        expectEqual(object.suit, "stars")
        expectEqual(Array(object.smalls), [1, 300, -300])
        expectEqual(Set(object.numbers), [1, .max])
        try narrow.write {
            card.smalls.append(9)
            card.suits.append(.hearts)
        }
        try await settle(narrow, wide)
        expectEqual(Array(object.smalls), [1, 300, -300, 9])
        expectEqual(Array(object.suits), ["clubs", "stars", "hearts"])
    }
}
