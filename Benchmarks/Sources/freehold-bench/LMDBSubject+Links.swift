import CRivalLMDB
import Foundation

extension LMDBSubject {
    func insertKennel() {
        transaction { transaction in
            for number in 0..<data.dogCount {
                var id = Int64(number)
                var age = data.dogAges[number]
                withUnsafeMutableBytes(of: &age) { put(transaction, dogs, key: &id, bytes: $0.baseAddress!, count: 8) }
            }
        }
        insert(data.allIDs[...], perTransaction: .max / 2)
    }

    func setDogs() {
        transaction { transaction in
            withCursor(transaction, people) { cursor in
                withUnsafeTemporaryAllocation(byteCount: Field.capacity, alignment: 8) { buffer in
                    let buffer = buffer.baseAddress!
                    var key = MDB_val()
                    var value = MDB_val()
                    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                        var owner = key.mv_data.loadUnaligned(as: Int64.self)
                        var dog = Int64(data.dogOf[Int(owner)])
                        memcpy(buffer, value.mv_data, value.mv_size)
                        buffer.storeBytes(of: dog + 1, toByteOffset: Field.dog, as: Int64.self)
                        value.mv_data = buffer
                        check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
                        withUnsafeMutableBytes(of: &owner) {
                            put(transaction, ownersByDog, key: &dog, bytes: $0.baseAddress!, count: 8)
                        }
                    }
                }
            }
        }
    }

    func walkDogAges() -> Int64 {
        var sum: Int64 = 0
        read { transaction in
            withCursor(transaction, people) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                    let dog = value.mv_data.loadUnaligned(fromByteOffset: Field.dog, as: Int64.self)
                    if dog > 0 { sum += get(transaction, dogs, key: dog - 1).loadUnaligned(as: Int64.self) }
                }
            }
        }
        return sum
    }

    func countAcrossLink() -> Int64 {
        var count: Int64 = 0
        read { transaction in
            withCursor(transaction, people) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                    let dog = value.mv_data.loadUnaligned(fromByteOffset: Field.dog, as: Int64.self)
                    if dog > 0, get(transaction, dogs, key: dog - 1).loadUnaligned(as: Int64.self) > 5 { count += 1 }
                }
            }
        }
        return count
    }

    func countBacklinks() -> Int64 {
        read { transaction in
            withCursor(transaction, ownersByDog) { cursor in
                var sum: Int64 = 0
                for number in 0..<data.dogCount {
                    var dog = Int64(number)
                    let found = withUnsafeMutablePointer(to: &dog) { dog in
                        var key = MDB_val(mv_size: 8, mv_data: dog)
                        var value = MDB_val()
                        return mdb_cursor_get(cursor, &key, &value, MDB_SET) == MDB_SUCCESS
                    }
                    guard found else { continue }
                    var count = 0
                    check(mdb_cursor_count(cursor, &count))
                    sum += Int64(count * count)
                }
                return sum
            }
        }
    }

    private func append(_ database: MDB_dbi, _ item: (Int) -> Int64) {
        transaction { transaction in
            var items: (Int64, Int64, Int64) = (0, 0, 0)
            for number in 0..<data.count {
                var owner = Int64(number)
                items = (item(number * 3), item(number * 3 + 1), item(number * 3 + 2))
                withUnsafeMutableBytes(of: &items) {
                    put(transaction, database, key: &owner, bytes: $0.baseAddress!, count: 24)
                }
            }
        }
    }

    func appendNumbers() { append(numbers) { Int64($0 % 1000) } }

    func appendDogs() { append(dogLists) { Int64(data.listDogs[$0]) } }

    func readNumbers() -> Int64 {
        read { transaction in
            var sum: Int64 = 0
            for number in 0..<data.count {
                let items = get(transaction, numbers, key: Int64(number))
                for i in 0..<3 { sum += items.loadUnaligned(fromByteOffset: i * 8, as: Int64.self) }
            }
            return sum
        }
    }

    func readDogs() -> Int64 {
        read { transaction in
            var sum: Int64 = 0
            for number in 0..<data.count {
                let items = get(transaction, dogLists, key: Int64(number))
                for i in 0..<3 {
                    let dog = items.loadUnaligned(fromByteOffset: i * 8, as: Int64.self)
                    sum += get(transaction, dogs, key: dog).loadUnaligned(as: Int64.self)
                }
            }
            return sum
        }
    }
}
