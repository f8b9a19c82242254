import CRivalSQLite

extension SQLiteSubject {
    func insertKennel() {
        let statement = prepare("INSERT INTO dogs (id, age) VALUES (?, ?)")
        transaction {
            for number in 0..<data.dogCount {
                statement.bind(1, Int64(number))
                statement.bind(2, data.dogAges[number])
                statement.run()
            }
        }
        insert(data.allIDs[...], perTransaction: .max / 2)
    }

    func setDogs() {
        let statement = prepare("UPDATE people SET dog = ? WHERE id = ?")
        transaction {
            for number in 0..<data.count {
                statement.bind(1, Int64(data.dogOf[number]))
                statement.bind(2, Int64(number))
                statement.run()
            }
        }
    }

    func walkDogAges() -> Int64 {
        let statement = prepare("SELECT dogs.age FROM people JOIN dogs ON dogs.id = people.dog ORDER BY people.id")
        var sum: Int64 = 0
        while statement.step() { sum += statement.int(0) }
        statement.reset()
        return sum
    }

    func countAcrossLink() -> Int64 {
        prepare("SELECT count(*) FROM people JOIN dogs ON dogs.id = people.dog WHERE dogs.age > 5").single()
    }

    func countBacklinks() -> Int64 {
        let statement = prepare("SELECT count(*) FROM people WHERE dog = ?")
        return transaction {
            var sum: Int64 = 0
            for number in 0..<data.dogCount {
                statement.bind(1, Int64(number))
                let count = statement.single()
                sum += count * count
            }
            return sum
        }
    }

    private func append(_ table: String, _ item: (Int) -> Int64) {
        let statement = prepare("INSERT INTO \(table) (owner, position, item) VALUES (?, ?, ?)")
        transaction {
            for number in 0..<data.count {
                for position in 0..<3 {
                    statement.bind(1, Int64(number))
                    statement.bind(2, Int64(position))
                    statement.bind(3, item(number * 3 + position))
                    statement.run()
                }
            }
        }
    }

    func appendNumbers() { append("numbers") { Int64($0 % 1000) } }

    func appendDogs() { append("dog_lists") { Int64(data.listDogs[$0]) } }

    private func sumOfEach(_ sql: String) -> Int64 {
        let statement = prepare(sql)
        return transaction {
            var sum: Int64 = 0
            for number in 0..<data.count {
                statement.bind(1, Int64(number))
                while statement.step() { sum += statement.int(0) }
                statement.reset()
            }
            return sum
        }
    }

    func readNumbers() -> Int64 { sumOfEach("SELECT item FROM numbers WHERE owner = ? ORDER BY position") }

    func readDogs() -> Int64 {
        sumOfEach(
            "SELECT dogs.age FROM dog_lists JOIN dogs ON dogs.id = item WHERE owner = ? ORDER BY position"
        )
    }
}
