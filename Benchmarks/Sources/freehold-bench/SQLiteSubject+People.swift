import CRivalSQLite

extension SQLiteSubject {
    private var insertion: Statement {
        prepare("INSERT INTO people (id, name, age, score, active, created) VALUES (?, ?, ?, ?, ?, ?)")
    }

    @inline(__always)
    private func insert(_ row: borrowing Row, _ name: UnsafeBufferPointer<UInt8>, statement: Statement) {
        statement.bind(1, row.id)
        statement.bind(2, name)
        statement.bind(3, row.age)
        statement.bind(4, row.score)
        statement.bind(5, Int64(row.active ? 1 : 0))
        statement.bind(6, row.created)
        statement.run()
    }

    func insert(_ numbers: ArraySlice<Int>, perTransaction: Int) {
        let statement = insertion
        var start = numbers.startIndex
        while start < numbers.endIndex {
            let end = min(start + perTransaction, numbers.endIndex)
            transaction {
                data.rows.withUnsafeBufferPointer { rows in
                    for number in numbers[start..<end] {
                        insert((rows.baseAddress! + number).pointee, data.nameBuffer(number), statement: statement)
                    }
                }
            }
            start = end
        }
    }

    func insertGenerated(count: Int) {
        let statement = insertion
        transaction {
            for number in 0..<count {
                var row = Row(number)
                var name = row.name
                name.withUTF8 { insert(row, $0, statement: statement) }
                row.name = name
            }
        }
    }

    func countPeople() -> Int64 { prepare("SELECT count(*) FROM people").single() }

    func find(_ ids: [Int]) -> Int64 {
        let statement = prepare("SELECT age, name FROM people WHERE id = ?")
        return transaction {
            var sum: Int64 = 0
            for id in ids {
                statement.bind(1, Int64(id))
                guard statement.step() else { fail("SQLite: no person \(id)") }
                sum += statement.int(0) + Int64(statement.string(1).utf8.count)
                statement.reset()
            }
            return sum
        }
    }

    func walkScalars() -> Int64 {
        let statement = prepare("SELECT age, score, active FROM people")
        var sum: Int64 = 0
        while statement.step() { sum &+= statement.int(0) &+ Int64(statement.double(1) * 4) &+ statement.int(2) }
        statement.reset()
        return sum
    }

    func walkWithText() -> Int64 {
        let statement = prepare("SELECT name, age, score FROM people")
        var sum: Int64 = 0
        while statement.step() {
            sum &+= Int64(statement.string(0).utf8.count) &+ statement.int(1) &+ Int64(statement.double(2) * 4)
        }
        statement.reset()
        return sum
    }

    func sumAges() -> Int64 { prepare("SELECT sum(age) FROM people").single() }

    func sumScores() -> Double {
        let statement = prepare("SELECT sum(score) FROM people")
        _ = statement.step()
        let sum = statement.double(0)
        statement.reset()
        return sum
    }

    func count(_ condition: Condition) -> Int64 {
        let (condition, text): (String, String?) =
            switch condition {
            case .ageOver50: ("age > 50", nil)
            case .nameEquals: ("name = ?", Condition.equalName)
            case .nameContains: ("instr(name, ?) > 0", Condition.contained)
            case .nameContainsFolded: ("name LIKE ?", "%\(Condition.containedFolded)%")
            case .nameBegins: ("name GLOB ?", "\(Condition.beginning)*")
            case .nameBeginsFolded: ("name LIKE ?", "\(Condition.beginningFolded)%")
            case .threeConditions: ("age > 50 AND score < 500 AND active", nil)
            }
        let statement = prepare("SELECT count(*) FROM people WHERE \(condition)")
        guard var text else { return statement.single() }
        return text.withUTF8 {
            statement.bind(1, $0)
            return statement.single()
        }
    }

    private func ids(_ sql: String) -> [Int64] {
        let statement = prepare(sql)
        var ids: [Int64] = []
        while statement.step() { ids.append(statement.int(0)) }
        statement.reset()
        return ids
    }

    func sortedByName() -> [Int64] { ids("SELECT id FROM people ORDER BY name") }
    func sortedByAge() -> [Int64] { ids("SELECT id FROM people ORDER BY age") }
    func firstHundredByName() -> [Int64] { ids("SELECT id FROM people WHERE age > 50 ORDER BY name LIMIT 100") }

    func findIndexed(_ numbers: [Int]) -> Int64 {
        let statement = prepare("SELECT age, length(name) FROM people WHERE name = ? LIMIT 1")
        return transaction {
            var sum: Int64 = 0
            for number in numbers {
                statement.bind(1, data.nameBuffer(number))
                guard statement.step() else { fail("SQLite: no such name") }
                sum += (statement.int(0) >= 0 ? 0 : 1) + statement.int(1)
                statement.reset()
            }
            return sum
        }
    }

    func updateAll() { transaction { prepare("UPDATE people SET age = age + 1").run() } }

    func update(_ ids: [Int]) {
        let statement = prepare("UPDATE people SET age = age + 1 WHERE id = ?")
        transaction {
            for id in ids {
                statement.bind(1, Int64(id))
                statement.run()
            }
        }
    }

    func deleteUnder50() { transaction { prepare("DELETE FROM people WHERE age < 50").run() } }

    func openAndReadOne(_ kind: FileKind, id: Int) -> Int64 {
        open(kind)
        let statement = prepare("SELECT age FROM people WHERE id = ?")
        statement.bind(1, Int64(id))
        let age = statement.single()
        close()
        return age
    }
}
