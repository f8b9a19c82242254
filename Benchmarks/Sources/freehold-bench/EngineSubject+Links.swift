import FreeholdEngine

extension EngineSubject {
    func insertKennel() {
        let (dogs, dogAge) = (dogs!, dogAge!)
        transaction { transaction throws(EngineError) in
            for number in 0..<data.dogCount {
                let key = try transaction.create(dogs, primaryKey: .int(Int64(number)))
                transaction.setInt(dogAge, key, to: data.dogAges[number])
            }
        }
        insert(data.allIDs[...], perTransaction: .max / 2)
    }

    func setDogs() {
        let dog = dog!
        transaction { transaction throws(EngineError) in
            for number in 0..<data.count {
                transaction.setLink(dog, ObjectKey(Int64(number)), to: ObjectKey(Int64(data.dogOf[number])))
            }
        }
    }

    func walkDogAges() -> Int64 {
        let view = view
        let dogAge = dogAge!
        var rows = RowCursor(people, columns: [dog], in: view)
        var sum: Int64 = 0
        while rows.next() {
            if let key = rows.link(0) { sum += view.readInt(dogAge, key)! }
        }
        return sum
    }

    func countAcrossLink() -> Int64 {
        let predicate = Predicate.comparison(PropertyPath(columns: [dog, dogAge]), .greater, .int(5))
        return Int64(RowQuery(table: people, predicate: predicate).count(in: view))
    }

    func countBacklinks() -> Int64 {
        let view = view
        let dog = dog!
        var sum: Int64 = 0
        for number in 0..<data.dogCount {
            let count = view.backlinkCount(dog, ObjectKey(Int64(number)))
            sum += Int64(count * count)
        }
        return sum
    }

    func appendNumbers() {
        let numbers = numbers!
        transaction { transaction throws(EngineError) in
            for number in 0..<data.count {
                let first = Int64(number * 3)
                try transaction.listAppend(
                    numbers,
                    ObjectKey(Int64(number)),
                    values: [.int(first % 1000), .int((first + 1) % 1000), .int((first + 2) % 1000)]
                )
            }
        }
    }

    func readNumbers() -> Int64 {
        let view = view
        let numbers = numbers!
        var sum: Int64 = 0
        for number in 0..<data.count {
            for i in 0..<3 {
                if case .int(let value) = view.listValue(numbers, ObjectKey(Int64(number)), at: i) { sum += value }
            }
        }
        return sum
    }

    func appendDogs() {
        let dogList = dogList!
        transaction { transaction throws(EngineError) in
            for number in 0..<data.count {
                let links = (0..<3).map { Value.link(ObjectKey(Int64(data.listDogs[number * 3 + $0]))) }
                try transaction.listAppend(dogList, ObjectKey(Int64(number)), values: links)
            }
        }
    }

    func readDogs() -> Int64 {
        let view = view
        let (dogList, dogAge) = (dogList!, dogAge!)
        var sum: Int64 = 0
        for number in 0..<data.count {
            for i in 0..<3 {
                sum += view.readInt(dogAge, view.listLink(dogList, ObjectKey(Int64(number)), at: i))!
            }
        }
        return sum
    }
}
