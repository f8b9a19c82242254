public import FreeholdEngine
internal import Foundation
internal import TestRandom

/// A small file that has every kind of block, several versions of history, deleted rows and free pages.
public enum DamageSample {
    public static let tables = [
        TableSpec(
            "Person",
            columns: [
                ColumnSpec("id", .int), ColumnSpec("name", .string, optional: true, indexed: true),
                ColumnSpec("text", .string, index: .fullText), ColumnSpec("best", .link, target: "Dog"),
                ColumnSpec("dogs", .link, collection: .list, target: "Dog"),
                ColumnSpec("numbers", .int, collection: .list), ColumnSpec("words", .string, collection: .list),
                ColumnSpec("when", .timestamp, optional: true, indexed: true), ColumnSpec("any", .mixed, indexed: true),
                ColumnSpec("anys", .mixed, collection: .list), ColumnSpec("tags", .string, collection: .set),
                ColumnSpec("friends", .link, collection: .set, target: "Person"),
                ColumnSpec("notes", .string, optional: true, collection: .dictionary),
                ColumnSpec("pets", .link, collection: .dictionary, target: "Dog"),
                ColumnSpec("address", .link, target: "Address"),
                ColumnSpec("addresses", .link, collection: .list, target: "Address"),
                ColumnSpec("flag", .bool, optional: true), ColumnSpec("ratio", .double),
                ColumnSpec("share", .float, optional: true), ColumnSpec("blob", .data),
                ColumnSpec("price", .decimal128), ColumnSpec("oid", .objectId, optional: true),
                ColumnSpec("uuid", .uuid, collection: .list), ColumnSpec("counts", .int, optional: true, indexed: true),
            ],
            primaryKey: "id",
            compounds: [CompoundIndexSpec(["name", "counts"])]
        ),
        TableSpec(
            "Dog",
            columns: [
                ColumnSpec("name", .string), ColumnSpec("age", .int, indexed: true),
                ColumnSpec("friend", .link, target: "Dog"),
            ],
            primaryKey: "name"
        ),
        TableSpec(
            "Address",
            columns: [ColumnSpec("street", .string), ColumnSpec("inner", .link, target: "Address")],
            isEmbedded: true
        ),
    ]

    public static func options(clusterSpan: Int = 40) -> Database.Options {
        var options = Database.Options()
        options.clusterSpan = clusterSpan
        options.mapSize = 1 << 28
        options.maximumReaders = 16
        return options
    }

    /// Writes the file.
    public static func make(_ path: String, clusterSpan: Int, people: Int) throws {
        try fill(path, clusterSpan: clusterSpan, people: people)
        // Without free pages, then some, and a history.
        _ = try Database.compact(at: path)
        let database = try Database.open(at: path, options: options(clusterSpan: clusterSpan))
        for part in 0..<4 {
            let transaction = try database.beginWrite()
            let person = transaction.schema.table(named: "Person")!
            let dog = transaction.schema.table(named: "Dog")!
            if part == 0 {
                transaction.delete(person, transaction.keys(person).filter { $0.raw % 11 == 5 })
                transaction.delete(dog, transaction.keys(dog)[2])
            }
            for key in transaction.keys(person) where key.raw % 13 == 4 {
                try transaction.set(person.column(named: "text")!, key, to: .string("changed \(part)"))
                try transaction.listAppend(person.column(named: "numbers")!, key, values: [.int(Int64(part))])
            }
            _ = try transaction.commit()
        }
        try cut(path)
    }

    /// Removes the bytes that the file's last commit has left behind its last page.
    private static func cut(_ path: String) throws {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let pages = [0, 4096].map { meta in
            bytes[(meta + 136)..<(meta + 144)].reversed().reduce(0) { $0 << 8 | Int($1) } + 1
        }
        try bytes.prefix(pages.max()! * 4096).write(to: URL(fileURLWithPath: path))
    }

