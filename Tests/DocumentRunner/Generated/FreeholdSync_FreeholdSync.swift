// swift-format-ignore-file
// Made of Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import FreeholdSync

enum FreeholdSync_FreeholdSync_1 {
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 19)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "FreeholdSync_FreeholdSync_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var age = 0
}
#sourceLocation()
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 24)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "FreeholdSync_FreeholdSync_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var dogs: List<Dog>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 28)
let (email, password) = ("ann@example.org", "a long one")
#sourceLocation()
do {
func onlyCompiled1() async throws {
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 32)
let app = App(id: "dogs", configuration: AppConfiguration(baseURL: "https://sync.example.org"))
let user = try await app.login(credentials: .emailPassword(email: email, password: password))

var configuration = user.flexibleSyncConfiguration()
configuration.objectTypes = [Dog.self, Person.self]
let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .once)

try await realm.subscriptions.update {
    realm.subscriptions.append(QuerySubscription<Dog>(name: "old") { $0.age > 10 })
}
try realm.write { realm.create(Dog.self, value: ["name": "Rex", "age": 12]) }
try await realm.syncSession?.wait(for: .upload)
#sourceLocation()
}
do {
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 107)
let (app, key) = (App(id: "dogs"), "a key")
#sourceLocation()
do {
func onlyCompiled3() async throws {
#sourceLocation(file: "Sources/FreeholdSync/FreeholdSync.docc/FreeholdSync.md", line: 111)
let user = try await app.login(credentials: .userAPIKey(key))
try await Realm.syncOnce(configuration: user.flexibleSyncConfiguration(), deadline: .now + .seconds(30))
#sourceLocation()
}
}}}}
}
