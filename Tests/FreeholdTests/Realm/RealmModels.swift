import Foundation
import Freehold

class RTDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = "Rex"
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<RTPerson>
    @Persisted(originProperty: "favourite") var admirers: LinkingObjects<RTPerson>

    convenience init(id: Int, name: String = "Rex", age: Int = 0, weight: Double? = nil) {
        self.init()
        self.id = id
        self.name = name
        self.age = age
        self.weight = weight
    }
}

class RTPerson: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<RTDog>
    @Persisted var favourite: RTDog?
    @Persisted var friend: RTPerson?
    @Persisted var friends: List<RTPerson>
    @Persisted var tags: List<String>
    @Persisted var scores: List<Int>

    convenience init(name: String) {
        self.init()
        self.name = name
    }
}

class RTEverything: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var optionalInt: Int?
    @Persisted var optionalString: String?
    @Persisted var optionalDate: Date?
    @Persisted var optionalBool: Bool?
}

let realmTestTypes: [ObjectBase.Type] = [RTDog.self, RTPerson.self, RTEverything.self]

/// A configuration of a new in-memory realm, or of a new file.
func newConfiguration(inMemory: Bool = true) -> Realm.Configuration {
    let name = "freehold-\(UUID().uuidString)"
    if inMemory { return Realm.Configuration(inMemoryIdentifier: name, objectTypes: realmTestTypes) }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name).realm")
    return Realm.Configuration(fileURL: url, objectTypes: realmTestTypes)
}

func newRealm() throws -> Realm { try Realm(configuration: newConfiguration()) }

/// A configuration of a new file, which is removed after the block.
func withNewFile<R>(_ body: (Realm.Configuration) throws -> R) throws -> R {
    let configuration = newConfiguration(inMemory: false)
    defer {
        let folder = configuration.fileURL!.deletingLastPathComponent()
        let name = configuration.fileURL!.lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        where file.hasPrefix(name) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(file))
        }
    }
    return try body(configuration)
}

/// The error of the code that the block throws.
func thrownCode(_ body: () throws -> Void) -> Realm.Error.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? Realm.Error)?.code
    }
}
