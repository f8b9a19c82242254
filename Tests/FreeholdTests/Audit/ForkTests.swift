#if os(Linux)
    import Foundation
    import TestScript
    import Testing

    @testable import Freehold

    @Suite("Forked processes")
    struct ForkTests {
        @Test
        func `a forked child gets a typed error from its parent's realm, and can open the file itself`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let configuration = newConfiguration(inMemory: false)
                let realm = try Realm(configuration: configuration)
                try realm.write { realm.add(RTDog(id: 1)) }
                let found = inChild {
                    var wrong: Int32 = 0
                    if thrownCode({ try realm.write { realm.add(RTDog(id: 5)) } }) != .databaseClosed { wrong |= 1 }
                    do {
                        let own = try Realm(configuration: configuration)
                        if own == realm { wrong |= 2 }
                        if own.objects(RTDog.self).count != 1 { wrong |= 4 }
                        try own.write { own.add(RTDog(id: 2)) }
                        if own.objects(RTDog.self).count != 2 { wrong |= 8 }
                    } catch {
                        wrong |= 16
                    }
                    return wrong
                }
                guard found == 0 else { exit(found) }
                // The parent's locks and snapshots are as they were.
                guard realm.objects(RTDog.self).count == 1, realm.refresh() else { exit(32) }
                try realm.write { realm.add(RTDog(id: 3)) }
                let ids = realm.objects(RTDog.self).map(\.id) as [Int]
                try? FileManager.default.removeItem(at: configuration.fileURL!)
                exit(ids == [1, 2, 3] ? 0 : 64)
            }
        }

        @Test
        func `a fork inside a write transaction leaves the transaction to the parent`() async {
            await #expect(processExitsWith: .exitCode(0)) {
                let configuration = newConfiguration(inMemory: false)
                let realm = try Realm(configuration: configuration)
                realm.beginWrite()
                realm.add(RTDog(id: 1))
                let found = inChild {
                    thrownCode { try realm.commitWrite() } == .databaseClosed ? 0 : 1
                }
                guard found == 0 else { exit(found) }
                try realm.commitWrite()
                exit(realm.objects(RTDog.self).count == 1 ? 0 : 2)
            }
        }
    }
#endif
