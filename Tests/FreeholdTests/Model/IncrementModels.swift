import Foundation
import Freehold

enum IncrementGrade: Int, PersistableEnum { case low, high }

/// An integer of each type, in every position that can be added to.
class IncrementCounters: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int = 0
    @Persisted var int8: Int8 = 0
    @Persisted var int16: Int16 = 0
    @Persisted var int32: Int32 = 0
    @Persisted var int64: Int64 = 0
    @Persisted var optionalInt: Int?
    @Persisted var optionalInt8: Int8?
    @Persisted var optionalInt16: Int16?
    @Persisted var optionalInt32: Int32?
    @Persisted var optionalInt64: Int64?
    @Persisted(indexed: true) var indexed = 0
    @Persisted(indexed: true) var optionalIndexed: Int?
    @Persisted(mapTo: "stored_as") var renamed = 0
    @Persisted var mixed: AnyRealmValue
    @Persisted var grade = IncrementGrade.low
    @Persisted var double = 0.0
    @Persisted var tally: IncrementTally?
    @Persisted var tallies: List<IncrementTally>
    @Persisted var other: IncrementCounters?
    @Persisted var ints: List<Int>
    @Persisted var int8s: List<Int8>
    @Persisted var optionalInts: List<Int?>
    @Persisted var byName: Map<String, Int>
    @Persisted var int16sByName: Map<String, Int16>
    @Persisted var optionalsByName: Map<String, Int?>

    /// Not stored.
    var plain = 0
    /// Made of what is stored, and can be assigned.
    var doubled: Int {
        get { int * 2 }
        set { int = newValue / 2 }
    }

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

class IncrementTally: EmbeddedObject {
    @Persisted var count = 0
    @Persisted var last: Int16?
}

/// Seats of which no two are the same.
class IncrementSeat: Object {
    @Persisted var row = 0
    @Persisted var number = 0

    override class func compoundIndexes() -> [CompoundIndex] { [.unique("row", "number")] }

    convenience init(_ row: Int, _ number: Int) {
        self.init()
        self.row = row
        self.number = number
    }
}

/// A subclass with expensive default values.
class IncrementBox: IncrementSeat {
    @Persisted var price = 0
}

class IncrementProjection: Projection<IncrementCounters> {
    @Projected(\IncrementCounters.int) var visits
    @Projected(\IncrementCounters.optionalInt) var perhaps
    @Projected(\IncrementCounters.tally?.count) var counted
    @Projected(\IncrementCounters.int.description) var text
    @Projected(\IncrementCounters.doubled) var twice
}

let incrementTypes: [ObjectBase.Type] = [
    IncrementCounters.self, IncrementTally.self, IncrementSeat.self, IncrementBox.self,
]

func incrementConfiguration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: "freehold-increment-\(UUID().uuidString)", objectTypes: incrementTypes)
}

func incrementRealm() throws -> Realm { try Realm(configuration: incrementConfiguration()) }

/// An object on which the tests of both kinds run: of a realm, or of none.
func withCounters(managed: Bool, _ body: (IncrementCounters) throws -> Void) throws {
    let counters = IncrementCounters(1)
    guard managed else { return try body(counters) }
    let realm = try incrementRealm()
    try realm.write {
        realm.add(counters)
        try body(counters)
    }
}
