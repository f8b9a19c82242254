import ArgumentParser
import Foundation
import FreeholdSync
import RealmSwift

/// A client of the demo. Each run is a separate process with the same files. `Scripts/sync-demo` starts them.
@main struct FreeholdSyncDemo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A client with dogs and persons, for a server that runs with --development.",
        subcommands: [Make.self, EditOffline.self, Show.self, See.self, Documents.self]
    )
}

struct Client: ParsableArguments {
    @Argument(help: "The name of the user.") var name: String
    @Option(help: "The server.") var address = "http://127.0.0.1:7700"
    @Option(help: "The server's app.") var app = "demo"
    @Option(help: "Where clients keep their files.") var folder: String

    /// Logs in, and registers first if necessary. Without a connection, it returns the user of the last log-in.
    func user(offline: Bool = false) async throws -> User {
        var configuration = AppConfiguration(baseURL: address)
        configuration.rootDirectory = URL(fileURLWithPath: folder).appendingPathComponent(name, isDirectory: true)
        let app = App(id: app, configuration: configuration)
        if let user = app.currentUser { return user }
        let email = "\(name)@example.org"
        try await app.emailPasswordAuth.registerUser(email: email, password: "dogs and persons")
        return try await app.login(credentials: .emailPassword(email: email, password: "dogs and persons"))
    }

    @MainActor func realm(offline: Bool = false) async throws -> Realm {
        var configuration = try await user(offline: offline).flexibleSyncConfiguration()
        configuration.objectTypes = [Dog.self, Person.self, Address.self]
        let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
        if offline { realm.syncSession?.suspend() }
        return realm
    }
}

extension Realm {
    @MainActor fileprivate func settle() async throws {
        try await syncSession?.wait(for: .upload)
        try await syncSession?.wait(for: .download)
        refresh()
    }

    fileprivate func show() {
        for dog in objects(Dog.self).sorted(byKeyPath: "name") {
            let owners = dog.person.map(\.name).joined(separator: ", ")
            print("  Dog \(dog.name), \(dog.age) years\(owners.isEmpty ? "" : ", of \(owners)")")
        }
        for person in objects(Person.self).sorted(byKeyPath: "name") {
            let dogs = person.dogs.map(\.name).joined(separator: ", ")
            let city = person.address?.city.map { " in \($0)" } ?? ""
            let favourite = person.favourite?.name ?? "none"
            print("  Person \(person.name)\(city), dogs: \(dogs.isEmpty ? "none" : dogs), favourite: \(favourite)")
        }
    }
}

/// Subscribes to everything, and creates a person with a dog.
struct Make: AsyncParsableCommand {
    @OptionGroup var client: Client

    @MainActor func run() async throws {
        let realm = try await client.realm()
        try await realm.subscriptions.update {
            realm.subscriptions.append(QuerySubscription<Dog>(), QuerySubscription<Person>())
        }
        try realm.write {
            let dog = realm.create(Dog.self, value: ["name": "Rex", "age": 3])
            let person = realm.create(Person.self, value: ["name": "Ann", "favourite": dog])
            person.address = Address(value: ["city": "Bern", "country": "CH"])
            person.dogs.append(dog)
        }
        try await realm.settle()
        realm.show()
    }
}

/// Changes existing objects without a connection.
struct EditOffline: AsyncParsableCommand {
    @OptionGroup var client: Client

    @MainActor func run() async throws {
        let realm = try await client.realm(offline: true)
        try realm.write {
            guard let rex = realm.objects(Dog.self).first, let person = realm.objects(Person.self).first else {
                throw ValidationError("\(client.name) has no dog.")
            }
            rex.increment(\.age, by: 1)
            if client.name == "ann" {
                rex.name = "Rex the Great"
                person.address?.city = "Basel"
            } else {
                let fido = realm.create(Dog.self, value: ["name": "Fido", "age": 12])
                person.dogs.insert(fido, at: 0)
                person.address?.postalCode = "4000"
            }
        }
        realm.show()
    }
}

/// Syncs the file with the server, and shows it.
struct Show: AsyncParsableCommand {
    @OptionGroup var client: Client
    @Flag(help: "Subscribes to all dogs and persons first.") var everything = false

    @MainActor func run() async throws {
        let realm = try await client.realm()
        if everything {
            try await realm.subscriptions.update {
                realm.subscriptions.append(QuerySubscription<Dog>(), QuerySubscription<Person>())
            }
        }
        try await realm.settle()
        realm.show()
    }
}

/// Subscribes to some objects.
struct See: AsyncParsableCommand {
    @OptionGroup var client: Client
    @Option(help: "Dogs that are older.") var olderThan: Int

    @MainActor func run() async throws {
        let realm = try await client.realm()
        let dogs = try await realm.objects(Dog.self).where { $0.age > olderThan }.subscribe(name: "old")
        realm.show()
        guard dogs.count == realm.objects(Dog.self).count else { throw ExitCode.failure }
    }
}

/// Shows the documents in the files of a server, which needn't run.
struct Documents: AsyncParsableCommand {
    @Argument(help: "The server's folder.") var folder: String

    func run() async throws {
        let root = URL(fileURLWithPath: folder)
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.allObjects as? [URL]
        for file in files ?? [] where file.pathExtension == "freehold" {
            var configuration = Realm.Configuration(fileURL: file, readOnly: true)
            configuration.objectTypes = []
            let realm = try Realm(configuration: configuration)
            // The classes are those of the file.
            for object in realm.storedSchema.objectSchema where !object.isEmbedded {
                let json = try realm.dynamicObjects(object.className).jsonData()
                print("\(object.className): \(String(decoding: json, as: UTF8.self))")
            }
        }
    }
}
