import Foundation
import Testing

@testable import InventoryService

@Suite(.timeLimit(.minutes(5))) struct ItemTests {
    @Test func `an item is created, shown, replaced and deleted`() async throws {
        try await RunningService.run { service in
            let created = try await service.request(
                "POST",
                "/items",
                body: #"{"sku":"NAIL-40","name":"Nails, 40 mm","category":"nails","tags":["steel","box"]}"#
            )
            #expect(created.status == 201)
            #expect(created.headers["location"] == "/items/NAIL-40" && created.headers["etag"] == "\"1\"")
            #expect(try created.decoded(ItemInfo.self).tags == ["box", "steel"])

            let shown = try await service.request("GET", "/items/NAIL-40")
            #expect(shown.status == 200)
            #expect(try shown.decoded(ItemInfo.self) == created.decoded(ItemInfo.self))
            let tag = ["if-none-match": "\"1\""]
            #expect(try await service.request("GET", "/items/NAIL-40", headers: tag).status == 304)

            let body = #"{"name":"Nails","category":"nails","reorderLevel":5}"#
            let replaced = try await service.request("PUT", "/items/NAIL-40", body: body)
            let item = try replaced.decoded(ItemInfo.self)
            #expect(item.name == "Nails" && item.reorderLevel == 5 && item.tags.isEmpty && item.revision == 2)

            #expect(try await service.request("DELETE", "/items/NAIL-40").status == 204)
            #expect(try await service.request("GET", "/items/NAIL-40").status == 404)
            #expect(try await service.request("DELETE", "/items/NAIL-40").status == 404)
        }
    }

    @Test func `a client that has seen another revision changes nothing`() async throws {
        try await RunningService.run { service in
            try await service.create("A")
            let body = #"{"name":"First","category":"tools"}"#
            let first = try await service.request("PUT", "/items/A", headers: ["if-match": "\"1\""], body: body)
            #expect(first.status == 200 && first.headers["etag"] == "\"2\"")
            let late = try await service.request("PUT", "/items/A", headers: ["if-match": "\"1\""], body: body)
            #expect(try late.status == 412 && late.decoded(Problem.self).title == "changed")
            #expect(try await service.request("DELETE", "/items/A", headers: ["if-match": "\"1\""]).status == 412)
            #expect(try await service.request("DELETE", "/items/A", headers: ["if-match": "one"]).status == 400)
            #expect(try await service.request("DELETE", "/items/A", headers: ["if-match": "\"2\""]).status == 204)
        }
    }

    struct Invalid: Sendable {
        let body: String
        let status: Int
        let fields: [String]

        init(_ body: String, _ status: Int, fields: [String] = []) {
            (self.body, self.status, self.fields) = (body, status, fields)
        }
    }

    static let invalid: [Invalid] = [
        Invalid(#"{"sku":"a b","name":"","category":""}"#, 422, fields: ["sku", "name", "category"]),
        Invalid(#"{"name":"N","category":"c"}"#, 422, fields: ["sku"]),
        Invalid(#"{"sku":"A","category":"c"}"#, 422, fields: ["name"]),
        Invalid(#"{"sku":"A","name":null,"category":"c"}"#, 422, fields: ["name"]),
        Invalid(
            #"{"sku":"A","name":"N","category":"c","quantity":-1,"reorderLevel":2000000000}"#,
            422,
            fields: ["quantity", "reorderLevel"]
        ),
        Invalid(#"{"sku":"A","name":"N","category":"c","quantity":"many"}"#, 422, fields: ["quantity"]),
        Invalid(#"{"sku":"A","name":"N","category":"c","tags":["x",""]}"#, 422, fields: ["tags.1"]),
        Invalid(#"{"sku":"A","name":"N","category":"c","tags":["x",7]}"#, 422, fields: ["tags.1"]),
        Invalid(#"{"sku":"\#(String(repeating: "A", count: 33))","name":"N","category":"c"}"#, 422, fields: ["sku"]),
        Invalid("{", 400), Invalid("", 400), Invalid("[]", 400),
        Invalid(#"{"sku":"A","name":"\#(String(repeating: "x", count: 300_000))"}"#, 413),
    ]

    @Test(arguments: invalid) func `an invalid item is refused with its fields`(_ invalid: Invalid) async throws {
        try await RunningService.run { service in
            let answer = try await service.request("POST", "/items", body: invalid.body)
            #expect(answer.status == invalid.status)
            #expect(answer.headers["content-type"] == "application/problem+json")
            let problem = try answer.decoded(Problem.self)
            #expect(problem.status == invalid.status && (problem.errors ?? []).map(\.field) == invalid.fields)
            #expect(try await service.request("GET", "/items").decoded(Page<ItemInfo>.self).items.isEmpty)
        }
    }

    @Test func `one of many requests with one key creates the item`() async throws {
        try await RunningService.run { service in
            let statuses = try await withThrowingTaskGroup { group in
                for index in 0..<20 {
                    group.addTask {
                        let body = #"{"sku":"SAME","name":"Number \#(index)","category":"c"}"#
                        let answer = try await service.request("POST", "/items", body: body)
                        if answer.status == 409 { #expect(try answer.decoded(Problem.self).title == "duplicate") }
                        return answer.status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 19))
        }
    }

    @Test func `pages have each item once while others are created and deleted`() async throws {
        try await RunningService.run { service in
            for number in 10..<30 { try await service.create("N-\(number)") }
            var (path, seen): (String?, [String]) = ("/items?limit=6", [])
            while let next = path {
                let answer = try await service.request("GET", next)
                let page = try answer.decoded(Page<ItemInfo>.self)
                #expect(page.items.count <= 6)
                seen += page.items.map(\.sku)
                let link = answer.headers["link"]
                #expect((link == nil) == (page.next == nil))
                path = link.map { String($0.split(separator: ">")[0].dropFirst()) }
                // Before the page that was read, and behind it.
                try await service.create("A-\(seen.count)")
                _ = try await service.request("DELETE", "/items/N-10")
            }
            #expect(seen == (10..<30).map { "N-\($0)" })
        }
    }

    @Test func `a query finds items by category, text and stock`() async throws {
        try await RunningService.run { service in
            try await service.create("A", quantity: 1, category: "café & bar")
            try await service.create("B", quantity: 0)
            try await service.create("C", quantity: 3)
            func found(_ query: String) async throws -> [String] {
                try await service.request("GET", "/items?\(query)").decoded(Page<ItemInfo>.self).items.map(\.sku)
            }
            #expect(try await found("category=caf%C3%A9%20%26%20bar") == ["A"])
            #expect(try await found("q=ITEM%20c") == ["C"])
            #expect(try await found("low=true") == ["B"])
            #expect(try await found("limit=1&after=A") == ["B"])
            for query in ["limit=0", "limit=501", "limit=x", "after=%00", "low=yes", "order=name"] {
                let answer = try await service.request("GET", "/items?\(query)")
                let fields = try answer.decoded(Problem.self).errors?.map(\.field)
                #expect(answer.status == 422 && fields == [String(query.split(separator: "=")[0])])
            }
            let missing = try await service.request("GET", "/nothing")
            #expect(try missing.status == 404 && missing.decoded(Problem.self).status == 404)
        }
    }
}
