import FreeholdEngine

/// The place of nested collections: the value of a mixed property, or an element of a collection of mixed values.
struct MixedHome {
    let table: ManagedTable
    let owner: ObjectKey
    let property: Int
    let place: NestedSubscript

    init(_ table: ManagedTable, _ owner: ObjectKey, property: Int, place: NestedSubscript) {
        self.table = table
        self.owner = owner
        self.property = property
        self.place = place
    }

    var value: Value? {
        guard let column = table.columns[property] else { return nil }
        let view = table.core.view
        switch place {
        case .property: return view.value(column, owner)
        case .element(let i): return i < view.listCount(column, owner) ? view.listValue(column, owner, at: i) : nil
        case .entry(let name): return view.dictionaryValue(column, owner, forKey: name)
        }
    }
}

/// A list or dictionary inside a mixed value of a row. A live `List` or `Map` refers to it.
final class NestedCollection {
    let id: UInt64
    /// The place at which the collection was last found.
    private(set) var place: NestedSubscript
    private var cached: Value?
    private var stateVersion: UInt64 = 0
    private var changeCount: UInt64 = 0

    init(id: UInt64, near place: NestedSubscript) {
        self.id = id
        self.place = place
    }

    /// Returns the same collection for another realm.
    func moved() -> NestedCollection { NestedCollection(id: id, near: place) }

    /// Returns the present value of the collection, or nil if it no longer exists.
    ///
    /// - Complexity: O(1) if nothing has changed since the last read, or O(size of the value that contains it).
    func value(_ table: ManagedTable, _ column: Column, of owner: ObjectKey) -> Value? {
        table.core.exclusively { found(table, column, of: owner) }
    }

    private func found(_ table: ManagedTable, _ column: Column, of owner: ObjectKey) -> Value? {
        let core = table.core
        if cached != nil, stateVersion == core.stateVersion, changeCount == core.changeCount { return cached }
        cached = core.view.nested(column, owner, id: id, near: &place)
        stateVersion = core.stateVersion
        changeCount = core.changeCount
        return cached
    }

    /// Returns the value of an element.
    func element(_ value: Value, in table: ManagedTable, of owner: ObjectKey, property: Int) -> AnyRealmValue {
        AnyRealmValue(value, MixedHome(table, owner, property: property, place: place))
    }

    /// Edits the collection in the file.
    func update(
        _ transaction: WriteTransaction,
        table: ManagedTable,
        column: Column,
        owner: ObjectKey,
        body: (inout Value) throws(EngineError) -> Void
    ) throws(EngineError) {
        cached = nil
        try transaction.updateNested(column, owner, id: id, near: &place, body: body)
        table.core.willChange()
    }

    /// Returns a Boolean value that indicates whether the collection is the whole value at the place.
    func isRoot(of home: MixedHome) -> Bool { home.value?.nestedID == id }
}

extension Value {
    /// The elements of a nested list.
    var listElements: [Value] { if case .list(let list) = self { list.values } else { [] } }

    /// The entries of a nested dictionary.
    var dictionaryEntries: [NestedDictionary.Entry] {
        if case .dictionary(let dictionary) = self { dictionary.entries } else { [] }
    }

    mutating func editList(_ body: (inout [Value]) -> Void) {
        guard case .list(var list) = self else { return }
        self = .null
        body(&list.values)
        self = .list(list)
    }

    mutating func editDictionary(_ body: (inout NestedDictionary) -> Void) {
        guard case .dictionary(var dictionary) = self else { return }
        self = .null
        body(&dictionary)
        self = .dictionary(dictionary)
    }
}
