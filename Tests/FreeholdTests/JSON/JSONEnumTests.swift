import Foundation
import Freehold
import Testing

enum JSSuit: String, PersistableEnum, Codable { case clubs, hearts }
enum JSLevel: Int, PersistableEnum, Codable { case low = 1, high = 10 }

class JSCard: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var suit = JSSuit.clubs
    @Persisted var level: JSLevel?
    @Persisted var levels: List<JSLevel>
}

@Suite("JSON and Codable: enums")
struct JSONEnumTests {
    private func realm() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [JSCard.self])
        )
    }

    @Test
    func `cases are imported, exported and coded as their raw values, managed or not`() throws {
        let realm = try realm()
        let text = #"{"id":1,"suit":"hearts","level":10,"levels":[1,10]}"#
        try realm.importJSON(from: Data(text.utf8), into: JSCard.self)
        let card = try require(realm.objects(JSCard.self).first)
        expect(card.suit == .hearts && card.level == .high && Array(card.levels) == [.low, .high])
        let written = try realm.jsonData(of: JSCard.self, options: JSONExportOptions(format: .lines))
        expectEqual(String(decoding: written, as: UTF8.self), text + "\n")
        let decoded = try JSONDecoder().decode(JSCard.self, from: JSONEncoder().encode(card))
        expect(decoded.suit == .hearts && decoded.level == .high && Array(decoded.levels) == [.low, .high])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(JSCard.self, from: Data(#"{"id":1,"suit":"stars","levels":[]}"#.utf8))
        }
    }

    @Test(arguments: [(#""suit":"stars""#, "suit"), (#""level":2"#, "level"), (#""levels":[1,2]"#, "levels[1]")])
    func `a value without a case is an error with its path`(member: String, path: String) throws {
        let realm = try realm()
        let error = #expect(throws: JSONError.self) {
            try realm.importJSON(from: Data("{\"id\":1,\(member)}".utf8), into: JSCard.self)
        }
        expect(error?.kind == .invalidValue && error?.path == path && realm.objects(JSCard.self).isEmpty)
    }
}
