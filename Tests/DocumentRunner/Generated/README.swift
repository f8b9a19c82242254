// swift-format-ignore-file
// Made of README.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold
import Freehold            // or: import RealmSwift
import FreeholdSync

enum README_1 {
#sourceLocation(file: "README.md", line: 10)
class Dog: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "README_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted(indexed: true) var name = ""
    @Persisted var age = 0
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
#sourceLocation()
#sourceLocation(file: "README.md", line: 17)
class Person: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "README_1" };
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var dogs: List<Dog>
    @Persisted var bestDog: Dog?
}
#sourceLocation()
#sourceLocation(file: "README.md", line: 226)
class Note: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "README_1" };
    @Persisted(fullText: true) var text = ""
    @Persisted var place: Place?
}
#sourceLocation()
#sourceLocation(file: "README.md", line: 230)
class Place: EmbeddedObject { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "README_1" };                            // as GeoJSON has it: longitude first
    @Persisted var type = "Point"
    @Persisted(geoIndexed: true) var coordinates: List<Double>
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "README.md", line: 9)

#sourceLocation()
#sourceLocation(file: "README.md", line: 16)

#sourceLocation()
#sourceLocation(file: "README.md", line: 23)

let realm = try Realm()

let rex = Dog()
rex.name = "Rex"
rex.age = 7
let ada = Person()
ada.name = "Ada"
ada.dogs.append(rex)

try realm.write { realm.add(ada) }                       // adds the whole graph

let grown = realm.objects(Dog.self)
    .where { $0.age > 5 && $0.owners.name == "Ada" }     // live: always what the file holds
    .sorted(by: \.name)
print(grown.count, grown.first?.owners.first?.name ?? "nobody")

try realm.write { rex.age += 1 }                         // rex is the stored object now
#sourceLocation()
do {
#sourceLocation(file: "README.md", line: 44)
check(grown.count == 1 && grown[0].age == 8 && rex.realm == realm)
#sourceLocation()
do {
do {
func onlyCompiled3() async throws {
#sourceLocation(file: "README.md", line: 168)
// .package(url: "…/freehold", from: "0.1.0", traits: ["Encryption", "Sync"])
let (email, password) = ("ann@example.org", "a long password")
let app = App(id: "demo", configuration: AppConfiguration(baseURL: "http://127.0.0.1:7700"))
var user = app.currentUser                                           // the log-in persists, also offline
if user == nil {
    try await app.emailPasswordAuth.registerUser(email: email, password: password)
    user = try await app.login(credentials: .emailPassword(email: email, password: password))
}

let realm = try await Realm(configuration: user!.flexibleSyncConfiguration(), downloadBeforeOpen: .once)
try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Dog>()) }
try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }   // uploaded when there is a network
try await realm.syncSession?.wait(for: .upload)                      // a program that ends soon waits
for dog in realm.objects(Dog.self) { print(dog.name) }
print(realm.configuration.fileURL!.path)
#sourceLocation()
}
do {
#sourceLocation(file: "README.md", line: 208)
let (person, text) = (ada, "age > 3")
#sourceLocation()
do {
#sourceLocation(file: "README.md", line: 211)
let dogs = realm.objects(Dog.self)
dogs.where { $0.age > 5 && $0.owners.name == "Ada" }
dogs.filter("age > %@ AND ANY owners.name == 'Ada' SORT(name ASC) LIMIT(10)", 5)
try dogs.filter(validating: text)                        // text from elsewhere: throws QueryError with place and near names
person.dogs.where { $0.name.contains("x", options: .caseInsensitive) }.sorted(by: \.age).limited(to: 3)

for group in dogs.grouped(by: \.name) {                  // computed in the engine
    print(group.key, group.count, group.max(of: \.age) ?? 0)
}
print(dogs.where { $0.name == "Rex" }.explain())         // index on 'Dog.name': about 3 expected, 3 looked at, 3 found
#sourceLocation()
do {
#sourceLocation(file: "README.md", line: 234)

let notes = realm.objects(Note.self)
notes.where { $0.text.matches("data* \"next to each other\" -without") }
let best = try notes.search(\.text, for: "object database", limit: 10)       // ranked, with excerpts
let around = GeoCircle(center: (48.86, 2.35), radius: .kilometers(5)!)!      // latitude, longitude
notes.where { $0.place.geoWithin(around) }
#sourceLocation()
do {
#sourceLocation(file: "README.md", line: 243)
check(best.isEmpty && notes.count == 0)
#sourceLocation()
}}}}}}}}
}
