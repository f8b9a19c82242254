import FreeholdEngine

/// Where a managed collection of objects takes its elements from, and what is done to them. For the library only.
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
    /// The core, kept alive.
    let core: RealmCore
    /// Makes what finds the same in any realm of the file, without stages. To be called where the realm is.
    private let locate: () -> (RealmCore) -> _CollectionSource?
    /// Whether the owner of a list or of backlinks still lives.
    private let isOwnerLive: () -> Bool
    /// The core's state when the collection was asked for; `Realm.invalidate()` ends those before it, and with them what
    /// is derived from them later.
    private let birth: UInt64
    /// In the order in which they were asked for.
    private(set) var stages: [WrittenStage] = []

    /// All objects of a class.
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

    /// What finds the same in any realm of the file; nil where it isn't there. To be asked where the realm is.
    func location() -> (RealmCore) -> _CollectionSource? {
        let find = locate()
        let stages = stages.map { $0.withoutLiveObjects }
        return { find($0)?.adding(stages) }
    }

    /// The conditions, for messages.
    var written: String {
        let conditions = stages.compactMap { stage -> String? in
            guard case .filter(let condition) = stage else { return nil }
            return QueryPrinter.text(condition) { QueryConstant.of($0) }
        }
        return conditions.isEmpty ? "" : ": " + conditions.joined(separator: "; ")
    }

    func adding(_ stage: WrittenStage) -> _CollectionSource { adding([stage]) }

    /// Filters, sorts and the rest, in written order.
    func adding(_ query: WrittenQuery) -> _CollectionSource { adding(query.allStages) }

    private func adding(_ stages: [WrittenStage]) -> _CollectionSource {
        var source = self
        source.stages += stages
        return source
    }
}

/// Keys by position, of one state.
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
