package import Foundation
package import Freehold

package class RTDog: Object {
    @Persisted(primaryKey: true) package var id: Int
    @Persisted(indexed: true) package var name = "Rex"
    @Persisted package var age: Int
    @Persisted package var weight: Double?
    @Persisted(originProperty: "dogs") package var owners: LinkingObjects<RTPerson>
    @Persisted(originProperty: "favourite") package var admirers: LinkingObjects<RTPerson>

    package convenience init(id: Int, name: String = "Rex", age: Int = 0, weight: Double? = nil) {
        self.init()
        self.id = id
        self.name = name
        self.age = age
        self.weight = weight
    }
}

package class RTPerson: Object {
    @Persisted package var name = ""
    @Persisted package var dogs: List<RTDog>
    @Persisted package var favourite: RTDog?
    @Persisted package var friend: RTPerson?
    @Persisted package var friends: List<RTPerson>
    @Persisted package var tags: List<String>
    @Persisted package var scores: List<Int>

    package convenience init(name: String) {
        self.init()
        self.name = name
    }
}

package class RTEverything: Object {
    @Persisted(primaryKey: true) package var key: String
    @Persisted package var bool: Bool
    @Persisted package var int: Int
    @Persisted package var int8: Int8
    @Persisted package var float: Float
    @Persisted package var double: Double
    @Persisted package var string: String
    @Persisted package var data: Data
    @Persisted package var date: Date
    @Persisted package var decimal: Decimal128
    @Persisted package var objectId: ObjectId
    @Persisted package var uuid: UUID
    @Persisted package var optionalInt: Int?
    @Persisted package var optionalString: String?
    @Persisted package var optionalDate: Date?
    @Persisted package var optionalBool: Bool?
}

package let realmTestTypes: [ObjectBase.Type] = [RTDog.self, RTPerson.self, RTEverything.self]

/// A configuration of a new in-memory realm, or of a new file.
package func newConfiguration(inMemory: Bool = true) -> Realm.Configuration {
    let name = "freehold-\(UUID().uuidString)"
    if inMemory { return Realm.Configuration(inMemoryIdentifier: name, objectTypes: realmTestTypes) }
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(name).realm")
    return Realm.Configuration(fileURL: url, objectTypes: realmTestTypes)
}

package func newRealm() throws -> Realm { try Realm(configuration: newConfiguration()) }

/// A configuration of a new file, which is removed after the block.
package func withNewFile<R>(_ body: (Realm.Configuration) throws -> R) throws -> R {
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
package func thrownCode(_ body: () throws -> Void) -> Realm.Error.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? Realm.Error)?.code
    }
}
