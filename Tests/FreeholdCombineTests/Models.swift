import Dispatch
import Foundation
import RealmSwift

class CBItem: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number = 0
    @Persisted var flag = false
    @Persisted var hub: CBHub?
}

class CBOwner: Object {
    @Persisted var items: List<CBItem>
    @Persisted var set: MutableSet<CBItem>
    @Persisted var map: Map<String, CBItem?>
}

/// An object to which the items link. It doesn't change when an item is added, so the other items don't count as modified.
class CBHub: Object {
    @Persisted var name = ""
    @Persisted(originProperty: "hub") var items: LinkingObjects<CBItem>
}

class CBPart: EmbeddedObject {
    @Persisted var name = ""
}

class CBWhole: Object {
    @Persisted var part: CBPart?
    @Persisted var name = ""
}

final class CBProjection: Projection<CBItem>, ObjectKeyIdentifiable {
    @Projected(\CBItem.number) var value
}

/// The collections that a test observes. Each contains all items of one owner.
enum CollectionKind: CaseIterable {
    case results, list, set, linkingObjects, any

    func of(_ realm: Realm) -> any RealmCollection<CBItem> & RealmSubscribable {
        let owner = realm.objects(CBOwner.self).first!
        return switch self {
        case .results: realm.objects(CBItem.self)
        case .list: owner.items
        case .set: owner.set
        case .linkingObjects: realm.objects(CBHub.self).first!.items
        case .any: AnyRealmCollection(owner.items)
        }
    }
}

/// The operators between a publisher and its subscriber.
enum Way: CaseIterable {
    case direct, token, subscribeOn, tokenSubscribeOn, receiveOn, tokenReceiveOn, subscribeOnReceiveOn, threadSafe
    case tokenThreadSafe, frozen, frozenSubscribeOn, frozenReceiveOn, frozenThreadSafe

    /// The queue on which the subscriber receives values.
    var place: String {
        switch self {
        case .direct, .token, .frozen: "home"
        case .subscribeOn, .tokenSubscribeOn, .frozenSubscribeOn: "subscribing"
        default: "receiving"
        }
    }

    var isFrozen: Bool { [.frozen, .frozenSubscribeOn, .frozenReceiveOn, .frozenThreadSafe].contains(self) }

    var savesToken: Bool { [.token, .tokenSubscribeOn, .tokenReceiveOn, .tokenThreadSafe].contains(self) }
}
