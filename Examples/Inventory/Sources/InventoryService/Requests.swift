import Foundation
import HTTPTypes
import Hummingbird

/// The body of a request that creates or replaces an item.
struct ItemDraft: Decodable, Sendable {
    var sku: String?
    var name: String
    var category: String
    var quantity: Int?
    var reorderLevel: Int?
    var tags: [String]?

    /// Checks all fields, so that a client sees all mistakes at once.
    ///
    /// - Throws: A `Problem` that lists the invalid fields.
    func validate(isNew: Bool) throws {
        var check = FieldCheck()
        if isNew {
            check.require(sku.map(isSKU) ?? false, field: "sku", "has 1 to 32 capitals, digits and hyphens")
            check.require(isQuantity(quantity ?? 0), field: "quantity", "is 0 to \(maximumQuantity)")
        } else {
            check.require(sku == nil, field: "sku", "can't be changed")
            check.require(quantity == nil, field: "quantity", "is changed by movements only")
        }
        check.require((1...200).contains(name.count), field: "name", "has 1 to 200 characters")
        check.require((1...60).contains(category.count), field: "category", "has 1 to 60 characters")
        check.require(isQuantity(reorderLevel ?? 0), field: "reorderLevel", "is 0 to \(maximumQuantity)")
        check.require((tags ?? []).count <= 20, field: "tags", "has up to 20 elements")
        for (index, tag) in (tags ?? []).enumerated() {
            check.require((1...40).contains(tag.count), field: "tags.\(index)", "has 1 to 40 characters")
        }
        try check.end()
    }
}

/// The body of a request that changes quantities. All movements happen, or none does.
struct MovementDraft: Decodable, Sendable {
    var id: UUID
    var sku: String
    var delta: Int
    var reason: String?

    /// Checks the movements of one request.
    ///
    /// - Throws: A `Problem` that lists the invalid fields.
    static func validate(_ drafts: [MovementDraft]) throws {
        var check = FieldCheck()
        check.require((1...1_000).contains(drafts.count), field: "movements", "has 1 to 1,000 elements")
        var keys = Set<UUID>()
        for (index, draft) in drafts.enumerated() {
            check.require(keys.insert(draft.id).inserted, field: "\(index).id", "occurs twice")
            check.require(isSKU(draft.sku), field: "\(index).sku", "has 1 to 32 capitals, digits and hyphens")
            check.require(
                draft.delta != 0 && draft.delta.magnitude <= maximumQuantity,
                field: "\(index).delta",
                "is up to \(maximumQuantity), and not 0"
            )
            check.require((draft.reason ?? "").count <= 200, field: "\(index).reason", "has up to 200 characters")
        }
        try check.end()
    }
}

/// The largest quantity of an item. Sums of it don't overflow.
let maximumQuantity = 1_000_000_000

func isQuantity(_ number: Int) -> Bool { (0...maximumQuantity).contains(number) }

func isSKU(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
        && text.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == 45 }
}

/// The list of a request's mistakes.
struct FieldCheck {
    private var errors: [Problem.FieldError] = []

    mutating func require(_ isValid: Bool, field: String, _ message: String) {
        if !isValid { errors.append(.init(field: field, message: message)) }
    }

    func end() throws {
        if errors.isEmpty { return }
        throw Problem(.unprocessableContent, "invalid", detail: "The request is invalid.", errors: errors)
    }
}

/// The query of a request for a page of items.
struct ItemQuery: Sendable {
    var category: String?
    var text: String?
    var isLow = false
    /// The last key of the page before.
    var after: String?
    var limit = 50

    init(_ request: Request) throws {
        var check = FieldCheck()
        for (name, value) in request.uri.queryParameters {
            let value = String(value)
            switch name {
            case "category": category = value
            case "q": text = value
            case "low":
                check.require(["true", "false"].contains(value), field: "low", "is true or false")
                isLow = value == "true"
            case "after":
                check.require(isSKU(value), field: "after", "is the `next` of a page")
                after = value
            case "limit":
                let number = Int(value) ?? 0
                check.require((1...500).contains(number), field: "limit", "is 1 to 500")
                limit = number
            default: check.require(false, field: String(name), "is unknown")
            }
        }
        try check.end()
    }
}

/// A page of a list.
struct Page<Element: Codable & Sendable>: Codable, Sendable {
    var items: [Element]
    /// The value with which the following page is requested, or `nil` for the last page.
    var next: String?
}
