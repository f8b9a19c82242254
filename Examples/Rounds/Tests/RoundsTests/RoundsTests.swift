import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct RoundsTests {
    /// Starts a server, a supervisor's device with two sites in the north, and an inspector's device that has them.
    private func start() async throws -> (server: RoundsServer, ann: RoundsDevice, bob: RoundsDevice) {
        let server = try await RoundsServer()
        let (ann, bob) = (try await RoundsDevice("ann", server), try await RoundsDevice("bob", server))
        try await server.makeSupervisor(ann.user)
        for device in [ann, bob] { try await device.run("follow", "north") }
        try await ann.run("add", "N-1", "Pump house", "--district", "north")
        try await ann.run("add", "N-2", "Weir", "--district", "north")
        #expect(try await ann.sync().contains("Uploaded 2"))
        #expect(try await bob.sync().contains("changed: N-1 N-2"))
        return (server, ann, bob)
    }

    @Test func `work without a server waits, and is uploaded later`() async throws {
        let (server, ann, bob) = try await start()
        await server.stop()
        try await bob.run("visit", "N-1", "--reading", "17.5", "--note", "All well")
        #expect(try await bob.run("sites").contains("N-1  Pump house, north: 1 visits, reading 17.5"))
        #expect(try await bob.run("sync", "--seconds", "1", status: 1).contains("The work stays on the device"))
        #expect(try await bob.run("status").hasPrefix("1 transactions wait"))
        try server.start()
        #expect(try await bob.sync().contains("Uploaded 1"))
        #expect(try await bob.run("status").hasPrefix("0 transactions wait"))
        #expect(try await ann.sync().contains("changed: N-1"))
        #expect(try await ann.run("sites").contains("All well (inspector)"))
        await server.stop()
    }

    @Test func `two devices that edit one site offline both keep their work`() async throws {
        let (server, ann, bob) = try await start()
        await server.stop()
        try await ann.run("visit", "N-1", "--reading", "10", "--note", "Early", "--author", "ann")
        for _ in 0..<2 { try await bob.run("visit", "N-1", "--reading", "20", "--note", "Late", "--author", "bob") }
        try server.start()
        // The order of the uploads makes no difference.
        for device in [bob, ann, bob] { try await device.sync() }
        let sites = try await ann.run("sites")
        #expect(sites.contains("N-1  Pump house, north: 3 visits, reading 20.0"))
        #expect(sites.contains("Early (ann)") && sites.components(separatedBy: "Late (bob)").count == 3)
        #expect(try await bob.run("sites") == sites)
        await server.stop()
    }

    @Test func `a refused write is shown, undone and kept as lost work`() async throws {
        let (server, ann, bob) = try await start()
        let finding = try await ann.run("find", "N-1", "Rust").trimmingCharacters(in: .whitespacesAndNewlines)
        try await ann.sync()
        try await bob.sync()

        // Bob isn't the author, and isn't a supervisor. A permitted transaction isn't affected.
        try await bob.run("close", finding)
        #expect(try await bob.run("findings").contains("Rust (closed)"))
        try await bob.run("add", "N-3", "Shed", "--district", "north")
        try await bob.run("visit", "N-2")
        let output = try await bob.sync(status: 2)
        #expect(output.contains("Refused: Finding \(finding)"))
        #expect(output.contains("Refused: Site N-3"))
        #expect(try await bob.run("findings").contains("Rust (open)"))
        let sites = try await bob.run("sites")
        #expect(!sites.contains("N-3") && sites.contains("N-2  Weir, north: 1 visits"))
        #expect(try await bob.run("status").contains("2 changes were refused"))
        let lost = try await bob.run("lost").split(separator: "\n")
        #expect(lost.count == 2 && lost.contains { $0.contains("Shed") })

        try await ann.run("close", finding)
        try await ann.sync()
        try await bob.sync()
        #expect(try await bob.run("findings").contains("Rust (closed)"))
        await server.stop()
    }

    @Test func `after the restore of a backup, devices recover what the server has lost`() async throws {
        let (server, ann, bob) = try await start()
        try await server.backup("monday")
        // On Tuesday both sync, and Bob goes on without a connection.
        try await ann.run("visit", "N-1", "--note", "Tuesday", "--author", "ann")
        try await ann.sync()
        try await bob.sync()
        try await bob.run("visit", "N-2", "--reading", "5")
        await server.stop()
        try await server.restore("monday")
        try server.start()

        let output = try await bob.sync()
        #expect(output.contains("The server was restored or replaced."))
        #expect(try await bob.run("sites").contains("N-2  Weir, north: 1 visits, reading 5.0"))
        #expect(try await ann.sync().contains("The server was restored or replaced."))
        try await bob.sync()
        let sites = try await ann.run("sites")
        #expect(try await bob.run("sites") == sites)
        #expect(sites.contains("N-2  Weir, north: 1 visits, reading 5.0"))
        // The devices have the same as the server.
        let documents = try await server.documents("Site")
        #expect(documents.count == 2 && documents.contains { $0.contains("5.0") })
        #expect(try await ann.run("status").hasPrefix("0 transactions wait"))
        // A second sync is an ordinary one.
        #expect(try await !bob.sync().contains("restored"))
        await server.stop()
    }

    @Test func `a log-in that ends keeps the work for the next one`() async throws {
        let (server, ann, bob) = try await start()
        #expect(try await bob.logIn(password: "a wrong password").output.contains("The log-in failed"))
        try await bob.run("visit", "N-1")
        try await server.disable(bob.user)
        let output = try await bob.run("sync", "--seconds", "20", status: 1)
        #expect(output.contains("Log in first"))
        // Bob can still work offline.
        try await bob.run("visit", "N-1")
        #expect(try await bob.run("status").hasPrefix("2 transactions wait"))
        #expect(try await bob.logIn().status != 0)
        try await server.enable(bob.user)
        #expect(try await bob.logIn().status == 0)
        #expect(try await bob.sync().contains("Uploaded 2"))
        try await ann.sync()
        #expect(try await ann.run("sites").contains("N-1  Pump house, north: 2 visits"))

        try await bob.run("logout")
        #expect(try await bob.run("sites", status: 1).contains("Log in first"))
        await server.stop()
    }

    @Test func `a device has the districts that it follows`() async throws {
        let (server, ann, bob) = try await start()
        let refused = try await bob.run("add", "S-1", "Mill", "--district", "south", status: 1)
        #expect(refused.contains("Follow the district"))
        try await ann.run("follow", "south")
        try await ann.run("add", "S-1", "Mill", "--district", "south")
        try await ann.sync()
        #expect(try await bob.sync().contains("changed: none"))
        #expect(try await bob.run("visit", "S-1", status: 1).contains("There is no site S-1"))
        #expect(try await bob.run("follow", "south") == "Districts: north, south\n")
        #expect(try await bob.sync().contains("changed: S-1"))
        // The objects of a district leave the device, and stay on the server.
        try await bob.run("visit", "N-1")
        try await bob.run("unfollow", "north")
        #expect(try await bob.sync().contains("removed: N-1 N-2"))
        #expect(try await server.documents("Site").count == 3)
        try await ann.sync()
        #expect(try await ann.run("sites").contains("N-1  Pump house, north: 1 visits"))
        await server.stop()
    }

    @Test func `commands write while another process syncs`() async throws {
        let (server, ann, bob) = try await start()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { try await bob.run("visit", "N-1") } }
            for _ in 0..<2 { group.addTask { try await bob.sync() } }
            try await group.waitForAll()
        }
        try await bob.sync()
        try await ann.sync()
        #expect(try await ann.run("sites").contains("N-1  Pump house, north: 4 visits"))
        await server.stop()
    }
}
