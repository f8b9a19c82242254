import Foundation

@testable import Freehold

class MixedHolder: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var any: AnyRealmValue
    @Persisted(indexed: true) var tag: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>

    convenience init(_ id: Int, _ any: AnyRealmValue = .none) {
        self.init()
        self.id = id
        self.any = any
    }
}

class MixedTarget: Object {
    @Persisted var name = ""

    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}

class MixedPart: EmbeddedObject {
    @Persisted var name = ""
}

class MixedPartOwner: Object {
    @Persisted var part: MixedPart?
}

class MixedOptional: Object {
    @Persisted var any: AnyRealmValue?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MixedOptionalList: Object {
    @Persisted var anys: List<AnyRealmValue?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

func mixedConfiguration(inMemory: Bool = true) -> Realm.Configuration {
    var configuration = newConfiguration(inMemory: inMemory)
    configuration.objectTypes = [MixedHolder.self, MixedTarget.self, MixedPart.self, MixedPartOwner.self]
    return configuration
}

func mixedRealm() throws -> Realm { try Realm(configuration: mixedConfiguration()) }
