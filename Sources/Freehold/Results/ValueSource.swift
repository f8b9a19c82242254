import FreeholdEngine

/// The values of a collection at a point in time.
struct ValueSnapshot<Element: RealmCollectionValue> {
    /// The values in their stored form.
    let values: [Value]
    /// A closure that returns the element at a position.
    let element: (Int) -> Element
}

/// The source of the elements of a collection of values, and the stages that process them. For use by the library only.
public struct _ValueSource<Element: RealmCollectionValue> {
    /// The core, which the source keeps alive. It is nil for an unmanaged collection, which is read once.
    let core: RealmCore?
    /// See `_CollectionSource`.
    private let locate: () -> (RealmCore) -> _ValueSource?
    /// A closure that returns whether the owner of the collection still exists.
    private let isOwnerLive: () -> Bool
    /// See `_CollectionSource`.
    private let birth: UInt64
    let snapshot: () -> ValueSnapshot<Element>
    /// The stages in the order of the calls.
    private(set) var stages: [ValueStage] = []
    /// A closure that returns the place of a managed collection in the file, or nil if it was deleted.
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

    /// Creates a source with values in memory.
    init(_ elements: [Element]) {
        core = nil
        locate = { { _ in nil } }
        isOwnerLive = { true }
        birth = 0
        stored = { nil }
        let snapshot = ValueSnapshot(values: UnmanagedValues.stored(elements)) { elements[$0] }
        self.snapshot = { snapshot }
    }

    /// Returns a closure that finds the same source in any realm of the file, or returns nil if it doesn't exist there.
    /// The method must be called where the realm is.
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
        // Without stages, the order has no effect and no values are cut off.
        let values = stages.isEmpty ? snapshot().values : ValueResults(self).values
        return ValueFold.fold(aggregate, values, of: Element._rlmShape.type.columnType ?? .mixed)
    }
}

extension NamedPath {
    /// A Boolean value that indicates whether the path is `self`, which stands for the elements themselves.
    var isSelf: Bool { steps == [.name("self")] && suffix == nil }
}

/// The stored forms of elements in memory.
enum UnmanagedValues {
    static func stored<Element: RealmCollectionValue>(_ elements: [Element]) -> [Value] {
        var objects: [ObjectBase: Int64] = [:]
        return elements.map { stored(Element._rlmContent($0), &objects) }
    }

    /// Returns the stored form. Objects are numbered in the order of their occurrence.
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
