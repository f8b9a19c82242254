import Foundation
import Freehold

/// The classes of the fixtures of format 24, as an app declares them.
class Everything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool: Bool
    @Persisted var optBool: Bool?
    @Persisted(indexed: true) var int: Int
    @Persisted var optInt: Int?
    @Persisted var float: Float
    @Persisted var optFloat: Float?
    @Persisted var double: Double
    @Persisted var optDouble: Double?
    @Persisted(indexed: true) var string: String
    @Persisted var optString: String?
    @Persisted var data: Data
    @Persisted var optData: Data?
    @Persisted var date: Date
    @Persisted var optDate: Date?
    @Persisted var decimal: Decimal128
    @Persisted var optDecimal: Decimal128?
    @Persisted var oid: ObjectId
    @Persisted var optOid: ObjectId?
    @Persisted var uuid: UUID
    @Persisted var optUuid: UUID?
    @Persisted var mixed: AnyRealmValue
    @Persisted var kind: Kind
    @Persisted var next: Everything?
    @Persisted var child: Child?
    @Persisted var ints: List<Int>
    @Persisted var optStrings: List<String?>
    @Persisted var dates: List<Date>
    @Persisted var mixeds: List<AnyRealmValue>
    @Persisted var words: List<Word>
    @Persisted var children: List<Child>
    @Persisted var optBools: List<Bool?>
    @Persisted var uuids: List<UUID>
    @Persisted var doubles: List<Double>
    @Persisted var decimals: List<Decimal128>
    @Persisted var optInts: List<Int?>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var wordSet: MutableSet<Word>
    @Persisted var intMap: Map<String, Int>
    @Persisted var optStringMap: Map<String, String?>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
    @Persisted var wordMap: Map<String, Word?>
    // The class has its own name for what the file calls "text".
    @Persisted(fullText: true) var passage: String
    @Persisted(originProperty: "next") var previous: LinkingObjects<Everything>

    override class func propertiesMapping() -> [String: String] { ["passage": "text"] }

    enum Kind: String, PersistableEnum { case even, odd }
}

class Word: Object {
    @Persisted(primaryKey: true) var word: String
    @Persisted var rank: Int
    @Persisted(originProperty: "words") var lists: LinkingObjects<Everything>
    @Persisted(originProperty: "wordSet") var sets: LinkingObjects<Everything>
}

class Child: EmbeddedObject {
    @Persisted var name: String
    @Persisted(originProperty: "children") var parents: LinkingObjects<Everything>
}

/// The file names it "Many".
class Row: Object {
    @Persisted var n: Int
    @Persisted var s: String

    override class func _realmObjectName() -> String? { "Many" }
}

class Big: Object {
    @Persisted var s: String?
    @Persisted var list: List<Int>
}

class Nested: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
}

enum ImportedModels {
    static let all: [ObjectBase.Type] = [
        Everything.self, Word.self, Child.self, Row.self, Big.self, Nested.self,
    ]
}
