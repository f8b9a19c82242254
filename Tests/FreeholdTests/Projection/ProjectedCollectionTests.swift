import Foundation
import Testing

@testable import Freehold

@Suite("Projections: collections")
struct ProjectedCollectionTests {
    enum Kind: String, CaseIterable { case list, embeddedList, set, backlinks, results, unmanaged, frozen }

    private func names(_ kind: Kind, _ realm: Realm) -> ProjectedCollection<String> {
        let ada = realm.pjPerson(1)
        switch kind {
        case .list: return ada.friends.projectTo.firstName
        case .embeddedList: return ada.homes.projectTo.city
        case .set: return ada.pets.projectTo.name
        case .backlinks: return ada.admirers.projectTo.firstName
        case .results: return realm.objects(PJPerson.self).where { $0.id > 1 }.sorted(by: \.id).projectTo.firstName
        case .unmanaged:
            let person = PJPerson()
            person.friends.append(objectsIn: [PJPerson(1, "X", ""), PJPerson(2, "Y", "")])
            return person.friends.projectTo.firstName
        case .frozen: return ada.friends.freeze().projectTo.firstName
        }
    }

    @Test(arguments: Kind.allCases)
    func `each kind of collection is read and written in the same way`(_ kind: Kind) throws {
        let realm = try projectionRealm()
        let names = names(kind, realm)
        let all = Array(names)
        expect(all.count == 2 && names.count == 2 && !names.isEmpty && names.startIndex == 0 && names.endIndex == 2)
        expect(names.first == all[0] && names.last == all[1] && names[1] == all[1] && names.map { $0 } == all)
        expect(names.index(of: all[1]) == 1 && names.index(of: "nobody") == nil && names.contains(all[0]))
        expect(names.reversed() == all.reversed() && Array(names[1...]) == [all[1]])
        expectEqual("\(names)", "ProjectedCollection<String> (\n\t[0] \(all[0]),\n\t[1] \(all[1])\n)")
        expect(names.isFrozen == (kind == .frozen) && (names.realm == nil) == (kind == .unmanaged))
        expect(!names.isInvalidated)
        if kind == .frozen { return }
        realm.beginWrite()
        names[0] = "new"
        expect(names[0] == "new" && names.index(of: "new") == 0)
        realm.cancelWrite()
        if kind == .unmanaged { return }
        expectEqual(Array(names), all)
        try realm.write { for i in names.indices { names[i] += "!" } }
        expectEqual(Array(names), all.map { $0 + "!" })
        expectEqual(names.freeze().thaw().map { Array($0) }, Array(names))
    }

    @Test
    func `predicates test the objects`() throws {
        let realm = try projectionRealm()
        let names = realm.pjProjection(1).friendsNames
        expectEqual(names.index(matching: NSPredicate(format: "lastName == 'Castle'")), 1)
        expect(names.index(matching: "age < %@", 20) == 0 && names.index(matching: "age > 99") == nil)
    }

    @Test
    func `an iteration visits the elements that existed when it began`() throws {
        let realm = try projectionRealm()
        let names = realm.pjProjection(1).friendsNames
        var seen: [String] = []
        try realm.write {
            for name in names {
                seen.append(name)
                if seen.count == 1 { realm.pjPerson(1).friends.append(realm.pjPerson(1)) }
            }
        }
        expect(seen == ["Bob", "Cid"] && names.count == 3)
    }

    @Test
    func `elements lead on through links, up to a null`() throws {
        let realm = try projectionRealm()
        let ada = realm.pjPerson(1)
        expectEqual(Array(ada.friends.projectTo.address.country), [nil, nil])
        expectEqual(Array(realm.pjPerson(2).friends.projectTo.dog.home.city), ["Kennel", nil])
        expectEqual(Array(realm.pjPerson(2).friends.projectTo.dog.age), [7, nil])
        expectEqual(realm.pjPerson(2).friends.projectTo.dog[0]?.name, "Rex")
        try realm.write {
            realm.pjPerson(2).friends.projectTo.dog.home.city[0] = "Garden"
            realm.pjPerson(2).friends.projectTo.dog.age[0] = nil
        }
        expect(ada.dog?.home?.city == "Garden" && ada.dog?.age == nil)
        #expect(throws: Realm.Error.self) { try realm.write { realm.pjPerson(2).friends.projectTo.dog.age[1] = 3 } }
    }

    @Test
    func `a projected collection is invalidated when its owner is deleted`() throws {
        let realm = try projectionRealm()
        let names = realm.pjProjection(1).friendsNames
        let all = realm.objects(PJPerson.self).projectTo.mood
        expectEqual(Array(all), [.calm, .calm, .calm])
        try realm.write {
            all[1] = .angry
            realm.delete(realm.pjPerson(1))
        }
        expect(names.isInvalidated && names.realm == nil && Array(all) == [.angry, .calm])
    }
}
