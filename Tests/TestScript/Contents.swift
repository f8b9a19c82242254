public import FreeholdEngine

/// The whole content of a version of a file as one number, for the comparison of two files.
public enum Contents {
    /// Read by every way that values have: fields, collections, backlinks, keys, indexes and scans.
    public static func digest(_ snapshot: Snapshot) throws -> UInt64 {
        var digest = Digest()
        digest.add("version \(snapshot.userVersion)")
        for table in snapshot.schema.tables {
            let keys = snapshot.keys(table)
            digest.add("\(table.name) \(keys.count) \(snapshot.count(table)) \(table.columns.map(\.name))")
            for key in keys {
                digest.add("\(key.raw)")
                for column in table.columns { add(column, key, snapshot, &digest) }
                digest.add("\(snapshot.allBacklinks(table, key).count)")
                if let primaryKey = table.primaryKey {
                    let found = snapshot.find(primaryKey: snapshot.value(primaryKey, key), in: table)
                    digest.add("\(found.map(\.raw) ?? -1)")
                }
            }
            for predicate in try predicates(table) {
                let found = RowQuery(table: table, predicate: predicate).keys(in: snapshot)
                digest.add("\(found.map(\.raw))")
            }
        }
        return digest.number
    }

    private static func add(_ column: Column, _ key: ObjectKey, _ snapshot: Snapshot, _ digest: inout Digest) {
        switch column.collection {
        case .none: digest.add("\(snapshot.value(column, key))")
        case .list, .set: digest.add("\(snapshot.listValues(column, key))")
        case .dictionary: for entry in snapshot.dictionaryEntries(column, key) { digest.add("\(entry)") }
        }
    }

    private static func predicates(_ table: Table) throws -> [FreeholdEngine.Predicate] {
        var out: [FreeholdEngine.Predicate] = []
        for column in table.columns {
            let path = PropertyPath(column)
            switch column.type {
            case .int: out += [.comparison(path, .greater, .int(3)), .comparison(path, .equal, .int(7))]
            case .string:
                out.append(.text(path, .contains, .string("1"), []))
                if column.collection == .none { out.append(.comparison(path, .equal, .string("name 3"))) }
                if column.indexKind == .fullText {
                    out.append(.fullText(path, try FullTextQuery("some words", for: column)))
                }
            case .timestamp:
                out.append(.comparison(path, .greater, .timestamp(Timestamp(seconds: 20000, nanoseconds: 0))))
            default: break
            }
        }
        return out
    }

    /// FNV-1a.
    private struct Digest {
        private(set) var number: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func add(_ text: String) {
            for byte in text.utf8 { number = (number ^ UInt64(byte)) &* 0x100_0000_01B3 }
            number = (number ^ 0xFF) &* 0x100_0000_01B3
        }
    }
}
