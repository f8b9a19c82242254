public import Foundation
import FreeholdEngine

/// A change of observed sections, or of one observed section.
public enum SectionedResultsChange<Collection> {
    /// The state of the sections when the observation begins. It is delivered once.
    case initial(Collection)
    /// The sections have changed. They already show the state after the change.
    ///
    /// - deletions: Section and position, before the change, of elements that were deleted or moved. The elements of
    ///   deleted sections aren't included.
    /// - insertions: Section and position, after the change, of elements that were inserted or moved. The elements of
    ///   inserted sections are included.
    /// - modifications: Section and position, before the change, of elements that were modified, and of positions at
    ///   which modified elements are both before and after the change. An element that was modified and moved otherwise
    ///   counts as deleted and inserted.
    /// - sectionsToInsert: Positions after the change.
    /// - sectionsToDelete: Positions before the change.
    ///
    /// All positions are in ascending order. A section whose place among the other sections has changed counts as
    /// deleted and inserted. To apply the change to the old sections, remove `deletions` from the back, then
    /// `sectionsToDelete` from the back, then insert `sectionsToInsert` and `insertions` from the front.
    case update(
        Collection,
        deletions: [IndexPath],
        insertions: [IndexPath],
        modifications: [IndexPath],
        sectionsToInsert: IndexSet,
        sectionsToDelete: IndexSet
    )

    /// The section and position of each modified element after the change, in ascending order.
    ///
    /// - Complexity: O((modifications + changes) · log changes).
    public var newModifications: [IndexPath] {
        guard case .update(_, let deletions, let insertions, let modifications, let new, let old) = self else {
            return []
        }
        var sections = CollectionChanges()
        sections.deletions = Array(old)
        sections.insertions = Array(new)
        let gone = Dictionary(grouping: deletions) { $0[0] }
        let come = Dictionary(grouping: insertions) { $0[0] }
        return modifications.map { path in
            let section = sections.newIndex(ofOld: path[0])
            var elements = CollectionChanges()
            elements.deletions = gone[path[0]]?.map { $0[1] } ?? []
            elements.insertions = come[section]?.map { $0[1] } ?? []
            return [section, elements.newIndex(ofOld: path[1])]
        }
    }
}

/// An earlier name of the type in RealmSwift.
public typealias RealmSectionedResultsChange<Collection> = SectionedResultsChange<Collection>

/// The layout of sections at one version.
struct SectionLayout<Key: _Persistable & Hashable> {
    let keys: [SectionIdentity<Key>]
    /// The positions of the elements among all elements, by section.
    let positions: [[Int]]
    private let numbers: [SectionIdentity<Key>: Int]

    init(keys: [SectionIdentity<Key>], positions: [[Int]]) {
        self.keys = keys
        self.positions = positions
        numbers = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    func section(of key: SectionIdentity<Key>) -> Int? { numbers[key] }

    /// The section and the place in it, by position among all elements.
    fileprivate var places: [(section: Int, item: Int)] {
        var out = [(section: Int, item: Int)](repeating: (0, 0), count: positions.reduce(0) { $0 + $1.count })
        for (section, positions) in positions.enumerated() {
            for (item, position) in positions.enumerated() { out[position] = (section, item) }
        }
        return out
    }
}

/// The changes between two layouts of sections.
struct SectionChanges {
    var deletions: [IndexPath] = []
    var insertions: [IndexPath] = []
    var modifications: [IndexPath] = []
    var sectionsToInsert = IndexSet()
    var sectionsToDelete = IndexSet()

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && sectionsToInsert.isEmpty
            && sectionsToDelete.isEmpty
    }

