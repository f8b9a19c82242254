import Foundation
import Testing

@testable import Freehold

/// Collections inside of mixed values are live.
@Suite("Nested collections of mixed values")
struct MixedNestedTests {
    /// The places that a mixed value can have, by which a nested collection is reached.
    enum Place: CaseIterable {
        case property, list, map, nested

        func read(_ holder: MixedHolder) -> AnyRealmValue {
            switch self {
            case .property: holder.any
            case .list: holder.list[0]
            case .map: holder.map["k"]!
            case .nested: holder.any.dictionaryValue!["in"]!.listValue![0]
            }
        }

        func write(_ holder: MixedHolder, _ value: AnyRealmValue) {
            switch self {
            case .property: holder.any = value
            case .list: if holder.list.isEmpty { holder.list.append(value) } else { holder.list[0] = value }
            case .map: holder.map["k"] = value
            case .nested: holder.any = ["in": [value]]
            }
        }
    }

    private func deep(_ levels: Int) -> AnyRealmValue {
        (0..<levels).reduce(.int(0)) { inner, _ in .fromArray([inner]) }
    }

    private func verify(_ realm: Realm) throws { try expectEqual(realm.core.database.snapshot().verify(), []) }

    @Test(arguments: Place.allCases, [false, true])
    func `every call edits a list at its place`(_ place: Place, _ isManaged: Bool) throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1)
        realm.beginWrite()
        if isManaged { realm.add(holder) }
        place.write(holder, [1, 2, 3])
        let list = try require(place.read(holder).listValue)
        var model: [AnyRealmValue] = [1, 2, 3]
        func check(_ step: String) {
            expect(Array(list) == model && list.count == model.count, "\(step)")
            expectEqual(place.read(holder), .fromArray(model), "\(step)")
        }
        list.append("four")
        model.append("four")
        check("append")
        list.append(objectsIn: [nil, [5]])
        model += [nil, [5]]
        check("append several")
        list.insert(["x": 6], at: 0)
        model.insert(["x": 6], at: 0)
        check("insert")
        list[1] = 1.5
        model[1] = 1.5
        check("set")
        list.move(from: 0, to: 3)
        model.insert(model.remove(at: 0), at: 3)
        check("move")
        list.swapAt(0, 4)
        model.swapAt(0, 4)
        check("swap")
        list.replaceSubrange(1..<3, with: ["a", "b", "c"])
        model.replaceSubrange(1..<3, with: ["a", "b", "c"])
        check("replace")
        expect(list.index(of: "b") == 2 && list.index(of: "none") == nil && list.contains([5]))
        expect(list.first == model.first && list.last == model.last)
        list.remove(at: 1)
        model.remove(at: 1)
        check("remove")
        list.removeLast(2)
        model.removeLast(2)
        check("remove last")
        list.append(.double(2))
        model.append(2)
        expectEqual(list.index(of: 2), list.count - 1)
        list.sort { AnyRealmValue.isOrderedBefore($1, $0) }
        model.sort { AnyRealmValue.isOrderedBefore($1, $0) }
        check("sort")
        list.removeAll()
        model = []
        check("clear")
        list.append([[7]])
        list[0].listValue?[0].listValue?.append(8)
        model = [[[7, 8]]]
        check("an edit two levels down")
        if isManaged {
            try realm.commitWrite()
            check("committed")
            try verify(realm)
        } else {
            realm.cancelWrite()
        }
    }

    @Test(arguments: Place.allCases, [false, true])
    func `every call edits a dictionary at its place`(_ place: Place, _ isManaged: Bool) throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1)
        realm.beginWrite()
        if isManaged { realm.add(holder) }
        place.write(holder, ["b": 2, "a": 1])
        let map = try require(place.read(holder).dictionaryValue)
        var model: [String: AnyRealmValue] = ["a": 1, "b": 2]
        func check(_ step: String) {
            expect(map.count == model.count && map.keys == model.keys.sorted(), "\(step)")
            for (key, value) in model { expectEqual(map[key], value, "\(step)") }
            expectEqual(map.values, model.sorted { $0.key < $1.key }.map(\.value), "\(step)")
            expectEqual(place.read(holder), .fromDictionary(model), "\(step)")
        }
        check("made")
        map["c"] = [1, 2]
        model["c"] = [1, 2]
        check("add")
        map["a"] = nil
        model["a"] = nil
        check("remove")
        map["n"] = AnyRealmValue.none
        model["n"] = AnyRealmValue.none
        check("null")
        map["c"]?.listValue?.append(["z": 3])
        model["c"] = [1, 2, ["z": 3]]
        check("an edit one level down")
        map.merge([("b", 5), ("d", 6)]) { old, new in [old, new] }
        model["b"] = [2, 5]
        model["d"] = 6
        check("merge")
        expectEqual(map.map { $0.key }, ["b", "c", "d", "n"])
        map.removeAll()
        model = [:]
        check("clear")
        if isManaged {
            map["x"] = 1
            try realm.commitWrite()
            expectEqual(place.read(holder), ["x": 1])
            try verify(realm)
        } else {
            realm.cancelWrite()
        }
    }

    @Test
    func `two reads see each other's edits, and stay valid when their neighbours move`() throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1, [["a"], ["b"], ["c"]])
        try realm.write {
            realm.add(holder)
            let outer = try require(holder.any.listValue)
            let b = try require(outer[1].listValue)
            let same = try require(holder.any.listValue?[1].listValue)
            expect(b == same && !(b === same))
            b.append(1)
            expectEqual(Array(same), ["b", 1])
            same.append(2)
            expectEqual(Array(b), ["b", 1, 2])
            outer.remove(at: 0)
            outer.insert("first", at: 0)
            outer.insert("second", at: 1)
            outer.move(from: 2, to: 0)
            b.append(3)
            expectEqual(holder.any, [["b", 1, 2, 3], "first", "second", ["c"]])
            holder.list.append(objectsIn: [[1], [2]])
            let two = try require(holder.list[1].listValue)
            holder.list.insert("x", at: 0)
            two.append(22)
            expectEqual(Array(holder.list), ["x", [1], [2, 22]])
            holder.list.removeFirst(2)
            two.append(222)
            expectEqual(Array(holder.list), [[2, 22, 222]])
        }
        try verify(realm)
        // Another transaction changes it.
        let list = try require(holder.any.listValue?[0].listValue)
        try realm.write { holder.any.listValue?[0].listValue?.append(4) }
        expect(list.count == 5 && list.last == 4 && list.realm != nil)
        expectEqual(Array(list).compactMap(\.intValue), [1, 2, 3, 4])
    }

    @Test
    func `a collection is invalidated if its place is overwritten or removed, or its object deleted`() throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1, ["l": [1], "m": ["x": 1]])
        try realm.write { realm.add(holder) }
        let outer = try require(holder.any.dictionaryValue)
        let list = try require(outer["l"]?.listValue)
        let map = try require(outer["m"]?.dictionaryValue)
        expect(!outer.isInvalidated && !list.isInvalidated && !map.isInvalidated)
        realm.beginWrite()
        outer["l"] = 5
        expect(list.isInvalidated && list.realm == nil && !map.isInvalidated)
        outer["m"] = ["x": 1]
        expect(map.isInvalidated)
        realm.cancelWrite()
        expect(!list.isInvalidated && Array(list) == [1] && !map.isInvalidated)
        try realm.write { holder.any = ["l": [1]] }
        expect(outer.isInvalidated && list.isInvalidated)
        let last = try require(holder.any.dictionaryValue?["l"]?.listValue)
        try realm.write { realm.delete(holder) }
        expect(last.isInvalidated)
        expect(list.description.contains("invalidated"))
    }

    @Test
    func `collections of a cancelled transaction are invalidated`() throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1)
        try realm.write { realm.add(holder) }
        realm.beginWrite()
        holder.any = [1]
        let list = try require(holder.any.listValue)
        realm.cancelWrite()
        expect(list.isInvalidated)
        try realm.write { holder.any = [2] }
        expect(list.isInvalidated && holder.any == [2])
    }

    @Test
    func `assigning a collection elsewhere copies it, and to its own place changes nothing`() throws {
        let realm = try mixedRealm()
        let first = MixedHolder(1, [[1], ["x": [2]]])
        let second = MixedHolder(2)
        try realm.write {
            realm.add(first)
            realm.add(second)
            let list = try require(first.any.listValue)
            first.any = first.any
            expect(!list.isInvalidated)
            list[1] = list[1]
            let inner = try require(list[1].dictionaryValue)
            list[1] = list[1]
            inner["x"] = inner["x"]
            expect(!inner.isInvalidated)
            second.any = first.any
            second.list.append(.list(list))
            second.list.append(second.list[0])
            second.map["k"] = list[1]
            list.append(list[0])
            list[0].listValue?.append("only here")
            expectEqual(first.any, [[1, "only here"], ["x": [2]], [1]])
            expectEqual(second.any, [[1], ["x": [2]]])
            expectEqual(Array(second.list), [[[1], ["x": [2]]], [[1], ["x": [2]]]])
            second.list[0].listValue?.removeAll()
            expectEqual(Array(second.list), [[], [[1], ["x": [2]]]])
            expectEqual(second.map["k"], ["x": [2]])
        }
        try verify(realm)
    }

    @Test("unmanaged objects in a tree are added, and deleted ones become null")
    func objects() throws {
        let realm = try mixedRealm()
        let target = MixedTarget("deep")
        try realm.write {
            realm.add(MixedHolder(1, ["a": [.object(target), ["b": .object(MixedTarget("other"))]]]))
            expect(target.realm != nil && realm.objects(MixedTarget.self).count == 2)
        }
        let holder = try require(realm.objects(MixedHolder.self).first)
        let list = try require(holder.any.dictionaryValue?["a"]?.listValue)
        expect(list[0].object(MixedTarget.self) == target && list.index(of: .object(target)) == 0)
        try realm.write {
            list.append(.object(MixedTarget("third")))
            realm.delete(target)
        }
        expect(list[0] == .none && list.count == 3 && list[2].object(MixedTarget.self)?.name == "third")
        try verify(realm)
    }

    @Test
    func `100 levels are stored, and 101 are an error that changes nothing`() throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1, deep(100))
        try realm.write { realm.add(holder) }
        expectEqual(holder.any, deep(100))
        var value = holder.any
        for _ in 0..<99 { value = try require(value.listValue?[0]) }
        let innermost = try require(value.listValue)
        expectEqual(innermost[0], 0)
        try realm.write { innermost.append("still") }
        expectEqual(thrownCode { try realm.write { innermost.append([1]) } }, .limitExceeded)
        expectEqual(thrownCode { try realm.write { holder.any = deep(101) } }, .limitExceeded)
        expectEqual(thrownCode { try realm.write { holder.list.append(deep(101)) } }, .limitExceeded)
        expectEqual(thrownCode { try realm.write { holder.map["k"] = deep(101) } }, .limitExceeded)
        expectEqual(thrownCode { try realm.write { realm.add(MixedHolder(2, deep(101))) } }, .limitExceeded)
        expectEqual(thrownCode { try realm.write { realm.add(MixedHolder(2, deep(500))) } }, .limitExceeded)
        let endless = List<AnyRealmValue>()
        endless.append(.list(endless))
        expectEqual(thrownCode { try realm.write { holder.any = .list(endless) } }, .limitExceeded)
        expect(innermost.count == 2 && holder.list.isEmpty && realm.objects(MixedHolder.self).count == 1)
        try verify(realm)
    }

    @Test
    func `embedded objects, invalid keys, and collections in sets are errors`() throws {
        let realm = try mixedRealm()
        let holder = MixedHolder(1)
        try realm.write { realm.add(holder) }
        expectEqual(thrownCode { try realm.write { _ = holder.set.insert([1]) } }, .invalidValue)
        expectEqual(thrownCode { try realm.write { _ = holder.set.insert(["a": 1]) } }, .invalidValue)
        expectEqual(thrownCode { try realm.write { holder.any = ["a.b": 1] } }, .invalidValue)
        expectEqual(thrownCode { try realm.write { holder.any = ["$a": 1] } }, .invalidValue)
        expectEqual(
            thrownCode {
                try realm.write { _ = realm.create(MixedHolder.self, value: ["id": 2, "any": MixedPart()]) }
            },
            .invalidValue
        )
        expectEqual(
            thrownCode { try realm.write { holder.any = ["a": .string(String(repeating: "x", count: 16_777_200))] } },
            .limitExceeded
        )
        try realm.write { holder.any = [:] }
        let map = try require(holder.any.dictionaryValue)
        expectEqual(thrownCode { try realm.write { map["a.b"] = 1 } }, .invalidValue)
        expectEqual(thrownCode { try realm.write { map["a"] = deep(100) } }, .limitExceeded)
        expect(holder.any == [:] && holder.set.isEmpty && realm.objects(MixedHolder.self).count == 1)
    }

    private func expectTrap(_ result: ExitTest.Result?, _ words: String) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains(words), "\(message)")
    }

    @Test
    func `use of an invalidated collection traps, and so does a change outside of a write`() async {
        let gone = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try mixedRealm()
            let holder = MixedHolder(1, [1])
            try realm.write { realm.add(holder) }
            let list = holder.any.listValue!
            try realm.write { holder.any = 5 }
            _ = list.count
        }
        expectTrap(gone, "overwritten or removed")
        let outside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try mixedRealm()
            let holder = MixedHolder(1, [1])
            try realm.write { realm.add(holder) }
            holder.any.listValue!.append(2)
        }
        expectTrap(outside, "outside a write transaction")
        let bounds = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try mixedRealm()
            let holder = MixedHolder(1, [1])
            try realm.write { realm.add(holder) }
            _ = holder.any.listValue![1]
        }
        expectTrap(bounds, "has 1 elements")
    }

    @Test
    func `an event log contains the values of the seed's example`() throws {
        let realm = try mixedRealm()
        try realm.write {
            realm.add(
                MixedHolder(
                    1,
                    [
                        "ipAddress": "192.168.1.1",
                        "items": [
                            ["id": 1, "name": "Laptop", "price": 1200.00], ["id": 2, "name": "Mouse", "price": 49.99],
                        ],
                        "total": 1249.99,
                    ]
                )
            )
        }
        let details = try require(realm.objects(MixedHolder.self).first?.any.dictionaryValue)
        expectEqual(details.keys, ["ipAddress", "items", "total"])
        expectEqual(details["items"]?.listValue?[1].dictionaryValue?["name"], "Mouse")
        expectEqual(details["total"]?.doubleValue, 1249.99)
    }
}
