import FreeholdEngine
public import Observation

/// Tells the Observation framework what is read of one realm and what changes of it.
///
/// Made where ``Realm/Configuration/observationTracking`` is on. Nothing of a realm with a tracker takes the short ways
/// of reading, so that a realm without one pays nothing for it. Used where the realm is.
final class RealmTracker: Observable {
    /// What can be read of a realm, in so many parts as are told apart.
    struct Place: Hashable {
        let table: Int
        /// -1: whichever object.
        let key: Int64
        /// The column's id; -1: whether the object is there.
        let column: Int
    }

    private let registrar = ObservationRegistrar()
    /// Which places may have been read, by hash: telling the framework of a place costs far more than looking here.
    private var marks = [UInt64](repeating: 0, count: 8192)
    /// What was assigned in the open transaction, and is told again where that is rolled back.
    private var assigned: Set<Place> = []

    // What the framework's key paths lead to.
    private subscript(place: Place) -> Void { () }

    private func mark(_ place: Place) -> (word: Int, bit: UInt64) {
        let hash = UInt(bitPattern: place.hashValue)
        return (Int(hash >> 6 & 8191), 1 << (hash & 63))
    }

    // MARK: Reading

    private func access(_ place: Place) {
        let mark = mark(place)
        marks[mark.word] |= mark.bit
        registrar.access(self, keyPath: \.[place])
    }

    func accessProperty(_ table: Int, _ key: Int64, _ column: Int) {
        access(Place(table: table, key: key, column: column))
    }

    /// Whether an object is there.
    func accessLife(_ table: Int, _ key: Int64) { access(Place(table: table, key: key, column: -1)) }

    /// Anything of a table.
    func accessTable(_ table: Int) { access(Place(table: table, key: -1, column: -1)) }

    // MARK: Changes

    /// A property is about to be assigned.
    func willAssign(_ table: Int, _ key: Int64, _ column: Int) {
        let place = Place(table: table, key: key, column: column)
        assigned.insert(place)
        tell([place]) {}
    }

    /// The assignments of the open transaction are undone.
    func cancel(_ body: () -> Void) {
        let places = assigned
        assigned = []
        tell(places, body)
    }

    /// The realm moves to another version.
    func move(over changes: VersionChanges, _ body: () -> Void) {
        assigned = []
        var places: [Place] = []
        func add(_ table: Int, _ key: Int64, _ column: Int) {
            let place = Place(table: table, key: key, column: column)
            let mark = mark(place)
            if marks[mark.word] & mark.bit != 0 { places.append(place) }
        }
        for (table, delta) in changes.tables {
            add(table, -1, -1)
            for key in delta.deleted { add(table, key.raw, -1) }
            for (column, keys) in delta.modified { for key in keys { add(table, key.raw, column) } }
        }
        tell(places, body)
    }

    private func tell(_ places: some Collection<Place>, _ body: () -> Void) {
        for place in places { registrar.willSet(self, keyPath: \.[place]) }
        body()
        for place in places { registrar.didSet(self, keyPath: \.[place]) }
    }
}

extension RealmCore {
    /// Moves from one version to another, and tells the framework of it.
    func tracking(_ old: Snapshot?, _ new: Snapshot, _ body: () -> Void) {
        guard let tracker, let old, old.version < new.version else { return body() }
        tracker.move(over: file.hub.feed.changes(from: old, to: new), body)
    }
}

extension ManagedTable {
    /// A property is read, by a realm that tells the framework.
    func track(_ tracker: RealmTracker, _ key: Int64, _ property: Int) {
        if let column = columns[property] { tracker.accessProperty(table.id, key, column.id) }
    }
}

// SwiftUI and `withObservationTracking` see what is read of these where the configuration says so.
extension ObjectBase: Observable {}
extension List: Observable {}
extension MutableSet: Observable {}
extension Map: Observable {}
extension LinkingObjects: Observable {}
extension Results: Observable {}
extension AnyRealmCollection: Observable {}
extension SectionedResults: Observable {}
extension ResultsSection: Observable {}
extension Projection: Observable {}
extension ProjectedCollection: Observable {}
