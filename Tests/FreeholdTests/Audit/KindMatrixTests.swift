import Foundation
import Testing

@testable import Freehold

typealias StoredKind = _PersistableInsideOptional & _RealmCollectionValueInsideOptional

/// An object with one type in every position.
protocol HoldsKinds<Kind>: ObjectBase {
    associatedtype Kind: StoredKind
    var plain: Kind { get set }
    var optional: Kind? { get set }
    var list: List<Kind> { get }
    var optionalList: List<Kind?> { get }
    var set: MutableSet<Kind> { get }
    var optionalSet: MutableSet<Kind?> { get }
    var map: Map<String, Kind> { get }
    var optionalMap: Map<String, Kind?> { get }
    var mixed: AnyRealmValue { get set }
    var mixedList: List<AnyRealmValue> { get }
    var mixedMap: Map<String, AnyRealmValue> { get }
}

/// One type in every position. Each type has a subclass, which is the model.
class Kinds<T: StoredKind>: Object, HoldsKinds {
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

final class BoolKinds: Kinds<Bool> {}
final class IntKinds: Kinds<Int> {}
final class Int8Kinds: Kinds<Int8> {}
final class Int16Kinds: Kinds<Int16> {}
final class Int32Kinds: Kinds<Int32> {}
final class Int64Kinds: Kinds<Int64> {}
final class FloatKinds: Kinds<Float> {}
final class DoubleKinds: Kinds<Double> {}
final class StringKinds: Kinds<String> {}
final class DataKinds: Kinds<Data> {}
final class DateKinds: Kinds<Date> {}
final class DecimalKinds: Kinds<Decimal128> {}
final class ObjectIdKinds: Kinds<ObjectId> {}
final class UUIDKinds: Kinds<UUID> {}
final class SuitKinds: Kinds<Suit> {}
final class LevelKinds: Kinds<Level> {}
final class RatioKinds: Kinds<Ratio> {}
final class CelsiusKinds: Kinds<Celsius> {}

/// A type, its model, and three different values of it.
struct KindRow<T: StoredKind> {
    let model: Kinds<T>.Type
    let values: [T]

    /// The states through which an object passes. The first one is that of a new object.
    var states: [ExpectedKinds<T>] {
        let (a, b) = (values[0], values[1])
        let c = values.last!
        return [
            ExpectedKinds<T>(),
            ExpectedKinds(
                plain: a,
                optional: b,
                list: values,
                optionalList: [nil] + values,
                map: ["a": a, "ü": b],
                optionalMap: ["a": a, "none": nil]
            ),
            ExpectedKinds(
                plain: b,
                optional: c,
                list: [c, b, c],
                optionalList: [b, nil, b],
                map: ["a": c, "c": a],
                optionalMap: ["none": b, "a": nil]
            ),
            ExpectedKinds(plain: c, optional: nil, optionalList: [nil], optionalMap: ["none": nil]),
            ExpectedKinds(plain: a),
        ]
    }
}

protocol KindVisitor {
    func visit<T>(_ row: KindRow<T>) throws
}

enum KindName: String, CaseIterable {
    case bool, int, int8, int16, int32, int64, float, double, string, data, date, decimal, objectId, uuid
    case stringEnum, intEnum, doubleEnum, custom

