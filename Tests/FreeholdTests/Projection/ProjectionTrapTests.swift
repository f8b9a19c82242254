import Foundation
import Freehold
import Testing

private final class FullNameProjection: Projection<PJPerson> {
    @Projected(\PJPerson.fullName) var fullName
}

private final class ConstantProjection: Projection<PJPerson> {
    @Projected(\PJPerson.firstName) var firstName
    @Projected(\PJPerson.friends.projectTo.fullName) var friends
}

@Suite("Projections: misuse traps")
struct ProjectionTrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: String...) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    @Test
    func `a projected property that is computed from several traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FullNameProjection(projecting: PJPerson())
        }
        expectTrap(result, "FullNameProjection.fullName", "stored property of PJPerson", "Project each property")
        let elements = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().objects(ConstantProjection.self).first
        }
        expectTrap(elements, "ConstantProjection.friends", "@Persisted")
    }

    @Test
    func `assigning a derived value traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try projectionRealm()
            try realm.write { realm.pjProjection(1).surnameCaps = "X" }
        }
        expectTrap(result, "PJPersonProjection.surnameCaps can't be assigned", "PJPerson.lastName")
        let elements = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try projectionRealm()
            try realm.write {
                realm.pjPerson(1).friends.projectTo[dynamicMember: \.firstName.localizedUppercase][0] = "X"
            }
        }
        expectTrap(elements, "ProjectedCollection<String> can't be assigned", "PJPerson.firstName")
    }

    @Test
    func `assigning a projected collection as a whole traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try projectionRealm()
            let (ada, bob) = (realm.pjProjection(1), realm.pjProjection(2))
            try realm.write { ada.friendsNames = bob.friendsNames }
        }
        expectTrap(result, "PJPersonProjection.friendsNames can't be assigned", "elements of the collection")
    }

    @Test
    func `writing outside of a transaction, and to a frozen projection, traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try projectionRealm().pjProjection(1).homeCity = "Rome"
        }
        expectTrap(result, "write transaction")
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try projectionRealm().pjProjection(1).freeze().firstName = "X"
        }
        expectTrap(frozen, "frozen")
    }

    @Test
    func `a condition or sort by a derived value traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().objects(PJPersonProjection.self).where { $0.surnameCaps == "KING" }
        }
        expectTrap(result, "A key path of PJPersonProjection", "made of 'lastName'", "Use 'lastName'")
        let sort = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().objects(PJPersonProjection.self).sorted(by: \.birthdayAsEpoch)
        }
        expectTrap(sort, "'birthday'", "sort")
        let plain = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().objects(PJPersonProjection.self).where { $0.greeting == "Hello Ada" }
        }
        expectTrap(plain, "made of 'firstName'")
        let own = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().objects(PJMoreProjection.self).where { $0.isSelected == true }
        }
        expectTrap(own, "PJMoreProjection doesn't lead to a persisted property")
    }

    @Test
    func `observing an unmanaged, frozen or unknown property traps`() async {
        let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PJPersonProjection(projecting: PJPerson()).observe { _ in }
        }
        expectTrap(unmanaged, "unmanaged PJPersonProjection", "Add it to a realm")
        let frozen = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().pjProjection(1).freeze().observe { _ in }
        }
        expectTrap(frozen, "frozen PJPersonProjection")
        let unknown = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().pjProjection(1).observe(keyPaths: ["surnames"]) { _ in }
        }
        expectTrap(unknown, "PJPerson has no property 'surnames'")
        let elements = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().pjProjection(1).friendsNames.observe(keyPaths: ["nobody"]) { _ in }
        }
        expectTrap(elements, "no property 'nobody'")
        let collection = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = PJPersonProjection(projecting: PJPerson()).friendsNames.observe { _ in }
        }
        expectTrap(collection, "unmanaged ProjectedCollection")
    }

    @Test
    func `an element out of bounds, a deleted object, and another thread trap`() async {
        let bounds = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try projectionRealm().pjProjection(1).friendsNames[2]
        }
        expectTrap(bounds, "Index 2 is out of bounds")
        let deleted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try projectionRealm()
            let ada = realm.pjProjection(1)
            try realm.write { realm.deleteAll() }
            _ = ada.firstName
        }
        expectTrap(deleted, "deleted")
        let thread = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            nonisolated(unsafe) let ada = try projectionRealm().pjProjection(1)
            try onAnotherThread { _ = ada.firstName }
        }
        expectTrap(thread, "thread")
    }
}
