import FreeholdEngine

/// An object that a waiting edit creates. Other waiting edits link to it.
/// Until the object is created, values contain a negative number instead of its key.
struct WaitingObject: Sendable {
    let className: String
    /// The number of the edit that creates the object.
    let number: Int
    /// The name that the page gave to the object.
    let name: String
    var title: String?

    var key: ObjectKey { ObjectKey(Int64(-1 - number)) }

    /// Returns the number of the creation, or `nil` if the key is that of a stored object.
    static func number(_ key: ObjectKey) -> Int? { key.raw < 0 ? Int(-1 - key.raw) : nil }
}

extension Value {
    /// A Boolean value that indicates whether the value is or contains a link to a waiting object.
    var linksToWaiting: Bool {
        switch self {
        case .link(let key): WaitingObject.number(key) != nil
        case .objectLink(let link): WaitingObject.number(link.key) != nil
        case .list(let list): list.values.contains(where: \.linksToWaiting)
        case .dictionary(let map): map.entries.contains { $0.value.linksToWaiting }
        default: false
        }
    }

    /// Returns the value with other links.
    ///
    /// - Parameters:
    ///   - tableID: The class of the target of a link that isn't mixed.
    ///   - body: Returns the key in place of a key.
    func mapLinks(to tableID: Int?, _ body: (_ tableID: Int, ObjectKey) throws -> ObjectKey) rethrows -> Value {
        switch self {
        case .link(let key):
            guard let tableID else { return self }
            return .link(try body(tableID, key))
        case .objectLink(let link):
            return .objectLink(ObjectLink(tableID: link.tableID, key: try body(link.tableID, link.key)))
        case .list(let list):
            return .list(NestedList(id: list.id, try list.values.map { try $0.mapLinks(to: nil, body) }))
        case .dictionary(let map):
            let entries = try map.entries.map { entry in
                NestedDictionary.Entry(entry.key, try entry.value.mapLinks(to: nil, body))
            }
            return .dictionary(NestedDictionary(id: map.id, entries))
        default: return self
        }
    }
}
