import Foundation
import Freehold
import Testing

/// A set of every type, plain and optional.
class SetMatrix: Object {
    @Persisted var bool: MutableSet<Bool>
    @Persisted var int: MutableSet<Int>
    @Persisted var int8: MutableSet<Int8>
    @Persisted var int16: MutableSet<Int16>
    @Persisted var int32: MutableSet<Int32>
    @Persisted var int64: MutableSet<Int64>
    @Persisted var float: MutableSet<Float>
    @Persisted var double: MutableSet<Double>
    @Persisted var string: MutableSet<String>
    @Persisted var data: MutableSet<Data>
    @Persisted var date: MutableSet<Date>
    @Persisted var decimal: MutableSet<Decimal128>
    @Persisted var objectId: MutableSet<ObjectId>
    @Persisted var uuid: MutableSet<UUID>

    @Persisted var boolOpt: MutableSet<Bool?>
    @Persisted var intOpt: MutableSet<Int?>
    @Persisted var int8Opt: MutableSet<Int8?>
    @Persisted var int16Opt: MutableSet<Int16?>
    @Persisted var int32Opt: MutableSet<Int32?>
    @Persisted var int64Opt: MutableSet<Int64?>
    @Persisted var floatOpt: MutableSet<Float?>
    @Persisted var doubleOpt: MutableSet<Double?>
    @Persisted var stringOpt: MutableSet<String?>
    @Persisted var dataOpt: MutableSet<Data?>
    @Persisted var dateOpt: MutableSet<Date?>
    @Persisted var decimalOpt: MutableSet<Decimal128?>
    @Persisted var objectIdOpt: MutableSet<ObjectId?>
    @Persisted var uuidOpt: MutableSet<UUID?>
}

/// A map of every type, plain and optional.
class MapMatrix: Object {
    @Persisted var bool: Map<String, Bool>
    @Persisted var int: Map<String, Int>
    @Persisted var int8: Map<String, Int8>
    @Persisted var int16: Map<String, Int16>
    @Persisted var int32: Map<String, Int32>
    @Persisted var int64: Map<String, Int64>
    @Persisted var float: Map<String, Float>
    @Persisted var double: Map<String, Double>
    @Persisted var string: Map<String, String>
    @Persisted var data: Map<String, Data>
    @Persisted var date: Map<String, Date>
    @Persisted var decimal: Map<String, Decimal128>
    @Persisted var objectId: Map<String, ObjectId>
    @Persisted var uuid: Map<String, UUID>

    @Persisted var boolOpt: Map<String, Bool?>
    @Persisted var intOpt: Map<String, Int?>
    @Persisted var int8Opt: Map<String, Int8?>
    @Persisted var int16Opt: Map<String, Int16?>
    @Persisted var int32Opt: Map<String, Int32?>
    @Persisted var int64Opt: Map<String, Int64?>
    @Persisted var floatOpt: Map<String, Float?>
    @Persisted var doubleOpt: Map<String, Double?>
    @Persisted var stringOpt: Map<String, String?>
    @Persisted var dataOpt: Map<String, Data?>
    @Persisted var dateOpt: Map<String, Date?>
    @Persisted var decimalOpt: Map<String, Decimal128?>
    @Persisted var objectIdOpt: Map<String, ObjectId?>
    @Persisted var uuidOpt: Map<String, UUID?>
}

class CollectionDog: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "Rex"
    @Persisted var age: Int
    @Persisted var tags: MutableSet<String>
    @Persisted var ages: Map<String, Int>
    @Persisted(originProperty: "dogs") var keepers: LinkingObjects<CollectionKeeper>
    @Persisted(originProperty: "byName") var namers: LinkingObjects<CollectionKeeper>

    enum CodingKeys: CodingKey { case id, name, age, tags, ages }

    convenience init(_ id: Int, age: Int = 0) {
        self.init()
        self.id = id
        self.age = age
    }
}

class CollectionKeeper: Object {
    @Persisted var name = ""
    @Persisted var dogs: MutableSet<CollectionDog>
    @Persisted var byName: Map<String, CollectionDog?>
    @Persisted var tags: MutableSet<String>
    @Persisted var numbers: MutableSet<Int>
    @Persisted var doubles: MutableSet<Double?>
    @Persisted var counts: Map<String, Int>
    @Persisted var maybe: Map<String, Int?>
    @Persisted var pack: List<CollectionDog>
}