    /// Writes the whole content in one transaction.
    ///
    /// - Parameter formatVersion: The format of the file, or `nil` for the newest.
    public static func fill(_ path: String, clusterSpan: Int, people: Int, formatVersion: UInt32? = nil) throws {
        var options = options(clusterSpan: clusterSpan)
        if let formatVersion { options.formatVersion = formatVersion }
        let database = try Database.open(at: path, options: options)
        let first = try database.beginWrite()
        try first.applySchema(tables)
        let person = first.schema.table(named: "Person")!
        let dog = first.schema.table(named: "Dog")!
        let dogs = try (0..<people).map { try first.create(dog, primaryKey: .string("dog \($0 * 7 % people)")) }
        for i in 0..<people {
            try first.set(dog.column(named: "age")!, dogs[i], to: .int(Int64(i % 17)))
            if i > 0 { try first.set(dog.column(named: "friend")!, dogs[i], to: .link(dogs[i / 2])) }
        }
        for i in 0..<people { try add(i, people, to: first, person, dog, dogs) }
        _ = try first.commit()
    }

    private static func add(
        _ i: Int,
        _ people: Int,
        to t: WriteTransaction,
        _ person: Table,
        _ dog: Table,
        _ dogs: [ObjectKey]
    ) throws {
        func column(_ name: String) -> Column { person.column(named: name)! }
        let key = try t.create(person, primaryKey: .int(Int64(i * 7919 % 1009)))
        try t.set(column("name"), key, to: i % 5 == 0 ? .null : .string("name \(i % 40)"))
        try t.set(
            column("text"),
            key,
            to: .string(String(repeating: "some words \(i) ", count: i == 3 ? 1000 : i % 20))
        )
        try t.set(column("best"), key, to: .link(dogs[i % 3]))
        try t.listAppend(column("dogs"), key, values: [.link(dogs[i]), .link(dogs[0]), .link(dogs[0])])
        if i == 6 { try t.listAppend(column("dogs"), key, values: (0..<1200).map { .link(dogs[$0 % people]) }) }
        try t.listAppend(column("numbers"), key, values: (0..<(i == 7 ? 3000 : 3)).map { .int(Int64($0) << 20) })
        try t.listAppend(column("words"), key, values: (0..<(i == 8 ? 900 : 2)).map { .string("word \($0)") })
        if i == 8 { try t.listAppend(column("words"), key, values: [.string(String(repeating: "w", count: 9000))]) }
        try t.set(column("when"), key, to: .timestamp(Timestamp(seconds: Int64(i) * 1000, nanoseconds: Int32(i % 3))))
        func nested(_ id: UInt64) -> Value {
            .list(
                NestedList(
                    id: id,
                    [
                        .int(Int64(i)), .objectLink(ObjectLink(tableID: dog.id, key: dogs[i % people])),
                        .dictionary(
                            NestedDictionary(id: id + 1, [.init("a", .bool(true)), .init("b", .string("x"))])
                        ),
                    ]
                )
            )
        }
        let any: [Value] = [.null, .int(7), .string("seven"), nested(1), .string(String(repeating: "s", count: 5000))]
        try t.set(column("any"), key, to: any[i % 5])
        try t.listAppend(column("anys"), key, values: i == 9 ? (0..<60).map { nested(UInt64($0 * 2 + 1)) } : any)
        for tag in 0..<(i == 10 ? 400 : i % 4) { try t.setInsert(column("tags"), key, value: .string("tag \(tag)")) }
        if i > 0 { try t.setInsert(column("friends"), key, value: .link(ObjectKey(key.raw / 2))) }
        for note in 0..<(i == 11 ? 300 : i % 3) {
            try t.dictionarySet(
                column("notes"),
                key,
                forKey: "note \(note)",
                to: note == 1 ? .null : .string("n\(note)")
            )
        }
        try t.dictionarySet(column("pets"), key, forKey: "pet", to: .link(dogs[i / 2]))
        try t.set(column("flag"), key, to: i % 3 == 0 ? .null : .bool(i % 2 == 0))
        try t.set(column("ratio"), key, to: .double(Double(i) / 7))
        try t.set(column("share"), key, to: i % 4 == 0 ? .null : .float(Float(i)))
        try t.set(column("blob"), key, to: .data(Data(repeating: UInt8(i & 255), count: i == 12 ? 9000 : i % 30)))
        try t.set(column("price"), key, to: .decimal128(Decimal128(i)))
        try t.set(column("oid"), key, to: i % 2 == 0 ? .null : .objectId(ObjectId("00112233445566778899aabb")))
        try t.listAppend(
            column("uuid"),
            key,
            values: [.uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7)))]
        )
        try t.set(column("counts"), key, to: i % 6 == 0 ? .null : .int(Int64(i % 30)))
        let address = t.schema.table(named: "Address")!
        let home = try t.create(address)
        try t.set(address.columns[0], home, to: .string("street \(i)"))
        try t.set(column("address"), key, to: .link(home))
        let other = try t.create(address)
        try t.listAppend(column("addresses"), key, values: [.link(other)])
        let inner = try t.create(address)
        try t.set(address.columns[1], other, to: .link(inner))
    }
}

