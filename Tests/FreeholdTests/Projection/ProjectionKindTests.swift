import Foundation
import Testing

@testable import Freehold

/// Each position of a type, directly and under other names.
class KindProjection<T: StoredKind>: Projection<Kinds<T>> {
    @Projected(\Kinds<T>.plain) var value
    @Projected(\Kinds<T>.optional) var maybe
    @Projected(\Kinds<T>.list) var list
    @Projected(\Kinds<T>.optionalList) var optionalList
    @Projected(\Kinds<T>.set) var set
    @Projected(\Kinds<T>.map) var map
    @Projected(\Kinds<T>.mixed) var mixed
}

@Suite("Projections: every type")
struct ProjectionKindTests {
    @Test(arguments: KindName.allCases)
    func `every type is read, written, rolled back and frozen through a projection`(_ kind: KindName) throws {
        try kind.accept(Visitor())
    }

    private struct Visitor: KindVisitor {
        func visit<T>(_ row: KindRow<T>) throws {
            let origins = ProjectionSchema.of(KindProjection<T>.self).properties
            expectEqual(origins.map(\.path), ["plain", "optional", "list", "optionalList", "set", "map", "mixed"])
            expect(origins.allSatisfy { $0.isStored })
            let object = row.model.init()
            let projection = KindProjection(projecting: object)
            fill(projection, row.values)
            check(projection, row.values)
            let configuration = Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [row.model]
            )
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.add(object) }
            check(projection, row.values)
            let frozen = projection.freeze()
            realm.beginWrite()
            projection.value = row.values.last!
            projection.maybe = nil
            projection.list.removeAll()
            projection.map["k"] = nil
            projection.mixed = .none
            expect(projection.value == row.values.last! && projection.maybe == nil && projection.list.isEmpty)
            realm.cancelWrite()
            check(projection, row.values)
            try realm.write { fill(projection, row.values.reversed()) }
            check(projection, row.values.reversed())
            check(frozen, row.values)
            check(frozen.thaw()!, row.values.reversed())
            expect(!"\(projection)".isEmpty)
        }

        private func fill<T>(_ projection: KindProjection<T>, _ values: [T]) {
            projection.value = values[0]
            projection.maybe = values[1]
            projection.list = List()
            projection.list.append(objectsIn: values)
            projection.optionalList.removeAll()
            projection.optionalList.append(objectsIn: [values[0], nil])
            projection.set.removeAll()
            projection.set.insert(objectsIn: values)
            projection.map["k"] = values[0]
            projection.mixed = AnyRealmValue._rlmFromContent(T._rlmContent(values[0]) as _StoredContent)!
        }

        private func check<T>(_ projection: KindProjection<T>, _ values: [T]) {
            let object = projection.rootObject
            expect(projection.value == values[0] && object.plain == values[0])
            expect(projection.maybe == values[1] && object.optional == values[1])
            expect(Array(projection.list) == values && Array(projection.optionalList) == [values[0], nil])
            expect(Set(projection.set) == Set(values) && projection.map["k"] == values[0])
            expect(projection.mixed == object.mixed && projection.mixed != .none)
        }
    }

    /// A type behind an optional link, which is written by name.
    private struct Behind: KindVisitor {
        func visit<T>(_ row: KindRow<T>) throws {
            func origin<V>(_ keyPath: KeyPath<KindOwner<T>, V>) -> String? {
                KeyPathOrigin.of(keyPath).map { "\($0.names.joined(separator: ".")) \($0.isStored)" }
            }
            expect(origin(\.kinds?.plain) == "kinds.plain true" && origin(\.kinds?.optional) == "kinds.optional true")
            expect(origin(\.kinds?.list) == "kinds.list true" && origin(\.kinds) == "kinds true")
            expect(
                origin(\.kinds?.mixed) == "kinds.mixed true" && origin(\.kinds?.plain.hashValue) == "kinds.plain false"
            )
            let owner = KindOwner<T>()
            owner.kinds = row.model.init()
            let projection = BehindProjection<T>(projecting: owner)
            for value in row.values {
                projection.value = value
                projection.maybe = value
                expect(owner.kinds?.plain == value && projection.value == value && projection.maybe == value)
            }
            projection.maybe = nil
            expect(owner.kinds?.optional == nil && projection.maybe == nil)
        }
    }

    @Test(arguments: KindName.allCases)
    func `every type is read and written behind an optional link`(_ kind: KindName) throws {
        try kind.accept(Behind())
    }

    @Test
    func `a key path to a derived value is distinguished from one to a stored property`() {
        func isStored<V>(_ keyPath: KeyPath<PJPerson, V>) -> Bool? { KeyPathOrigin.of(keyPath)?.isStored }
        expect(isStored(\.firstName) == true && isStored(\.firstName.localizedUppercase) == false)
        expect(
            isStored(\.firstName.decomposedStringWithCanonicalMapping) == false && isStored(\.age.magnitude) == false
        )
        expectEqual(isStored(\.age.byteSwapped), false)
        expect(isStored(\.address?.city.capitalized) == false && isStored(\.dog?.home?.country) == true)
        expect(isStored(\.adult) == false && isStored(\.fullName) == nil && isStored(\.scores["a"]) == false)
        expect(isStored(\.birthday.timeIntervalSince1970) == false && isStored(\.mood.rawValue) == false)
        expect(isStored(\.anything) == true && isStored(\.admirers) == true && isStored(\.tags.count) == false)
    }
}

class KindOwner<T: StoredKind>: Object {
    @Persisted var kinds: Kinds<T>?
}

class BehindProjection<T: StoredKind>: Projection<KindOwner<T>> {
    @Projected(\KindOwner<T>.kinds?.plain) var value
    @Projected(\KindOwner<T>.kinds?.optional) var maybe
}
