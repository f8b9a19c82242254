import Foundation

extension SQLiteSubject {
    func createQueried() {
        execute("CREATE TABLE articles (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        execute("CREATE VIRTUAL TABLE words USING fts5(body, content = 'articles', content_rowid = 'id')")
        execute("CREATE TABLE shops (id INTEGER PRIMARY KEY, latitude REAL NOT NULL, longitude REAL NOT NULL)")
        execute("CREATE VIRTUAL TABLE areas USING rtree(id, west, east, south, north)")
    }

    func ask(_ work: QueryWork) -> Int64 {
        let questions = Questions(data)
        var sum: Int64 = 0
        switch work {
        case .inMany:
            let values = questions.some.map { String(data.rows[$0].created) }
            sum = prepare("SELECT count(*) FROM people WHERE created IN (\(values.joined(separator: ",")))").single()
        case .inManyIndexed:
            let values = questions.some.map { "'\(data.rows[$0].name)'" }
            sum = prepare("SELECT count(*) FROM people WHERE name IN (\(values.joined(separator: ",")))").single()
        case .rangeIndexed: sum = prepare("SELECT count(*) FROM people WHERE name >= 'Mar' AND name < 'Mas'").single()
        case .prefixIndexed: sum = prepare("SELECT count(*) FROM people WHERE name GLOB 'Ver*'").single()
        case .firstHundredIndexed:
            sum = prepare("SELECT sum(length(name)) FROM (SELECT name FROM people ORDER BY name LIMIT 100)").single()
        case .columns: sum = prepare("SELECT count(*) FROM people WHERE age > score").single()
        case .distinctAges: sum = prepare("SELECT count(DISTINCT age) FROM people").single()
        case .groupByAge:
            let groups = prepare("SELECT count(*) + CAST(sum(score) AS INTEGER) FROM people GROUP BY age")
            while groups.step() { sum += groups.int(0) }
            groups.reset()
        case .groupByName:
            let groups = prepare("SELECT count(*) * sum(age) FROM people GROUP BY name")
            while groups.step() { sum += groups.int(0) }
            groups.reset()
        case .anyInList:
            sum = prepare(
                "SELECT count(*) FROM people WHERE EXISTS (SELECT 1 FROM dog_lists JOIN dogs ON dogs.id = item "
                    + "WHERE owner = people.id AND dogs.age > 17)"
            ).single()
        case .subquery:
            sum = prepare(
                "SELECT count(*) FROM people WHERE (SELECT count(*) FROM dog_lists JOIN dogs ON dogs.id = item "
                    + "WHERE owner = people.id AND dogs.age > 10) >= 2"
            ).single()
        case .addArticles:
            transaction {
                let article = prepare("INSERT INTO articles VALUES (?, ?)")
                let words = prepare("INSERT INTO words (rowid, body) VALUES (?, ?)")
                for id in 0..<questions.articles {
                    bound(Questions.body(id)) {
                        for statement in [article, words] {
                            statement.bind(1, Int64(id))
                            statement.bind(2, $0)
                            statement.run()
                        }
                    }
                }
            }
            sum = Int64(questions.articles)
        case .findWord: sum = found(questions) { questions.word($0) }
        case .findTwoWords: sum = found(questions) { "\(questions.pair($0).0) \(questions.pair($0).1)" }
        case .findPrefix: sum = found(questions) { questions.prefix($0) + "*" }
        case .findPhrase: sum = found(questions) { "\"\(questions.phrase($0))\"" }
        case .rank:
            sum = found(
                questions,
                "SELECT count(*) FROM (SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10)"
            ) { questions.word($0) }
        case .addShops:
            transaction {
                let shop = prepare("INSERT INTO shops VALUES (?, ?, ?)")
                let area = prepare("INSERT INTO areas VALUES (?, ?, ?, ?, ?)")
                for id in 0..<questions.shops {
                    let place = Questions.place(id)
                    shop.bind(1, Int64(id))
                    shop.bind(2, place.latitude)
                    shop.bind(3, place.longitude)
                    shop.run()
                    area.bind(1, Int64(id))
                    area.bind(2, place.longitude)
                    area.bind(3, place.longitude)
                    area.bind(4, place.latitude)
                    area.bind(5, place.latitude)
                    area.run()
                }
            }
            sum = Int64(questions.shops)
        case .circles:
            let inside = prepare(
                "SELECT latitude, longitude FROM areas JOIN shops USING (id) "
                    + "WHERE east >= ? AND west <= ? AND north >= ? AND south <= ?"
            )
            for i in 0..<questions.circles {
                let centre = questions.centre(i)
                let angle = questions.radius / Questions.earth
                let height = angle * 180 / .pi
                let width = asin(min(1, sin(angle) / cos(centre.latitude * .pi / 180))) * 180 / .pi
                inside.bind(1, centre.longitude - width)
                inside.bind(2, centre.longitude + width)
                inside.bind(3, centre.latitude - height)
                inside.bind(4, centre.latitude + height)
                while inside.step() {
                    let place = (latitude: inside.double(0), longitude: inside.double(1))
                    if Questions.distance(from: centre, to: place) <= questions.radius { sum += 1 }
                }
                inside.reset()
            }
        }
        return sum
    }

    private func found(
        _ questions: Questions,
        _ sql: String = "SELECT count(*) FROM words WHERE words MATCH ?",
        search: (Int) -> String
    ) -> Int64 {
        let statement = prepare(sql)
        var sum: Int64 = 0
        for i in 0..<questions.searches {
            bound(search(i)) {
                statement.bind(1, $0)
                sum += statement.single()
            }
        }
        return sum
    }
}
