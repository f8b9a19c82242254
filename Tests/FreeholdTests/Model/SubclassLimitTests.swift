import Foundation
import Testing

@testable import Freehold

class MixBase: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var link: MixBase?
    @Persisted var list: List<MixBase>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class MixDerived: MixBase {
    @Persisted var more = 0
}

class MixHolder: Object {
    @Persisted var base: MixBase?
    @Persisted var derived: MixDerived?
    @Persisted var bases: List<MixBase>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private func mixRealm() throws -> Realm {
    var configuration = newConfiguration()
    configuration.objectTypes = [MixBase.self, MixDerived.self, MixHolder.self]
    return try Realm(configuration: configuration)
}

/// The limits of inheritance: each class has its own table, and no collection contains objects of two classes.
@Suite("A base class and its subclasses don't mix")
struct SubclassLimitTests {
    @Test
    func `queries find objects of exactly one class`() throws {
        let realm = try mixRealm()
        try realm.write {
            for id in 0..<3 { realm.create(MixBase.self, value: ["id": id, "name": "base"] as [String: Any]) }
            for id in 2..<4 { realm.create(MixDerived.self, value: ["id": id, "name": "derived"] as [String: Any]) }
        }
        expect(realm.objects(MixBase.self).count == 3 && realm.objects(MixDerived.self).count == 2)
        expect(realm.objects(MixBase.self).where { $0.name == "derived" }.isEmpty)
        expect(realm.object(ofType: MixBase.self, forPrimaryKey: 3) == nil)
        expect(realm.object(ofType: MixDerived.self, forPrimaryKey: 0) == nil)
        // One key in both tables.
        expectEqual(realm.object(ofType: MixBase.self, forPrimaryKey: 2)?.name, "base")
        expectEqual(realm.object(ofType: MixDerived.self, forPrimaryKey: 2)?.name, "derived")
        let derived = try require(realm.object(ofType: MixDerived.self, forPrimaryKey: 2))
        expect(realm.objects(MixBase.self).index(of: derived) == nil)
        try realm.write { realm.delete(realm.objects(MixBase.self)) }
        expect(realm.objects(MixDerived.self).count == 2 && !derived.isInvalidated)
    }

    @Test
    func `stored objects belong only to their own class, and no cast changes that`() throws {
        let realm = try mixRealm()
        try realm.write {
            realm.add(MixBase(value: ["id": 1]))
            // Added as a base class's, it is one of its own class.
            realm.add(MixDerived(value: ["id": 2]) as MixBase)
        }
        let base: Object = try require(realm.objects(MixBase.self).first)
        let derived: Object = try require(realm.objects(MixDerived.self).first)
        expect(realm.objects(MixBase.self).count == 1 && type(of: base) == MixBase.self)
        expect(base as? MixDerived == nil && type(of: derived) == MixDerived.self)
        expect((realm.objects(MixBase.self) as Any) as? Results<MixDerived> == nil)
        expect((realm.objects(MixDerived.self) as Any) as? Results<MixBase> == nil)
        expect((MixHolder().bases as Any) as? List<MixDerived> == nil)
        expect(base != derived)
    }

    @Test
    func `a condition with a subclass's object finds no object of the base class with its number`() throws {
        let realm = try mixRealm()
        try realm.write {
            // The rows of both tables have the same keys.
            let base = realm.create(MixBase.self, value: ["id": 1])
            realm.create(MixDerived.self, value: ["id": 1])
            let holder = realm.create(MixHolder.self)
            holder.base = base
            holder.bases.append(base)
        }
        let derived = try require(realm.objects(MixDerived.self).first)
        let base = try require(realm.objects(MixBase.self).first)
        let holders = realm.objects(MixHolder.self)
        expect(holders.where { $0.base == base }.count == 1 && holders.where { $0.bases.contains(base) }.count == 1)
        expect(holders.where { $0.base == derived }.isEmpty && holders.where { $0.base != derived }.count == 1)
        expect(holders.where { $0.bases.contains(derived) }.isEmpty)
        expect(
            holders.where { $0.base.in([derived, nil]) }.isEmpty && holders.where { $0.base.in([base]) }.count == 1
        )
        expect(holders.where { $0.bases.containsAny(in: [derived]) }.isEmpty)
        expect(holders[0].bases.index(of: derived) == nil && !holders[0].bases.contains(derived))
    }

    @Test
    func `values are copied between a base class and its subclass, and objects aren't`() throws {
        let realm = try mixRealm()
        try realm.write {
            let derived = realm.create(MixDerived.self, value: ["id": 1, "name": "n", "more": 2] as [String: Any])
            let holder = realm.create(MixHolder.self, value: ["base": derived])
            expect(holder.base.map { type(of: $0) == MixBase.self } == true && holder.base?.name == "n")
            realm.cancelWrite()
        }
        let copy = MixBase(value: MixDerived(value: ["id": 5, "name": "x", "more": 1] as [String: Any]))
        expect(type(of: copy) == MixBase.self && copy.id == 5 && copy.name == "x")
    }

    @Test(
        "A link or list that is given a subclass's object traps, unmanaged objects when they are added",
        arguments: [0, 1, 2, 3, 4]
    )
    func containers(kind: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind] in
            let realm = try mixRealm()
            try realm.write {
                let holder = realm.create(MixHolder.self)
                let managed = realm.create(MixDerived.self, value: ["id": 1])
                let unmanaged = MixDerived(value: ["id": 2])
                switch kind {
                case 0: holder.base = managed
                case 1: holder.base = unmanaged
                case 2: holder.bases.append(managed)
                case 3: holder.bases.append(unmanaged)
                default:
                    let other = MixHolder()
                    other.bases.append(unmanaged)
                    realm.add(other)
                }
            }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        expect(message.contains("MixBase") && message.contains("MixDerived"), "\(message)")
    }
}
