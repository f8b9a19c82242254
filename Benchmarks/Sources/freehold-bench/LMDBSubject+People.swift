import CRivalLMDB
import Foundation
import RivalSort

extension LMDBSubject {
    func insert(_ numbers: ArraySlice<Int>, perTransaction: Int) {
        withUnsafeTemporaryAllocation(byteCount: Field.capacity, alignment: 8) { buffer in
            let buffer = buffer.baseAddress!
            var start = numbers.startIndex
            while start < numbers.endIndex {
                let end = min(start + perTransaction, numbers.endIndex)
                transaction { transaction in
                    for number in numbers[start..<end] {
                        let name = data.nameBuffer(number)
                        data.rows.withUnsafeBufferPointer { rows in
                            let row = rows.baseAddress! + number
                            var id = row.pointee.id
                            let count = pack(
                                buffer,
                                age: row.pointee.age,
                                score: row.pointee.score,
                                active: row.pointee.active,
                                created: row.pointee.created,
                                name: name
                            )
                            put(transaction, people, key: &id, bytes: buffer, count: count, flags: MDB_NOOVERWRITE)
                            if kind == .indexed { putIndex(transaction, name, id: &id) }
                        }
                    }
                }
                start = end
            }
        }
    }

    private func putIndex(_ transaction: OpaquePointer, _ name: UnsafeBufferPointer<UInt8>, id: inout Int64) {
        withUnsafeMutablePointer(to: &id) { id in
            var key = MDB_val(mv_size: name.count, mv_data: UnsafeMutableRawPointer(mutating: name.baseAddress!))
            var value = MDB_val(mv_size: 8, mv_data: id)
            check(mdb_put(transaction, byName, &key, &value, 0))
        }
    }

    func insertGenerated(count: Int) {
        withUnsafeTemporaryAllocation(byteCount: Field.capacity, alignment: 8) { buffer in
            transaction { transaction in
                for number in 0..<count {
                    var row = Row(number)
                    row.name.withUTF8 { name in
                        let count = pack(
                            buffer.baseAddress!,
                            age: row.age,
                            score: row.score,
                            active: row.active,
                            created: row.created,
                            name: name
                        )
                        var id = Int64(number)
                        put(
                            transaction,
                            people,
                            key: &id,
                            bytes: buffer.baseAddress!,
                            count: count,
                            flags: MDB_NOOVERWRITE
                        )
                    }
                }
            }
        }
    }

    func countPeople() -> Int64 {
        read { transaction in
            var statistics = MDB_stat()
            check(mdb_stat(transaction, people, &statistics))
            return Int64(statistics.ms_entries)
        }
    }

    func find(_ ids: [Int]) -> Int64 {
        read { transaction in
            var sum: Int64 = 0
            for id in ids {
                let row = get(transaction, people, key: Int64(id))
                let text = string(row)
                sum += row.loadUnaligned(as: Int64.self) + Int64(text.utf8.count)
            }
            return sum
        }
    }

    /// The name as a Swift string, which is what the reader of a row in Swift needs.
    @inline(__always)
    func string(_ row: UnsafeRawPointer) -> String {
        let length = Int(row.load(fromByteOffset: Field.nameLength, as: UInt8.self))
        return String(decoding: UnsafeRawBufferPointer(start: row + Field.name, count: length), as: UTF8.self)
    }

    func walkScalars() -> Int64 {
        var sum: Int64 = 0
        scan { _, row in
            sum &+= row.loadUnaligned(as: Int64.self)
            sum &+= Int64(row.loadUnaligned(fromByteOffset: Field.score, as: Double.self) * 4)
            sum &+= Int64(row.load(fromByteOffset: Field.active, as: UInt8.self))
        }
        return sum
    }

    func walkWithText() -> Int64 {
        var sum: Int64 = 0
        scan { _, row in
            sum &+= Int64(string(row).utf8.count)
            sum &+= row.loadUnaligned(as: Int64.self)
            sum &+= Int64(row.loadUnaligned(fromByteOffset: Field.score, as: Double.self) * 4)
        }
        return sum
    }

    func sumAges() -> Int64 {
        var sum: Int64 = 0
        scan { _, row in sum &+= row.loadUnaligned(as: Int64.self) }
        return sum
    }

    func sumScores() -> Double {
        var sum = 0.0
        scan { _, row in sum += row.loadUnaligned(fromByteOffset: Field.score, as: Double.self) }
        return sum
    }

    func count(_ condition: Condition) -> Int64 {
        var count: Int64 = 0
        switch condition {
        case .ageOver50:
            scan { _, row in if row.loadUnaligned(as: Int64.self) > 50 { count += 1 } }
        case .nameEquals:
            withText(Condition.equalName) { text in
                scan { _, row in
                    if row.load(fromByteOffset: Field.nameLength, as: UInt8.self) == text.count,
                        memcmp(row + Field.name, text.baseAddress!, text.count) == 0
                    {
                        count += 1
                    }
                }
            }
        case .nameContains:
            withText(Condition.contained) { text in
                scan { _, row in
                    let length = Int(row.load(fromByteOffset: Field.nameLength, as: UInt8.self))
                    if rival_find(row + Field.name, length, text.baseAddress!, text.count) != nil { count += 1 }
                }
            }
        case .nameContainsFolded:
            withText(Condition.containedFolded.lowercased()) { text in
                scan { _, row in
                    let length = Int(row.load(fromByteOffset: Field.nameLength, as: UInt8.self))
                    guard length >= text.count else { return }
                    for start in 0...(length - text.count) where equalFolded(row + Field.name + start, text) {
                        count += 1
                        break
                    }
                }
            }
        case .nameBegins:
            withText(Condition.beginning) { text in
                scan { _, row in
                    if row.load(fromByteOffset: Field.nameLength, as: UInt8.self) >= text.count,
                        memcmp(row + Field.name, text.baseAddress!, text.count) == 0
                    {
                        count += 1
                    }
                }
            }
        case .nameBeginsFolded:
            withText(Condition.beginningFolded.lowercased()) { text in
                scan { _, row in
                    if row.load(fromByteOffset: Field.nameLength, as: UInt8.self) >= text.count,
                        equalFolded(row + Field.name, text)
                    {
                        count += 1
                    }
                }
            }
        case .threeConditions:
            scan { _, row in
                if row.loadUnaligned(as: Int64.self) > 50,
                    row.loadUnaligned(fromByteOffset: Field.score, as: Double.self) < 500,
                    row.load(fromByteOffset: Field.active, as: UInt8.self) != 0
                {
                    count += 1
                }
            }
        }
        return count
    }

