import Foundation
import Testing

@testable import Freehold

// One type in every position of an embedded object, and of an embedded object inside that.

class InnerKinds<T: StoredKind>: EmbeddedObject, HoldsKinds {
    @Persisted var plain: T
    @Persisted var optional: T?
    @Persisted var list: List<T>
    @Persisted var optionalList: List<T?>
    @Persisted var set: MutableSet<T>
    @Persisted var optionalSet: MutableSet<T?>
    @Persisted var map: Map<String, T>
    @Persisted var optionalMap: Map<String, T?>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
}

class PartKinds<T: StoredKind, Inner: InnerKinds<T>>: EmbeddedObject, HoldsKinds {
    @Persisted var plain: T
    @Persisted var optional: T?
    @Persisted var list: List<T>
    @Persisted var optionalList: List<T?>
    @Persisted var set: MutableSet<T>
    @Persisted var optionalSet: MutableSet<T?>
    @Persisted var map: Map<String, T>
    @Persisted var optionalMap: Map<String, T?>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
    @Persisted var inner: Inner?
    @Persisted var inners: List<Inner>
    @Persisted var innerMap: Map<String, Inner?>
}

class OwnerKinds<T: StoredKind, Inner: InnerKinds<T>, Part: PartKinds<T, Inner>>: Object {
    @Persisted var part: Part?
    @Persisted var parts: List<Part>
    @Persisted var partMap: Map<String, Part?>
}

final class BoolInner: InnerKinds<Bool> {}
final class BoolPart: PartKinds<Bool, BoolInner> {}
final class BoolOwner: OwnerKinds<Bool, BoolInner, BoolPart> {}
final class IntInner: InnerKinds<Int> {}
final class IntPart: PartKinds<Int, IntInner> {}
final class IntOwner: OwnerKinds<Int, IntInner, IntPart> {}
final class Int8Inner: InnerKinds<Int8> {}
final class Int8Part: PartKinds<Int8, Int8Inner> {}
final class Int8Owner: OwnerKinds<Int8, Int8Inner, Int8Part> {}
final class Int16Inner: InnerKinds<Int16> {}
final class Int16Part: PartKinds<Int16, Int16Inner> {}
final class Int16Owner: OwnerKinds<Int16, Int16Inner, Int16Part> {}
final class Int32Inner: InnerKinds<Int32> {}
final class Int32Part: PartKinds<Int32, Int32Inner> {}
final class Int32Owner: OwnerKinds<Int32, Int32Inner, Int32Part> {}
final class Int64Inner: InnerKinds<Int64> {}
final class Int64Part: PartKinds<Int64, Int64Inner> {}
final class Int64Owner: OwnerKinds<Int64, Int64Inner, Int64Part> {}
final class FloatInner: InnerKinds<Float> {}
final class FloatPart: PartKinds<Float, FloatInner> {}
final class FloatOwner: OwnerKinds<Float, FloatInner, FloatPart> {}
final class DoubleInner: InnerKinds<Double> {}
final class DoublePart: PartKinds<Double, DoubleInner> {}
final class DoubleOwner: OwnerKinds<Double, DoubleInner, DoublePart> {}
final class StringInner: InnerKinds<String> {}
final class StringPart: PartKinds<String, StringInner> {}
final class StringOwner: OwnerKinds<String, StringInner, StringPart> {}
final class DataInner: InnerKinds<Data> {}
final class DataPart: PartKinds<Data, DataInner> {}
final class DataOwner: OwnerKinds<Data, DataInner, DataPart> {}
final class DateInner: InnerKinds<Date> {}
final class DatePart: PartKinds<Date, DateInner> {}
final class DateOwner: OwnerKinds<Date, DateInner, DatePart> {}
final class DecimalInner: InnerKinds<Decimal128> {}
final class DecimalPart: PartKinds<Decimal128, DecimalInner> {}
final class DecimalOwner: OwnerKinds<Decimal128, DecimalInner, DecimalPart> {}
final class ObjectIdInner: InnerKinds<ObjectId> {}
final class ObjectIdPart: PartKinds<ObjectId, ObjectIdInner> {}
final class ObjectIdOwner: OwnerKinds<ObjectId, ObjectIdInner, ObjectIdPart> {}
final class UUIDInner: InnerKinds<UUID> {}
final class UUIDPart: PartKinds<UUID, UUIDInner> {}
final class UUIDOwner: OwnerKinds<UUID, UUIDInner, UUIDPart> {}
final class SuitInner: InnerKinds<Suit> {}
final class SuitPart: PartKinds<Suit, SuitInner> {}
final class SuitOwner: OwnerKinds<Suit, SuitInner, SuitPart> {}
final class LevelInner: InnerKinds<Level> {}
final class LevelPart: PartKinds<Level, LevelInner> {}
final class LevelOwner: OwnerKinds<Level, LevelInner, LevelPart> {}
final class RatioInner: InnerKinds<Ratio> {}
final class RatioPart: PartKinds<Ratio, RatioInner> {}
final class RatioOwner: OwnerKinds<Ratio, RatioInner, RatioPart> {}
final class CelsiusInner: InnerKinds<Celsius> {}
final class CelsiusPart: PartKinds<Celsius, CelsiusInner> {}
final class CelsiusOwner: OwnerKinds<Celsius, CelsiusInner, CelsiusPart> {}

