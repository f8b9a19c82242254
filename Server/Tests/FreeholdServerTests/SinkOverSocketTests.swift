import Foundation
import Freehold
import FreeholdServerStore
import FreeholdSync
import Synchronization
import TestReceiver
import Testing

@testable import FreeholdServer

final class Sample: AsymmetricObject {
    @Persisted(primaryKey: true) var _id = ""
    @Persisted var celsius = 0.0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Devices of the app `shop`.
enum SinkDevice {
    /// Registers the user of a device, opens its realm, and subscribes to its notes.
    @MainActor static func realm(
        _ port: Int,
        _ device: String,
        folder: String,
        types: [ObjectBase.Type] = [Sample.self, Note.self]
    ) async throws -> Realm {
        var configuration = AppConfiguration(baseURL: "http://127.0.0.1:\(port)")
        configuration.rootDirectory = URL(fileURLWithPath: "\(folder)/\(device)", isDirectory: true)
        let app = App(id: "shop", configuration: configuration)
        let (email, password) = ("\(device)@example.org", "a long password")
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
        let user = try await app.login(credentials: .emailPassword(email: email, password: password))
        var realmConfiguration = user.flexibleSyncConfiguration()
        realmConfiguration.objectTypes = types
        let realm = try await Realm(configuration: realmConfiguration, downloadBeforeOpen: .never)
        try await realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<Note>()) }
        return realm
    }
}

/// Objects of asymmetric classes, from devices with RealmSwift's API through a server to a sink.
@Suite(.timeLimit(.minutes(20)), .enabled(if: ServerProcess.isBuilt, "freehold-server isn't built"))
struct SinkOverSocketTests {
    private let clients = try! TestFolder()
    private let folder: TestFolder

