import Foundation

@testable import FreeholdEngine

/// A graph of objects in plain dictionaries, with links of every kind and the rules of deleting and owning.
struct GraphModel: Equatable {
    struct Ref: Hashable, Comparable {
        let table: Int
        let key: Int64

        static func < (a: Ref, b: Ref) -> Bool { (a.table, a.key) < (b.table, b.key) }
    }

    /// The content of one property of one object. A single value is one element without key.
    struct Slot: Equatable {
        var keys: [String] = []
        var values: [Value] = []
    }

    let tables: [Table]
    /// The slots by the column's index.
    var objects: [Ref: [Slot]] = [:]
    var nextKeys: [Int: Int64] = [:]

    static func == (a: GraphModel, b: GraphModel) -> Bool { a.objects == b.objects && a.nextKeys == b.nextKeys }

    init(_ schema: DatabaseSchema) { tables = schema.tables }

    func table(_ id: Int) -> Table { tables.first { $0.id == id }! }

    func refs(_ table: Table) -> [Ref] { objects.keys.filter { $0.table == table.id }.sorted() }

    // MARK: Links

    struct Link: Hashable {
        let origin: Ref
        let column: Int
        let target: Ref
    }

    static func targets(_ value: Value, _ column: Column) -> [Ref] {
        switch value {
        case .link(let key): return [Ref(table: column.targetTableID!, key: key.raw)]
        case .objectLink(let link): return [Ref(table: link.tableID, key: link.key.raw)]
        case .list(let list): return list.values.flatMap { targets($0, column) }
        case .dictionary(let dictionary): return dictionary.entries.flatMap { targets($0.value, column) }
        default: return []
        }
    }

    /// Every link, with the number of its occurrences.
    func links() -> [Link: Int] {
        var out: [Link: Int] = [:]
        for (ref, slots) in objects {
            for column in table(ref.table).columns {
                for value in slots[column.index].values {
                    for target in Self.targets(value, column) {
                        out[Link(origin: ref, column: column.id, target: target), default: 0] += 1
                    }
                }
            }
        }
        return out
    }

    func owner(_ ref: Ref) -> (Ref, Column)? {
        for (other, slots) in objects {
            for column in table(other.table).columns where column.targetTableID == ref.table {
                if slots[column.index].values.contains(.link(ObjectKey(ref.key))) { return (other, column) }
            }
        }
        return nil
    }

    /// Returns whether the object equals the other one or is above it.
    func isAbove(_ ref: Ref, _ other: Ref) -> Bool {
        var place: Ref? = other
        while let current = place {
            if current == ref { return true }
            place = table(current.table).isEmbedded ? owner(current)?.0 : nil
        }
        return false
    }

    // MARK: Changes

    mutating func create(_ table: Table) -> Ref {
        let ref = Ref(table: table.id, key: nextKeys[table.id] ?? 0)
        nextKeys[table.id] = ref.key + 1
        objects[ref] = table.columns.map { column in
            guard column.collection == .none else { return Slot() }
            return Slot(values: [FieldCoding.defaultValue(column.type, isOptional: column.isOptional)])
        }
        return ref
    }

    /// Replaces the content of a property. Embedded objects that leave it are deleted.
    mutating func assign(_ ref: Ref, _ column: Column, _ slot: Slot) {
        let old = objects[ref]![column.index].values
        objects[ref]![column.index] = slot
        guard let id = column.targetTableID, table(id).isEmbedded else { return }
        let kept = Set(slot.values)
        for case .link(let key) in old where !kept.contains(.link(key)) { delete(Ref(table: id, key: key.raw)) }
    }

    mutating func delete(_ ref: Ref) {
        var gone = [ref]
        while let next = gone.popLast() {
            guard let slots = objects.removeValue(forKey: next) else { continue }
            for column in table(next.table).columns {
                guard let id = column.targetTableID, table(id).isEmbedded else { continue }
                for value in slots[column.index].values { gone += Self.targets(value, column) }
            }
            unlink(next)
        }
    }

