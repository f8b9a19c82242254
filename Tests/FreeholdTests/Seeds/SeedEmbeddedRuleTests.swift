import Foundation
import Freehold
import Testing

// What the documents say of every embedded object.

private enum Rules {
    class Leaf: SeedEmbedded {
        @Persisted var name = ""
    }
    class Branch: SeedEmbedded {
        @Persisted var name = ""
        @Persisted var leaf: Leaf?
        @Persisted var leaves: List<Leaf>
        @Persisted var smaller: Branch?
    }
    class Tree: SeedObject {
        @Persisted(primaryKey: true) var id = 0
        @Persisted var trunk: Branch?
        @Persisted var branches: List<Branch>
        @Persisted var named: Map<String, Leaf?>
    }

    class WithKey: SeedEmbedded {
        @Persisted(primaryKey: true) var id = 0
    }
    class OwnerOfKey: SeedObject {
        @Persisted var it: WithKey?
    }
    class Required: SeedObject {
        @Persisted var it: Leaf
    }
    class InSet: SeedObject {
        @Persisted var it: MutableSet<Leaf>
    }
}

@Suite("Seeds: rules of embedded objects")
struct SeedEmbeddedRuleTests {
    private typealias Tree = Rules.Tree
    private typealias Branch = Rules.Branch
    private typealias Leaf = Rules.Leaf

    private func newRealm() throws -> Realm { try seedRealm(Tree.self, Branch.self, Leaf.self) }

    private func branch(_ name: String) -> Branch {
        Branch(
            value: [
                "name": name, "leaf": ["name": "\(name)1"], "leaves": [["name": "\(name)2"], ["name": "\(name)3"]],
            ] as [String: Any]
        )
    }

    @Test
    func `Embedded objects go with their owner, to any depth`() throws {
        let realm = try newRealm()
        let tree = Tree()
        tree.trunk = branch("a")
        tree.trunk?.smaller = branch("b")
        tree.trunk?.smaller?.smaller = branch("c")
        tree.branches.append(branch("d"))
        tree.named["x"] = Leaf(value: ["x"])
        try realm.write { realm.add(tree) }
        expect(embeddedCount(realm, "Branch") == 4 && embeddedCount(realm, "Leaf") == 13)
        try realm.write { tree.trunk?.smaller = nil }
        expect(embeddedCount(realm, "Branch") == 2 && embeddedCount(realm, "Leaf") == 7)
        try realm.write { realm.delete(tree) }
        expect(embeddedCount(realm, "Branch") == 0 && embeddedCount(realm, "Leaf") == 0)
    }

    @Test
    func `An embedded object that is overwritten or removed is deleted`() throws {
        let realm = try newRealm()
        let tree = Tree()
        tree.trunk = branch("a")
        tree.branches.append(objectsIn: [branch("b"), branch("c")])
        tree.named["x"] = Leaf(value: ["x"])
        try realm.write { realm.add(tree) }
        let (trunk, first, x) = (tree.trunk!, tree.branches[0], tree.named["x"]!!)
        try realm.write {
            tree.trunk = branch("new")
            expect(trunk.isInvalidated)
            tree.branches.remove(at: 0)
            expect(first.isInvalidated)
            tree.named["x"] = Leaf(value: ["y"])
            expect(x.isInvalidated)
        }
        expect(tree.trunk?.name == "new" && tree.branches.map(\.name) == ["c"] && tree.named["x"]??.name == "y")
        expect(embeddedCount(realm, "Branch") == 2 && embeddedCount(realm, "Leaf") == 7)
        try realm.write {
            tree.trunk = nil
            tree.branches.removeAll()
            tree.named.removeAll()
        }
        expect(embeddedCount(realm, "Branch") == 0 && embeddedCount(realm, "Leaf") == 0)
    }

    @Test
    func `A cancelled write brings back what it deleted`() throws {
        let realm = try newRealm()
        let tree = Tree()
        tree.trunk = branch("a")
        try realm.write { realm.add(tree) }
        realm.beginWrite()
        tree.trunk = nil
        expectEqual(embeddedCount(realm, "Leaf"), 0)
        realm.cancelWrite()
        expectEqual(tree.trunk?.leaves.map(\.name), ["a2", "a3"])
    }

    @Test
    func `Each embedded object has one owner: what another one gets is a copy`() throws {
        let realm = try newRealm()
        let (a, b) = (Tree(value: [1]), Tree(value: [2]))
        a.trunk = branch("a")
        try realm.write {
            realm.add([a, b])
            b.trunk = a.trunk
            b.branches.append(a.trunk!)
        }
        expect(a.trunk != b.trunk && b.trunk != b.branches[0])
        expect(b.trunk?.leaves.map(\.name) == ["a2", "a3"] && embeddedCount(realm, "Branch") == 3)
        try realm.write { b.trunk?.name = "changed" }
        expect(a.trunk?.name == "a" && b.branches[0].name == "a")
        expect(a.trunk?.parent == a && b.trunk?.parent == b && a.trunk?.leaf?.parent == a.trunk)
        try realm.write { realm.delete(a) }
        expect(b.trunk?.name == "changed" && embeddedCount(realm, "Branch") == 2)
    }

    @Test
    func `An embedded object can't outlive its owner: reading it then traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try seedRealm(Tree.self, Branch.self, Leaf.self)
            let tree = Tree()
            tree.trunk = Branch()
            try realm.write {
                realm.add(tree)
                let trunk = tree.trunk!
                realm.deleteAll()
                guard trunk.isInvalidated && trunk.realm == nil else { exit(0) }
                _ = trunk.name
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("Branch") && message.contains("deleted"), "\(message)")
    }

    @Test
    func `An embedded class can't have a primary key, be required or be in a set`() {
        expect(openingError(Rules.OwnerOfKey.self, Rules.WithKey.self).contains("primary key"))
        expect(openingError(Rules.Required.self, Leaf.self).contains("must be optional"))
        expect(openingError(Rules.InSet.self, Leaf.self).contains("set"))
    }

    @Test("Deleting all objects of a class deletes what they embed")
    func deleteAll() throws {
        let realm = try newRealm()
        try realm.write {
            for i in 0..<20 {
                let tree = Tree(value: [i])
                tree.trunk = branch("\(i)")
                realm.add(tree)
            }
        }
        expectEqual(embeddedCount(realm, "Leaf"), 60)
        try realm.write { realm.delete(realm.objects(Tree.self).where { $0.id < 10 }) }
        expect(embeddedCount(realm, "Leaf") == 30 && embeddedCount(realm, "Branch") == 10)
        try realm.write { realm.deleteAll() }
        expect(embeddedCount(realm, "Leaf") == 0 && embeddedCount(realm, "Branch") == 0)
    }

    @Test
    func `An update of its owner keeps, replaces or drops an embedded object`() throws {
        let realm = try newRealm()
        try realm.write {
            _ = realm.create(Tree.self, value: ["id": 1, "trunk": ["name": "a"]] as [String: Any])
            _ = realm.create(Tree.self, value: ["id": 1], update: .modified)
        }
        let tree = realm.objects(Tree.self)[0]
        expectEqual(tree.trunk?.name, "a")
        try realm.write {
            _ = realm.create(Tree.self, value: ["id": 1, "trunk": ["name": "b"]] as [String: Any], update: .all)
        }
        expect(tree.trunk?.name == "b" && embeddedCount(realm, "Branch") == 1)
        try realm.write {
            _ = realm.create(Tree.self, value: ["id": 1, "trunk": NSNull()] as [String: Any], update: .all)
        }
        expect(tree.trunk == nil && embeddedCount(realm, "Branch") == 0)
    }
}
