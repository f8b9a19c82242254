import BenchMachine
import BenchModels
import Foundation
import Freehold

/// What is asked for, the same for all.
struct Questions {
    let data: Dataset
    let articles: Int
    let shops: Int
    let searches = 200
    let circles = 100
    let radius = 50_000.0
    /// Metres; the radius that S2 and so Realm use.
    static let earth = 6_371_010.0

    init(_ data: Dataset) {
        self.data = data
        articles = max(1, data.count / 10)
        shops = data.count
    }

    /// 5,000 people at most, spread over all.
    var some: [Int] { (0..<min(5_000, data.count)).map { data.shuffledIDs[$0] } }

    // MARK: Articles

    private static let syllables = [
        "ka", "lo", "mi", "ren", "sta", "vo", "bel", "dor", "fin", "gra", "hu", "jen", "kol", "lin", "mar", "nor",
        "ola", "per", "qui", "ras", "sol", "tam", "ulf", "ver", "win", "xan", "yor", "zel", "ath", "bri", "cor", "del",
    ]

    /// Word 0 is the most frequent.
    static func word(_ i: Int) -> String { syllables[i % 32] + syllables[i / 32 % 32] + syllables[i / 1024 % 32] }

    /// Twenty words out of 5,000, the frequent ones more often.
    static func words(_ article: Int) -> [Int] {
        var random = Random(UInt64(article) &* 77 &+ 5)
        return (0..<20).map { _ in
            let u = Double(random.below(1_000_000)) / 1_000_000
            return min(4_999, Int(Foundation.pow(5_000, u)) - 1 + random.below(3))
        }
    }

    static func body(_ article: Int) -> String { words(article).map(word).joined(separator: " ") }

    func word(_ search: Int) -> String { Self.word(20 + search * 7) }
    func pair(_ search: Int) -> (String, String) { (Self.word(search % 40), Self.word(60 + search * 3)) }
    /// Two words that follow each other somewhere.
    func phrase(_ search: Int) -> String {
        let words = Self.words(search * 31 % articles)
        return Self.word(words[3]) + " " + Self.word(words[4])
    }
    func prefix(_ search: Int) -> String { String(Self.word(search * 11).prefix(4)) }

    // MARK: Shops

    /// Evenly over the globe: degrees north, degrees east.
    static func place(_ shop: Int) -> (latitude: Double, longitude: Double) {
        var random = Random(UInt64(shop) &* 31 &+ 9)
        let z = Double(random.below(2_000_001)) / 1_000_000 - 1
        return (Foundation.asin(z) * 180 / .pi, Double(random.below(3_600_000)) / 10_000 - 180)
    }

    /// Away from the poles and the antimeridian, where boxes are simple.
    func centre(_ i: Int) -> (latitude: Double, longitude: Double) {
        (Double(i * 13 % 100) - 50 + 0.123, Double(i * 37 % 300) - 150 + 0.321)
    }

    static func distance(
        from a: (latitude: Double, longitude: Double),
        to b: (latitude: Double, longitude: Double)
    ) -> Double {
        let (p, q) = (a.latitude * .pi / 180, b.latitude * .pi / 180)
        let dp = sin((q - p) / 2)
        let dl = sin((b.longitude - a.longitude) * .pi / 360)
        return 2 * earth * asin(min(1, (dp * dp + cos(p) * cos(q) * dl * dl).squareRoot()))
    }
}

extension LMDBSubject {
    func ask(_ work: QueryWork) -> Int64 { fail("LMDB has no queries") }
}

extension EngineSubject {
    func ask(_ work: QueryWork) -> Int64 { fail("these are asked of objects") }
}

extension ObjectSubject {
    private var people: Results<Person> { realm.objects(Person.self) }
    private var indexed: Results<IndexedPerson> { realm.objects(IndexedPerson.self) }

