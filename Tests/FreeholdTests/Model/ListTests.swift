import Foundation
import Testing

@testable import Freehold

/// A list of integers, unmanaged or of a row, in an open write transaction.
private func withList(managed: Bool, _ body: (List<Int>) throws -> Void) throws {
    let object = ListModel()
    guard managed else { return try body(object.ints) }
    let realm = try listRealm()
    try realm.write {
        realm.add(object)
        try body(object.ints)
    }
}

private func listRealm() throws -> Realm {
    try Realm(
        configuration: Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [ListModel.self, ListItem.self]
        )
    )
}

class ListModel: Object {
    @Persisted var ints: List<Int>
    @Persisted var names: List<String?>
    @Persisted var dates: List<Date>
    @Persisted var items: List<ListItem>
    @Persisted var main: ListItem?
}

class ListItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "item"
    @Persisted(originProperty: "items") var owners: LinkingObjects<ListModel>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

@Suite("Lists")
struct ListTests {
    @Test(arguments: [false, true])
    func `every operation has the same result as on an array`(_ managed: Bool) throws {
        try withList(managed: managed) { list in
            list.append(objectsIn: 0..<10)
            list.append(10)
            list.insert(-1, at: 0)
            list.insert(contentsOf: [100, 101], at: 6)
            expectEqual(Array(list), [-1, 0, 1, 2, 3, 4, 100, 101, 5, 6, 7, 8, 9, 10])
            list.remove(at: 6)
            list.removeFirst()
            list.removeLast(2)
            expectEqual(Array(list), [0, 1, 2, 3, 4, 101, 5, 6, 7, 8])
            list.removeSubrange(4..<6)
            list.removeFirst(2)
            list.replace(index: 0, object: 22)
            list[1] = 33
            expectEqual(Array(list), [22, 33, 5, 6, 7, 8])
            list.replaceSubrange(1..<3, with: [1, 2, 3])
            list.replaceSubrange(4..., with: [9])
            expectEqual(Array(list), [22, 1, 2, 3, 9])
            list.move(from: 0, to: 4)
            list.swapAt(0, 1)
            expectEqual(Array(list), [2, 1, 3, 9, 22])
            list.move(fromOffsets: IndexSet([0, 3]), toOffset: 2)
            expectEqual(Array(list), [1, 2, 9, 3, 22])
            list.move(fromOffsets: IndexSet([3, 4]), toOffset: 0)
            expectEqual(Array(list), [3, 22, 1, 2, 9])
            list.remove(atOffsets: IndexSet([0, 2, 4]))
            expect(Array(list) == [22, 2] && list.first == 22 && list.last == 2 && list.count == 2)
            expect(list.index(of: 2) == 1 && list.index(of: 5) == nil && list.contains(22))
            list[0..<1] = List<Int>([7, 8])[0..<2]
            expect(Array(list) == [7, 8, 2] && Array(list[1...]) == [8, 2])
            list.removeAll()
            expect(list.isEmpty && list.first == nil && list.last == nil)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `move(fromOffsets:) agrees with an array's`(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<200 {
            let list = List<Int>()
            list.append(objectsIn: 0..<8)
            let offsets = IndexSet((0..<8).filter { _ in Bool.random(using: &random) })
            let to = Int.random(in: 0...8, using: &random)
            let moved = offsets.map { $0 }
            let expected =
                (0..<to).filter { !offsets.contains($0) } + moved + (to..<8).filter { !offsets.contains($0) }
            list.move(fromOffsets: offsets, toOffset: to)
            expectEqual(Array(list), expected, "seed \(seed)")
        }
    }

    @Test(arguments: [false, true])
    func `an iteration visits the elements that existed when it began`(_ managed: Bool) throws {
        try withList(managed: managed) { list in
            list.append(objectsIn: [1, 2, 3])
            var seen: [Int] = []
            for i in list {
                seen.append(i)
                list.append(i * 10)
            }
            expect(seen == [1, 2, 3] && list.count == 6)
        }
    }

    @Test(arguments: [11, 12])
    func `random operations have the same result as on an array`(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        try withList(managed: true) { list in
            var model: [Int] = []
            for step in 0..<400 {
                let i = Int.random(in: 0...model.count, using: &random)
                switch Int.random(in: 0..<7, using: &random) {
                case 0, 1:
                    list.insert(step, at: i)
                    model.insert(step, at: i)
                case 2:
                    list.append(objectsIn: [step, step + 1])
                    model += [step, step + 1]
                case 3 where i < model.count:
                    list.remove(at: i)
                    model.remove(at: i)
                case 4 where i < model.count:
                    list[i] = step
                    model[i] = step
                case 5 where i < model.count:
                    let j = Int.random(in: 0..<model.count, using: &random)
                    list.move(from: i, to: j)
                    model.insert(model.remove(at: i), at: j)
                case 6 where i < model.count:
                    let j = Int.random(in: i...model.count, using: &random)
                    list.replaceSubrange(i..<j, with: [step])
                    model.replaceSubrange(i..<j, with: [step])
                default: break
                }
                expectEqual(list.count, model.count, "seed \(seed)")
            }
            expectEqual(Array(list), model, "seed \(seed)")
        }
    }

    @Test
    func `a list stays the same list when its object is added, and its objects are added with it`() throws {
        let realm = try listRealm()
        let object = ListModel()
        let items = object.items
        items.append(objectsIn: [ListItem(1), ListItem(2)])
        object.names.append(objectsIn: ["a", nil])
        let names = object.names
        try realm.write { realm.add(object) }
        expect(object.items === items && items.realm == realm && items.map(\.id) == [1, 2])
        expect(object.names === names && Array(names) == ["a", nil])
        expectEqual(realm.objects(ListItem.self).count, 2)
        try realm.write {
            items.append(ListItem(3))
            object.main = ListItem(4)
            object.names = List<String?>(["z"])
            object.items = object.items
        }
        expect(items.count == 3 && realm.objects(ListItem.self).count == 4 && object.main?.id == 4)
        expect(Array(names) == ["z"] && object.names === names)
        let again = realm.objects(ListModel.self)[0]
        expect(again == object && again.items == items && again.items !== items)
        expect(items.index(of: items[1]) == 1 && items.index(of: ListItem(1)) == nil)
    }

    @Test
    func `linking objects follow the links back`() throws {
        let realm = try listRealm()
        let item = ListItem(1)
        expect(item.owners.isEmpty)
        let (a, b) = (ListModel(), ListModel())
        try realm.write {
            realm.add([a, b])
            a.items.append(objectsIn: [item, item])
            b.items.append(item)
        }
        expect(item.owners.count == 3 && Set(item.owners) == [a, b] && item.owners.first != nil)
        expect(item.owners.index(of: b) != nil)
        try realm.write { a.items.removeAll() }
        expectEqual(Array(item.owners), [b])
        try realm.write { realm.delete(b) }
        expect(item.owners.isEmpty && b.isInvalidated)
    }

    @Test(arguments: [false, true])
    func `a list has its least, greatest, sum and mean`(_ managed: Bool) throws {
        try withList(managed: managed) { list in
            expect(list.min() == nil && list.sum() == 0 && (list.average() as Double?) == nil)
            list.append(objectsIn: [4, 1, 5])
            expect(list.min() == 1 && list.max() == 5 && list.sum() == 10)
            expect(abs((list.average() as Double?)! - 10.0 / 3) < 1e-12)
        }
        let some = List<Double?>([nil, 2, 4])
        expect(some.min() == 2 && some.sum() == 6 && (some.average() as Double?) == 3)
        let dates = List<Date>([Date(timeIntervalSince1970: 5), Date(timeIntervalSince1970: 3)])
        expectEqual(dates.max(), Date(timeIntervalSince1970: 5))
    }

    @Test(arguments: [false, true])
    func `lists have descriptions and coding`(_ managed: Bool) throws {
        try withList(managed: managed) { list in
            list.append(objectsIn: [1, 2])
            expectEqual("\(list)", "List<Int> (\n\t[0] 1,\n\t[1] 2\n)")
            let data = try JSONEncoder().encode(list)
            expectEqual(String(decoding: data, as: UTF8.self), "[1,2]")
        }
        let decoded = try JSONDecoder().decode(List<Int>.self, from: Data("[3,4]".utf8))
        expectEqual(Array(decoded), [3, 4])
    }
}

extension List {
    fileprivate convenience init(_ elements: [Element]) {
        self.init()
        append(objectsIn: elements)
    }
}
