import Foundation
import Testing

@testable import Freehold

class NestedKid: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var nickname: String?
    @Persisted var data: Data?
    @Persisted var kids: List<NestedKid>
    @Persisted var toys: List<NestedKid>
}

@Suite("Query: subqueries inside others, strings and null")
struct NestedSubqueryTests {
    let realm: Realm
    let all: Results<NestedKid>

    /// 1 has 2 and 3, 2 has 4, 3 has none; 4 has itself; the toys of 2 are 5.
    init() throws {
        var configuration = newConfiguration()
        configuration.objectTypes = [NestedKid.self]
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let kids = (1...5).map { realm.create(NestedKid.self, value: ["id": $0, "name": "\($0)"]) }
            kids[0].kids.append(objectsIn: [kids[1], kids[2]])
            kids[1].kids.append(kids[3])
            kids[3].kids.append(kids[3])
            kids[1].toys.append(kids[4])
            kids[0].nickname = "a"
            kids[1].nickname = ""
            kids[0].data = Data()
        }
        self.realm = realm
        all = realm.objects(NestedKid.self).sorted(by: \.id)
    }

    private func ids(_ query: @escaping (Query<NestedKid>) -> Query<Bool>) throws -> [Int] {
        let found: [Int] = all.where(query).map(\.id)
        let made = query(Query<NestedKid>._constructForTesting())
        try expectEqual(all.filter(validating: made.queryString).map(\.id), found, "\(made.queryString)")
        let (format, arguments) = made._constructPredicate()
        try expectEqual(all.filtered(format, arguments).map(\.id), found, "\(format)")
        return found
    }

    @Test
    func `a subquery over the outer collection concerns the elements' own one`() throws {
        // Kids that have kids whose name isn't x.
        try expectEqual(ids { ($0.kids.kids.count >= 0 && ($0.kids.name != "x").count > 0).count > 0 }, [1, 2, 4])
        try expectEqual(ids { ($0.kids.kids.count >= 0 && ($0.kids.name == "4").count > 0).count > 0 }, [1, 2, 4])
        try expectEqual(ids { ($0.kids.name == "2" && ($0.kids.name == "4").count > 0).count > 0 }, [1])
        try expectEqual(ids { ($0.kids.name == "3" && ($0.kids.name == "4").count > 0).count > 0 }, [])
        let thrice = try ids { kid in
            let inner = (kid.kids.name == "4").count == 1
            let middle = (kid.kids.name == "4" && inner).count > 0
            return (kid.kids.name == "2" && middle).count > 0
        }
        expectEqual(thrice, [1])
    }

    @Test
    func `a subquery over a collection of the elements concerns that collection`() throws {
        try expectEqual(ids { ($0.kids.name == "2" && ($0.kids.toys.name == "5").count == 1).count > 0 }, [1])
        try expectEqual(ids { ($0.kids.name == "2" && ($0.kids.kids.name == "4").count == 1).count > 0 }, [1])
        try expectEqual(ids { ($0.kids.name == "3" && ($0.kids.toys.name == "5").count == 1).count > 0 }, [])
    }

    @Test
    func `null is less than every string and every data`() throws {
        try expectEqual(ids { $0.nickname > nil }, [1, 2])
        try expectEqual(ids { $0.nickname >= nil }, [1, 2, 3, 4, 5])
        try expectEqual(ids { $0.nickname < nil }, [])
        try expectEqual(ids { $0.nickname <= nil }, [3, 4, 5])
        try expectEqual(ids { $0.kids.nickname > nil }, [1])
        try expectEqual(ids { $0.kids.nickname >= nil }, [1, 2, 4])
        // Nor is null less than a string.
        try expectEqual(ids { $0.nickname < "b" }, [1, 2])
        expectEqual(all.filter("data > NULL").map(\.id), [1])
        expectEqual(all.filter("ALL kids.nickname > NULL").map(\.id), [3, 5])
        expectEqual(all.filter("NULL < nickname").map(\.id), [1, 2])
        expectEqual(all.filter("NOT nickname > %@", NSNull()).map(\.id), [3, 4, 5])
    }
}
