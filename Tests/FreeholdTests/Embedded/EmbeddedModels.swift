import Foundation
import Freehold

class EMRoom: EmbeddedObject {
    @Persisted var size = 1
    @Persisted var inner: EMRoom?
    @Persisted(originProperty: "hall") var halls: LinkingObjects<EMAddress>

    convenience init(_ size: Int, inner: EMRoom? = nil) {
        self.init()
        self.size = size
        self.inner = inner
    }
}

class EMAddress: EmbeddedObject {
    @Persisted var street = "Main Street"
    @Persisted(indexed: false) var city: String?
    @Persisted var zip: Int?
    @Persisted var hall: EMRoom?
    @Persisted var rooms: List<EMRoom>
    @Persisted var landlord: EMPerson?
    @Persisted(originProperty: "home") var residents: LinkingObjects<EMPerson>

    convenience init(_ city: String, rooms: [Int] = []) {
        self.init()
        self.city = city
        self.rooms.append(objectsIn: rooms.map { EMRoom($0) })
    }
}

class EMPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var home: EMAddress?
    @Persisted(mapTo: "former_homes") var homes: List<EMAddress>
    @Persisted var friend: EMPerson?
    @Persisted(originProperty: "landlord") var houses: LinkingObjects<EMAddress>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<EMPerson>

    convenience init(_ id: Int, home: EMAddress? = nil, homes: [EMAddress] = []) {
        self.init()
        self.id = id
        self.home = home
        self.homes.append(objectsIn: homes)
    }
}

let embeddedTestTypes: [ObjectBase.Type] = [EMRoom.self, EMAddress.self, EMPerson.self]

func newEmbeddedRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: "embedded-\(UUID().uuidString)",
            objectTypes: embeddedTestTypes
        )
    )
}
