// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Files.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Files_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 15)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Files_1" }; @Persisted var name = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 16)
var configuration = Realm.Configuration.defaultConfiguration
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 19)
Realm.fileExists(for: configuration)
try Realm.deleteFiles(for: configuration)      // throws alreadyOpen while the file is open
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 26)
let realm = try Realm()
let (backupURL, url) = (folder.appendingPathComponent("backup"), folder.appendingPathComponent("copy"))
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 30)
try realm.backup(to: backupURL)                // the newest version of the file
try realm.writeCopy(toFile: url)               // what this realm shows, in a write with the changes made so far
#sourceLocation()
do {
func onlyCompiled4() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 45)
configuration.seedFilePath = Bundle.main.url(forResource: "seed", withExtension: "realm")
#sourceLocation()
}
}}}}}
}

enum Freehold_Files_2 {
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 52)
let key = Data(repeating: 7, count: 64)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 55)
var configuration = Realm.Configuration.defaultConfiguration
configuration.encryptionKey = key              // Data of 64 bytes
let realm = try Realm(configuration: configuration)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 64)
let key = Data((0..<64).map { _ in UInt8.random(in: .min ... .max) })
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 74)
let (url, newKey) = (folder.appendingPathComponent("copy"), key)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 77)
try realm.writeCopy(toFile: url, encryptionKey: newKey)     // nil: a plain file
#sourceLocation()
}}}}}
}

enum Freehold_Files_3 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 130)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Files_3" }; @Persisted var name = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 131)
let realm = try Realm()
check(realm.pinnedVersions.count >= 1)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 135)
for pin in realm.pinnedVersions { print(pin) }
// version 1204: process 4711, thread 0x7f31c2ffe640, since 2026-03-01 10:20:07 +0000
#sourceLocation()
}}
}

enum Freehold_Files_4 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 145)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Files_4" }; @Persisted var name = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 146)
var configuration = Realm.Configuration.defaultConfiguration
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 149)
configuration.heldVersionPolicy = .init(maximumAge: .seconds(600), maximumBytes: 1 << 30, action: .refuseWrites) { held in
    print("The file's \(held)")    // version 1204, 52311 commits behind, is held for 600.2 seconds and keeps … by process 4711 …
}
#sourceLocation()
}}
}

enum Freehold_Files_5 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 164)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Files_5" }; @Persisted var name = "" }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 165)
var configuration = Realm.Configuration.defaultConfiguration
try Realm().write { try Realm().add(Dog()) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Files.md", line: 169)
configuration.shouldCompactOnLaunch = { total, used in total > 100 << 20 && used < total / 2 }
try Realm.compact(for: configuration)
#sourceLocation()
}}
}
