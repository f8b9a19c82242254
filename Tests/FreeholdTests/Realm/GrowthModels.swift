import Foundation

@testable import Freehold

// Models with every kind of position: a property of an object, inside an embedded object, and inside an embedded object
// of that one.

/// The properties of every level.
protocol Growing: ObjectBase {
    var size: Int { get set }
    var note: String? { get set }
    var price: Decimal128 { get set }
    var suit: Suit? { get set }
    var numbers: List<Int> { get set }
    var words: MutableSet<String> { get set }
    var counts: Map<String, Int?> { get set }
    var plant: Plant? { get set }
    var plants: List<Plant> { get set }
    var plantSet: MutableSet<Plant> { get set }
    var plantMap: Map<String, Plant?> { get set }
    var weed: Weed? { get set }
    var weeds: List<Weed> { get set }
    var mixed: AnyRealmValue { get set }
    var mixedList: List<AnyRealmValue> { get set }
    var ratio: Ratio { get set }
}

/// The properties of every level except the last: embedded objects.
protocol Branching: Growing {
    associatedtype Child: EmbeddedObject, Growing
    var child: Child? { get set }
    var children: List<Child> { get set }
    var childMap: Map<String, Child?> { get set }
}

/// Properties with custom values that are stored as embedded objects. Such a class never takes the short path.
protocol Placed: ObjectBase {
    var place: Point2? { get set }
    var places: List<Point2> { get set }
    var placeMap: Map<String, Point2?> { get set }
}

final class Plant: Object, Branching {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var size: Int
    @Persisted var note: String?
    @Persisted var price: Decimal128
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var plant: Plant?
    @Persisted var plants: List<Plant>
    @Persisted var plantSet: MutableSet<Plant>
    @Persisted var plantMap: Map<String, Plant?>
    @Persisted var weed: Weed?
    @Persisted var weeds: List<Weed>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var ratio: Ratio
    @Persisted var child: Limb?
    @Persisted var children: List<Limb>
    @Persisted var childMap: Map<String, Limb?>
}

final class Weed: Object, Branching, Placed {
    @Persisted var id: Int
    @Persisted var size: Int
    @Persisted var note: String?
    @Persisted var price: Decimal128
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var plant: Plant?
    @Persisted var plants: List<Plant>
    @Persisted var plantSet: MutableSet<Plant>
    @Persisted var plantMap: Map<String, Plant?>
    @Persisted var weed: Weed?
    @Persisted var weeds: List<Weed>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var ratio: Ratio
    @Persisted var child: Limb?
    @Persisted var children: List<Limb>
    @Persisted var childMap: Map<String, Limb?>
    @Persisted var place: Point2?
    @Persisted var places: List<Point2>
    @Persisted var placeMap: Map<String, Point2?>
}

final class Limb: EmbeddedObject, Branching {
    @Persisted var size: Int
    @Persisted var note: String?
    @Persisted var price: Decimal128
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var plant: Plant?
    @Persisted var plants: List<Plant>
    @Persisted var plantSet: MutableSet<Plant>
    @Persisted var plantMap: Map<String, Plant?>
    @Persisted var weed: Weed?
    @Persisted var weeds: List<Weed>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var ratio: Ratio
    @Persisted var child: Twig?
    @Persisted var children: List<Twig>
    @Persisted var childMap: Map<String, Twig?>
}

final class Twig: EmbeddedObject, Branching, Placed {
    @Persisted var size: Int
    @Persisted var note: String?
    @Persisted var price: Decimal128
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var plant: Plant?
    @Persisted var plants: List<Plant>
    @Persisted var plantSet: MutableSet<Plant>
    @Persisted var plantMap: Map<String, Plant?>
    @Persisted var weed: Weed?
    @Persisted var weeds: List<Weed>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var ratio: Ratio
    @Persisted var child: Bud?
    @Persisted var children: List<Bud>
    @Persisted var childMap: Map<String, Bud?>
    @Persisted var place: Point2?
    @Persisted var places: List<Point2>
    @Persisted var placeMap: Map<String, Point2?>
}

final class Bud: EmbeddedObject, Growing {
    @Persisted var size: Int
    @Persisted var note: String?
    @Persisted var price: Decimal128
    @Persisted var suit: Suit?
    @Persisted var numbers: List<Int>
    @Persisted var words: MutableSet<String>
    @Persisted var counts: Map<String, Int?>
    @Persisted var plant: Plant?
    @Persisted var plants: List<Plant>
    @Persisted var plantSet: MutableSet<Plant>
    @Persisted var plantMap: Map<String, Plant?>
    @Persisted var weed: Weed?
    @Persisted var weeds: List<Weed>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var ratio: Ratio
}

/// Contains plants in every way in which a link can bring a plant into a realm.
final class Garden: Object {
    @Persisted var favourite: Plant?
    @Persisted var beds: List<Plant>
    @Persisted var wild: MutableSet<Weed>
    @Persisted var named: Map<String, Plant?>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var limb: Limb?
    @Persisted var limbs: List<Limb>
    @Persisted var limbMap: Map<String, Limb?>
}

let growthTypes: [ObjectBase.Type] = [
    Plant.self, Weed.self, Limb.self, Twig.self, Bud.self, Garden.self, PointRow.self,
]