/// Every type as a property, optional, in a list, set and map, and mixed, of an embedded object that is itself a property,
/// an element of a list or a value of a map, in an object or in another embedded object.
@Suite("Every type in every position of embedded objects")
struct EmbeddedKindTests {
    @Test(arguments: KindName.allCases)
    func `every kind is added, created, copied to another realm, changed and reopened`(_ kind: KindName) throws {
        switch kind {
        case .bool: try Nesting(owner: BoolOwner.self, part: BoolPart.self, inner: BoolInner.self).run(kind)
        case .int: try Nesting(owner: IntOwner.self, part: IntPart.self, inner: IntInner.self).run(kind)
        case .int8: try Nesting(owner: Int8Owner.self, part: Int8Part.self, inner: Int8Inner.self).run(kind)
        case .int16: try Nesting(owner: Int16Owner.self, part: Int16Part.self, inner: Int16Inner.self).run(kind)
        case .int32: try Nesting(owner: Int32Owner.self, part: Int32Part.self, inner: Int32Inner.self).run(kind)
        case .int64: try Nesting(owner: Int64Owner.self, part: Int64Part.self, inner: Int64Inner.self).run(kind)
        case .float: try Nesting(owner: FloatOwner.self, part: FloatPart.self, inner: FloatInner.self).run(kind)
        case .double: try Nesting(owner: DoubleOwner.self, part: DoublePart.self, inner: DoubleInner.self).run(kind)
        case .string: try Nesting(owner: StringOwner.self, part: StringPart.self, inner: StringInner.self).run(kind)
        case .data: try Nesting(owner: DataOwner.self, part: DataPart.self, inner: DataInner.self).run(kind)
        case .date: try Nesting(owner: DateOwner.self, part: DatePart.self, inner: DateInner.self).run(kind)
        case .decimal: try Nesting(owner: DecimalOwner.self, part: DecimalPart.self, inner: DecimalInner.self).run(kind)
        case .objectId:
            try Nesting(owner: ObjectIdOwner.self, part: ObjectIdPart.self, inner: ObjectIdInner.self).run(kind)
        case .uuid: try Nesting(owner: UUIDOwner.self, part: UUIDPart.self, inner: UUIDInner.self).run(kind)
        case .stringEnum: try Nesting(owner: SuitOwner.self, part: SuitPart.self, inner: SuitInner.self).run(kind)
        case .intEnum: try Nesting(owner: LevelOwner.self, part: LevelPart.self, inner: LevelInner.self).run(kind)
        case .doubleEnum: try Nesting(owner: RatioOwner.self, part: RatioPart.self, inner: RatioInner.self).run(kind)
        case .custom: try Nesting(owner: CelsiusOwner.self, part: CelsiusPart.self, inner: CelsiusInner.self).run(kind)
        }
    }
}

private struct Nesting<T, Inner: InnerKinds<T>, Part: PartKinds<T, Inner>, Owner: OwnerKinds<T, Inner, Part>> {
    let owner: Owner.Type
    let part: Part.Type
    let inner: Inner.Type

    func run(_ kind: KindName) throws { try kind.accept(Visitor(nesting: self)) }

    /// Gets the states of the kind's type, which is ours.
    struct Visitor: KindVisitor {
        let nesting: Nesting
        func visit<U>(_ row: KindRow<U>) throws {
            try nesting.run(require(row.states as? [ExpectedKinds<T>]))
        }
    }

    /// The states of the elements of a list in a part in state `i`.
    private func innerStates(_ states: [ExpectedKinds<T>], _ i: Int) -> [ExpectedKinds<T>] {
        [states[(i + 3) % states.count], states[(i + 4) % states.count]]
    }

    /// The states of the elements of a list in an owner in state `i`, and whether each has embedded objects.
    private func partStates(_ states: [ExpectedKinds<T>], _ i: Int) -> [(state: Int, withInner: Bool)] {
        [((i + 1) % states.count, true), ((i + 2) % states.count, false)]
    }

    private func setPartMap(of owner: Owner, _ states: [ExpectedKinds<T>], _ i: Int) {
        owner.partMap["a"] = makePart(states, i, withInner: true)
        owner.partMap["b"] = makePart(states, (i + 1) % states.count, withInner: false)
    }

