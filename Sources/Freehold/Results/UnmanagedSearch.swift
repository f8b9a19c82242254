import Foundation
import FreeholdEngine

/// A search for the first object in memory that a query finds. Queries work on rows. Therefore each object in turn, and
/// all objects to which it links, are copied to a realm in memory, and the copy is rolled back.
enum UnmanagedSearch {
    /// - Complexity: O(all objects to which the objects up to the result link), and the creation of a realm.
    static func firstIndex<Element: RealmCollectionValue>(
        _ elements: [Element],
        _ query: WrittenQuery
    ) throws(QueryError) -> Int? {
        guard let cls = Element._rlmShape.target, !Discovery.isRoot(cls), !(cls is EmbeddedObject.Type) else {
            throw .unfiltered(Element.self)
        }
        let realm: Realm
        do {
            var configuration = Realm.Configuration(inMemoryIdentifier: "freehold.search.\(UUID().uuidString)")
            configuration.objectTypes = closure(of: cls)
            realm = try Realm(configuration: configuration)
        } catch {
            throw QueryError(.type, "The objects can't be searched: \(error)")
        }
        let table = realm.core.requireTable(for: cls)
        let found = try ResultsQuery(_CollectionSource(of: table).adding(query))
        for (i, element) in elements.enumerated() {
            guard case .object(let object?) = Element._rlmContent(element) else { continue }
            do {
                if try isFound(object, in: table, in: realm, among: found) { return i }
            } catch {
                throw QueryError(.type, "An object can't be searched: \(error)")
            }
        }
        return nil
    }

    private static func isFound(
        _ object: ObjectBase,
        in table: ManagedTable,
        in realm: Realm,
        among found: ResultsQuery
    ) throws -> Bool {
        realm.beginWrite()
        defer { realm.cancelWrite() }
        var planner = GraphPlanner(core: realm.core, policy: .all, adopts: false)
        let target = try planner.target(of: object, in: table)
        try planner.finish()
        let keys = try planner.plan.apply(to: realm.core, policy: .all)
        guard case .node(let node) = target else { return false }
        return found.index(of: keys[node]) != nil
    }

    /// Returns the class and all classes to which it links.
    private static func closure(of cls: ObjectBase.Type) -> [ObjectBase.Type] {
        var all: [ObjectBase.Type] = [cls]
        var next = 0
        while next < all.count {
            for property in ClassInfo.of(all[next]).properties {
                if let target = property.target, !all.contains(where: { $0 == target }) { all.append(target) }
            }
            next += 1
        }
        return all
    }
}