    func accept(_ visitor: some KindVisitor) throws {
        switch self {
        case .bool: try visitor.visit(KindRow(model: BoolKinds.self, values: [true, false]))
        case .int: try visitor.visit(KindRow(model: IntKinds.self, values: [300, .min, .max]))
        case .int8: try visitor.visit(KindRow(model: Int8Kinds.self, values: [5, .min, .max]))
        case .int16: try visitor.visit(KindRow(model: Int16Kinds.self, values: [300, .min, .max]))
        case .int32: try visitor.visit(KindRow(model: Int32Kinds.self, values: [70_000, .min, .max]))
        case .int64: try visitor.visit(KindRow(model: Int64Kinds.self, values: [1 << 40, .min, .max]))
        case .float: try visitor.visit(KindRow(model: FloatKinds.self, values: [1.5, -.infinity, 3.25]))
        case .double: try visitor.visit(KindRow(model: DoubleKinds.self, values: [0.1, -.infinity, 1e300]))
        case .string:
            let long = String(repeating: "long ", count: 1_000)
            try visitor.visit(KindRow(model: StringKinds.self, values: ["Zoë 👩‍👩‍👧", "", long]))
        case .data:
            let values = [Data([0, 255]), Data(), Data(repeating: 7, count: 5_000)]
            try visitor.visit(KindRow(model: DataKinds.self, values: values))
        case .date:
            let values = [1_700_000_000.5, -1.5, 0].map { Date(timeIntervalSince1970: $0) }
            try visitor.visit(KindRow(model: DateKinds.self, values: values))
        case .decimal:
            try visitor.visit(KindRow(model: DecimalKinds.self, values: ["12.50", "-0.1", "1E+6000"]))
        case .objectId:
            try visitor.visit(KindRow(model: ObjectIdKinds.self, values: [.generate(), ObjectId(), .generate()]))
        case .uuid: try visitor.visit(KindRow(model: UUIDKinds.self, values: [UUID(), UUID(), UUID()]))
        case .stringEnum: try visitor.visit(KindRow(model: SuitKinds.self, values: [.hearts, .clubs, .spades]))
        case .intEnum: try visitor.visit(KindRow(model: LevelKinds.self, values: [.high, .low, .middle]))
        case .doubleEnum: try visitor.visit(KindRow(model: RatioKinds.self, values: [.whole, .half]))
        case .custom:
            let values = [20, -3.5, 0].map { Celsius(persistedValue: $0) }
            try visitor.visit(KindRow(model: CelsiusKinds.self, values: values))
        }
    }
}

/// The table: type × position × where the object is × what was done.
@Suite("Every type in every position")
struct KindMatrixTests {
    @Test("every kind has defaults, and can be set, updated, deleted and null", arguments: KindName.allCases)
    func positions(_ kind: KindName) throws { try kind.accept(Positions()) }

    @Test(arguments: KindName.allCases)
    func `every kind accepts plain data by name, and refuses unsuitable data`(_ kind: KindName) throws {
        try kind.accept(PlainData())
    }
}

/// The expected content of an object.
struct ExpectedKinds<T: StoredKind> {
    var plain: T?
    var optional: T?
    var list: [T] = []
    var optionalList: [T?] = []
    var map: [String: T] = [:]
    var optionalMap: [String: T?] = [:]

    func check(_ object: some HoldsKinds<T>, _ place: Comment) {
        if let plain { expectEqual(object.plain, plain, place) }
        expectEqual(object.optional, optional, place)
        expect(Array(object.list) == list && object.list.count == list.count, place)
        expectEqual(Array(object.optionalList), optionalList, place)
        expect(Set(object.set) == Set(list) && object.set.count == Set(list).count, place)
        expectEqual(Set(object.optionalSet), Set(optionalList), place)
        for value in list { expect(object.set.contains(value), place) }
        for value in optionalList { expect(object.optionalSet.contains(value), place) }
        expect(object.map.count == map.count && object.optionalMap.count == optionalMap.count, place)
        for (key, value) in map { expectEqual(object.map[key], value, place) }
        for (key, value) in optionalMap { expectEqual(object.optionalMap[key], .some(value), place) }
        expect(object.map["nowhere"] == nil && object.optionalMap["nowhere"] == nil, place)
        let first = list.first.map(any)
        expectEqual(object.mixed, first ?? .none, place)
        expectEqual(Array(object.mixedList), list.map(any), place)
        expectEqual(object.mixedMap.count, map.count, place)
        for (key, value) in map { expectEqual(object.mixedMap[key], any(value), place) }
    }

    /// The mixed value of what is stored for a value.
    private func any(_ value: T) -> AnyRealmValue {
        AnyRealmValue._rlmFromContent(T._rlmContent(value) as _StoredContent)!
    }

