import FreeholdEngine

/// A change of an object that waits until the user writes it.
struct StagedEdit: Sendable {
    /// The change, with the stored names of classes and properties, so that a change of the schema can't redirect it.
    enum Action: Sendable {
        case set(property: String, to: Value)
        /// Creates an object. The values are those of properties that aren't collections, and of collections as a whole.
        case create(values: [(property: String, value: StagedValue)])
        case delete
        // The positions of a waiting edit are positions in the stored list. The positions of an inverse are positions in the list to which the
        // inverse is applied.
        case insert(property: String, at: Int, Value)
        case remove(property: String, at: Int)
        case replace(property: String, at: Int, Value)
        case move(property: String, from: Int, to: Int)
        case put(property: String, name: String, Value)
        case take(property: String, name: String)
        /// Restores a deleted object.
        case restore(ObjectImage)
    }

    let number: Int
    let className: String
    /// The object, or `nil` for an object that is created.
    let key: ObjectKey?
    let action: Action
    /// The stored value on which the edit was based.
    let base: StagedValue
    /// The edit as the page sent it.
    let json: StudioJSON
    /// The number of the request that staged the edit. The edits of one request are discarded together.
    var batch = 0

    var property: String? {
        switch action {
        case .set(let name, _), .insert(let name, _, _), .remove(let name, _), .replace(let name, _, _),
            .move(let name, _, _), .put(let name, _, _), .take(let name, _):
            name
        case .create, .delete, .restore: nil
        }
    }

    /// The value that the edit stores.
    var newValue: Value? {
        switch action {
        case .set(_, let value), .insert(_, _, let value), .replace(_, _, let value), .put(_, _, let value): value
        default: nil
        }
    }

    /// The place of the edit, or `nil` for an edit that is always added. A later edit of the same place replaces this one.
    var place: EditedPlace? {
        guard let key else { return nil }
        let part: EditedPlace.Part
        switch action {
        case .set: part = .value
        case .delete: part = .object
        case .remove(_, let at), .replace(_, let at, _): part = .element(at)
        case .move(_, let from, _): part = .order(from)
        case .put(_, let name, _), .take(_, let name): part = .entry(name)
        case .create, .insert, .restore: return nil
        }
        return EditedPlace(className: className, key: key, property: property, part: part)
    }

    /// The place of an earlier edit that this edit makes unnecessary: a removed element isn't moved, and a moved element isn't removed.
    var uselessPlace: EditedPlace? {
        guard let key else { return nil }
        let part: EditedPlace.Part
        switch action {
        case .remove(_, let at): part = .order(at)
        case .move(_, let from, _): part = .element(from)
        default: return nil
        }
        return EditedPlace(className: className, key: key, property: property, part: part)
    }

    /// The position of the element that an edit of a list or set concerns.
    var position: Int? {
        switch action {
        case .insert(_, let at, _), .remove(_, let at), .replace(_, let at, _), .move(_, let at, _): at
        default: nil
        }
    }

    /// Returns the title that the object of a creation will have, or `nil` for other edits.
    func createdTitle(_ column: Column?) -> String? {
        guard case .create(let values) = action, let column,
            case .value(let value)? = values.first(where: { $0.property == column.name })?.value, !value.isNull
        else { return nil }
        return ValueText.plain(value)
    }

    var removesElement: Bool { if case .remove = action { true } else { false } }
}

/// The part of an object that an edit changes.
struct EditedPlace: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case object
        case value
        /// An element of a list or set, by its position.
        case element(Int)
        /// The position of an element of a list.
        case order(Int)
        /// An entry of a map.
        case entry(String)
    }

    let className: String
    let key: ObjectKey
    let property: String?
    let part: Part
}

/// The stored value of a property, or a part of it, with which an edit is compared.
enum StagedValue: Sendable, Equatable {
    case nothing
    case value(Value)
    case list([Value])
    case map([NestedDictionary.Entry])
    /// The number of elements of a collection and one of them.
    case element(count: Int, Value?)
    /// The fact that the object exists.
    case object

    /// Returns the whole value of a property.
    static func whole(_ column: Column, _ key: ObjectKey, in view: DataView) -> StagedValue {
        switch column.collection {
        case .none: .value(view.value(column, key))
        case .list, .set: .list(view.listValues(column, key))
        case .dictionary: .map(entries(column, key, in: view))
        }
    }