    private func makePart(_ states: [ExpectedKinds<T>], _ i: Int, withInner: Bool) -> Part {
        let made = part.init()
        states[i].apply(to: made)
        guard withInner else { return made }
        made.inner = inner.init()
        states[(i + 1) % states.count].apply(to: made.inner!)
        for state in innerStates(states, i) {
            let element = inner.init()
            state.apply(to: element)
            made.inners.append(element)
        }
        made.innerMap["a"] = inner.init()
        states[(i + 2) % states.count].apply(to: made.innerMap["a"]!!)
        made.innerMap["none"] = .some(nil)
        return made
    }

    private func check(_ found: Part, _ states: [ExpectedKinds<T>], _ i: Int, withInner: Bool, _ place: Comment) throws
    {
        states[i].check(found, place)
        guard withInner else { return }
        states[(i + 1) % states.count].check(try require(found.inner, place), place)
        let inners = innerStates(states, i)
        expectEqual(found.inners.count, inners.count, place)
        for (state, element) in zip(inners, found.inners) { state.check(element, place) }
        states[(i + 2) % states.count].check(try require(found.innerMap["a"] ?? nil, place), place)
        expect(found.innerMap.count == 2 && found.innerMap["none"] == .some(nil), place)
    }

    private func check(_ found: Owner, _ states: [ExpectedKinds<T>], _ i: Int, withInner: Bool, _ place: Comment) throws
    {
        try check(try require(found.part, place), states, i, withInner: withInner, place)
        guard withInner else { return }
        let parts = partStates(states, i)
        expectEqual(found.parts.count, parts.count, place)
        for (part, element) in zip(parts, found.parts) {
            try check(element, states, part.state, withInner: part.withInner, place)
        }
        try check(try require(found.partMap["a"] ?? nil, place), states, i, withInner: true, place)
        let next = (i + 1) % states.count
        try check(try require(found.partMap["b"] ?? nil, place), states, next, withInner: false, place)
    }

    private func make(_ states: [ExpectedKinds<T>], _ i: Int, withInner: Bool) -> Owner {
        let made = owner.init()
        made.part = makePart(states, i, withInner: withInner)
        guard withInner else { return made }
        for part in partStates(states, i) {
            made.parts.append(makePart(states, part.state, withInner: part.withInner))
        }
        setPartMap(of: made, states, i)
        return made
    }

    private func run(_ states: [ExpectedKinds<T>]) throws {
        var configuration = newConfiguration(inMemory: false)
        configuration.objectTypes = [owner, part, inner]
        let url = configuration.fileURL!
        defer {
            for suffix in ["", "-lock", ".writer"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        // An object takes a short path if its only embedded object contains no other one and its values are the
        // defaults. Every second state also runs with embedded objects below it, so that each state occurs at each
        // place: see `partStates`.
        let plans = states.indices.flatMap { $0 % 2 == 0 ? [($0, false), ($0, true)] : [($0, false)] }
        do {
            let realm = try Realm(configuration: configuration)
            let other = try Realm(
                configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [owner, part, inner])
            )
            for (i, withInner) in plans {
                let made = make(states, i, withInner: withInner)
                try check(made, states, i, withInner: withInner, "unmanaged \(i)")
                try other.write {
                    try check(other.create(owner, value: made), states, i, withInner: withInner, "created \(i)")
                }
                try realm.write { realm.add(made) }
                try check(made, states, i, withInner: withInner, "added \(i)")
                try other.write {
                    try check(other.create(owner, value: made), states, i, withInner: withInner, "copied \(i)")
                }
            }
            for (i, withInner) in plans {
                // Embedded objects of a managed owner, assigned, appended and set.
                try realm.write {
                    let made = realm.create(owner)
                    made.part = makePart(states, i, withInner: withInner)
                    if withInner {
                        for part in partStates(states, i) {
                            made.parts.append(makePart(states, part.state, withInner: part.withInner))
                        }
                        setPartMap(of: made, states, i)
                    }
                    try check(made, states, i, withInner: withInner, "assigned \(i)")
                    // And changed in place.
                    let next = (i + 1) % states.count
                    states[next].apply(to: made.part!)
                    states[next].check(made.part!, "changed \(i)")
                    states[i].apply(to: made.part!)
                }
            }
            try expectEqual(other.core.database.snapshot().verify(), [])
        }
        let realm = try Realm(configuration: configuration)
        let all = realm.objects(owner)
        expectEqual(all.count, 2 * plans.count)
        for (k, (i, withInner)) in (plans + plans).enumerated() {
            try check(all[k], states, i, withInner: withInner, "reopened \(k)")
        }
        try expectEqual(realm.core.database.snapshot().verify(), [])
    }
}