    /// Brings an object to what is expected.
    func apply(to object: some HoldsKinds<T>) {
        if let plain { object.plain = plain }
        object.optional = optional
        object.list.removeAll()
        object.list.append(objectsIn: list)
        object.optionalList.removeAll()
        object.optionalList.append(objectsIn: optionalList)
        object.set.removeAll()
        object.set.insert(objectsIn: list)
        object.optionalSet.removeAll()
        for value in optionalList { object.optionalSet.insert(value) }
        object.map.removeAll()
        for (key, value) in map { object.map[key] = value }
        object.optionalMap.removeAll()
        for (key, value) in optionalMap { object.optionalMap[key] = .some(value) }
        object.mixed = list.first.map(any) ?? .none
        object.mixedList.removeAll()
        object.mixedList.append(objectsIn: list.map(any))
        object.mixedMap.removeAll()
        for (key, value) in map { object.mixedMap[key] = any(value) }
    }
}

private struct Positions: KindVisitor {
    func visit<T>(_ row: KindRow<T>) throws {
        let states = row.states
        let made = row.model.init()
        states[0].check(made, "a new object")
        for (i, state) in states.enumerated() {
            state.apply(to: made)
            state.check(made, "unmanaged, state \(i)")
        }
        var configuration = newConfiguration(inMemory: false)
        configuration.objectTypes = [row.model]
        let url = configuration.fileURL!
        defer {
            for suffix in ["", "-lock", ".writer"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
        }
        // Each state is reached from unmanaged, and by changes of a managed object.
        do {
            let realm = try Realm(configuration: configuration)
            for (i, state) in states.enumerated() {
                let object = row.model.init()
                state.apply(to: object)
                let (list, set, map) = (object.list, object.set, object.map)
                try realm.write { realm.add(object) }
                expect(object.list === list && object.set === set && object.map === map, "collections stay the same")
                state.check(object, "added in state \(i)")
            }
            let object = row.model.init()
            try realm.write { realm.add(object) }
            for (i, state) in (states + states.reversed()).enumerated() {
                try realm.write {
                    state.apply(to: object)
                    state.check(object, "in a transaction, state \(i)")
                }
                state.check(object, "after it, state \(i)")
                realm.beginWrite()
                states[(i + 1) % states.count].apply(to: object)
                realm.cancelWrite()
                state.check(object, "after a rollback, state \(i)")
            }
            try realm.write { states[2].apply(to: object) }
        }
        let realm = try Realm(configuration: configuration)
        let all = realm.objects(row.model)
        expectEqual(all.count, states.count + 1)
        for (i, state) in states.enumerated() { state.check(all[i], "reopened, state \(i)") }
        states[2].check(all[states.count], "reopened, changed")
        try realm.write { realm.delete(all[1]) }
        let problems = try realm.core.database.snapshot().verify()
        expect(all.count == states.count && problems == [])
    }
}

private struct PlainData: KindVisitor {
    func visit<T>(_ row: KindRow<T>) throws {
        let stored = row.values.map { T._rlmAny($0) as Any }
        let value: [String: Any] = [
            "plain": stored[0], "optional": stored[1], "list": stored, "optionalList": [NSNull(), stored[0]],
            "set": stored, "optionalSet": [NSNull(), stored[0]], "map": ["k": stored[0]],
            "optionalMap": ["k": stored[0], "none": NSNull()] as [String: Any], "mixed": stored[0], "mixedList": stored,
            "mixedMap": ["k": stored[0]],
        ]
        let expected = ExpectedKinds<T>(
            plain: row.values[0],
            optional: row.values[1],
            list: row.values,
            optionalList: [nil, row.values[0]],
            map: ["k": row.values[0]],
            optionalMap: ["k": row.values[0], "none": nil]
        )
        func check(_ object: Kinds<T>) {
            expect(object.plain == expected.plain && object.optional == expected.optional)
            expect(Array(object.list) == expected.list && Array(object.optionalList) == expected.optionalList)
            expect(Set(object.set) == Set(expected.list) && Set(object.optionalSet) == Set(expected.optionalList))
            expect(object.map["k"] == row.values[0] && object.optionalMap["none"] == .some(nil))
            expect(object.optionalMap["k"] == row.values[0] && object.mixedList.count == row.values.count)
        }
        let realm = try Realm(
            configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [row.model])
        )
        let unmanaged = row.model.init()
        for (name, given) in value { unmanaged[name] = given }
        check(unmanaged)
        try realm.write {
            let made = realm.create(row.model, value: value)
            check(made)
            check(realm.create(row.model, value: made))
            check(realm.create(row.model, value: unmanaged))
            // `nil` empties collections.
            for name in ["optional", "list", "set", "map", "mixed"] { made[name] = nil }
            expect(made.optional == nil && made.list.isEmpty && made.set.isEmpty && made.map.isEmpty)
            expectEqual(made.mixed, .none)
        }
        let count = realm.objects(row.model).count
        for (name, code) in [("plain", Realm.Error.Code.missingValue), ("list", .missingValue), ("set", .missingValue)]
        {
            let bad: Any = name == "plain" ? NSNull() : [NSNull()]
            expectEqual(
                thrownCode { try realm.write { _ = realm.create(row.model, value: [name: bad]) } },
                code,
                "\(name)"
            )
        }
        let wrong: [(String, Any)] = [
            ("plain", ["no": 1]), ("list", [["no"]]), ("set", 5), ("map", [1]), ("map", ["k": NSNull()]),
            ("optionalMap", ["a.b": stored[0]]), ("map", ["$k": stored[0]]),
        ]
        for (name, bad) in wrong {
            let code = thrownCode { try realm.write { _ = realm.create(row.model, value: [name: bad]) } }
            expect(code == .invalidValue || code == .missingValue, "\(name): \(bad)")
        }
        expectEqual(realm.objects(row.model).count, count)
    }
}
