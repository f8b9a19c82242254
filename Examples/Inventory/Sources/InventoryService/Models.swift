import Foundation
import Freehold

/// An article in the store room.
final class Item: Object {
    /// The stock-keeping unit: capitals, digits and hyphens.
    @Persisted(primaryKey: true) var sku = ""
    @Persisted var name = ""
    @Persisted(indexed: true) var category = ""
    @Persisted var quantity = 0
    /// The quantity at which the item is ordered again.
    @Persisted var reorderLevel = 0
    @Persisted var tags: MutableSet<String>
    /// The number of changes of the item, which its entity tag contains.
    @Persisted var revision = 1
    @Persisted var changed = Date()
    /// The movements are deleted with their item.
    @Persisted(originProperty: "item", deleteRule: .cascade) var movements: LinkingObjects<Movement>
}

/// A change of the quantity of an item.
final class Movement: Object {
    /// The key is chosen by the client. A request that is sent twice has an effect once.
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var item: Item?
    /// The revision of the item after the movement.
    @Persisted var number = 0
    @Persisted var delta = 0
    /// The quantity of the item after the movement.
    @Persisted var balance = 0
    @Persisted var reason = ""
    @Persisted var date = Date()
}

/// The values of an item, for responses and events.
struct ItemInfo: Codable, Sendable, Equatable {
    var sku: String
    var name: String
    var category: String
    var quantity: Int
    var reorderLevel: Int
    var tags: [String]
    var revision: Int
    var changed: Date

    /// The entity tag of a response with the item.
    var entityTag: String { "\"\(revision)\"" }
}

extension ItemInfo {
    /// Reads a managed object. The tags are in alphabetical order, so that equal items have equal JSON.
    init(_ item: Item) {
        sku = item.sku
        name = item.name
        category = item.category
        quantity = item.quantity
        reorderLevel = item.reorderLevel
        tags = item.tags.sorted()
        revision = item.revision
        changed = item.changed
    }
}

/// The values of a movement, for responses.
struct MovementInfo: Codable, Sendable, Equatable {
    var id: UUID
    var sku: String
    var number: Int
    var delta: Int
    var balance: Int
    var reason: String
    var date: Date

    init(_ movement: Movement) {
        id = movement.id
        sku = movement.item?.sku ?? ""
        number = movement.number
        delta = movement.delta
        balance = movement.balance
        reason = movement.reason
        date = movement.date
    }
}