    init() throws {
        folder = try ServerProcess.folder()
        #expect(
            try run("app", "create", "F", "shop", "--email-password", "auto-confirm", "--access", "everyone").status
                == 0
        )
        let schema = """
            {"asymmetric": true, "schema": {"title": "Sample", "bsonType": "object", "required": ["_id", "celsius"],
             "properties": {"_id": {"bsonType": "string"}, "celsius": {"bsonType": "double"}}}}
            """
        let note = """
            {"title": "Note", "bsonType": "object", "required": ["_id", "owner", "text", "salary"], "properties": {
             "_id": {"bsonType": "objectId"}, "owner": {"bsonType": "string"}, "team": {"bsonType": "string"},
             "text": {"bsonType": "string"}, "salary": {"bsonType": "long"}}}
            """
        try FileManager.default.createDirectory(atPath: folder.path + "/schema", withIntermediateDirectories: true)
        try schema.write(toFile: folder.path + "/schema/a.json", atomically: true, encoding: .utf8)
        try note.write(toFile: folder.path + "/schema/b.json", atomically: true, encoding: .utf8)
        #expect(try run("schema", "push", "F", "shop", folder.path + "/schema").status == 0)
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        try ServerProcess.run(arguments.map { $0 == "F" ? folder.path : $0 })
    }

    @MainActor private func realm(_ port: Int, _ device: String) async throws -> Realm {
        try await SinkDevice.realm(port, device, folder: clients.path)
    }

    private static func keys(_ body: [UInt8]) -> [String] {
        String(decoding: body, as: UTF8.self).split(separator: "\n").map {
            String($0.split(separator: "\"")[3])
        }
    }

    @MainActor private func eventually(_ what: String, _ isSo: () throws -> Bool) async throws {
        for _ in 0..<900 {
            if try isSo() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("It didn't come: \(what)")
    }

    /// The objects that a receiver has, if it recognizes repeated batches by their keys. All processes of the receiver
    /// share it.
    private final class Ledger: Sendable {
        struct State {
            var batches: [String: [UInt8]] = [:]
            var keys: [String] = []
            var problems: [String] = []
            var repeats = 0
        }

        let state = Mutex(State())

        func take(_ request: Receiver.Request) {
            let key = request.headers["idempotency-key"] ?? ""
            let signature = request.headers["freehold-signature"] ?? ""
            let now = Int64(Date().timeIntervalSince1970)
            let isSigned = HookSignature.isValid(signature, secret: "a secret", key: key, body: request.body, now: now)
            state.withLock { state in
                if !isSigned { state.problems.append("a signature is wrong") }
                if let known = state.batches.updateValue(request.body, forKey: key) {
                    if known != request.body { state.problems.append("two batches have one key") }
                    state.repeats += 1
                } else {
                    state.keys += SinkOverSocketTests.keys(request.body)
                }
            }
        }
    }

    @MainActor @Test func `a server and a receiver that are killed lose nothing and double nothing`() async throws {
        let secret = folder.path + "/hook.secret"
        try "a secret\n".write(toFile: secret, atomically: true, encoding: .utf8)
        let ledger = Ledger()
        // The receiver takes some requests and cuts the connection before it answers.
        @Sendable func answer(_ number: Int, _ request: Receiver.Request) -> Receiver.Answer {
            guard number % 3 != 1 else { return .status(503) }
            ledger.take(request)
            return number % 3 == 2 ? .cut(takes: true) : .status(200)
        }
        var receiver = try await Receiver(answer)
        let hookPort = receiver.port
        #expect(
            try run("sink", "set", "F", "shop", "Sample", "--hook", receiver.address, "--secret-file", secret).status
                == 0
        )
        var server = try ServerProcess(folder.path)
        let port = server.port
        let devices = [try await realm(port, "phone"), try await realm(port, "sensor")]
        var written: Set<String> = []
        for round in 0..<6 {
            for (index, device) in devices.enumerated() {
                for part in 0..<5 {
                    try device.write {
                        for key in 0..<20 {
                            // An object that both devices create counts once.
                            let id = key == 0 ? "both \(round) \(part)" : "\(index) \(round) \(part) \(key)"
                            device.create(Sample.self, value: ["_id": id, "celsius": 1.5] as [String: Any])
                            written.insert(id)
                        }
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...700)))
            switch round % 3 {
            case 0:
                await server.end(SIGKILL)
                server = try ServerProcess(folder.path, port: port)
            case 1: await receiver.close()
            default:
                receiver = try await Receiver(port: hookPort, answer)
                await server.end(SIGKILL)
                server = try ServerProcess(folder.path, port: port)
            }
        }
        for device in devices { try await device.syncSession?.wait(for: .upload) }
        try await eventually("all objects") { ledger.state.withLock { $0.keys.count } >= written.count }
        try await Task.sleep(for: .milliseconds(300))
        let state = ledger.state.withLock { $0 }
        #expect(state.problems.isEmpty)
        #expect(Set(state.keys) == written)
        #expect(state.keys.count == written.count)
        // The devices keep no objects of this class.
        for device in devices { #expect(device.isEmpty) }
        await server.end(SIGTERM)
        await receiver.close()
    }

    @MainActor @Test func `files have each object once, over kills, a backup and its restoration`() async throws {
        let target = folder.path + "/out"
        #expect(try run("sink", "set", "F", "shop", "Sample", "--files", target).status == 0)
        var server = try ServerProcess(folder.path)
        let port = server.port
        // Used on the main actor only. In release, the compiler doesn't see that.
        nonisolated(unsafe) let device = try await realm(port, "phone")
        var number = 0
        @MainActor func write(_ count: Int) throws {
            try device.write {
                for _ in 0..<count {
                    number += 1
                    device.create(Sample.self, value: ["_id": "s\(number)"])
                }
            }
        }
        func lines() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: target).sorted()) ?? []
            return names.flatMap {
                Self.keys(Array((try? Data(contentsOf: URL(filePath: target + "/" + $0))) ?? Data()))
            }
        }
        for _ in 0..<4 {
            for _ in 0..<10 { try write(10) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300)))
            await server.end(SIGKILL)
            server = try ServerProcess(folder.path, port: port)
        }
        try await device.syncSession?.wait(for: .upload)
        try await eventually("400 lines") { lines().count >= 400 }
        // The objects of one commit are delivered in the order of their keys.
        func isComplete(_ count: Int) -> Bool {
            let lines = lines()
            return lines.count == count && Set(lines) == Set((1...count).map { "s\($0)" })
        }
        #expect(isComplete(400))
        let (backup, restored) = (clients.path + "/backup", clients.path + "/restored")
        #expect(try run("backup", "F", backup).status == 0)
        await server.end(SIGTERM)
        #expect(try run("restore", backup, restored).status == 0)
        server = try ServerProcess(restored, port: port)
        try write(10)
        try await device.syncSession?.wait(for: .upload)
        try await eventually("410 lines") { lines().count >= 410 }
        try await Task.sleep(for: .milliseconds(300))
        #expect(isComplete(410))
        await server.end(SIGTERM)
    }

    @MainActor @Test func `devices wait while a sink doesn't keep up, and only with such objects`() async throws {
        let isUp = Mutex(false)
        let ledger = Ledger()
        let receiver = try await Receiver { _, request in
            guard isUp.withLock({ $0 }) else { return .status(503) }
            ledger.take(request)
            return .status(200)
        }
        let address = receiver.address
        #expect(
            try run("sink", "set", "F", "shop", "Sample", "--hook", address, "--most-waiting", "100").status == 0
        )
        let server = try ServerProcess(folder.path)
        let (device, other) = (try await realm(server.port, "phone"), try await realm(server.port, "laptop"))
        for round in 0..<40 {
            try device.write {
                for key in 0..<20 { device.create(Sample.self, value: ["_id": "\(round) \(key)"]) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(500))
        func stored() throws -> Int {
            try run("export", "F", "shop", "--class", "Sample").output.split(separator: "\n").count
        }
        // All objects that a device uploads together count together.
        let count = try stored()
        #expect((100..<600).contains(count), "\(count)")
        try other.write { other.create(Note.self, value: ["text": "hello"]) }
        try await other.syncSession?.wait(for: .upload)
        try await eventually("the note") {
            device.refresh()
            return device.objects(Note.self).count == 1
        }
        #expect(try stored() == count)
        isUp.withLock { $0 = true }
        try await device.syncSession?.wait(for: .upload)
        try await eventually("all objects") { ledger.state.withLock { $0.keys.count } >= 800 }
        #expect(ledger.state.withLock { Set($0.keys).count } == 800)
        await server.end(SIGTERM)
        await receiver.close()
    }

    @Test func `sinks are set, listed and removed by commands`() throws {
        #expect(try run("sink", "list", "F", "shop").output == "Sample\ttable\n")
        for bad in [
            ["--files", "/x", "--hook", "https://example.org"], [], ["--hook", "http://example.org"],
            ["--files", "/x", "--secret-file", "y"], ["--files", "/x", "--file-size", "0"],
        ] {
            #expect(try ServerProcess.run(["sink", "set", folder.path, "shop", "Sample"] + bad).status != 0)
        }
        #expect(try run("sink", "set", "F", "shop", "Note", "--files", "/x").status != 0)
        #expect(try run("sink", "set", "F", "nothing", "Sample", "--files", "/x").status != 0)
        let set = try run("sink", "set", "F", "shop", "Sample", "--hook", "https://example.org/a?token=hidden")
        #expect(set.status == 0 && !set.output.contains("hidden"))
        #expect(
            try run("sink", "list", "F", "shop").output
                == "Sample\thook https://example.org/a\tdelivered=kept\tmost-waiting=1000000\n"
        )
        #expect(try run("sink", "set", "F", "shop", "Sample", "--files", "/x/y", "--remove-delivered").status == 0)
        #expect(try run("sink", "list", "F", "shop").output.hasPrefix("Sample\tfiles in /x/y\tdelivered=removed"))
        // A class of this name in another app can't use the same folder.
        #expect(try run("app", "create", "F", "second").status == 0)
        #expect(try run("schema", "push", "F", "second", folder.path + "/schema").status == 0)
        #expect(try run("sink", "set", "F", "second", "Sample", "--files", "/x/y").status != 0)
        #expect(try run("sink", "set", "F", "second", "Sample", "--files", "/x/z").status == 0)
        #expect(try run("sink", "remove", "F", "shop", "Sample").status == 0)
        #expect(try run("sink", "remove", "F", "shop", "Sample").status != 0)
        #expect(try run("sink", "list", "F", "shop").output == "Sample\ttable\n")
    }
}
