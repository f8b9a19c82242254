import Foundation
import TestScript
import Testing

@testable import FreeholdEngine

/// Searches the bytes of an encrypted file for its values after every operation that changes files. The values are
/// chosen to be recognisable. The same search finds them in a plain file.
struct PlaintextSearchTests {
    private let folder = TemporaryFolder()

    /// The bytes to search for, by their description.
    private struct Secrets {
        var all: [(name: String, bytes: [UInt8])] = []

        mutating func note(_ name: String, _ bytes: [UInt8]) { all.append((name, bytes)) }
        mutating func note(_ text: String) { note("\"\(text.prefix(30))\"", Array(text.utf8.prefix(24))) }

        mutating func integer(_ value: Int64) -> Int64 {
            note("integer", withUnsafeBytes(of: value.littleEndian) { Array($0) })
            // Indexes order by the high byte.
            note("integer, turned", withUnsafeBytes(of: value.bigEndian) { Array($0.dropFirst()) })
            return value
        }
    }

    private static let specs = [
        TableSpec(
            "SecretPerson",
            columns: [
                ColumnSpec("secretIdentity", .string), ColumnSpec("secretName", .string, optional: true, indexed: true),
                ColumnSpec("secretText", .string, index: .fullText), ColumnSpec("secretBlob", .data),
                ColumnSpec("secretNumber", .int, indexed: true), ColumnSpec("secretRatio", .double),
                ColumnSpec("secretTime", .timestamp), ColumnSpec("secretUUID", .uuid, indexed: true),
                ColumnSpec("secretObjectId", .objectId), ColumnSpec("secretAny", .mixed, indexed: true),
                ColumnSpec("secretNotes", .string, collection: .list),
                ColumnSpec("secretTags", .string, collection: .set),
                ColumnSpec("secretMap", .string, collection: .dictionary),
                ColumnSpec("secretFriends", .link, collection: .list, target: "SecretPerson"),
                ColumnSpec("secretPlace", .double, collection: .list),
            ],
            primaryKey: "secretIdentity"
        )
    ]

    /// Values of every type, and strings as they are stored in leaves, in parts and out of line.
    private func fill(_ t: WriteTransaction, _ round: Int, _ secrets: inout Secrets) throws {
        let table = try require(t.schema.table(named: "SecretPerson"))
        func column(_ name: String) throws -> Column { try require(table.column(named: name)) }
        func text(_ what: String, _ length: Int) -> String {
            let mark = "\(what)-\(round)-\(length)-treasure/"
            let text = String(String(repeating: mark, count: length / mark.utf8.count + 1).prefix(max(length, 24)))
            secrets.note(text)
            return text
        }
        for (i, length) in [24, 61, 64, 65, 300, 1999, 2001, 8200, 30_000].enumerated() {
            let key = try t.create(table, primaryKey: .string(text("key", 30 + i)))
            try t.set(column("secretName"), key, to: .string(text("name", length)))
            try t.set(column("secretText"), key, to: .string(text("alphabetical zebra", length)))
            try t.set(column("secretBlob"), key, to: .data(Data(text("blob", length).utf8)))
            let number =
                Int64(bitPattern: 0x5AFE_C0DE_DEAD_0000 | UInt64(round) << 8 | UInt64(i)) &* (i % 2 == 0 ? 1 : -1)
            try t.set(column("secretNumber"), key, to: .int(secrets.integer(number)))
            let ratio = Double(bitPattern: 0x4242_5151_6363_7000 | UInt64(round * 16 + i))
            secrets.note("double", withUnsafeBytes(of: ratio) { Array($0) })
            try t.set(column("secretRatio"), key, to: .double(ratio))
            let uuid = UUID()
            secrets.note("uuid", withUnsafeBytes(of: uuid.uuid) { Array($0) })
            try t.set(column("secretUUID"), key, to: .uuid(uuid))
            let id = ObjectId.generate()
            try t.set(column("secretObjectId"), key, to: .objectId(id))
            secrets.note(
                "object id",
                stride(from: 0, to: 24, by: 2).map {
                    UInt8(id.stringValue.dropFirst($0).prefix(2), radix: 16)!
                }
            )
            try t.set(
                column("secretTime"),
                key,
                to: .timestamp(Timestamp(seconds: 0x3141_5926_5358 + Int64(i) << 33, nanoseconds: 7))
            )
            let nested = NestedList([.string(text("nested", 40)), .int(secrets.integer(0x7777_1234_4321_7777))])
            try t.set(column("secretAny"), key, to: i % 2 == 0 ? .list(nested) : .string(text("any", length)))
            try t.listAppend(
                column("secretNotes"),
                key,
                // The usual run searches for a quarter of a long list, and the soak for all of it.
                values: (0..<(i == 5 ? 400 : 3)).map { n in
                    let isSought = n % 4 == 0 || n <= 3 || TestBudget.isSoak
                    return .string(isSought ? text("note\(n)", 30) : "note\(n)-\(round)-30-treasure/no")
                }
            )
            for n in 0..<3 { _ = try t.setInsert(column("secretTags"), key, value: .string(text("tag\(n)", 26))) }
            try t.dictionarySet(
                column("secretMap"),
                key,
                forKey: text("mapkey", 28),
                to: .string(text("mapvalue", length))
            )
            try t.listAppend(column("secretFriends"), key, values: [.link(key)])
            try t.listAppend(column("secretPlace"), key, values: [.double(13.37), .double(47.11)])
        }
    }

