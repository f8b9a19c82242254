import CRivalLMDB
import Foundation

/// Raw LMDB, as one would use it with care: a packed row per object under its 8-byte key, a second database for an
/// index, and one for the inverse of a link. Durable as LMDB is by default: data synced, then the root.
final class LMDBSubject: Subject {
    let layer = Layer.lmdb
    let data: Dataset
    let folder: String
    var environment: OpaquePointer?
    var kind = FileKind.people
    var people: MDB_dbi = 0
    var byName: MDB_dbi = 0
    var dogs: MDB_dbi = 0
    var ownersByDog: MDB_dbi = 0
    var numbers: MDB_dbi = 0
    var dogLists: MDB_dbi = 0

    init(_ data: Dataset, folder: String) {
        self.data = data
        self.folder = folder
    }

    var version: String { String(cString: mdb_version(nil, nil, nil)) }

    func path(_ kind: FileKind) -> String { "\(folder)/\(layer.fileName)-\(kind.rawValue).db" }

    func create(_ kind: FileKind) {
        close()
        unlink(path(kind))
        unlink(path(kind) + "-lock")
        open(kind)
    }

    func open(_ kind: FileKind) {
        close()
        self.kind = kind
        check(mdb_env_create(&environment))
        check(mdb_env_set_mapsize(environment, 8 << 30))
        check(mdb_env_set_maxdbs(environment, 8))
        check(mdb_env_open(environment, path(kind), UInt32(MDB_NOSUBDIR), 0o644))
        transaction { transaction in
            func database(_ name: String, _ flags: Int32) -> MDB_dbi {
                var handle: MDB_dbi = 0
                check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE | flags), &handle))
                return handle
            }
            people = database("people", MDB_INTEGERKEY)
            if kind == .indexed { byName = database("by_name", MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP) }
            if isKennel {
                dogs = database("dogs", MDB_INTEGERKEY)
                ownersByDog = database("owners_by_dog", MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
                numbers = database("numbers", MDB_INTEGERKEY)
                dogLists = database("dog_lists", MDB_INTEGERKEY)
            }
        }
    }

    var isKennel: Bool { kind == .kennel || kind == .linked || kind == .lists }

    func close() {
        if let environment { mdb_env_close(environment) }
        environment = nil
    }

    func check(_ code: Int32) {
        guard code == MDB_SUCCESS else { fail("LMDB: \(String(cString: mdb_strerror(code)))") }
    }

    // MARK: Transactions

    func transaction(_ body: (OpaquePointer) -> Void) {
        var transaction: OpaquePointer?
        check(mdb_txn_begin(environment, nil, 0, &transaction))
        body(transaction!)
        check(mdb_txn_commit(transaction))
    }

    func read<R>(_ body: (OpaquePointer) -> R) -> R {
        var transaction: OpaquePointer?
        check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        defer { mdb_txn_abort(transaction) }
        return body(transaction!)
    }

    func withCursor<R>(_ transaction: OpaquePointer, _ database: MDB_dbi, body: (OpaquePointer) -> R) -> R {
        var cursor: OpaquePointer?
        check(mdb_cursor_open(transaction, database, &cursor))
        defer { mdb_cursor_close(cursor) }
        return body(cursor!)
    }

    /// Every row of people, in key order.
    @inline(__always)
    func scan(_ body: (_ id: Int64, _ row: UnsafeRawPointer) -> Void) {
        read { transaction in
            withCursor(transaction, people) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                    body(key.mv_data.loadUnaligned(as: Int64.self), UnsafeRawPointer(value.mv_data))
                }
            }
        }
    }

    // MARK: Rows

    /// age 0, score 8, created 16, dog + 1 or zero 24, active 32, length of the name 33, its bytes 34.
    enum Field {
        static let age = 0
        static let score = 8
        static let created = 16
        static let dog = 24
        static let active = 32
        static let nameLength = 33
        static let name = 34
        static let capacity = 34 + 255
    }

    @inline(__always)
    func pack(
        _ buffer: UnsafeMutableRawPointer,
        age: Int64,
        score: Double,
        active: Bool,
        created: Int64,
        name: UnsafeBufferPointer<UInt8>
    ) -> Int {
        buffer.storeBytes(of: age, as: Int64.self)
        buffer.storeBytes(of: score, toByteOffset: Field.score, as: Double.self)
        buffer.storeBytes(of: created, toByteOffset: Field.created, as: Int64.self)
        buffer.storeBytes(of: 0, toByteOffset: Field.dog, as: Int64.self)
        buffer.storeBytes(of: active ? 1 : 0, toByteOffset: Field.active, as: UInt8.self)
        buffer.storeBytes(of: UInt8(name.count), toByteOffset: Field.nameLength, as: UInt8.self)
        memcpy(buffer + Field.name, name.baseAddress!, name.count)
        return Field.name + name.count
    }

    func put(
        _ transaction: OpaquePointer,
        _ database: MDB_dbi,
        key: inout Int64,
        bytes: UnsafeMutableRawPointer,
        count: Int,
        flags: Int32 = 0
    ) {
        withUnsafeMutablePointer(to: &key) { key in
            var keyValue = MDB_val(mv_size: 8, mv_data: key)
            var value = MDB_val(mv_size: count, mv_data: bytes)
            check(mdb_put(transaction, database, &keyValue, &value, UInt32(flags)))
        }
    }

    func get(_ transaction: OpaquePointer, _ database: MDB_dbi, key: Int64) -> UnsafeRawPointer {
        var key = key
        return withUnsafeMutablePointer(to: &key) { key in
            var keyValue = MDB_val(mv_size: 8, mv_data: key)
            var value = MDB_val()
            check(mdb_get(transaction, database, &keyValue, &value))
            return UnsafeRawPointer(value.mv_data)
        }
    }
}
