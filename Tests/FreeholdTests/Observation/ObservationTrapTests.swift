import Foundation
import Freehold
import Testing

@Suite("Observation: misuse traps")
struct ObservationTrapTests {
    private func expectTrap(_ result: ExitTest.Result?, _ words: String...) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        for word in words { expect(message.contains(word), "\(message)") }
    }

    @Test
    func `observing an unmanaged object traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = THPerson().friends.observe { _ in }
        }
        expectTrap(result, "unmanaged")
    }

    @Test
    func `observing a frozen object traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try threadingRealm(threadingConfiguration()).objects(THPerson.self).freeze().observe { _ in }
        }
        expectTrap(result, "frozen", "thaw")
    }

    @Test
    func `observing in a write transaction with changes traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let place = ObservingQueue(threadingConfiguration())
            try place.run { realm in
                try realm.write {
                    realm.add(THPerson(id: 1, name: "", age: 1))
                    _ = realm.objects(THPerson.self).observe { _ in }
                }
            }
        }
        expectTrap(result, "inside a write transaction")
    }

    @Test
    func `observing on a thread without a run loop traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try onAnotherThread {
                _ = try threadingRealm(threadingConfiguration()).objects(THPerson.self).observe { _ in }
            }
        }
        expectTrap(result, "run loop")
    }

    @Test
    func `observing an unknown key path traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let place = ObservingQueue(threadingConfiguration())
            try place.run { _ = $0.objects(THPerson.self).observe(keyPaths: ["best.nme"]) { _ in } }
        }
        expectTrap(result, "best.nme", "no property 'nme'")
    }

    @Test
    func `a token of another realm traps`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let place = ObservingQueue(threadingConfiguration())
            let other = ObservingQueue(threadingConfiguration())
            let token = try place.run { $0.objects(THPerson.self).observe { _ in } }
            try other.run { realm in try realm.write(withoutNotifying: [token]) {} }
        }
        expectTrap(result, "token of another realm")
    }
}
