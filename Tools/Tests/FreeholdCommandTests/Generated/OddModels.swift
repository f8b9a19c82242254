import Foundation
import Freehold

final class ListObject: Object {
    @Persisted(mapTo: "first-name") var firstName: String
    @Persisted var `class`: Int
    @Persisted(mapTo: "description") var descriptionValue: String
    @Persisted(mapTo: "$-1st") var _1st: Bool
    @Persisted(indexed: true, mapTo: "first name") var firstName2: String?
    @Persisted var naïve: List<Double?>
    @Persisted(mapTo: "$") var unnamed: Date
    @Persisted var link: OrderLine2?
    @Persisted var links: List<OrderLine2>
    @Persisted var map: Map<String, ListObject?>
    @Persisted var decimals: Map<String, Decimal128?>
    @Persisted var any: MutableSet<AnyRealmValue>
    @Persisted(primaryKey: true) var key: ObjectId

    override class func mappedName() -> String? { "List" }

    override class func compoundIndexes() -> [CompoundIndex] {
        [
            .unique("firstName", "class")
        ]
    }
}

final class OrderLine2: Object {
    @Persisted var uuid: UUID
    @Persisted var data: Data?
    @Persisted(deleteRule: .deny, mapTo: "goes-with") var goesWith: ListObject?
    @Persisted(originProperty: "link", deleteRule: .cascade) var linkOf: LinkingObjects<ListObject>

    override class func mappedName() -> String? { "order line" }
}

final class OrderLine: EmbeddedObject {
    @Persisted(mapTo: "self") var selfValue: Float
}