/// Damages bytes like disks and transfers, and in ways that lead to wrong places.
public struct Damager {
    private var random: SeededRandom

    public init(seed: UInt64) {
        random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x1234_5678_9ABC_DEF1)
    }

    private mutating func below(_ n: Int) -> Int { random.below(max(n, 1)) }

    /// - Returns: what was done.
    public mutating func damage(_ bytes: inout [UInt8]) -> String {
        let page = 4096
        let pages = bytes.count / page
        func at(_ p: Int) -> Range<Int> { (p * page)..<((p + 1) * page) }
        switch below(16) {
        case 0...3:
            let bit = below(bytes.count * 8)
            bytes[bit >> 3] ^= 1 << UInt8(bit & 7)
            return "bit \(bit & 7) of byte \(bit >> 3)"
        case 4:
            for _ in 0..<8 { bytes[below(bytes.count)] ^= 1 << UInt8(below(8)) }
            return "eight bits"
        case 5, 6:
            let place = below(bytes.count)
            bytes[place] = UInt8(below(256))
            return "byte \(place)"
        case 7:
            let place = below(pages)
            for i in at(place) { bytes[i] = 0 }
            return "page \(place) zeroed"
        case 8:
            let (from, to) = (below(pages), below(pages))
            bytes.replaceSubrange(at(to), with: Array(bytes[at(from)]))
            return "page \(from) over page \(to)"
        case 9:
            let (from, to) = (below(pages), below(pages))
            let old = Array(bytes[at(to)])
            bytes.replaceSubrange(at(to), with: Array(bytes[at(from)]))
            bytes.replaceSubrange(at(from), with: old)
            return "pages \(from) and \(to) exchanged"
        case 10:
            let (from, to, length) = (below(bytes.count - 600), below(bytes.count - 600), 1 + below(600))
            bytes.replaceSubrange(to..<to + length, with: Array(bytes[from..<from + length]))
            return "\(length) bytes from \(from) to \(to)"
        case 11 where below(3) == 0:
            let length = below(bytes.count)
            bytes.removeLast(bytes.count - length)
            return "cut to \(length)"
        case 12:
            // Damage in headers of pages and blocks leads to wrong places.
            let place = below(pages) * page + below(48)
            bytes[place] = UInt8(below(256))
            return "byte \(place), of a header"
        default:
            let size = [2, 4, 8][below(3)]
            let isHeader = below(2) == 0
            let place = isHeader ? below(pages) * page + below(20) * 4 : below(bytes.count / 8) * 8
            let old = (0..<size).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
            let new: [UInt64] = [
                0, 1, .max, 1 << 31, 1 << 61, old &+ 1, old &- 1, old &* 2, 1 << 15, 1 << 63, 0x7FFF_FFFF, old &+ 4096,
            ]
            let value = new[below(new.count)]
            for i in 0..<size { bytes[place + i] = UInt8(truncatingIfNeeded: value >> UInt64(8 * i)) }
            return "\(size) bytes at \(place) \(old) to \(value)"
        }
    }
}
