/// The values of a record by their names, in the order in which they were added.
///
/// Most records have few fields. They are stored in an array that is searched from the start, and only records with
/// many fields have a table. One dictionary for each object of a stream would take several times the memory, and each
/// access would compute a hash.
struct NamedValues<Value: Sendable>: Sendable {
    struct Entry: Sendable {
        let name: SyncString
        var value: Value
    }

    private var entries: [Entry]
    /// The indices of the names. `nil` if the record has few fields.
    private var table: [SyncString: Int]?

    private static var few: Int { 16 }

    init() { entries = [] }

    init(_ values: [SyncString: Value]) {
        entries = values.map { Entry(name: $0.key, value: $0.value) }
        index()
    }

    /// - Parameter entries: The entries, with different names.
    init(unique entries: [Entry]) {
        self.entries = entries
        index()
    }

    private mutating func index() {
        guard entries.count > Self.few else { return }
        var table: [SyncString: Int] = [:]
        table.reserveCapacity(entries.count)
        for (place, entry) in entries.enumerated() { table[entry.name] = place }
        self.table = table
    }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }

    mutating func reserveCapacity(_ count: Int) { entries.reserveCapacity(count) }

    /// - Complexity: O(1)
    func place(of name: SyncString) -> Int? {
        if let table { return table[name] }
        for place in entries.indices where entries[place].name == name { return place }
        return nil
    }

    subscript(name: SyncString) -> Value? { place(of: name).map { entries[$0].value } }

    subscript(place place: Int) -> Value {
        get { entries[place].value }
        _modify { yield &entries[place].value }
    }

    /// - Precondition: The name is not present.
    mutating func append(_ name: SyncString, _ value: Value) {
        entries.append(Entry(name: name, value: value))
        if table != nil {
            table![name] = entries.count - 1
        } else {
            index()
        }
    }

    mutating func forEachValue(_ body: (inout Value) -> Void) {
        for place in entries.indices { body(&entries[place].value) }
    }
}

extension NamedValues: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }
    subscript(index: Int) -> Entry { entries[index] }
}

extension NamedValues: Equatable where Value: Equatable {
    /// The order of the entries doesn't matter.
    static func == (a: NamedValues, b: NamedValues) -> Bool {
        a.count == b.count && a.entries.allSatisfy { entry in b[entry.name] == entry.value }
    }
}

extension NamedValues {
    /// The entries, sorted by their names.
    var byName: [Entry] {
        var last: SyncString?
        for entry in entries {
            if let last, !(last < entry.name) { return entries.sorted { $0.name < $1.name } }
            last = entry.name
        }
        return entries
    }
}
