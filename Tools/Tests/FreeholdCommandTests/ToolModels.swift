import Foundation
import Freehold
import Synchronization

/// A class of the tests' files with all kinds of properties.
class TMPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name = ""
    @Persisted var age: Int?
    @Persisted var born: Date?
    @Persisted var score = 0.0
    @Persisted var money: Decimal128?
    @Persisted var isActive = false
    @Persisted var picture: Data?
    @Persisted var token: UUID?
    @Persisted var reference: ObjectId?
    @Persisted var home: TMHome?
    @Persisted var best: TMPerson?
    @Persisted var pets: List<TMPet>
    @Persisted var tags: MutableSet<String>
    @Persisted var scores: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted(fullText: true) var note = ""

    override class func compoundIndexes() -> [CompoundIndex] { [CompoundIndex("name", "age")] }
}

/// A class without a primary key.
class TMPet: Object {
    @Persisted var name = ""
    @Persisted var friend: TMPet?
}

class TMHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var city: String?
}

enum ToolFile {
    static let types: [ObjectBase.Type] = [TMPerson.self, TMPet.self, TMHome.self]

    static func configuration(_ path: String) -> Realm.Configuration {
        Realm.Configuration(fileURL: URL(fileURLWithPath: path), schemaVersion: 3, objectTypes: types)
    }

    /// The contents of the files of each number of people; `nil` is the file of three people and two pets.
    private static let made = Mutex<[Int?: Data]>([:])

    /// Writes a file whose contents the first call creates.
    private static func make(_ path: String, _ people: Int?, create: (String) throws -> Void) throws {
        let known = made.withLock { $0[people] }
        let content =
            try known
            ?? withFolder { folder in
                try create(folder + "/made.realm")
                return try bytes(folder + "/made.realm")
            }
        made.withLock { $0[people] = content }
        try content.write(to: URL(fileURLWithPath: path))
        // A program that has written a database leaves this file next to it.
        try Data().write(to: URL(fileURLWithPath: path + ".writer"))
    }

    /// Writes a file of three people and two pets.
    static func make(_ path: String) throws { try make(path, nil) { try create($0) } }

    /// Writes a file of `count` people.
    static func make(_ path: String, people: Int) throws { try make(path, people) { try create($0, people: people) } }

    private static func create(_ path: String) throws {
        try write(path) { realm in
            let (cat, dog) = (TMPet(), TMPet())
            (cat.name, dog.name) = ("Mia", "Rex, \"the\" dog")
            (cat.friend, dog.friend) = (dog, cat)
            let ada = TMPerson()
            (ada.id, ada.name, ada.age, ada.score) = (1, "Ada", 36, 1.5)
            ada.born = Date(timeIntervalSince1970: -4_862_592_000.5)
            ada.money = "12345678901234567890.01"
            ada.isActive = true
            ada.picture = Data([0, 1, 255])
            ada.token = UUID(uuidString: "00000000-0000-0000-0000-00000000002A")
            ada.reference = try! ObjectId(string: "0123456789abcdef01234567")
            ada.home = TMHome()
            ada.home?.street = "St. James's Square"
            ada.pets.append(objectsIn: [cat, dog])
            ada.tags.insert(objectsIn: ["x", "y"])
            ada.scores["a"] = 1
            ada.any = .string("5")
            ada.note = "line\nbreak,\ttab \u{1B}[31mred \u{202E}turned"
            let bob = TMPerson()
            (bob.id, bob.name, bob.best, bob.any) = (2, "Bob 漢字", ada, .int(5))
            let eve = TMPerson()
            (eve.id, eve.name, eve.age, eve.best, eve.any) = (3, "", 7, eve, .object(dog))
            realm.add([ada, bob, eve])
        }
    }

    private static func create(_ path: String, people: Int) throws {
        try write(path) { realm in
            for id in 0..<people {
                let person = TMPerson()
                (person.id, person.name, person.age) = (id, "Person \(id)", id % 100)
                realm.add(person)
            }
        }
    }

    static func write(_ path: String, _ body: (Realm) throws -> Void) throws {
        let realm = try Realm(configuration: configuration(path))
        try realm.write { try body(realm) }
    }

    static func read<R>(_ path: String, _ body: (Realm) throws -> R) throws -> R {
        try body(try Realm(configuration: configuration(path)))
    }

    /// A Boolean value that indicates whether the library can read and write encrypted files.
    static let canEncrypt: Bool = {
        let opened: Void? = try? withFolder { folder in
            var configuration = configuration(folder + "/a.realm")
            configuration.encryptionKey = Data(count: 64)
            _ = try Realm(configuration: configuration)
        }
        return opened != nil
    }()

    /// The bytes of the files. Commands that read mustn't change them.
    static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}
