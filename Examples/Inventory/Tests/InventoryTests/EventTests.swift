import Foundation
import Freehold
import Testing

@testable import InventoryService

@Suite(.timeLimit(.minutes(5))) struct EventTests {
    @Test func `a stream has all changes after its first event`() async throws {
        try await RunningService.run { service in
            try await service.create("A", quantity: 2)
            try await HTTPConnection.open(port: service.port) { stream in
                try await stream.send("GET", "/events")
                let head = try await stream.head()
                #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
                #expect(try await stream.event()?.name == "reload")

                try await service.create("B")
                var change = try #require(await stream.event()).decoded(ItemChange.self)
                #expect(change.stored.map(\.sku) == ["B"] && change.deleted.isEmpty)

                #expect(try await service.move("A", by: -2).status == 201)
                change = try #require(await stream.event()).decoded(ItemChange.self)
                #expect(change.stored.map(\.quantity) == [0])

                #expect(try await service.request("DELETE", "/items/A").status == 204)
                change = try #require(await stream.event()).decoded(ItemChange.self)
                #expect(change == ItemChange(deleted: ["A"]))
            }
        }
    }

    @Test func `a client that leaves ends its stream`() async throws {
        try await RunningService.run { service in
            try await HTTPConnection.open(port: service.port) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")
                #expect(service.service.feed.readerCount == 1)
            }
            // No commit is needed for it.
            try await eventually { service.service.feed.readerCount == 0 }
        }
    }

    @Test func `a large change is a reload`() async throws {
        try await RunningService.run { service in
            try await HTTPConnection.open(port: service.port) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")
                try await service.service.inventory.store.write { realm in
                    for number in 0...ItemFeed.itemsInEvent { realm.create(Item.self, value: ["sku": "N-\(number)"]) }
                }
                #expect(try await stream.event()?.name == "reload")
            }
        }
    }

    @Test func `idle streams get comments`() async throws {
        try await RunningService.run(settings: { $0.feed.heartbeat = .milliseconds(5) }) { service in
            try await HTTPConnection.open(port: service.port) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")
                #expect(try await stream.event(comments: true)?.name == "")
                #expect(try await stream.event(comments: true)?.name == "")
            }
        }
    }

    /// Commits until a client that doesn't read has too many events.
    private func commit(to service: RunningService, until isLate: () -> Bool) async throws {
        var commits = 0
        while !isLate() {
            commits += 1
            let name = String(repeating: "\(commits % 10)", count: 20_000)
            try await service.service.inventory.store.write { realm in
                realm.create(Item.self, value: ["sku": "BIG", "name": name], update: .modified)
            }
            try #require(commits < 50_000)
        }
    }

    @Test func `a client that reads slowly holds no versions, and loads the items again`() async throws {
        try await RunningService.run { service in
            try await HTTPConnection.open(port: service.port, receiveBuffer: 4_096) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")
                let feed = service.service.feed
                try await commit(to: service) { feed.lateReaderCount > 0 }
                // The stream waits for its client, and no version waits.
                try await eventually { try await service.service.inventory.store.statistics().activeVersions <= 2 }
                #expect(feed.readerCount == 1)
                var events: [String] = []
                while events.last != "reload" { events.append(try #require(await stream.event()).name) }
                #expect(events.dropLast().allSatisfy { $0 == "items" })
            }
        }
    }

    @Test func `a client that doesn't read is disconnected`() async throws {
        try await RunningService.run(
            settings: { settings in
                settings.feed.heartbeat = .milliseconds(5)
                settings.feed.patience = .milliseconds(50)
            }
        ) { service in
            try await HTTPConnection.open(port: service.port, receiveBuffer: 4_096) { stream in
                try await stream.send("GET", "/events")
                #expect(try await stream.event(after: stream.head())?.name == "reload")
                try await commit(to: service) { service.service.feed.readerCount == 0 }
            }
        }
    }

    @Test func `a reader that is late gets a reload instead of many events`() async throws {
        let reader = FeedReader(limit: 3) {}
        for version in 1...3 { reader.send(.change(ItemChange(deleted: ["A"]), version: UInt64(version))) }
        #expect(await reader.next()?.count == 3)
        for version in 4...9 { reader.send(.change(ItemChange(deleted: ["A"]), version: UInt64(version))) }
        let change = ItemEvent.change(ItemChange(deleted: ["A"]), version: 8)
        let late = try #require(await reader.next())
        #expect(late.first == .reload(version: 7) && late.dropFirst().first == change && late.count == 3)
        // Whatever the reader loads has the earlier events.
        reader.send(change)
        reader.send(.reload(version: 10))
        #expect(await reader.next() == [.reload(version: 10)])
        reader.finish()
        #expect(await reader.next() == nil)
    }
}

extension HTTPConnection {
    /// Reads the first event after a head that has arrived.
    func event(after head: Answer) async throws -> Event? {
        #expect(head.status == 200)
        return try await event()
    }
}
