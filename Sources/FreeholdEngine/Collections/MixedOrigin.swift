/// The origin of a link inside a mixed value, as one number: `table (12 bits) | column (13) | key (38)`.
///
/// The origins of one column are therefore a contiguous run in the sorted inverse of a target.
struct MixedOrigin: Equatable {
    static let tableBits: Int64 = 12
    static let columnBits: Int64 = 13
    static let keyBits: Int64 = 38

    let tableID: Int
    let columnID: Int
    let key: ObjectKey

    init(_ column: Column, _ key: ObjectKey) {
        tableID = column.tableID
        columnID = column.id
        self.key = key
    }

    init(_ code: Int64) {
        tableID = Int(code >> (Self.columnBits + Self.keyBits))
        columnID = Int(code >> Self.keyBits & ((1 << Self.columnBits) - 1))
        key = ObjectKey(code & ((1 << Self.keyBits) - 1))
    }

    var code: Int64 { (Int64(tableID) << Self.columnBits | Int64(columnID)) << Self.keyBits | key.raw }

    /// Returns whether the origins of a column's links can be encoded.
    static func fits(_ column: Column) -> Bool {
        column.tableID < 1 << Self.tableBits && column.id < 1 << Self.columnBits
    }
}

extension Value {
    /// Calls `body` with every link inside a mixed value, including nested ones.
    func forEachObjectLink(_ body: (ObjectLink) -> Void) {
        switch self {
        case .objectLink(let link): body(link)
        case .list(let list): for element in list.values { element.forEachObjectLink(body) }
        case .dictionary(let dictionary): for entry in dictionary.entries { entry.value.forEachObjectLink(body) }
        default: break
        }
    }

    var hasObjectLinks: Bool {
        switch self {
        case .objectLink: true
        case .list(let list): list.values.contains { $0.hasObjectLinks }
        case .dictionary(let dictionary): dictionary.entries.contains { $0.value.hasObjectLinks }
        default: false
        }
    }

    /// Returns the mixed value in which `new` replaces each link to an object, or `nil` if the value doesn't contain the link.
    func replacing(_ link: ObjectLink, with new: Value = .null) -> Value? {
        switch self {
        case .objectLink(link): return new
        case .list(var list):
            var hasChanged = false
            for i in list.values.indices {
                guard let value = list.values[i].replacing(link, with: new) else { continue }
                list.values[i] = value
                hasChanged = true
            }
            return hasChanged ? .list(list) : nil
        case .dictionary(var dictionary):
            var hasChanged = false
            for entry in dictionary.entries {
                guard let value = entry.value.replacing(link, with: new) else { continue }
                dictionary[entry.key] = value
                hasChanged = true
            }
            return hasChanged ? .dictionary(dictionary) : nil
        default: return nil
        }
    }
}
