// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/Observation.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import Observation

enum Freehold_Observation_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 8)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Observation_1" };
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var mother: Dog?
    @Persisted var puppies: List<Dog>
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 147)
actor Kennel { func note(_ change: RealmCollectionChange<Results<Dog>>) {} }
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 14)
let realm = try Realm()
let dog = Dog(value: ["name": "Rex", "age": 7])
try realm.write { realm.add(dog) }
var token: NotificationToken?
var rows: [String] = []
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 21)
token = realm.objects(Dog.self).where { $0.age > 5 }.observe { change in
    switch change {
    case .initial(let dogs):
        rows = dogs.map(\.name)
    case .update(let dogs, let deletions, let insertions, _):
        for i in deletions.reversed() { rows.remove(at: i) }          // positions before
        for i in insertions { rows.insert(dogs[i].name, at: i) }      // positions after
        for i in change.newModifications { rows[i] = dogs[i].name }   // positions after
    case .error:
        break
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 46)
try await eventually { rows == ["Rex"] }
try realm.write { realm.create(Dog.self, value: ["name": "Bo", "age": 9]) }
try await eventually { rows == ["Rex", "Bo"] }
var table: [[String]] = []
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 52)
token = realm.objects(Dog.self).sectioned(by: \.age).observe { change in
    switch change {
    case .initial(let sections):
        table = sections.map { $0.map(\.name) }
    case .update(let sections, let deletions, let insertions, _, let newSections, let oldSections):
        for path in deletions.reversed() { table[path.section].remove(at: path.item) }
        for i in oldSections.reversed() { table.remove(at: i) }
        for i in newSections { table.insert([], at: i) }
        for path in insertions { table[path.section].insert(sections[path].name, at: path.item) }
        for path in change.newModifications { table[path.section][path.item] = sections[path].name }
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 79)
try await eventually { table == [["Rex"], ["Bo"]] }
try realm.write { dog.age = 9 }
try await eventually { table.map { $0.sorted() } == [["Bo", "Rex"]] }
var log: [String] = []
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 85)
token = dog.observe { change in
    switch change {
    case .change(let dog, let properties):
        for property in properties {
            log.append("\(dog.name): \(property.name) was \(property.oldValue ?? "nil")")
        }
    case .deleted:
        log.append("gone")
    case .error:
        break
    }
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 106)
try await Realm.write { $0.objects(Dog.self).where { $0.name == "Rex" }.first?.name = "Max" }
try await eventually { log == ["Max: name was Rex"] }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 110)
token = realm.observe { notification, realm in log.append("\(notification)") }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 122)
let dogs = realm.objects(Dog.self)
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 125)
token = dogs.observe(keyPaths: [\.name, \.mother?.name]) { change in print(change) }
token = dogs.observe(keyPaths: ["puppies.name"]) { change in print(change) }
token = dogs.observe(keyPaths: [String]()) { change in print(change) }   // insertions and deletions only
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 136)
let queue = DispatchQueue(label: "kennel")
let kennel = Kennel()
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 140)
token = dogs.observe(on: queue) { change in print(change) }     // with the dogs of a realm of the queue
token = await dogs.observe(on: kennel) { kennel, change in      // in the isolation of the actor
    kennel.note(change)
}
#sourceLocation()
do {
}}}}}}}}}}}}}
}

enum Freehold_Observation_2 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 159)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_Observation_2" };
    @Persisted var name = ""
    @Persisted var age = 0
}
#sourceLocation()
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 166)
actor Kennel {
    private(set) var names: [String] = []

    func watch(_ configuration: Realm.Configuration) async throws {
        let realm = try await Realm.open(configuration: configuration)
        for await change in realm.objects(Dog.self).changes {
            guard case .update(let dogs, _, let insertions, _) = change else { continue }
            for i in insertions { names.append(dogs[i].name) }
        }
    }
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 163)
var configuration = Realm.Configuration.defaultConfiguration
#sourceLocation()
do {
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 189)
let kennel = Kennel()
let watching = Task { [configuration] in try await kennel.watch(configuration) }
while await kennel.names.isEmpty {
    try await Realm.write { $0.create(Dog.self, value: ["name": "Rex", "age": 7]) }
    try await Task.sleep(for: .milliseconds(5))
}
watching.cancel()
func send(_ names: [String]) {}
#sourceLocation()
do {
func onlyCompiled3() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 200)
for await change in try await Realm.changes(configuration, of: { $0.objects(Dog.self).where { $0.age > 5 } }) {
    guard case .update(let dogs, _, let insertions, _) = change else { continue }
    send(insertions.map { dogs[$0].name })
}
#sourceLocation()
}
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 212)
func show(_ name: String) {}
let invalidate: @Sendable () -> Void = {}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 216)
configuration.observationTracking = true
let realm = try Realm(configuration: configuration)
let dog = realm.objects(Dog.self).first!
withObservationTracking {
    show(dog.name)
} onChange: {
    invalidate()
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 234)
let dogs = realm.objects(Dog.self)
try realm.write { while dogs.count < 4 { realm.add(Dog()) } }
let token = dogs.observe { change in print(change) }
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/Observation.md", line: 239)
try realm.write(withoutNotifying: [token]) { dogs[3].name = "Rex" }
#sourceLocation()
}}}}}}}}
}
