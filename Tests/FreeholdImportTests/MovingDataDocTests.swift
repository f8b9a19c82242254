import Foundation
import Freehold
import FreeholdImport
import Synchronization
import TestRealmFiles
import Testing

/// The output of the article's code.
private struct Screen {
    var shown: [Double] = []
    var logged: [String] = []
}

private let screen = Mutex(Screen())
private func show(_ share: Double) { screen.withLock { $0.shown.append(share) } }
private func log(_ text: String) { screen.withLock { $0.logged.append(text) } }

// From here on the article's.

private func moveData(from old: URL, to configuration: Realm.Configuration) throws {
    // Moved already, or a new installation.
    if Realm.fileExists(for: configuration) { return }
    guard FileManager.default.fileExists(atPath: old.path) else { return }
    let report = try Realm.importRealmFile(at: old, to: configuration) { progress in
        show(Double(progress.objects) / Double(max(progress.total, 1)))
    }
    log("\(report)")
}

private func openRealm(old: URL, configuration: Realm.Configuration) throws -> Realm {
    do {
        try moveData(from: old, to: configuration)
        return try Realm(configuration: configuration)
    } catch let error as Realm.Error where !Realm.fileExists(for: configuration) {
        // The old file stays for the next version of the app, and this start goes on without its data.
        log("\(error)")
        let identifier = configuration.fileURL!.lastPathComponent
        return try Realm(
            configuration: .init(inMemoryIdentifier: identifier, objectTypes: configuration.objectTypes)
        )
    }
}

/// The code of the article on moving data, unchanged.
@Suite(.serialized) struct MovingDataDocTests {
    init() { screen.withLock { $0 = Screen() } }

    private func configuration(_ folder: URL) -> Realm.Configuration {
        .init(
            fileURL: folder.appendingPathComponent("app.freehold"),
            schemaVersion: 7,
            objectTypes: ImportedModels.all
        )
    }

    @Test func `the first start moves the data, and later ones don't`() throws {
        try withFolder { folder in
            let old = folder.appendingPathComponent("default.realm")
            try FileManager.default.copyItem(at: RealmFixture.format24.url, to: old)
            for _ in 0..<2 {
                let realm = try openRealm(old: old, configuration: configuration(folder))
                expectEqual(realm.objects(Everything.self).count, FixtureTable.rows.count)
            }
            let seen = screen.withLock { $0 }
            expect(seen.logged.count == 1 && seen.logged[0].contains("Everything: 11 read, 11 stored"))
            expect(seen.shown.last == 1 && seen.shown == seen.shown.sorted())
            try expectEqual(Data(contentsOf: old), Data(RealmFixture.format24.bytes()))
        }
    }

    @Test func `a new installation has nothing to move`() throws {
        try withFolder { folder in
            let old = folder.appendingPathComponent("default.realm")
            let realm = try openRealm(old: old, configuration: configuration(folder))
            let seen = screen.withLock { $0 }
            expect(realm.isEmpty && seen.logged.isEmpty && seen.shown.isEmpty)
        }
    }

    @Test func `if moving fails, the app starts without its data, and a later version finds the old file`() throws {
        try withFolder { folder in
            let old = folder.appendingPathComponent("default.realm")
            let damaged = Data(try RealmFixture.format24.bytes().dropLast(8192))
            try damaged.write(to: old)
            let realm = try openRealm(old: old, configuration: configuration(folder))
            expect(realm.objects(Everything.self).isEmpty)
            let seen = screen.withLock { $0 }
            expect(seen.logged.count == 1 && seen.logged[0].contains("damaged"))
            expectEqual(names(in: folder), ["default.realm"])
            try expectEqual(Data(contentsOf: old), damaged)
        }
    }
}
