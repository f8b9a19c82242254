import Dispatch
import Foundation
import RealmSwift
import Testing

class RSOwner: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var name = ""
    @Persisted var dogs: List<RSDog>
}

class RSDog: Object {
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int?
    @Persisted var weight: Decimal128
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<RSOwner>

    convenience init(name: String, age: Int?) {
        self.init()
        self.name = name
        self.age = age
    }
}

@Suite("import RealmSwift")
struct RealmSwiftTests {
    @Test
    func `code for RealmSwift compiles and runs with its import`() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "RealmSwiftTests")
        configuration.objectTypes = [RSOwner.self, RSDog.self]
        let realm = try Realm(configuration: configuration)
        let owner = RSOwner(value: ["name": "Ada", "dogs": [["name": "Rex", "age": 7], ["name": "Fay"]]])
        try realm.write {
            realm.add(owner, update: .modified)
            owner.dogs.append(RSDog(name: "Max", age: 2))
        }
        let found = realm.objects(RSDog.self)
            .where { $0.age > 1 && $0.owners.name == "Ada" }
            .sorted(by: \.name, ascending: false)
        expectEqual(found.map(\.name), ["Rex", "Max"])
        expectEqual(found.first?.owners.first, owner)
        expectEqual(realm.object(ofType: RSOwner.self, forPrimaryKey: owner._id)?.dogs.count, 3)
        do {
            try realm.write { realm.add(RSOwner(value: ["_id": owner._id])) }
            Issue.record("a second object with the key was added")
        } catch let error as Realm.Error {
            expectEqual(error.code, .duplicatePrimaryKey)
        }
        expectEqual(realm.objects(RSOwner.self).count, 1)
    }
}

extension RealmSwiftTests {
    @Test(.timeLimit(.minutes(20)))
    func `top-level names, and observers that expect an object of a class, work`() async throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "RealmSwiftTests.names")
        configuration.objectTypes = [RSOwner.self, RSDog.self]
        let (queue, shared) = (DispatchQueue(label: "RealmSwiftTests.names"), configuration)
        let (told, names) = AsyncStream<String>.makeStream()
        let tokens = try queue.sync {
            let realm = try Realm(configuration: shared, queue: queue)
            let dog = RSDog(name: "Rex", age: 7)
            try realm.write { realm.add(dog) }
            let object: Object = dog
            let block: NotificationBlock = { notification, _ in names.yield(notification.rawValue) }
            let ofRealm = realm.observe(block)
            let ofObject = object.observe(keyPaths: [\RSDog.name]) { (change: ObjectChange<RSDog>) in
                if case .change(let dog, let properties) = change { names.yield("\(properties[0].name) \(dog.name)") }
            }
            var id: AsyncTransactionId = 0
            id = realm.writeAsync { dog.name = "Max" }
            expect(id > 0)
            return [ofRealm, ofObject]
        }
        var all: Set<String> = []
        for await name in told where all.insert(name).inserted && all.count == 2 { break }
        expectEqual(all, ["RLMRealmDidChangeNotification", "name Max"])
        queue.sync { tokens.forEach { $0.invalidate() } }
    }
}

// As RealmSwift's documentation shows class projections.

class RSPerson: Object {
    @Persisted var firstName: String
    @Persisted var lastName = ""
    @Persisted var birthday: Date
    @Persisted var address: RSAddress? = nil
    @Persisted var friends = List<RSPerson>()
    @Persisted var reviews: List<String>
}

class RSAddress: EmbeddedObject {
    @Persisted var city: String = ""
    @Persisted var country = ""
}

class RSPersonProjection: Projection<RSPerson> {
    @Projected(\RSPerson.firstName) var firstName
    @Projected(\RSPerson.lastName.localizedUppercase) var lastNameCaps
    @Projected(\RSPerson.birthday.timeIntervalSince1970) var birthdayAsEpochtime
    @Projected(\RSPerson.address?.city) var homeCity
    @Projected(\RSPerson.friends.projectTo.firstName) var friendsFirstName: ProjectedCollection<String>
}

extension RealmSwiftTests {
    @Test
    func `class projections work as in RealmSwift's documentation`() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "RealmSwiftTests.projections")
        configuration.objectTypes = [RSPerson.self, RSAddress.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let john = realm.create(
                RSPerson.self,
                value: ["firstName": "John", "lastName": "Snow", "address": ["city": "Winterfell"]]
            )
            realm.create(RSPerson.self, value: ["firstName": "Daenerys", "friends": [john]] as [String: Any])
        }
        let projections = realm.objects(RSPersonProjection.self)
        let john = try require(projections.filter("firstName == 'John'").first)
        expect(john.lastNameCaps == "SNOW" && john.homeCity == "Winterfell" && john.friendsFirstName.isEmpty)
        try realm.write { john.firstName = "Jon" }
        expectEqual(projections.where { $0.firstName == "Daenerys" }.first?.friendsFirstName.first, "Jon")
        expectEqual(projections.sorted(by: \.firstName).last?.birthdayAsEpochtime, john.birthdayAsEpochtime)
    }
}

/// A protocol of an app for an older RealmSwift, which observes objects and collections.
private protocol ChangeSource {
    func observe(on queue: DispatchQueue?, _ block: @escaping (RealmCollectionChange<Self>) -> Void)
        -> NotificationToken
}

extension Results: ChangeSource {}
extension List: ChangeSource {}
extension MutableSet: ChangeSource {}
extension LinkingObjects: ChangeSource {}
extension AnyRealmCollection: ChangeSource {}

@Suite("import RealmSwift: names")
struct RealmSwiftNamesTests {
    @Test
    func `the logger has RealmSwift's names`() {
        let logger: Logger = Logger(level: .off) { (level: LogLevel, message: String) in print(level, message) }
        logger.level = .warn
        logger.setLogLevel(.trace, category: LogCategory.query)
        expect(logger.level == .warn && logger.logLevel(for: .query) == .trace)
    }

    @Test
    func `collections and objects are observed by protocols of older apps`() async throws {
        let queue = DispatchQueue(label: "protocols")
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "RealmSwiftNamesTests",
            objectTypes: [RSOwner.self, RSDog.self]
        )
        let told = DispatchSemaphore(value: 0)
        let tokens = try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            let dog = try realm.write { realm.create(RSDog.self, value: ["name": "Rex"]) }
            let source: some ChangeSource = realm.objects(RSDog.self)
            let tokens = [
                source.observe(on: queue) { _ in told.signal() },
                dog.observe(on: queue) { (_: ObjectChange<RSDog>) in },
                realm.objects(RSDog.self).observe { _ in told.signal() },
            ]
            return tokens
        }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            DispatchQueue.global().async {
                told.wait()
                told.wait()
                continuation.resume()
            }
        }
        expectEqual(tokens.map { $0.invalidate() }, [true, true, true])
        expectEqual(tokens.map { $0.invalidate() }, [false, false, false])
        expect(!NotificationToken().invalidate())
    }

    @Test
    func `a change of sections has two cases`() {
        func text<C>(_ change: SectionedResultsChange<C>) -> String {
            switch change {
            case .initial: "initial"
            case .update(_, _, _, _, _, _): "update"
            }
        }
        expectEqual(text(SectionedResultsChange.initial(0)), "initial")
    }
}
