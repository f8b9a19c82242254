// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Servers.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Servers_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 12)
class User: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Servers_1" };
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var name = ""
    @Persisted var active = true
    @Persisted var orders: List<Order>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 18)
class Order: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Servers_1" };
    @Persisted var total = 0
    @Persisted var note = ""
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 47)
struct UserInfo: Codable, Sendable {
    var id: ObjectId
    var name: String
    var orders: [OrderInfo]

    struct OrderInfo: Codable, Sendable { var total: Int }
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 22)
let url = folder.appendingPathComponent("server.realm")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 25)
let configuration = Realm.Configuration(
    fileURL: url,
    schemaVersion: 3,
    objectTypes: [User.self, Order.self]
)
let store = try await Realm.Store(configuration)

// A write: returns when it is on the disk.
let id = try await store.write { realm in
    realm.create(User.self, value: ["name": "Ada"]).id
}

// A read: values leave the block, objects don't.
let names = try await store.read { realm in
    realm.objects(User.self).where { $0.active }.sorted(by: \.name).map(\.name) as [String]
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 54)

let users = try await store.read { realm in
    try realm.objects(User.self).where { $0.active }.snapshot(as: UserInfo.self)
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 170)
try await store.write { realm in
    for user in realm.objects(User.self) {
        try Task.checkCancellation()
        user.active = user.orders.count > 0
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 183)
let found = try await store.read { realm in
    try realm.withInterruptibleQueries(timeout: .seconds(30)) {
        realm.objects(Order.self).where { $0.note.contains("fragile") }.sorted(by: \.total).map(\.total)
            as [Int]
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 197)
check(names == ["Ada"] && users.map(\.id) == [id] && users[0].orders.isEmpty && found.isEmpty)
check(try await store.read { $0.objects(User.self)[0].active } == false)
var configuration = store.configuration
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 202)
configuration.busyTimeout = .seconds(5)  // of every write: for others to finish
let total = try await store.read(timeout: .seconds(60)) { realm in  // of one call, all in all
    try realm.withInterruptibleQueries { realm.objects(Order.self).sum(of: \.total) }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 218)
do {
    try await store.write(timeout: .seconds(3)) { realm in realm.add(Order()) }
} catch Realm.Error.busy {
    // 503, Retry-After
} catch Realm.Error.timedOut {
    // 504
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 230)
check(total == 0)
let notify: @Sendable (Int) -> Void = { _ in }
#sourceLocation()
do {
func onlyCompiled9() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 235)
for await change in try await store.changes(of: { $0.objects(Order.self).where { $0.total > 1000 } }) {
    if case .update(let orders, _, let insertions, _) = change {
        for i in insertions { notify(orders[i].total) }
    }
}
#sourceLocation()
}
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 262)
let backupURL = folder.appendingPathComponent("backup.realm")
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 265)
// The newest version, while others read and write.
try await store.read { realm in try realm.backup(to: backupURL) }

let state = try await store.statistics()
print(state.version, state.fileBytes, state.usedBytes, state.activeVersions, state.waitingWriters)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Servers.md", line: 289)
await store.close()
#sourceLocation()
}}}}}}}}}}}}}
}
