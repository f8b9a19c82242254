import Foundation
import Testing

@testable import FreeholdEngine

/// The expected content of a table's sets and dictionaries.
struct SetAndDictionaryModel: Equatable {
    struct Row: Equatable {
        /// The sets by column index. No two values of a set are equal, and their order has no meaning.
        var sets: [Int: [Value]] = [:]
        /// The dictionaries by column index.
        var dictionaries: [Int: [String: Value]] = [:]

        func elements(_ column: Column) -> [Value] {
            if column.collection == .dictionary {
                let entries = (dictionaries[column.index] ?? [:]).sorted {
                    Array($0.key.utf8).isBefore(Array($1.key.utf8))
                }
                return entries.map(\.value)
            }
            return (sets[column.index] ?? []).sorted { Value.compare($0, with: $1) < 0 }
        }

        func keys(_ column: Column) -> [String] {
            (dictionaries[column.index] ?? [:]).keys.sorted { Array($0.utf8).isBefore(Array($1.utf8)) }
        }
    }

    var owners: [Int64: Row] = [:]
    var things: Set<Int64> = []

    mutating func deleteThing(_ key: Int64) {
        things.remove(key)
        let gone = Value.link(ObjectKey(key))
        for owner in owners.keys {
            for column in owners[owner]!.sets.keys { owners[owner]!.sets[column]!.removeAll { $0 == gone } }
            for column in owners[owner]!.dictionaries.keys {
                for (name, value) in owners[owner]!.dictionaries[column]! where value == gone {
                    owners[owner]!.dictionaries[column]![name] = .null
                }
            }
        }
    }

    // MARK: Comparison

    func differences(from view: DataView) -> [String] {
        var out: [String] = []
        let table = view.schema.table(named: "Owner")!
        guard view.keys(table).map(\.raw) == owners.keys.sorted() else { return ["the owners"] }
        for (raw, row) in owners {
            for column in table.columns where column.collection != .none {
                compare(view, column, ObjectKey(raw), row, &out)
            }
        }
        let things = view.schema.table(named: "Thing")!
        for column in view.schema.linkColumns(to: things) {
            for thing in self.things {
                var expected: [ObjectKey] = []
                for (raw, row) in owners.sorted(by: { $0.key < $1.key }) {
                    for value in row.elements(column) where value == .link(ObjectKey(thing)) {
                        expected.append(ObjectKey(raw))
                    }
                }
                let found = view.backlinks(column, ObjectKey(thing))
                if found != expected { out.append("backlinks of \(column) to O\(thing): \(found), not \(expected)") }
            }
        }
        return out
    }

    private func compare(_ view: DataView, _ column: Column, _ key: ObjectKey, _ row: Row, _ out: inout [String]) {
        let expected = row.elements(column)
        let who = "\(column) of \(key)"
        guard view.listCount(column, key) == expected.count, view.listValues(column, key) == expected else {
            out.append("\(who) has \(view.listCount(column, key)) elements, not \(expected.count), or others")
            return
        }
        let part = expected.count / 3..<expected.count - expected.count / 4
        if view.listValues(column, key, in: part) != Array(expected[part]) { out.append("\(who): a part of it") }
        if column.type == .link {
            let links = expected.compactMap { if case .link(let target) = $0 { target } else { nil } }
            if view.listLinks(column, key) != links { out.append("\(who): its links") }
        }
        if column.collection == .set {
            for i in expected.indices where i % 17 == 0 || i < 5 {
                if view.setIndex(column, key, of: expected[i]) != i { out.append("\(who): index of \(expected[i])") }
            }
            return
        }
        let names = row.keys(column)
        if view.dictionaryCount(column, key) != names.count { out.append("\(who): its count") }
        if view.dictionaryKeys(column, key) != names { out.append("\(who): its keys") }
        if view.dictionaryValues(column, key) != expected { out.append("\(who): its values") }
        let entries = view.dictionaryEntries(column, key)
        if entries.map(\.key) != names || entries.map(\.value) != expected { out.append("\(who): its entries") }
        let some = view.dictionaryEntries(column, key, in: part)
        if some.map(\.key) != Array(names[part]) || some.map(\.value) != Array(expected[part]) {
            out.append("\(who): some entries")
        }
        for i in names.indices where i % 17 == 0 || i < 5 {
            if view.dictionaryIndex(column, key, of: names[i]) != i
                || view.dictionaryKey(column, key, at: i) != names[i]
                || view.dictionaryValue(column, key, at: i) != expected[i]
                || view.dictionaryValue(column, key, forKey: names[i]) != expected[i]
            {
                out.append("\(who): the entry of '\(names[i])'")
            }
            let missing = names[i] + "\u{1}"
            if row.dictionaries[column.index]![missing] == nil,
                view.dictionaryValue(column, key, forKey: missing) != nil
            {
                out.append("\(who): it has '\(missing)'")
            }
        }
    }

    /// Returns the problems if the record's edits don't lead from the old collections to the new ones.
    func problems(of record: ChangeRecord?, from old: SetAndDictionaryModel, _ table: Table) -> [String] {
        guard let changes = record?.changes(of: table) else {
            // An emptied collection equals one that was always empty.
            let isSame = owners.allSatisfy { key, row in
                guard let before = old.owners[key] else { return true }
                return table.columns.allSatisfy {
                    $0.collection == .none || before.elements($0) == row.elements($0) && before.keys($0) == row.keys($0)
                }
            }
            return isSame ? [] : ["no changes of \(table)"]
        }
        var out: [String] = []
        for (raw, row) in owners {
            guard let before = old.owners[raw] else { continue }
            for column in table.columns where column.collection != .none {
                let isModified = (changes.modified[column.id] ?? []).contains(ObjectKey(raw))
                if before.elements(column) != row.elements(column) || before.keys(column) != row.keys(column),
                    !isModified
                {
                    out.append("the change of \(column) of O\(raw) is missing")
                }
                var replayed: [Value?] = before.elements(column).map { $0 }
                for edit in changes.listEdits where edit.column == column.id && edit.key.raw == raw {
                    switch edit.operation {
                    case .insert(let at, let count):
                        replayed.insert(contentsOf: [Value?](repeating: nil, count: count), at: at)
                    case .remove(let at, let count): replayed.removeSubrange(at..<at + count)
                    case .set(let at): replayed[at] = Value?.none
                    case .move(let from, let to): replayed.insert(replayed.remove(at: from), at: to)
                    case .clear(let count):
                        if count != replayed.count { out.append("clear of \(count), not \(replayed.count)") }
                        replayed = []
                    }
                }
                let now = row.elements(column)
                if replayed.count != now.count
                    || zip(replayed, now).contains(where: { $0 != nil && $0 != $1 })
                {
                    out.append("the edits of \(column) of O\(raw) lead elsewhere")
                }
            }
        }
        return out
    }
}

extension [UInt8] {
    func isBefore(_ other: [UInt8]) -> Bool { lexicographicallyPrecedes(other) }
}