    @inline(__always)
    private func equalFolded(_ bytes: UnsafeRawPointer, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
        for i in 0..<text.count {
            var byte = bytes.load(fromByteOffset: i, as: UInt8.self)
            if byte &- 65 < 26 { byte |= 32 }
            if byte != text[i] { return false }
        }
        return true
    }

    private func withText(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = text
        text.withUTF8(body)
    }

    // MARK: Sorting

    private func texts(_ transaction: OpaquePointer, where isIncluded: (UnsafeRawPointer) -> Bool) -> [rival_text] {
        var texts: [rival_text] = []
        texts.reserveCapacity(data.count)
        withCursor(transaction, people) { cursor in
            var key = MDB_val()
            var value = MDB_val()
            while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                let row = UnsafeRawPointer(value.mv_data!)
                guard isIncluded(row) else { continue }
                texts.append(
                    rival_text(
                        bytes: (row + Field.name).assumingMemoryBound(to: UInt8.self),
                        length: UInt32(row.load(fromByteOffset: Field.nameLength, as: UInt8.self)),
                        key: key.mv_data.loadUnaligned(as: Int64.self)
                    )
                )
            }
        }
        return texts
    }

    func sortedByName() -> [Int64] {
        read { transaction in
            var texts = texts(transaction) { _ in true }
            rival_sort_texts(&texts, texts.count)
            return texts.map(\.key)
        }
    }

    func firstHundredByName() -> [Int64] {
        read { transaction in
            var texts = texts(transaction) { $0.loadUnaligned(as: Int64.self) > 50 }
            rival_partial_sort_texts(&texts, texts.count, 100)
            return texts.prefix(100).map(\.key)
        }
    }

    func sortedByAge() -> [Int64] {
        var numbers: [rival_number] = []
        numbers.reserveCapacity(data.count)
        scan { id, row in numbers.append(rival_number(value: row.loadUnaligned(as: Int64.self), key: id)) }
        rival_sort_numbers(&numbers, numbers.count)
        return numbers.map(\.key)
    }

    func findIndexed(_ numbers: [Int]) -> Int64 {
        read { transaction in
            var sum: Int64 = 0
            for number in numbers {
                let name = data.nameBuffer(number)
                var key = MDB_val(mv_size: name.count, mv_data: UnsafeMutableRawPointer(mutating: name.baseAddress!))
                var value = MDB_val()
                check(mdb_get(transaction, byName, &key, &value))
                let row = get(transaction, people, key: value.mv_data.loadUnaligned(as: Int64.self))
                sum += Int64(row.load(fromByteOffset: Field.nameLength, as: UInt8.self))
                sum += row.loadUnaligned(as: Int64.self) >= 0 ? 0 : 1
            }
            return sum
        }
    }

    // MARK: Changing

    func updateAll() {
        transaction { transaction in
            withCursor(transaction, people) { cursor in
                withUnsafeTemporaryAllocation(byteCount: Field.capacity, alignment: 8) { buffer in
                    let buffer = buffer.baseAddress!
                    var key = MDB_val()
                    var value = MDB_val()
                    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                        memcpy(buffer, value.mv_data, value.mv_size)
                        buffer.storeBytes(of: buffer.load(as: Int64.self) + 1, as: Int64.self)
                        value.mv_data = buffer
                        check(mdb_cursor_put(cursor, &key, &value, UInt32(MDB_CURRENT)))
                    }
                }
            }
        }
    }

    func update(_ ids: [Int]) {
        transaction { transaction in
            withUnsafeTemporaryAllocation(byteCount: Field.capacity, alignment: 8) { buffer in
                let buffer = buffer.baseAddress!
                for id in ids {
                    var id = Int64(id)
                    let row = get(transaction, people, key: id)
                    let size = Field.name + Int(row.load(fromByteOffset: Field.nameLength, as: UInt8.self))
                    memcpy(buffer, row, size)
                    buffer.storeBytes(of: buffer.load(as: Int64.self) + 1, as: Int64.self)
                    put(transaction, people, key: &id, bytes: buffer, count: size)
                }
            }
        }
    }

    func deleteUnder50() {
        transaction { transaction in
            withCursor(transaction, people) { cursor in
                var key = MDB_val()
                var value = MDB_val()
                while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
                    if value.mv_data.loadUnaligned(as: Int64.self) < 50 { check(mdb_cursor_del(cursor, 0)) }
                }
            }
        }
    }

    func openAndReadOne(_ kind: FileKind, id: Int) -> Int64 {
        open(kind)
        let age = read { get($0, people, key: Int64(id)).loadUnaligned(as: Int64.self) }
        close()
        return age
    }
}
