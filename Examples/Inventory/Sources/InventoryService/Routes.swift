import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The context of a request.
struct InventoryContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection of the request.
    let channel: any Channel

    init(source: Source) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// The largest body of a request in bytes.
    var maxUploadSize: Int { 256 * 1024 }
}

/// The routes of items and movements.
struct ItemRoutes: Sendable {
    let inventory: Inventory

    func add(to router: Router<InventoryContext>) {
        router.get("/items", use: list)
        router.post("/items", use: create)
        router.get("/items/:sku", use: show)
        router.put("/items/:sku", use: replace)
        router.delete("/items/:sku", use: delete)
        router.get("/items/:sku/movements", use: movements)
        router.post("/movements", use: move)
    }

    @Sendable private func list(_ request: Request, context: InventoryContext) async throws -> Response {
        let page = try await inventory.items(ItemQuery(request))
        var response = try JSON.response(page)
        if let next = page.next {
            // The same query with the next cursor. A key needs no escaping.
            let others = (request.uri.query ?? "").split(separator: "&").filter { !$0.hasPrefix("after=") }
            let query = (others + ["after=\(next)"]).joined(separator: "&")
            response.headers[HTTPField.Name("Link")!] = "</items?\(query)>; rel=\"next\""
        }
        return response
    }

    @Sendable private func create(_ request: Request, context: InventoryContext) async throws -> Response {
        let item = try await inventory.create(JSON.decode(ItemDraft.self, from: request, context: context))
        var response = try response(item, status: .created)
        response.headers[.location] = "/items/\(item.sku)"
        return response
    }

    @Sendable private func show(_ request: Request, context: InventoryContext) async throws -> Response {
        let item = try await inventory.item(context.parameters.require("sku"))
        if request.headers[.ifNoneMatch] == item.entityTag {
            return Response(status: .notModified, headers: [.eTag: item.entityTag])
        }
        return try response(item)
    }

    @Sendable private func replace(_ request: Request, context: InventoryContext) async throws -> Response {
        let draft = try await JSON.decode(ItemDraft.self, from: request, context: context)
        let sku = try context.parameters.require("sku")
        return try response(await inventory.replace(sku, with: draft, revision: revision(request)))
    }

    @Sendable private func delete(_ request: Request, context: InventoryContext) async throws -> Response {
        try await inventory.delete(context.parameters.require("sku"), revision: revision(request))
        return Response(status: .noContent)
    }

    @Sendable private func movements(_ request: Request, context: InventoryContext) async throws -> Response {
        var check = FieldCheck()
        var (before, limit): (Int?, Int) = (nil, 50)
        for (name, value) in request.uri.queryParameters {
            switch name {
            case "before":
                before = Int(value)
                check.require(before != nil, field: "before", "is the `next` of a page")
            case "limit":
                limit = Int(value) ?? 0
                check.require((1...500).contains(limit), field: "limit", "is 1 to 500")
            default: check.require(false, field: String(name), "is unknown")
            }
        }
        try check.end()
        let sku = try context.parameters.require("sku")
        return try JSON.response(await inventory.movements(of: sku, before: before, limit: limit))
    }

    @Sendable private func move(_ request: Request, context: InventoryContext) async throws -> Response {
        let drafts = try await JSON.decode([MovementDraft].self, from: request, context: context)
        let (movements, isRepeated) = try await inventory.move(drafts)
        return try JSON.response(movements, status: isRepeated ? .ok : .created)
    }

    private func response(_ item: ItemInfo, status: HTTPResponse.Status = .ok) throws -> Response {
        var response = try JSON.response(item, status: status)
        response.headers[.eTag] = item.entityTag
        return response
    }

    /// Returns the revision of the header `If-Match`, or `nil` without the header.
    private func revision(_ request: Request) throws -> Int? {
        guard let tag = request.headers[.ifMatch], tag != "*" else { return nil }
        guard tag.hasPrefix("\""), tag.hasSuffix("\""), let revision = Int(tag.dropFirst().dropLast()) else {
            throw Problem(.badRequest, "if-match", detail: "If-Match has one entity tag of an item.")
        }
        return revision
    }
}
