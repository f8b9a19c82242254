import Foundation
import Testing

@testable import Freehold

/// Every operator of the typed language on every type in every position, against the same condition in Swift.
@Suite("Query: every type in every position")
struct KindQueryTests {
    @Test(arguments: KindName.allCases)
    func `equality, in and contains find their rows`(_ kind: KindName) throws { try kind.accept(EqualityQueries()) }

    @Test
    func `order, ranges and aggregates of numbers and dates find their rows`() throws {
        try ordered(IntKinds.self, [-3, 0, 5, 7, .max])
        try ordered(Int8Kinds.self, [-3, 0, 5, 7, .max])
        try ordered(Int16Kinds.self, [-3, 0, 5, 7, .min])
        try ordered(Int32Kinds.self, [-3, 0, 5, 7, .max])
        try ordered(Int64Kinds.self, [-3, 0, 5, 1 << 40, .min])
        try ordered(FloatKinds.self, [-1.5, 0, 2.25, 7, .infinity])
        try ordered(DoubleKinds.self, [-1.5, 0, 2.25, 7, -.infinity])
        try ordered(DecimalKinds.self, ["-1.5", "0", "2.25", "7", "1E+100"])
        try ordered(DateKinds.self, [-1.5, 0, 2.25, 7].map { Date(timeIntervalSince1970: $0) })
    }

    private func ordered<T: StoredKind & Comparable & Hashable>(_ model: Kinds<T>.Type, _ values: [T]) throws
    where T.PersistedType: _QueryNumeric {
        let realm = try kindRealm(model, values)
        let all = realm.objects(model)
        func check(
            _ name: String,
            _ query: (Query<Kinds<T>>) -> Query<Bool>,
            _ condition: (Kinds<T>) -> Bool
        ) { checkQuery(all, "\(T.self) \(name)", query, condition) }
        func any(_ elements: some Sequence<T>, _ condition: (T) -> Bool) -> Bool { elements.contains(where: condition) }
        for v in values {
            check(">", { $0.plain > v }, { $0.plain > v })
            check(">=", { $0.plain >= v }, { $0.plain >= v })
            check("<", { $0.plain < v }, { $0.plain < v })
            check("<=", { $0.plain <= v }, { $0.plain <= v })
            check("optional >", { $0.optional > v }, { $0.optional.map { $0 > v } ?? false })
            check("optional <=", { $0.optional <= v }, { $0.optional.map { $0 <= v } ?? false })
            check("column", { $0.plain >= $0.map["b"] }, { o in o.map["b"].map { o.plain >= $0 } ?? false })
            check("list >", { $0.list > v }, { any($0.list) { $0 > v } })
            check("optional list <=", { $0.optionalList <= v }, { any($0.optionalList.compactMap(\.self)) { $0 <= v } })
            check("set <", { $0.set < v }, { any($0.set) { $0 < v } })
            check("map >=", { $0.map >= v }, { any($0.map.values) { $0 >= v } })
            check("map key >", { $0.map["a"] > v }, { $0.map["a"].map { $0 > v } ?? false })
            check("map values <", { $0.map.values < v }, { any($0.map.values) { $0 < v } })
            check("list max", { $0.list.max == v }, { $0.list.max() == v })
            check("set min", { $0.set.min < v }, { $0.set.min().map { $0 < v } ?? false })
            check("map max", { $0.map.max >= v }, { $0.map.values.max().map { $0 >= v } ?? false })
            for w in values where v <= w {
                check("contains ...", { $0.plain.contains(v...w) }, { (v...w).contains($0.plain) })
                check("contains ..<", { $0.plain.contains(v..<w) }, { (v..<w).contains($0.plain) })
                check("optional ...", { $0.optional.contains(v...w) }, { $0.optional.map((v...w).contains) ?? false })
                check("optional ..<", { $0.optional.contains(v..<w) }, { $0.optional.map((v..<w).contains) ?? false })
                check(
                    "list ...",
                    { $0.list.contains(v...w) },
                    { !$0.list.isEmpty && $0.list.allSatisfy((v...w).contains) }
                )
                check(
                    "set ..<",
                    { $0.set.contains(v..<w) },
                    { !$0.set.isEmpty && $0.set.allSatisfy((v..<w).contains) }
                )
                check(
                    "map ...",
                    { $0.map.contains(v...w) },
                    { !$0.map.values.isEmpty && $0.map.values.allSatisfy((v...w).contains) }
                )
            }
        }
    }
}

/// Objects with random values of the given ones.
func kindRealm<T: StoredKind & Hashable>(_ model: Kinds<T>.Type, _ values: [T]) throws -> Realm {
    var configuration = newConfiguration()
    configuration.objectTypes = [model]
    let realm = try Realm(configuration: configuration)
    func any(_ value: T) -> AnyRealmValue { AnyRealmValue._rlmFromContent(T._rlmContent(value) as _StoredContent)! }
    try realm.write {
        for i in 0..<16 {
            let object = model.init()
            let at = { values[($0) % values.count] }
            object.plain = at(i)
            object.optional = i % 4 == 0 ? nil : at(i / 2)
            let count = i % 4
            object.list.append(objectsIn: (0..<count).map { at(i + $0 * 2) })
            object.optionalList.append(objectsIn: (0..<count).map { $0 == 1 ? nil : at(i * 3 + $0) })
            object.set.insert(objectsIn: object.list)
            for value in object.optionalList { object.optionalSet.insert(value) }
            for (key, value) in zip(["a", "b", "c"], object.list) { object.map[key] = value }
            for (key, value) in zip(["b", "c", "a"], object.optionalList) { object.optionalMap[key] = .some(value) }
            object.mixed = i % 3 == 0 ? .none : any(at(i))
            object.mixedList.append(objectsIn: object.list.map(any))
            for (key, value) in zip(["a", "b", "c"], object.list) { object.mixedMap[key] = any(value) }
            realm.add(object)
        }
    }
    return realm
}