    private mutating func unlink(_ gone: Ref) {
        for (ref, slots) in objects {
            for column in table(ref.table).columns {
                var slot = slots[column.index]
                let isHit = slot.values.map { Self.targets($0, column).contains(gone) }
                guard isHit.contains(true) else { continue }
                if column.collection == .set || (column.collection == .list && column.type == .link) {
                    slot.values = zip(slot.values, isHit).filter { !$0.1 }.map(\.0)
                } else {
                    slot.values = slot.values.map { Self.nulled($0, column, gone) }
                }
                objects[ref]![column.index] = slot
            }
        }
    }

    private static func nulled(_ value: Value, _ column: Column, _ gone: Ref) -> Value {
        switch value {
        case .link, .objectLink: return targets(value, column) == [gone] ? .null : value
        case .list(let list): return .list(NestedList(list.values.map { nulled($0, column, gone) }))
        case .dictionary(let d):
            return .dictionary(NestedDictionary(d.entries.map { .init($0.key, nulled($0.value, column, gone)) }))
        default: return value
        }
    }

    /// Embedded objects without an owner, which a commit deletes.
    mutating func deleteUnowned() {
        for ref in objects.keys.sorted() where table(ref.table).isEmbedded && owner(ref) == nil { delete(ref) }
    }

    // MARK: Comparison

    /// Returns the differences from a view.
    func differences(from view: DataView) -> [String] {
        var out: [String] = []
        var incoming: [Ref: [Link: Int]] = [:]
        for (link, n) in links() { incoming[link.target, default: [:]][link] = n }
        for table in tables {
            let refs = refs(table)
            if view.keys(table).map(\.raw) != refs.map(\.key) {
                out.append("\(table) has \(view.keys(table)), not \(refs.map(\.key))")
                continue
            }
            for ref in refs {
                compareValues(view, table, ref, &out)
                compareBacklinks(view, table, ref, incoming[ref] ?? [:], &out)
            }
        }
        return out
    }

    private func compareValues(_ view: DataView, _ table: Table, _ ref: Ref, _ out: inout [String]) {
        let key = ObjectKey(ref.key)
        for column in table.columns {
            let slot = objects[ref]![column.index]
            let found = Self.read(view, column, key)
            if found != slot { out.append("\(table).\(column) of \(key) holds \(found), not \(slot)") }
        }
    }

    static func read(_ view: DataView, _ column: Column, _ key: ObjectKey) -> Slot {
        switch column.collection {
        case .none: Slot(values: [view.value(column, key)])
        case .dictionary:
            Slot(keys: view.dictionaryKeys(column, key), values: view.dictionaryValues(column, key))
        default: Slot(values: view.listValues(column, key))
        }
    }

    private func compareBacklinks(
        _ view: DataView,
        _ table: Table,
        _ ref: Ref,
        _ links: [Link: Int],
        _ out: inout [String]
    ) {
        let key = ObjectKey(ref.key)
        var all: [String] = []
        for other in tables {
            for column in other.columns where column.targetTableID == table.id || column.type == .mixed {
                var expected: [ObjectKey] = []
                for (link, n) in links where link.column == column.id && link.origin.table == other.id {
                    expected += Array(repeating: ObjectKey(link.origin.key), count: n)
                }
                expected.sort()
                let aimed = column.asBacklinkColumn(to: table)
                let found = view.backlinks(aimed, key)
                if found != expected || view.backlinkCount(aimed, key) != expected.count {
                    out.append("Backlinks of \(table).\(key) by \(other).\(column): \(found), not \(expected)")
                } else if let last = expected.indices.last, view.backlink(aimed, key, at: last) != expected[last] {
                    out.append("backlink(at:) of \(table).\(key) by \(other).\(column)")
                }
                all += expected.map { "\(other.id).\(column.id).\($0)" }
            }
        }
        let found = view.allBacklinks(table, key).map { "\($0.column.tableID).\($0.column.id).\($0.origin)" }
        if found.sorted() != all.sorted() || view.backlinkCount(table, key) != all.count {
            out.append("All backlinks of \(table).\(key): \(found), not \(all)")
        }
        guard table.isEmbedded else { return }
        let owner = view.owner(table, key).map { "\($0.column.tableID).\($0.column.id).\($0.key)" }
        if owner != all.first { out.append("The owner of \(table).\(key) is \(owner ?? "–"), not \(all)") }
    }
}
