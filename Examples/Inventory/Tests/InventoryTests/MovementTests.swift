import Foundation
import Freehold
import Testing

@testable import InventoryService

@Suite(.timeLimit(.minutes(5))) struct MovementTests {
    @Test func `movements of one request happen together or not at all`() async throws {
        try await RunningService.run { service in
            try await service.create("A", quantity: 5)
            try await service.create("B", quantity: 1)
            let (one, two) = (UUID(), UUID())
            func move(_ count: Int) async throws -> Answer {
                try await service.request(
                    "POST",
                    "/movements",
                    body: """
                        [{"id":"\(one)","sku":"B","delta":\(count),"reason":"transfer"},
                         {"id":"\(two)","sku":"A","delta":-\(count),"reason":"transfer"}]
                        """
                )
            }
            let refused = try await move(6)
            #expect(try refused.status == 409 && refused.decoded(Problem.self).title == "stock")
            #expect(try await service.request("GET", "/items/B").decoded(ItemInfo.self).quantity == 1)

            let moved = try await move(5)
            #expect(moved.status == 201)
            #expect(try moved.decoded([MovementInfo].self).map(\.balance) == [6, 0])
            // A client repeats a request whose response was lost.
            let again = try await move(5)
            #expect(again.status == 200)
            #expect(try again.decoded([MovementInfo].self) == moved.decoded([MovementInfo].self))
            #expect(try await service.request("GET", "/items/B").decoded(ItemInfo.self).quantity == 6)
            // The same id for something else is a mistake of the client.
            #expect(try await service.move("B", by: 1, id: one).status == 409)
        }
    }

    @Test func `concurrent requests never take more than the stock`() async throws {
        try await RunningService.run { service in
            try await service.create("A", quantity: 15)
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<40 { group.addTask { try await service.move("A", by: -1).status } }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 15, 409: 25])
            #expect(try await service.request("GET", "/items/A").decoded(ItemInfo.self).quantity == 0)
        }
    }

    @Test func `the newest movements are listed first, in pages`() async throws {
        try await RunningService.run { service in
            try await service.create("A")
            for delta in 1...5 { #expect(try await service.move("A", by: delta).status == 201) }
            var (next, deltas): (String?, [Int]) = ("", [])
            while let before = next {
                let query = before.isEmpty ? "" : "&before=\(before)"
                let answer = try await service.request("GET", "/items/A/movements?limit=2\(query)")
                let page = try answer.decoded(Page<MovementInfo>.self)
                deltas += page.items.map(\.delta)
                next = page.next
            }
            #expect(deltas == [5, 4, 3, 2, 1])
            #expect(try await service.request("GET", "/items/A/movements?before=x").status == 422)
            #expect(try await service.request("GET", "/items/Z/movements").status == 404)

            // An item in stock can't be deleted. Without stock, its movements are deleted with it.
            #expect(try await service.request("DELETE", "/items/A").status == 409)
            #expect(try await service.move("A", by: -15).status == 201)
            #expect(try await service.request("DELETE", "/items/A").status == 204)
            #expect(try await service.service.inventory.store.read { $0.objects(Movement.self).count } == 0)
        }
    }

    static let invalid: [ItemTests.Invalid] = [
        .init("[]", 422, fields: ["movements"]),
        .init(#"[{"id":"x","sku":"A","delta":1}]"#, 422, fields: ["0.id"]),
        .init(
            #"[{"id":"C0FFEE00-0000-0000-0000-000000000000","sku":"a","delta":0}]"#,
            422,
            fields: ["0.sku", "0.delta"]
        ),
        .init(
            #"[{"id":"C0FFEE00-0000-0000-0000-000000000000","sku":"A","delta":\#(Int.min)}]"#,
            422,
            fields: ["0.delta"]
        ),
        .init(#"[{"id":"C0FFEE00-0000-0000-0000-000000000000","sku":"NO","delta":1}]"#, 404),
    ]

    @Test(arguments: invalid)
    func `an invalid movement is refused with its fields`(_ invalid: ItemTests.Invalid) async throws {
        try await RunningService.run { service in
            let answer = try await service.request("POST", "/movements", body: invalid.body)
            #expect(answer.status == invalid.status)
            #expect(try (answer.decoded(Problem.self).errors ?? []).map(\.field) == invalid.fields)
        }
    }
}
