// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Threading.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_Threading_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Threading.md", line: 22)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Threading_1" }; @Persisted var name = "" }
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Threading.md", line: 25)
actor Kennel {
    private var realm: Realm!

    init() async throws {
        realm = try await Realm(configuration: .defaultConfiguration, actor: self)
    }

    func add(_ name: String) async throws {
        try await realm.asyncWrite { realm.create(Dog.self, value: ["name": name]) }
    }

    var count: Int { realm.objects(Dog.self).count }
}
#sourceLocation()
@MainActor static func run() async throws {
do {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Threading.md", line: 41)
let kennel = try await Kennel()
try await kennel.add("Rex")
check(await kennel.count == 1)
#sourceLocation()
}}}
}