    func ask(_ work: QueryWork) -> Int64 {
        let questions = Questions(data)
        var sum = 0
        switch work {
        case .inMany:
            let dates = questions.some.map { Date(timeIntervalSince1970: Double(data.rows[$0].created) / 1e6) }
            sum = people.where { $0.created.in(dates) }.count
        case .inManyIndexed:
            let names = questions.some.map { data.rows[$0].name }
            sum = indexed.where { $0.name.in(names) }.count
        case .rangeIndexed: sum = indexed.where { $0.name >= "Mar" && $0.name < "Mas" }.count
        case .prefixIndexed: sum = indexed.where { $0.name.starts(with: "Ver") }.count
        case .firstHundredIndexed:
            for person in indexed.sorted(by: \.name).limited(to: 100) { sum += person.name.utf8.count }
        case .columns: sum = people.filter("age > score").count
        case .distinctAges: sum = people.distinct(by: [\Person.age]).count
        case .groupByAge:
            for group in people.grouped(by: \.age) {
                sum += group.count + Int(group.sum(of: \.score))
            }
        case .groupByName:
            for group in people.grouped(by: \.name) { sum += Int(group.sum(of: \.age)) * group.count }
        case .anyInList: sum = realm.objects(Owner.self).where { $0.dogs.age > 17 }.count
        case .subquery: sum = realm.objects(Owner.self).where { ($0.dogs.age > 10).count >= 2 }.count
        case .addArticles:
            write {
                for id in 0..<questions.articles {
                    let article = Article()
                    article.id = id
                    article.body = Questions.body(id)
                    realm.add(article)
                }
            }
            sum = questions.articles
        case .findWord: sum = found { questions.word($0) }
        case .findTwoWords: sum = found { "\(questions.pair($0).0) \(questions.pair($0).1)" }
        case .findPrefix: sum = found { questions.prefix($0) + "*" }
        case .findPhrase: sum = found { "\"\(questions.phrase($0))\"" }
        case .rank:
            let articles = realm.objects(Article.self)
            for i in 0..<questions.searches {
                sum += attempt { try articles.search(\.body, for: questions.word(i), limit: 10).count }
            }
        case .addShops:
            write {
                for id in 0..<questions.shops {
                    let shop = Shop()
                    shop.id = id
                    let place = Place()
                    let point = Questions.place(id)
                    place.coordinates.append(point.longitude)
                    place.coordinates.append(point.latitude)
                    shop.place = place
                    realm.add(shop)
                }
            }
            sum = questions.shops
        case .circles:
            let shops = realm.objects(Shop.self)
            for i in 0..<questions.circles {
                let centre = questions.centre(i)
                let circle = GeoCircle(
                    center: GeoPoint(latitude: centre.latitude, longitude: centre.longitude)!,
                    radiusInRadians: questions.radius / Questions.earth
                )!
                sum += shops.where { $0.place.geoWithin(circle) }.count
            }
        }
        return Int64(sum)
    }

    private func found(_ search: (Int) -> String) -> Int {
        let articles = realm.objects(Article.self)
        return (0..<Questions(data).searches).reduce(0) { sum, i in
            sum + articles.where { $0.body.matches(search(i)) }.count
        }
    }
}

extension Workloads {
    /// The query language beyond conditions on one property, beside SQLite, with FTS5 for text and an R*Tree for places.
    static func queries(_ data: Dataset) -> [Workload] {
        let questions = Questions(data)
        let both: [Layer] = [.sqlite, .objects]
        func ask(_ name: String, _ operations: Int, work: QueryWork, kind: FileKind) -> Workload {
            Workload(name: name, operations: operations, layers: both, prepare: { $0.use(kind, $1) }) { subject in
                let figure = subject.ask(work)
                return { figure }
            }
        }
        func fill(_ name: String, _ operations: Int, work: QueryWork, kind: FileKind) -> Workload {
            Workload(name: name, operations: operations, layers: both, prepare: { $0.create(kind, $1) }) { subject in
                let figure = subject.ask(work)
                return { figure }
            }
        }
        let n = data.count
        return [
            ask("count `IN` 5,000 dates, no index", n, work: .inMany, kind: .people),
            ask(
                "count `IN` 5,000 strings, indexed (per value)",
                questions.some.count,
                work: .inManyIndexed,
                kind: .indexed
            ),
            ask("count a range of an indexed string", n, work: .rangeIndexed, kind: .indexed),
            ask("count BEGINSWITH of an indexed string", n, work: .prefixIndexed, kind: .indexed),
            ask("sort by an indexed String, first 100", 100, work: .firstHundredIndexed, kind: .indexed),
            ask("count `age > score`, two properties", n, work: .columns, kind: .people),
            ask("distinct by an Int", n, work: .distinctAges, kind: .people),
            ask("grouped by an Int: count and sum of a Double", n, work: .groupByAge, kind: .people),
            ask("grouped by a String: count and sum of an Int", n, work: .groupByName, kind: .people),
            ask("count `ANY dogs.age > 17` across lists", n, work: .anyInList, kind: .lists),
            ask("count of a subquery over lists", n, work: .subquery, kind: .lists),
            fill(
                "add articles of 20 words with a full-text index",
                questions.articles,
                work: .addArticles,
                kind: .articles
            ),
            ask("full-text: one word (per search)", questions.searches, work: .findWord, kind: .articles),
            ask("full-text: two words", questions.searches, work: .findTwoWords, kind: .articles),
            ask("full-text: a prefix", questions.searches, work: .findPrefix, kind: .articles),
            ask("full-text: a phrase", questions.searches, work: .findPhrase, kind: .articles),
            ask("full-text: the ten best by relevance", questions.searches, work: .rank, kind: .articles),
            fill("add shops with a place and its index", questions.shops, work: .addShops, kind: .shops),
            ask("places in a circle of 50 km (per circle)", questions.circles, work: .circles, kind: .shops),
        ]
    }
}