    private typealias Search =
        @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?
    /// C's search function. `Data.range(of:)` takes half a minute for this.
    private static let memmem = unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "memmem")!, to: Search.self)

    private func contains(_ data: Data, _ bytes: [UInt8]) -> Bool {
        data.withUnsafeBytes { !$0.isEmpty && Self.memmem($0.baseAddress!, $0.count, bytes, bytes.count) != nil }
    }

    /// Those that any file of the folder shows.
    private func found(_ secrets: Secrets) throws -> [String] {
        var out: [String] = []
        for name in folder.names {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name))
            for secret in secrets.all where contains(data, secret.bytes) {
                out.append("\(secret.name) in \(name)")
            }
        }
        return out
    }

    private var names: Secrets {
        var secrets = Secrets()
        for table in Self.specs {
            secrets.note(table.name)
            for column in table.columns { secrets.note(column.name) }
        }
        // Words of the full-text index are folded.
        secrets.note("alphabetical")
        return secrets
    }

    private func options(_ key: EncryptionKey?, budget: Int) -> Database.Options {
        var options = Database.Options()
        options.encryptionKey = key
        options.mapSize = 1 << 28
        options.memoryBudget = budget
        return options
    }

    /// Without a key, the same search finds nearly all values. The other ones are stored as an offset, or were
    /// replaced.
    @Test func `a plain file contains the texts`() throws {
        var secrets = names
        let database = try Database.open(at: folder.file(), options: options(nil, budget: 64 << 20))
        let transaction = try database.beginWrite()
        try transaction.applySchema(Self.specs)
        try fill(transaction, 1, &secrets)
        _ = try transaction.commit()
        let found = Set(try found(secrets).map { $0.split(separator: " in ")[0] })
        for name in ["integer", "double", "uuid", "object id"] { expect(found.contains { $0 == name }, "\(name)") }
        for name in [
            "key", "name", "alphabetical", "blob", "nested", "any", "note", "tag", "mapkey", "mapvalue", "Secret",
            "secretFriends",
        ] {
            expect(found.contains { $0.hasPrefix("\"\(name)") }, "\(name)")
        }
        expect(found.count > secrets.all.count / 3)
    }

    @Test(arguments: [64 << 20, 30_000]) func `an encrypted file contains none of its present and former texts`(
        budget: Int
    )
        throws
    {
        var secrets = names
        let path = folder.file()
        do {
            let database = try Database.open(at: path, options: options(Script.key, budget: budget))
            let first = try database.beginWrite()
            try first.applySchema(Self.specs, userVersion: 1)
            try fill(first, 1, &secrets)
            try expectEqual(found(secrets), [], "in a transaction")
            _ = try first.commit()
            try expectEqual(found(secrets), [], "committed")
            // One that spills, and is cancelled.
            let aborted = try database.beginWrite()
            try fill(aborted, 2, &secrets)
            aborted.sealEverything()
            expect(budget > 1 << 20 || aborted.storageWriter != nil)
            try expectEqual(found(secrets), [], "spilled")
            aborted.cancel()
            // Updates and deletions.
            let second = try database.beginWrite()
            let table = try require(second.schema.table(named: "SecretPerson"))
            try fill(second, 3, &secrets)
            for key in second.keys(table).prefix(9) { second.delete(table, key) }
            _ = try second.commit()
            let third = try database.beginWrite()
            let text = "an updated name that is a treasure"
            secrets.note(text)
            for key in third.keys(table) {
                try third.set(try require(table.column(named: "secretName")), key, to: .string(text + " of \(key.raw)"))
            }
            let snapshot = try third.commit()
            try expectEqual(found(secrets), [], "changed")
            expectEqual(snapshot.verify(), [])
            // Copies of a version, and of an open transaction.
            try snapshot.copy(to: folder.file("copy.realm"), key: EncryptionKey(bytes(1, 64)))
            let open = try database.beginWrite()
            try fill(open, 4, &secrets)
            try open.copy(to: folder.file("open.realm"), key: EncryptionKey(bytes(2, 64)))
            open.cancel()
            try expectEqual(found(secrets), [], "copied")
            // Another schema.
            let migration = try database.beginWrite()
            var specs = Self.specs
            specs[0].columns.append(ColumnSpec("secretAddition", .string, optional: true, indexed: true))
            secrets.note("secretAddition")
            try migration.extendSchema(to: specs, suspendsPrimaryKeys: false)
            let addition = try require(migration.schema.table(named: "SecretPerson")?.column(named: "secretAddition"))
            let added = "the value of a property that was added"
            secrets.note(added)
            for key in migration.keys(table) { try migration.set(addition, key, to: .string(added)) }
            try migration.finishSchema(specs, userVersion: 2)
            _ = try migration.commit()
            try expectEqual(found(secrets), [], "migrated")
        }
        expect(try Database.compact(at: path, key: Script.key) != nil)
        try expectEqual(found(secrets), [], "compacted")
        expect(secrets.all.count > 500)
        let snapshot = try Database.open(at: path, options: options(Script.key, budget: budget)).snapshot()
        let table = try require(snapshot.schema.table(named: "SecretPerson"))
        expectEqual(snapshot.count(table), 9)
        expectEqual(snapshot.verify(), [])
    }

    @Test func `a damaged source isn't copied`() throws {
        let path = folder.file()
        do {
            let database = try Database.open(at: path, options: options(Script.key, budget: 64 << 20))
            let transaction = try database.beginWrite()
            try transaction.applySchema(Self.specs)
            var secrets = Secrets()
            try fill(transaction, 1, &secrets)
            let snapshot = try transaction.commit()
            let table = try require(snapshot.schema.table(named: "SecretPerson"))
            let leaf = table.columns[1].segment(.leaf)
            let stored = Array(try require(snapshot.storedBlock(BlockAddress(segment: leaf, number: 0))))
            var image = try Data(contentsOf: URL(fileURLWithPath: path))
            let place = try require(image.range(of: Data(stored)))
            image[place.lowerBound + 30] ^= 4
            try image.write(to: URL(fileURLWithPath: folder.file("damaged.realm")))
        }
        let damaged = folder.file("damaged.realm")
        let options = options(Script.key, budget: 64 << 20)
        let names = folder.names
        expectEqual(
            code { () throws(EngineError) in _ = try Database.compact(at: damaged, key: Script.key) },
            .invalidDatabase
        )
        let copied = code { () throws(EngineError) in
            try Database.open(at: damaged, options: options).snapshot().copy(to: folder.file("c"), key: Script.key)
        }
        expectEqual(copied, .invalidDatabase)
        let seeded = code { () throws(EngineError) in
            _ = try Database.seed(folder.file("s"), from: damaged, key: Script.key)
        }
        expectEqual(seeded, .invalidDatabase)
        expect(Set(folder.names).subtracting(names).allSatisfy { $0.hasPrefix("damaged.realm") })
    }
}
