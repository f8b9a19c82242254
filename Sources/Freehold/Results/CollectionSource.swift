import FreeholdEngine

/// The source of the elements of a managed collection of objects, and the stages that process them. For use by the
/// library only.
public struct _CollectionSource {
    enum Base {
        /// All objects of the table.
        case table
        /// The elements of a list.
        case list(Column, ObjectKey)
        /// The objects whose column links to one object.
        case backlinks(Column, ObjectKey)
    }

    let base: Base
    /// The table of the elements.
    let table: ManagedTable
    /// The core, which the source keeps alive.
    let core: RealmCore
    /// A function that makes a closure. The closure finds the same source, without stages, in any realm of the file.
    /// The function must be called where the realm is.
    private let locate: () -> (RealmCore) -> _CollectionSource?
    /// A closure that returns whether the owner of a list or of backlinks still exists.
    private let isOwnerLive: () -> Bool
    /// The state of the core when the collection was created. `Realm.invalidate()` invalidates all older collections,
    /// and collections that are derived from them later.
    private let birth: UInt64
    /// The stages in the order of the calls.
    private(set) var stages: [WrittenStage] = []

    /// Creates a source with all objects of a class.
    init(of table: ManagedTable) {
        self.init(.table, of: table, isLive: { true }) {
            let like = table.likeness
            return { $0.table(like: like).map { _CollectionSource(of: $0) } }
        }
    }

    init(
        _ base: Base,
        of table: ManagedTable,
        isLive: @escaping () -> Bool,
        locate: @escaping () -> (RealmCore) -> _CollectionSource?
    ) {
        self.locate = locate
        self.base = base
        self.table = table
        core = table.core
        isOwnerLive = isLive
        birth = table.core.stateVersion
    }

    var isInvalidated: Bool {
        core.verifyThread()
        return birth < core.invalidatedBefore || !isOwnerLive()
    }

    /// Returns a closure that finds the same source in any realm of the file, or returns nil if it doesn't exist there.
    /// The method must be called where the realm is.
    func location() -> (RealmCore) -> _CollectionSource? {
        let find = locate()
        let stages = stages.map { $0.withoutLiveObjects }
        return { find($0)?.adding(stages) }
    }

    /// The text of the conditions, for messages.
    var written: String {
        let conditions = stages.compactMap { stage -> String? in
            guard case .filter(let condition) = stage else { return nil }
            return QueryPrinter.text(condition) { QueryConstant.of($0) }
        }
        return conditions.isEmpty ? "" : ": " + conditions.joined(separator: "; ")
    }

    func adding(_ stage: WrittenStage) -> _CollectionSource { adding([stage]) }

    /// Returns the source with filters, sorts and further stages, in written order.
    func adding(_ query: WrittenQuery) -> _CollectionSource { adding(query.allStages) }

    private func adding(_ stages: [WrittenStage]) -> _CollectionSource {
        var source = self
        source.stages += stages
        return source
    }
}

/// The keys by position, for one state.
enum KeySequence {
    case array([ObjectKey])
    /// All objects of a table in a snapshot.
    case table(DataView, Table, count: Int)

    var count: Int {
        switch self {
        case .array(let keys): keys.count
        case .table(_, _, let count): count
        }
    }

    subscript(i: Int) -> ObjectKey {
        switch self {
        case .array(let keys): keys[i]
        case .table(let view, let table, _): view.key(at: i, in: table)
        }
    }
}