/// The query finds what the condition does, as a closure and as its complement.
func checkQuery<T: Object>(
    _ all: Results<T>,
    _ name: String,
    _ query: (Query<T>) -> Query<Bool>,
    _ condition: (T) -> Bool,
    _ location: SourceLocation = #_sourceLocation
) {
    let expected = Array(all).filter(condition)
    let found = all.where(query)
    expectEqual(Array(found), expected, "\(name)", sourceLocation: location)
    expectEqual(found.count, expected.count, "\(name)", sourceLocation: location)
    expectEqual(all.where { !query($0) }.count, all.count - expected.count, "not \(name)", sourceLocation: location)
    checkText(all, name, query(Query<T>()), expected, location)
}

private struct EqualityQueries: KindVisitor {
    func visit<T>(_ row: KindRow<T>) throws {
        let values = row.values
        func any(_ value: T) -> AnyRealmValue { AnyRealmValue._rlmFromContent(T._rlmContent(value) as _StoredContent)! }
        let realm = try kindRealm(row.model, values)
        let all = realm.objects(row.model)
        func check(
            _ name: String,
            _ query: (Query<Kinds<T>>) -> Query<Bool>,
            _ condition: (Kinds<T>) -> Bool
        ) { checkQuery(all, "\(T.self) \(name)", query, condition) }
        for v in values {
            check("==", { $0.plain == v }, { $0.plain == v })
            check("!=", { $0.plain != v }, { $0.plain != v })
            check("optional ==", { $0.optional == v }, { $0.optional == v })
            check("optional !=", { $0.optional != v }, { $0.optional != v })
            check("list ==", { $0.list == v }, { $0.list.contains(v) })
            check("list !=", { $0.list != v }, { $0.list.contains { $0 != v } })
            check("list contains", { $0.list.contains(v) }, { $0.list.contains(v) })
            check("optional list contains", { $0.optionalList.contains(v) }, { $0.optionalList.contains(v) })
            check("set contains", { $0.set.contains(v) }, { $0.set.contains(v) })
            check("optional set contains", { $0.optionalSet.contains(v) }, { $0.optionalSet.contains(v) })
            check("map ==", { $0.map == v }, { $0.map.values.contains(v) })
            check("map contains", { $0.map.contains(v) }, { $0.map.values.contains(v) })
            check("map values", { $0.map.values == v }, { $0.map.values.contains(v) })
            check("map key", { $0.map["a"] == v }, { $0.map["a"] == v })
            check("map key !=", { $0.map["a"] != v }, { $0.map["a"] != v })
            check("optional map", { $0.optionalMap.contains(v) }, { $0.optionalMap.values.contains(v) })
            check("optional map key", { $0.optionalMap["b"] == v }, { $0.optionalMap["b"] == .some(.some(v)) })
            check("mixed ==", { $0.mixed == any(v) }, { $0.mixed == any(v) })
            check("mixed list", { $0.mixedList.contains(any(v)) }, { $0.mixedList.contains(any(v)) })
            check("mixed map key", { $0.mixedMap["a"] == any(v) }, { $0.mixedMap["a"] == any(v) })
            check("two", { $0.plain == v && $0.list.contains(v) }, { $0.plain == v && $0.list.contains(v) })
        }
        let some = Array(values.dropFirst())
        check("in", { $0.plain.in(some) }, { some.contains($0.plain) })
        check("in nothing", { $0.plain.in([]) }, { _ in false })
        check("optional in", { $0.optional.in(some) }, { $0.optional.map(some.contains) ?? false })
        check(
            "optional in with nil",
            { $0.optional.in([nil, values[0]]) },
            { $0.optional == nil || $0.optional == values[0] }
        )
        check("optional nil", { $0.optional == nil }, { $0.optional == nil })
        check("optional not nil", { $0.optional != nil }, { $0.optional != nil })
        check("list any in", { $0.list.containsAny(in: some) }, { $0.list.contains { some.contains($0) } })
        check("set any in", { $0.set.containsAny(in: some) }, { $0.set.contains { some.contains($0) } })
        check("map any in", { $0.map.containsAny(in: some) }, { $0.map.values.contains { some.contains($0) } })
        check("optional list nil", { $0.optionalList.contains(nil) }, { $0.optionalList.contains(nil) })
        check("optional set nil", { $0.optionalSet.contains(nil) }, { $0.optionalSet.contains(nil) })
        check("optional map nil", { $0.optionalMap.contains(nil) }, { $0.optionalMap.values.contains(nil) })
        check("missing key", { $0.optionalMap["z"] == nil }, { _ in true })
        check("keys", { $0.map.keys == "b" }, { $0.map.keys.contains("b") })
        check("keys in", { $0.map.keys.in(["c", "z"]) }, { $0.map.keys.contains("c") })
        check("mixed none", { $0.mixed == .none }, { $0.mixed == .none })
        for n in 0..<4 {
            check("list count", { $0.list.count == n }, { $0.list.count == n })
            check("set count", { $0.set.count >= n }, { $0.set.count >= n })
            check("map count", { $0.map.count < n }, { $0.map.count < n })
            check("optional map count", { $0.optionalMap.count != n }, { $0.optionalMap.count != n })
            check("mixed list count", { $0.mixedList.count > n }, { $0.mixedList.count > n })
        }
        check("column ==", { $0.plain == $0.plain }, { _ in true })
    }
}