    /// - Parameter changes: The changes of all elements in one order.
    /// - Complexity: O(elements), and O(sections · log sections).
    init<Key>(from old: SectionLayout<Key>, to new: SectionLayout<Key>, _ changes: CollectionChanges) {
        // As many sections as possible keep their place.
        let common = old.keys.enumerated().compactMap { i, key in new.section(of: key).map { (old: i, new: $0) } }
        var target: [Int?] = Array(repeating: nil, count: old.keys.count)
        for i in SequenceDifference.risingRun(common.map(\.new)) { target[common[i].old] = common[i].new }
        let kept = Set(target.compactMap { $0 })
        sectionsToDelete = IndexSet(target.indices.filter { target[$0] == nil })
        sectionsToInsert = IndexSet(new.keys.indices.filter { !kept.contains($0) })

        let before = old.places
        let after = new.places
        // The block of another observer may have changed the realm before this delivery.
        guard before.count - changes.deletions.count == after.count - changes.insertions.count else {
            sectionsToDelete = IndexSet(old.keys.indices)
            sectionsToInsert = IndexSet(new.keys.indices)
            insertions = after.map { [$0.section, $0.item] }.sorted()
            return
        }
        var gone = changes.deletions[...]
        var come = changes.insertions[...]
        var modified = changes.modifications[...]
        /// The changed rows by the section's place after the change, for sections that stay.
        var rows: [Int: RowChanges] = [:]
        for (old, new) in target.enumerated() { if let new { rows[new] = RowChanges(section: old) } }
        func noteInserted(_ place: (section: Int, item: Int), isModified: Bool = false) {
            guard kept.contains(place.section) else { return insertions.append([place.section, place.item]) }
            if isModified {
                rows[place.section]!.newModified.append(place.item)
            } else {
                rows[place.section]!.inserted.append(place.item)
            }
        }
        var j = 0
        func passInserted() {
            while come.first == j {
                come.removeFirst()
                noteInserted(after[j])
                j += 1
            }
        }
        for (i, place) in before.enumerated() {
            let isModified = modified.first == i
            if isModified { modified.removeFirst() }
            if gone.first == i {
                gone.removeFirst()
                if let new = target[place.section] { rows[new]!.deleted.append(place.item) }
                continue
            }
            passInserted()
            let now = after[j]
            if isModified || target[place.section] != now.section {
                if let new = target[place.section] {
                    if isModified {
                        rows[new]!.oldModified.append(place.item)
                    } else {
                        rows[new]!.deleted.append(place.item)
                    }
                }
                noteInserted(now, isModified: isModified)
            }
            j += 1
        }
        passInserted()
        for (new, changes) in rows {
            let (deleted, inserted, kept) = changes.told
            deletions += deleted.map { [changes.section, $0] as IndexPath }
            insertions += inserted.map { [new, $0] as IndexPath }
            modifications += kept.map { [changes.section, $0] as IndexPath }
        }
        deletions.sort()
        insertions.sort()
        modifications.sort()
    }

    /// The changed positions of one section that stays.
    private struct RowChanges {
        /// The place of the section before the change.
        let section: Int
        var deleted: [Int] = []
        var inserted: [Int] = []
        /// The positions of modified elements before and after the change.
        var oldModified: [Int] = []
        var newModified: [Int] = []

        init(section: Int) { self.section = section }

        /// The changes to deliver. A position that is modified both before and after the change is reported as
        /// modified, even if it holds different elements. All other changes are deletions and insertions.
        ///
        /// The position is reported as modified only if equal numbers of elements were deleted and inserted before it.
        /// Otherwise the same position wouldn't be the same row before and after the change.
        var told: (deletions: [Int], insertions: [Int], modifications: [Int]) {
            let both = Set(oldModified).intersection(newModified)
            var deletions = (deleted + oldModified.filter { !both.contains($0) }).sorted()
            var insertions = (inserted + newModified.filter { !both.contains($0) }).sorted()
            var modifications: [Int] = []
            var moved: [Int] = []
            var (i, j) = (0, 0)
            for position in both.sorted() {
                while i < deletions.count, deletions[i] < position { i += 1 }
                while j < insertions.count, insertions[j] < position { j += 1 }
                if i == j { modifications.append(position) } else { moved.append(position) }
            }
            deletions += moved
            insertions += moved
            return (deletions, insertions, modifications)
        }
    }

    /// Returns the changes of one section.
    func only(old: Int?, new: Int?) -> SectionChanges {
        var out = self
        out.deletions.removeAll { $0[0] != old }
        out.insertions.removeAll { $0[0] != new }
        out.modifications.removeAll { $0[0] != old }
        out.sectionsToDelete = IndexSet(sectionsToDelete.filter { $0 == old })
        out.sectionsToInsert = IndexSet(sectionsToInsert.filter { $0 == new })
        return out
    }

    func told<C>(of collection: C) -> SectionedResultsChange<C> {
        .update(
            collection,
            deletions: deletions,
            insertions: insertions,
            modifications: modifications,
            sectionsToInsert: sectionsToInsert,
            sectionsToDelete: sectionsToDelete
        )
    }
}
