// swift-format-ignore-file
// Made of Sources/Freehold/Freehold.docc/FullTextSearch.md by `make docs-code`: edit that, not this.
import Foundation
import Freehold

enum Freehold_FullTextSearch_1 {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/FullTextSearch.md", line: 8)
class Article: Object { override class func shouldIncludeInDefaultSchema() -> Bool { Run.program == "Freehold_FullTextSearch_1" };
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(fullText: true) var body = ""
    @Persisted(fullText: true, mapTo: "sub_title") var subtitle: String?
}
#sourceLocation()
@MainActor static func run() async throws {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/FullTextSearch.md", line: 13)

let realm = try Realm()
let found = realm.objects(Article.self).where { $0.body.matches("swift data* -objective") }
for hit in try realm.objects(Article.self).search(\.body, for: "object database", limit: 20) {
    print(hit.object.id, hit.score, hit.excerpt())
}
#sourceLocation()
do {
#sourceLocation(file: "Sources/Freehold/Freehold.docc/FullTextSearch.md", line: 22)
try realm.write { realm.create(Article.self, value: ["body": "A Swift database: objects are the data."]) }
check(found.count == 1)
check(try realm.objects(Article.self).search(\.body, for: "swift data*", limit: 20).map(\.object) == Array(found))
#sourceLocation()
}}
}
