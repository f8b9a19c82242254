import FreeholdEngine
public import Observation

/// A tracker that reports the reads and changes of one realm to the Observation framework.
///
/// A realm has a tracker if ``Realm/Configuration/observationTracking`` is on. Such a realm doesn't use the fast paths
/// for reading, so tracking costs nothing for realms without a tracker. The tracker is used only where the realm is.
final class RealmTracker: Observable {
    /// The smallest part of a realm that the framework distinguishes.
    struct Place: Hashable {
        let table: Int
        /// The object key, or -1 for any object.
        let key: Int64
        /// The column's id, or -1 for the existence of the object.
        let column: Int
    }

    private let registrar = ObservationRegistrar()
    /// A filter, by hash, of the places that may have been read. A look at the filter costs far less than a report to
    /// the framework.
    private var marks = [UInt64](repeating: 0, count: 8192)
    /// The places that were assigned in the open transaction. They are reported again if the transaction is rolled
    /// back.
    private var assigned: Set<Place> = []

    // The target of the framework's key paths.
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

    func accessProperty(_ table: Int, object key: Int64, property column: Int) {
        access(Place(table: table, key: key, column: column))
    }

    /// Reports a read of the existence of an object.
    func accessLife(_ table: Int, _ key: Int64) { access(Place(table: table, key: key, column: -1)) }

    /// Reports a read of any part of a table.
    func accessTable(_ table: Int) { access(Place(table: table, key: -1, column: -1)) }

    // MARK: Changes

    /// Reports that a property is about to be assigned.
    func willAssign(_ table: Int, object key: Int64, property column: Int) {
        let place = Place(table: table, key: key, column: column)
        assigned.insert(place)
        tell([place]) {}
    }

    /// Reports that the assignments of the open transaction are undone.
    func cancel(_ body: () -> Void) {
        let places = assigned
        assigned = []
        tell(places, body)
    }

    /// Reports the changes while the realm moves to another version.
    func move(over changes: VersionChanges, _ body: () -> Void) {
        assigned = []
        var places: [Place] = []
        func add(_ table: Int, object key: Int64, property column: Int) {
            let place = Place(table: table, key: key, column: column)
            let mark = mark(place)
            if marks[mark.word] & mark.bit != 0 { places.append(place) }
        }
        for (table, delta) in changes.tables {
            add(table, object: -1, property: -1)
            for key in delta.deleted { add(table, object: key.raw, property: -1) }
            for (column, keys) in delta.modified { for key in keys { add(table, object: key.raw, property: column) } }
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
    /// Moves from one version to another, and reports it to the framework.
    func tracking(from old: Snapshot?, to new: Snapshot, body: () -> Void) {
        guard let tracker, let old, old.version < new.version else { return body() }
        tracker.move(over: file.hub.feed.changes(from: old, to: new), body)
    }
}

extension ManagedTable {
    /// Reports a read of a property, for a realm with a tracker.
    func track(_ tracker: RealmTracker, object key: Int64, property: Int) {
        if let column = columns[property] { tracker.accessProperty(table.id, object: key, property: column.id) }
    }
}

// SwiftUI and `withObservationTracking` observe the reads of these types if the configuration enables it.
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
