// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/MovingData.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import FreeholdImport

enum Freehold_MovingData_1 {
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingData.md", line: 38)
let (old, new) = (folder.appendingPathComponent("default.realm"), folder.appendingPathComponent("new.realm"))
func show(_ part: Double) {}
func log(_ text: String) { print(text) }
#sourceLocation()
do {
func onlyCompiled1() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingData.md", line: 46)

let report = try Realm.importRealmFile(at: old, to: Realm.Configuration(fileURL: new))
print(report)
#sourceLocation()
}
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/MovingData.md", line: 76)
func moveData(from old: URL, to configuration: Realm.Configuration) throws {
    // Moved already, or a new installation.
    if Realm.fileExists(for: configuration) { return }
    guard FileManager.default.fileExists(atPath: old.path) else { return }
    let report = try Realm.importRealmFile(at: old, to: configuration) { progress in
        show(Double(progress.objects) / Double(max(progress.total, 1)))
    }
    log("\(report)")
}

func openRealm(old: URL, configuration: Realm.Configuration) throws -> Realm {
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
#sourceLocation()
}}}
}