class CollectionPart: EmbeddedObject {
    @Persisted var number: Int

    convenience init(_ number: Int) {
        self.init()
        self.number = number
    }
}

class CollectionMachine: Object {
    @Persisted var parts: Map<String, CollectionPart?>
    @Persisted var row: List<CollectionPart>
}

let collectionTypes: [ObjectBase.Type] = [
    SetMatrix.self, MapMatrix.self, CollectionDog.self, CollectionKeeper.self, CollectionMachine.self,
    CollectionPart.self,
]

func collectionRealm() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: collectionTypes))
}

/// A realm in a file, which is closed and opened again for each part, and removed at last.
func withCollectionFile(_ parts: ((Realm) throws -> Void)...) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("collections-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for part in parts {
        let url = folder.appendingPathComponent("test.realm")
        try part(Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: collectionTypes)))
    }
}

/// An operation of a test on each type of element.
protocol CollectionVisitor {
    func visit<E: RealmCollectionValue>(
        _ samples: [E],
        _ set: KeyPath<SetMatrix, MutableSet<E>>,
        _ map: KeyPath<MapMatrix, Map<String, E>>
    ) throws
}

enum CollectionType: String, CaseIterable {
    case bool, int, int8, int16, int32, int64, float, double, string, data, date, decimal, objectId, uuid

    /// Plain and optional.
    func accept(_ visitor: some CollectionVisitor) throws {
        func both<T: RealmCollectionValue & _RealmCollectionValueInsideOptional>(
            _ samples: [T],
            _ set: KeyPath<SetMatrix, MutableSet<T>>,
            _ optionalSet: KeyPath<SetMatrix, MutableSet<T?>>,
            _ map: KeyPath<MapMatrix, Map<String, T>>,
            _ optionalMap: KeyPath<MapMatrix, Map<String, T?>>
        ) throws {
            try visitor.visit(samples, set, map)
            try visitor.visit([nil] + samples.map { $0 }, optionalSet, optionalMap)
        }
        switch self {
        case .bool: try both([true, false], \.bool, \.boolOpt, \.bool, \.boolOpt)
        case .int: try both([.max, 3, .min, 0, -1], \.int, \.intOpt, \.int, \.intOpt)
        case .int8: try both([.max, 3, .min, 0, -1], \.int8, \.int8Opt, \.int8, \.int8Opt)
        case .int16: try both([.max, 3, .min, 0, -1], \.int16, \.int16Opt, \.int16, \.int16Opt)
        case .int32: try both([.max, 3, .min, 0, -1], \.int32, \.int32Opt, \.int32, \.int32Opt)
        case .int64: try both([.max, 3, .min, 0, -1], \.int64, \.int64Opt, \.int64, \.int64Opt)
        case .float: try both([.infinity, 1.5, -2, 0], \.float, \.floatOpt, \.float, \.floatOpt)
        case .double: try both([.infinity, 0.1, -2, 0], \.double, \.doubleOpt, \.double, \.doubleOpt)
        case .string:
            let samples = ["b", "", "\0", "Zoë 👩‍👩‍👧", String(repeating: "long ", count: 4_000), "a"]
            try both(samples, \.string, \.stringOpt, \.string, \.stringOpt)
        case .data:
            let samples = [Data([0, 255]), Data(), Data(repeating: 7, count: 20_000)]
            try both(samples, \.data, \.dataOpt, \.data, \.dataOpt)
        case .date:
            let samples = [1_700_000_000.123456, -1.5, 0, 253_402_300_799].map { Date(timeIntervalSince1970: $0) }
            try both(samples, \.date, \.dateOpt, \.date, \.dateOpt)
        case .decimal:
            let samples = ["12.50", "-3", "9.999999999999999999999999999999999E+6144"].map { Decimal128($0)! }
            try both(samples, \.decimal, \.decimalOpt, \.decimal, \.decimalOpt)
        case .objectId:
            let samples = [ObjectId.generate(), ObjectId(), ObjectId("ffffffffffffffffffffffff")!]
            try both(samples, \.objectId, \.objectIdOpt, \.objectId, \.objectIdOpt)
        case .uuid:
            let samples = [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000")!]
            try both(samples, \.uuid, \.uuidOpt, \.uuid, \.uuidOpt)
        }
    }
}
