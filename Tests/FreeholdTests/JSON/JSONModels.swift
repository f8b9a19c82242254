import Foundation
import Freehold

/// Every type that a property can have.
class JSAll: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var bool: Bool
    @Persisted var int8: Int8
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var boolOpt: Bool?
    @Persisted var intOpt: Int?
    @Persisted var floatOpt: Float?
    @Persisted var doubleOpt: Double?
    @Persisted var stringOpt: String?
    @Persisted var dataOpt: Data?
    @Persisted var dateOpt: Date?
    @Persisted var decimalOpt: Decimal128?
    @Persisted var objectIdOpt: ObjectId?
    @Persisted var uuidOpt: UUID?
    @Persisted var link: JSAll?
    @Persisted var plain: JSPlain?
    @Persisted var ints: List<Int>
    @Persisted var doubles: List<Double?>
    @Persisted var strings: List<String?>
    @Persisted var dates: List<Date>
    @Persisted var decimals: List<Decimal128>
    @Persisted var datas: List<Data>
    @Persisted var links: List<JSAll>
    @Persisted var plains: List<JSPlain>
    @Persisted(originProperty: "links") var linked: LinkingObjects<JSAll>
}

/// Without a primary key.
class JSPlain: Object {
    @Persisted var name = "nobody"
    @Persisted var age: Int
    @Persisted var next: JSPlain?

    override class func propertiesMapping() -> [String: String] { ["name": "full_name"] }
}

class JSText: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var friend: JSText?
    @Persisted var note = "none"
}

class JSNamed: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
}

func jsonRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [JSAll.self, JSPlain.self, JSText.self, JSNamed.self]
        )
    )
}
