import Foundation
import Synchronization
import Testing

@testable import Freehold

struct HeldVersionPolicyTests {
    private final class Told: Sendable {
        let versions = Mutex<[Realm.HeldVersion]>([])
        var all: [Realm.HeldVersion] { versions.withLock { $0 } }
    }

    private func note(_ told: Told) -> @Sendable (Realm.HeldVersion) -> Void {
        { held in told.versions.withLock { $0.append(held) } }
    }

    @Test func `writes are refused while a version keeps more bytes than permitted, and continue after its release`()
        throws
    {
        try withNewFile { configuration in
            let told = Told()
            var configuration = configuration
            configuration.heldVersionPolicy = .init(maximumBytes: 200_000, action: .refuseWrites, report: note(told))
            let realm = try Realm(configuration: configuration)
            for id in 0..<200 { try realm.write { realm.add(RTDog(id: id)) } }
            expect(told.all.isEmpty)
            var frozen: Realm? = realm.freeze()
            var written = 0
            let code = thrownCode {
                for id in 200..<2000 {
                    try realm.write { realm.add(RTDog(id: id)) }
                    written += 1
                }
            }
            expectEqual(code, .versionHeldTooLong)
            expect(written > 2 && written < 200)
            expect(!realm.isInWriteTransaction)
            expectEqual(thrownCode { try realm.write { realm.add(RTDog(id: 5000)) } }, .versionHeldTooLong)
            // Once for each version.
            expectEqual(told.all.count, 1)
            let held = try require(told.all.first)
            expect(held.bytes > 200_000 && held.bytes < 2_000_000)
            expect(held.holders.contains { $0.isInThisProcess })
            expectEqual(held.newestVersion, held.version + UInt64(written))
            expect("\(held)".contains("process \(ProcessInfo.processInfo.processIdentifier)"))
            expectEqual(frozen?.objects(RTDog.self).count, 200)
            frozen = nil
            try realm.write { realm.add(RTDog(id: 5000)) }
            expectEqual(realm.objects(RTDog.self).count, 201 + written)
            // The next version that is held is reported, too.
            let other = realm.freeze()
            expectEqual(
                thrownCode { for id in 6000..<8000 { try realm.write { realm.add(RTDog(id: id)) } } },
                .versionHeldTooLong
            )
            expectEqual(told.all.count, 2)
            expectEqual(other.objects(RTDog.self).count, 201 + written)
        }
    }

    @Test func `a version that is held for too long is reported once, and writes continue`() throws {
        try withNewFile { configuration in
            let told = Told()
            var configuration = configuration
            configuration.heldVersionPolicy = .init(maximumAge: .milliseconds(50), report: note(told))
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(RTDog(id: 1)) }
            let frozen = realm.freeze()
            // However long it was the newest version.
            Thread.sleep(forTimeInterval: 0.1)
            try realm.write { realm.add(RTDog(id: 2)) }
            try realm.write { realm.add(RTDog(id: 3)) }
            let early = told.all.count
            Thread.sleep(forTimeInterval: 0.1)
            for id in 4..<20 { try realm.write { realm.add(RTDog(id: id)) } }
            expectEqual(told.all.count, 1)
            expect(early <= 1)
            let held = try require(told.all.first)
            expect(held.age > .milliseconds(50))
            expectEqual(frozen.objects(RTDog.self).count, 1)
            expectEqual(realm.objects(RTDog.self).count, 19)
        }
    }

    @Test func `a version that no reader holds is never reported`() throws {
        try withNewFile { configuration in
            let told = Told()
            var configuration = configuration
            configuration.heldVersionPolicy = .init(
                maximumAge: .seconds(30),
                maximumBytes: 200_000,
                action: .refuseWrites,
                report: note(told)
            )
            let realm = try Realm(configuration: configuration)
            for id in 0..<200 { try realm.write { realm.add(RTDog(id: id)) } }
            expect(told.all.isEmpty)
            expect(
                configuration.description.contains(
                    "heldVersionPolicy: (maximumAge: 30.0 seconds, maximumBytes: 200000, action: .refuseWrites)"
                )
            )
        }
    }
}