    static func entries(_ column: Column, _ key: ObjectKey, in view: DataView) -> [NestedDictionary.Entry] {
        zip(view.dictionaryKeys(column, key), view.dictionaryValues(column, key)).map { NestedDictionary.Entry($0, $1) }
    }
}

/// The waiting edits of a session, in their order, and the inverses of its writes.
struct StagedEdits: DiscardableEdits, Sendable {
    private(set) var edits: [StagedEdit] = []
    /// The indexes in `edits` of the last edit of each place.
    private var indexes: [EditedPlace: Int] = [:]
    /// The number of the edit that was read last.
    private(set) var lastNumber = 0
    private var lastBatch = 0
    /// The inverses of the last writes, by version.
    private(set) var inverses: [(version: UInt64, edits: [StagedEdit], isTooLarge: Bool)] = []

    static let mostEdits = 100_000
    private static let mostInverses = 100
    /// The maximum number of edits in all inverses together.
    private static let mostInverseEdits = 100_000

    /// Adds the edits of one request.
    ///
    /// An edit of a place replaces an earlier one of this place. It keeps its number, and the stored value on which it was based.
    /// - Complexity: O(edits), and O(waiting edits) for each edit that makes an earlier one unnecessary.
    mutating func add(_ new: [StagedEdit]) {
        lastBatch += 1
        for edit in new {
            lastNumber = max(lastNumber, edit.number)
            var edit = edit
            edit.batch = lastBatch
            add(edit)
        }
    }

    private mutating func add(_ edit: StagedEdit) {
        dropUseless(edit)
        guard let place = edit.place else { return edits.append(edit) }
        guard let i = indexes[place], replaces(edit, edits[i]) else {
            indexes[place] = edits.count
            return edits.append(edit)
        }
        // A second deletion of an object changes nothing.
        if case .delete = edit.action { return }
        let old = edits[i]
        let merged = StagedEdit(
            number: old.number,
            className: edit.className,
            key: edit.key,
            action: edit.action,
            base: old.base,
            json: edit.json,
            batch: edit.batch
        )
        // A waiting object must be created before an edit that links to it.
        guard edit.newValue?.linksToWaiting == true else { return edits[i] = merged }
        edits.remove(at: i)
        edits.append(merged)
        index()
    }

    /// Elements at one position are the same only if both edits were based on the same list.
    private func replaces(_ edit: StagedEdit, _ old: StagedEdit) -> Bool {
        switch edit.place?.part {
        case .element, .order: edit.base == old.base
        default: true
        }
    }

    private mutating func dropUseless(_ edit: StagedEdit) {
        guard let place = edit.uselessPlace, let i = indexes[place], edits[i].base == edit.base,
            edit.removesElement || edits[i].removesElement
        else { return }
        edits.remove(at: i)
        index()
    }

    private mutating func index() {
        indexes = [:]
        for (i, edit) in edits.enumerated() { if let place = edit.place { indexes[place] = i } }
    }

    /// Discards the edits with the numbers.
    mutating func discard(_ numbers: Set<Int>) {
        edits.removeAll { numbers.contains($0.number) }
        index()
    }

    mutating func discardAll() { (edits, indexes) = ([], [:]) }

    /// Discards the edits of the last request.
    mutating func discardLast() {
        guard let last = edits.map(\.batch).max() else { return }
        edits.removeAll { $0.batch == last }
        index()
    }

    /// The objects that waiting edits create and to which the page gave names.
    var named: [WaitingObject] {
        edits.compactMap { edit in
            guard case .create = edit.action, let name = edit.json["create"]?["as"]?.text else { return nil }
            return WaitingObject(className: edit.className, number: edit.number, name: name)
        }
    }

    /// Keeps the inverse of a write, so that it can be undone. The oldest inverses are removed when there are too many.
    mutating func keep(_ inverse: [StagedEdit], of version: UInt64, isTooLarge: Bool) {
        inverses.append((version, isTooLarge ? [] : inverse, isTooLarge))
        while inverses.count > Self.mostInverses
            || inverses.count > 1 && inverses.reduce(0, { $0 + $1.edits.count }) > Self.mostInverseEdits
        {
            inverses.removeFirst()
        }
    }

    mutating func dropInverse(of version: UInt64) { inverses.removeAll { $0.version == version } }

    func canUndo(_ version: UInt64) -> Bool { inverses.contains { $0.version == version && !$0.isTooLarge } }
}
