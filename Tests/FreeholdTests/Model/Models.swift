import Foundation
import Freehold
import FreeholdEngine

/// One property of every scalar type.
class Everything: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var optBool: Bool?
    @Persisted var optInt: Int?
    @Persisted var optInt8: Int8?
    @Persisted var optFloat: Float?
    @Persisted var optDouble: Double?
    @Persisted var optString: String?
    @Persisted var optData: Data?
    @Persisted var optDate: Date?
    @Persisted var optDecimal: Decimal128?
    @Persisted var optObjectId: ObjectId?
    @Persisted var optUUID: UUID?
    @Persisted var link: ModelDog?
    @Persisted var links: List<ModelDog>
    @Persisted var ints: List<Int>
    @Persisted var optStrings: List<String?>
}

class ModelDog: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(indexed: true) var name = "Rex"
    @Persisted var age = 3
    @Persisted var best: ModelDog?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<ModelPerson>

    override init() {}
}

class ModelPerson: Object {
    @Persisted var name = ""
    @Persisted(wrappedValue: 7, indexed: true) var luck: Int
    @Persisted var dog: ModelDog?
    @Persisted var dogs: List<ModelDog>
    @Persisted var nicknames = List<String>()
    var notStored = 5
    lazy var alsoNotStored = 6
    var both: String { name + (dog?.name ?? "") }

    required override init() {
        super.init()
        notStored = 8
    }
}

class ModelBase: Object {
    @Persisted var base1 = 1
    @Persisted var base2 = "two"
}

class ModelDerived: ModelBase {
    @Persisted var own = 3.0
}

class ModelGeneric<T>: Object {
    @Persisted var value = 1
}

class ModelOfGeneric: ModelGeneric<String> {
    @Persisted var more = 2
}

enum Outer {
    class Nested: Object {
        @Persisted var x = 0
        class Deeper: Object {
            @Persisted var y = 0
        }
    }
}

private class HiddenModel: Object {
    @Persisted var x = 0
}

class ModelMapped: Object {
    @Persisted(primaryKey: true) var key = ""
    @Persisted var swiftName = 0
    override class func propertiesMapping() -> [String: String] { ["swiftName": "swift_name"] }
    override class func _realmObjectName() -> String? { "mapped" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ModelLegacyKey: Object {
    @Persisted var code = ""
    @Persisted var other = 0
    override class func primaryKey() -> String? { "code" }
    override class func indexedProperties() -> [String] { ["other"] }
}

/// Overrides what models override.
class ModelOverriding: Object {
    @Persisted var x = 1
    override var description: String { "overridden \(x)" }
    override var hash: Int { x }
    override func isEqual(_ object: Any?) -> Bool { (object as? ModelOverriding)?.x == x }
}

/// Its initialiser creates another object.
class ModelMaker: Object {
    @Persisted var x = 1
    var other: ModelDog?
    override init() {
        super.init()
        other = ModelDog()
    }
}
