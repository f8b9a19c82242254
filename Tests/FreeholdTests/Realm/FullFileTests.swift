import Foundation
import TestHerd
import TestScript
import Testing

@testable import Freehold

/// Other processes take all reader slots of a file, or grow it past this process's map. No realm ends because of that.
@Suite("Realm: limits that other processes reach")
struct FullFileTests {
    let folder: ChildFolder
    let configuration: Realm.Configuration

    init() throws {
        folder = try ChildFolder()
        var configuration = Herd.configuration(folder.file("herd.realm"))
        configuration.maximumReaders = 10
        self.configuration = configuration
    }

    private var path: String { configuration.fileURL!.path }

    /// Commits of another process.
    private func writeElsewhere(_ count: Int) throws {
        let child = try ChildProcess(["herd-writer", path, "7", "\(count)"])
        expectEqual(child.readLines().count, count + 1)
        expectEqual(child.wait(), 0)
    }

    /// Starts processes that hold a version each, until no reader slot is free.
    private func takeAllSlots() throws -> [ChildProcess] {
        var children: [ChildProcess] = []
        for _ in 0..<12 {
            let child = try ChildProcess(["pin", path])
            guard child.readLine() != nil else { return children }
            children.append(child)
        }
        Issue.record("the slots have no end")
        return children
    }

    private func end(_ children: [ChildProcess]) {
        for child in children {
            child.kill()
            child.wait()
        }
    }

    private func text(_ realm: Realm) -> String {
        realm.objects(Cow.self).map { "\($0.id) \($0.name) \($0.age)" }.joined(separator: ",")
    }

    /// Checks every use of a realm that can't get the newest version.
    private func checkStays(_ realm: Realm, _ code: Realm.Error.Code) throws {
        let before = text(realm)
        expect(!realm.refresh())
        expectEqual(realm.refreshError?.code, code)
        expectEqual(text(realm), before)
        expectEqual(thrownCode { try realm.write {} }, code)
        expect(!realm.isInWriteTransaction)
        realm.beginWrite()
        expect(realm.isInWriteTransaction)
        expectEqual(realm.pendingError?.code, code)
        realm.create(Cow.self, value: ["id": 1_000])
        realm.object(ofType: Cow.self, forPrimaryKey: 0)!.age = 77
        expect(realm.object(ofType: Cow.self, forPrimaryKey: 1_000) != nil)
        expectEqual(thrownCode { try realm.commitWrite() }, code)
        expect(!realm.isInWriteTransaction)
        expectEqual(text(realm), before)
        realm.beginWrite()
        realm.cancelWrite()
        expectEqual(text(realm), before)
        // Elsewhere, what is frozen is thawed at its own version.
        let frozen = Frozen(realm.freeze().objects(Cow.self))
        @ThreadSafe var cow = realm.object(ofType: Cow.self, forPrimaryKey: 0)
        let reader = _cow
        let (count, isLive, age) = try onAnotherThread {
            let cows = try require(frozen.value.thaw())
            return (cows.count, !cows.isFrozen, reader.wrappedValue?.age)
        }
        expect(count == realm.objects(Cow.self).count && isLive)
        expectEqual(age, realm.object(ofType: Cow.self, forPrimaryKey: 0)!.age)
    }

    @Test func `a realm keeps its version while all reader slots are taken`() throws {
        let realm = try Realm(configuration: configuration)
        try Herd.make(realm)
        try writeElsewhere(3)
        let children = try takeAllSlots()
        try checkStays(realm, .readersExhausted)
        let other = configuration
        try expectEqual(onAnotherThread { thrownCode { _ = try Realm(configuration: other) } }, .readersExhausted)
        end(children)
        expect(realm.refresh())
        expect(realm.refreshError == nil)
        try realm.write { realm.create(Cow.self, value: ["id": 1_000]) }
        expectEqual(realm.verify(), [])
    }

    @Test func `a commit without a free reader slot changes nothing`() throws {
        let realm = try Realm(configuration: configuration)
        try Herd.make(realm)
        let version = realm.core.database.lastVersion
        let before = text(realm)
        realm.beginWrite()
        let children = try takeAllSlots()
        realm.create(Cow.self, value: ["id": 1_000])
        expectEqual(thrownCode { try realm.commitWrite() }, .readersExhausted)
        expectEqual(realm.core.database.lastVersion, version)
        expectEqual(text(realm), before)
        end(children)
        try realm.write { realm.create(Cow.self, value: ["id": 1_000]) }
        expectEqual(realm.core.database.lastVersion, version + 1)
        expectEqual(realm.objects(Cow.self).where { $0.id == 1_000 }.count, 1)
        expectEqual(realm.verify(), [])
    }

    @Test func `an invalidated realm continues at a version that the process holds`() throws {
        let realm = try Realm(configuration: configuration)
        try Herd.make(realm)
        let frozen = realm.freeze()
        realm.invalidate()
        try writeElsewhere(1)
        let children = try takeAllSlots()
        expectEqual(text(realm), text(frozen))
        end(children)
        expect(realm.refresh())
    }

    @Test func `observers are called when a reader slot is free again`() async throws {
        let place = ObservingQueue(configuration)
        try onAnotherThread { [configuration] in try Herd.make(try Realm(configuration: configuration)) }
        let first = try place.run { realm in
            place.tokens.append(realm.objects(Cow.self).observe { _ in place.note("told") })
            return realm.core.committed.version
        }
        expect(try await eventually { place.told.count == 1 })
        try writeElsewhere(1)
        expect(try await eventually { place.told.count == 2 })
        // Two slots are left: one for the child that commits, and none for this process after it.
        var children = try takeAllSlots()
        end(Array(children.suffix(4)))
        children.removeLast(4)
        let writer = try ChildProcess(["herd-writer", path, "8", "1"])
        children += try takeAllSlots()
        _ = writer.readLines()
        let hasWritten = writer.wait() == 0
        end(children)
        // The processes that hold versions may have taken the slot of the child.
        if !hasWritten { try writeElsewhere(1) }
        expect(try await eventually { try place.run { $0.core.committed.version } >= first + 2 })
        try place.run { _ in place.tokens = [] }
    }

    @Test func `a realm keeps its version while another process has grown the file beyond the map`() throws {
        var configuration = configuration
        configuration.mapSize = 1 << 20
        let realm = try Realm(configuration: configuration)
        try Herd.make(realm)
        try writeElsewhere(300)
        try checkStays(realm, .mapResized)
        realm.invalidate()
        // The earlier threads release their versions when they end.
        expect((0..<2000).contains { _ in realm.refresh() || usleep(2000) != 0 })
        expect(realm.refreshError == nil)
        try realm.write { realm.create(Cow.self, value: ["id": 1_000]) }
        expectEqual(realm.verify(), [])
    }

    @Test func `a realm whose file was migrated elsewhere keeps its version, and reports the reason`() throws {
        let realm = try Realm(configuration: configuration)
        try Herd.make(realm)
        let before = text(realm)
        let transaction = try realm.core.database.beginWrite()
        transaction.dropAllTables()
        _ = try transaction.commit()
        expect(!realm.refresh())
        expectEqual(realm.refreshError?.code, .schemaMismatch)
        expectEqual(thrownCode { try realm.write {} }, .schemaMismatch)
        realm.beginWrite()
        realm.object(ofType: Cow.self, forPrimaryKey: 0)!.age = 77
        expectEqual(thrownCode { try realm.commitWrite() }, .schemaMismatch)
        expectEqual(text(realm), before)
    }
}
