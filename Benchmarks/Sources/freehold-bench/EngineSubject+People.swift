import FreeholdEngine

extension EngineSubject {
    func find(_ ids: [Int]) -> Int64 {
        let view = view
        let (people, age, name) = (people!, age!, name!)
        var sum: Int64 = 0
        for id in ids {
            let key = view.find(primaryKey: .int(Int64(id)), in: people)!
            sum += view.readInt(age, key)! + Int64(view.readString(name, key)!.utf8.count)
        }
        return sum
    }

    func walkScalars() -> Int64 {
        var rows = RowCursor(people, columns: [age, score, active], in: view)
        var sum: Int64 = 0
        while rows.next() {
            sum &+= rows.int(0)! &+ Int64(rows.double(1)! * 4) &+ (rows.bool(2)! ? 1 : 0)
        }
        return sum
    }

    func walkWithText() -> Int64 {
        var rows = RowCursor(people, columns: [name, age, score], in: view)
        var sum: Int64 = 0
        while rows.next() {
            sum &+= Int64(rows.string(0)!.utf8.count) &+ rows.int(1)! &+ Int64(rows.double(2)! * 4)
        }
        return sum
    }

    private func predicate(_ condition: Condition) -> Predicate {
        switch condition {
        case .ageOver50: .comparison(PropertyPath(age), .greater, .int(50))
        case .nameEquals: .string(PropertyPath(name), .equal, pattern: Condition.equalName)
        case .nameContains: .string(PropertyPath(name), .contains, pattern: Condition.contained)
        case .nameContainsFolded:
            .string(PropertyPath(name), .contains, pattern: Condition.containedFolded, ignoringCase: true)
        case .nameBegins: .string(PropertyPath(name), .beginsWith, pattern: Condition.beginning)
        case .nameBeginsFolded:
            .string(PropertyPath(name), .beginsWith, pattern: Condition.beginningFolded, ignoringCase: true)
        case .threeConditions:
            .and([
                .comparison(PropertyPath(age), .greater, .int(50)),
                .comparison(PropertyPath(score), .less, .double(500)),
                .comparison(PropertyPath(active), .equal, .bool(true)),
            ])
        }
    }

    func count(_ condition: Condition) -> Int64 {
        Int64(RowQuery(table: people, predicate: predicate(condition)).count(in: view))
    }

    func sumAges() -> Int64 {
        guard case .int(let sum) = RowQuery(table: people).sum(of: age, in: view) else { fail("no sum") }
        return sum
    }

    func sumScores() -> Double {
        guard case .double(let sum) = RowQuery(table: people).sum(of: score, in: view) else { fail("no sum") }
        return sum
    }

    /// People were added in order of their ids from an empty table, so that a key is its id.
    private func ids(_ query: RowQuery) -> [Int64] { query.keys(in: view).map(\.raw) }

    func sortedByName() -> [Int64] { ids(RowQuery(table: people, sort: [SortKey(name)])) }
    func sortedByAge() -> [Int64] { ids(RowQuery(table: people, sort: [SortKey(age)])) }
    func firstHundredByName() -> [Int64] {
        ids(RowQuery(table: people, predicate: predicate(.ageOver50), sort: [SortKey(name)], limit: 100))
    }

    func findIndexed(_ numbers: [Int]) -> Int64 {
        let view = view
        let (name, age) = (name!, age!)
        var sum: Int64 = 0
        for number in numbers {
            let text = data.rows[number].name
            let key = view.find(.string(text), indexed: name)[0]
            sum += (view.readInt(age, key)! >= 0 ? 0 : 1) + Int64(text.utf8.count)
        }
        return sum
    }

    func updateAll() {
        let (people, age) = (people!, age!)
        transaction { transaction throws(EngineError) in
            for key in transaction.keys(people) { transaction.setInt(age, key, to: transaction.readInt(age, key)! + 1) }
        }
    }

    func update(_ ids: [Int]) {
        let (people, age) = (people!, age!)
        transaction { transaction throws(EngineError) in
            for id in ids {
                let key = transaction.find(primaryKey: .int(Int64(id)), in: people)!
                transaction.setInt(age, key, to: transaction.readInt(age, key)! + 1)
            }
        }
    }

    func deleteUnder50() {
        let people = people!
        let query = RowQuery(table: people, predicate: .comparison(PropertyPath(age), .less, .int(50)))
        transaction { transaction throws(EngineError) in
            transaction.delete(people, query.keys(in: transaction))
        }
    }
}
