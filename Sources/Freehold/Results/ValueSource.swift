import FreeholdEngine

/// A collection's values of one moment.
struct ValueSnapshot<Element: RealmCollectionValue> {
    /// As they are stored.
    let values: [Value]
    /// The element at a position.
    let element: (Int) -> Element
}

/// Where a collection of values (not of objects) takes its elements from, and what is done to them. For the library
/// only.
public struct _ValueSource<Element: RealmCollectionValue> {
    /// Kept alive; nil for an unmanaged collection, which is read once.
    let core: RealmCore?
    /// As that of a ``_CollectionSource``.
    private let locate: () -> (RealmCore) -> _ValueSource?
    /// Whether the owner of the collection still lives.
    private let isOwnerLive: () -> Bool
    /// As that of a ``_CollectionSource``.
    private let birth: UInt64
    let snapshot: () -> ValueSnapshot<Element>
    /// In the order in which they were asked for.
    private(set) var stages: [ValueStage] = []
    /// Where a managed collection lies; nil of one that was deleted.
    let stored: () -> StoredCollection?

    init(
        _ core: RealmCore,
        isLive: @escaping () -> Bool,
        locate: @escaping () -> (RealmCore) -> _ValueSource?,
        stored: @escaping () -> StoredCollection?,
        _ snapshot: @escaping () -> ValueSnapshot<Element>
    ) {
        self.core = core
        self.locate = locate
        isOwnerLive = isLive
        birth = core.stateVersion
        self.stored = stored
        self.snapshot = snapshot
    }

    /// Values that are in memory.
    init(_ elements: [Element]) {
        core = nil
        locate = { { _ in nil } }
        isOwnerLive = { true }
        birth = 0
        stored = { nil }
        let snapshot = ValueSnapshot(values: UnmanagedValues.stored(elements)) { elements[$0] }
        self.snapshot = { snapshot }
    }

    /// What finds the same in any realm of the file; nil where it isn't there. To be asked where the realm is.
    func location() -> (RealmCore) -> _ValueSource? {
        let find = locate()
        let stages = stages
        return { core in
            var source = find(core)
            source?.stages = stages
            return source
        }
    }

    var isInvalidated: Bool {
        guard let core else { return false }
        core.verifyThread()
        return birth < core.invalidatedBefore || !isOwnerLive()
    }

    func adding(_ stage: WrittenStage) throws(QueryError) -> _ValueSource {
        var source = self
        switch stage {
        case .filter: throw .unfiltered(Element.self)
        case .sort(let keys):
            guard keys.count == 1, keys[0].path.isSelf else {
                throw QueryError(
                    .type,
                    "A collection of \(Element.self) can only be sorted by \"self\", once. Sort by '\(keys.first?.path.keyPath ?? "")' needs objects."
                )
            }
            source.stages.append(.sort(ascending: keys[0].ascending))
        case .distinct(let paths):
            guard !paths.isEmpty, paths.allSatisfy(\.isSelf) else {
                throw QueryError(.type, "A collection of \(Element.self) can only be made distinct by \"self\".")
            }
            source.stages.append(.distinct)
        case .limit(let n): source.stages.append(.limit(n))
        case .offset(let n): source.stages.append(.offset(n))
        }
        return source
    }

    func fold(_ aggregate: Aggregate) -> Value {
        // The order doesn't matter, and there is nothing to cut.
        let values = stages.isEmpty ? snapshot().values : ValueResults(self).values
        return ValueFold.fold(aggregate, values, of: Element._rlmShape.type.columnType ?? .mixed)
    }
}

extension NamedPath {
    /// `self`: the elements themselves.
    var isSelf: Bool { steps == [.name("self")] && suffix == nil }
}

/// The stored forms of elements in memory.
enum UnmanagedValues {
    static func stored<Element: RealmCollectionValue>(_ elements: [Element]) -> [Value] {
        var objects: [ObjectBase: Int64] = [:]
        return elements.map { stored(Element._rlmContent($0), &objects) }
    }

    /// Objects are told apart by the order in which they come.
    private static func stored(_ content: _StoredContent, _ objects: inout [ObjectBase: Int64]) -> Value {
        switch content {
        case .value(let value): return value
        case .object(let object?):
            let number = objects[object] ?? Int64(objects.count)
            objects[object] = number
            return .objectLink(ObjectLink(tableID: 0, key: ObjectKey(number)))
        case .list(let elements): return .list(NestedList(elements.map { stored($0, &objects) }))
        case .dictionary(let entries):
            return .dictionary(
                NestedDictionary(entries.map { NestedDictionary.Entry($0.key, stored($0.content, &objects)) })
            )
        case .object(nil), .values, .computed: return .null
        }
    }
}
