import Foundation
import Freehold

final class ListObject: Object {
    @Persisted var firstName: String
    @Persisted var `class`: Int
    @Persisted var descriptionValue: String
    @Persisted var _1st: Bool
    @Persisted(indexed: true) var firstName2: String?
    @Persisted var naïve: List<Double?>
    @Persisted var unnamed: Date
    @Persisted var link: OrderLine2?
    @Persisted var links: List<OrderLine2>
    @Persisted var map: Map<String, ListObject?>
    @Persisted var decimals: Map<String, Decimal128?>
    @Persisted var any: MutableSet<AnyRealmValue>
    @Persisted(primaryKey: true) var key: ObjectId

    override class func mappedName() -> String? { "List" }

    override class func propertiesMapping() -> [String: String] {
        [
            "firstName": "first-name",
            "descriptionValue": "description",
            "_1st": "$-1st",
            "firstName2": "first name",
            "unnamed": "$",
        ]
    }

    override class func compoundIndexes() -> [CompoundIndex] {
        [
            .unique("firstName", "class")
        ]
    }
}

final class OrderLine2: Object {
    @Persisted var uuid: UUID
    @Persisted var data: Data?
    @Persisted(deleteRule: .deny) var goesWith: ListObject?
    @Persisted(originProperty: "link", deleteRule: .cascade) var linkOf: LinkingObjects<ListObject>

    override class func mappedName() -> String? { "order line" }

    override class func propertiesMapping() -> [String: String] {
        [
            "goesWith": "goes-with"
        ]
    }
}

final class OrderLine: EmbeddedObject {
    @Persisted var selfValue: Float

    override class func propertiesMapping() -> [String: String] {
        [
            "selfValue": "self"
        ]
    }
}
