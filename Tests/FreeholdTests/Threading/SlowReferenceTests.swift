import Foundation
import Testing

@testable import Freehold

/// Objects retain their realm's core. A weak reference makes every later retain of its target slower. The library
/// therefore has no weak references to a core.
struct SlowReferenceTests {
    class Owner: Object {
        @Persisted var name = ""
        @Persisted var part: Part?
        @Persisted var parts: List<Part>
    }

    class Part: EmbeddedObject {
        @Persisted var size = 0
    }

    /// The counts are behind the class. An object with a table of weak references has the two highest bits set.
    private func isReferredToWeakly(_ object: AnyObject) -> Bool {
        let counts = Unmanaged.passUnretained(object).toOpaque().load(fromByteOffset: 8, as: UInt64.self)
        return counts >> 62 == 3
    }

    @Test func `the test's assumption about the layout holds`() {
        final class Probe { weak var other: Probe? }
        let (probe, holder) = (Probe(), Probe())
        expect(!isReferredToWeakly(probe))
        holder.other = probe
        expect(isReferredToWeakly(probe))
        withExtendedLifetime(holder) {}
    }

    @MainActor
    @Test func `a realm that was written to, observed, frozen and read has no weak reference to its core`() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString,
            objectTypes: [Owner.self, Part.self]
        )
        let realm = try Realm(configuration: configuration)
        let tokens = [realm.observe { _, _ in }, realm.objects(Owner.self).observe { _ in }]
        try realm.write {
            let owner = Owner()
            owner.part = Part()
            owner.parts.append(objectsIn: [Part(), Part()])
            realm.add(owner)
        }
        let owner = try require(realm.objects(Owner.self).first)
        let token = owner.observe { _ in }
        // Takes embedded objects along.
        try realm.write {
            owner.part = nil
            owner.parts.removeAll()
        }
        realm.beginWrite()
        realm.cancelWrite()
        _ = realm.freeze().objects(Owner.self).where { $0.name == "" }.count
        _ = ThreadSafeReference(to: owner)
        realm.refresh()
        let core = try require(owner._core)
        expect(!isReferredToWeakly(core))
        for token in tokens + [token] { token.invalidate() }
        expect(!isReferredToWeakly(core))
    }
}
