import Foundation
import Testing

@testable import Freehold

private let matrix: [ObjectBase.Type] = [Matrix.self]

private func matrixRealm() throws -> Realm {
    try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: matrix))
}

/// Every type in every shape through every way in and out.
@Suite("Every type of property")
struct MatrixTests {
    @Test(
        "Values are what was assigned, before and after adding, by accessor, name and reopened file",
        arguments: MatrixType.allCases
    )
    func roundTrip(_ type: MatrixType) throws { try type.accept(RoundTrip()) }

    @Test(
        "create and init(value:) take each type from dictionaries, arrays and objects",
        arguments: MatrixType.allCases
    )
    func creation(_ type: MatrixType) throws { try type.accept(Creation()) }

    @Test(arguments: MatrixType.allCases)
    func `the subscript sets values, null and lists`(_ type: MatrixType) throws { try type.accept(Subscripts()) }

    @Test(arguments: MatrixType.allCases)
    func `lists of each type are edited in the same way, managed or not`(_ type: MatrixType) throws {
        try type.accept(Lists())
    }

    @Test(arguments: MatrixType.allCases)
    func `conditions find each type's values and nulls`(_ type: MatrixType) throws { try type.accept(Conditions()) }
}

private func set<T>(_ row: MatrixRow<T>, _ object: Matrix) {
    object[keyPath: row.plain] = row.samples[0]
    object[keyPath: row.optional] = row.samples[1]
    object[keyPath: row.list].append(objectsIn: row.samples)
    object[keyPath: row.optionalList].append(objectsIn: row.samples.map { $0 } + [nil])
}

private func check<T>(_ row: MatrixRow<T>, _ object: Matrix, _ place: Comment) {
    expectEqual(object[keyPath: row.plain], row.samples[0], place)
    expectEqual(object[keyPath: row.optional], row.samples[1], place)
    expectEqual(Array(object[keyPath: row.list]), row.samples, place)
    expectEqual(Array(object[keyPath: row.optionalList]), row.samples.map { $0 } + [nil], place)
}

/// The same value in every width of integers.
private func same<T: RealmCollectionValue>(_ a: Any?, _ b: T) -> Bool {
    guard let a, let stored = T._rlmConvert(a) else { return false }
    return T._rlmFromContent(stored) == b
}

private struct RoundTrip: MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws {
        let object = Matrix()
        set(row, object)
        check(row, object, "unmanaged")
        let before = "\(object)"
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("freehold-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let configuration = Realm.Configuration(fileURL: url.appendingPathComponent("m.realm"), objectTypes: matrix)
        try autoreleased {
            let realm = try Realm(configuration: configuration)
            let other = Matrix()
            try realm.write {
                realm.add(object)
                check(row, object, "in the transaction")
                realm.add(other)
                set(row, other)
                check(row, other, "set when managed")
            }
            check(row, object, "after the transaction")
            check(row, other, "set when managed, after the transaction")
            expectEqual("\(object)", before)
            let again = realm.objects(Matrix.self)[0]
            expect(again == object && again.hash == object.hash && again != other)
            check(row, again, "another accessor")
            expect(same(again[row.name], row.samples[0]) && same(again[row.name + "Opt"], row.samples[1]))
            expectEqual((again[row.name + "List"] as? List<T>), object[keyPath: row.list])
            try realm.write {
                object[keyPath: row.optional] = nil
                object[keyPath: row.optionalList].removeAll()
            }
            expect(again[keyPath: row.optional] == nil && again[row.name + "Opt"] == nil)
            try realm.write {
                object[keyPath: row.optional] = row.samples[1]
                object[keyPath: row.optionalList] = other[keyPath: row.optionalList]
            }
        }
        let reopened = try Realm(configuration: configuration)
        for object in reopened.objects(Matrix.self) { check(row, object, "reopened") }
        expectEqual(reopened.objects(Matrix.self).count, 2)
    }

    private func autoreleased(_ body: () throws -> Void) throws { try body() }
}

private struct Creation: MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws {
        let optionals: [T?] = row.samples.map { $0 } + [nil]
        let values: [String: Any] = [
            row.name: row.samples[0], row.name + "Opt": row.samples[1], row.name + "List": row.samples,
            row.name + "OptList": optionals,
        ]
        let unmanaged = try Matrix(validating: values)
        check(row, unmanaged, "init(value:)")
        let realm = try matrixRealm(), elsewhere = try matrixRealm()
        let foreign = Matrix(value: unmanaged)
        try elsewhere.write { elsewhere.add(foreign) }
        try realm.write {
            check(row, realm.create(Matrix.self, value: values), "a dictionary")
            check(row, realm.create(Matrix.self, value: unmanaged), "an unmanaged object")
            let first = realm.objects(Matrix.self)[0]
            check(row, realm.create(Matrix.self, value: first), "a managed object")
            check(row, realm.create(Matrix.self, value: foreign), "an object of another realm")
            var array: [Any] = []
            for property in first.objectSchema.properties where property.type != .linkingObjects {
                array.append(unmanaged[property.name] as Any)
            }
            check(row, realm.create(Matrix.self, value: array), "an array")
            let nulls: [String: Any?] = [row.name: row.samples[0], row.name + "Opt": nil, row.name + "List": nil]
            let null = realm.create(Matrix.self, value: nulls)
            expect(null[keyPath: row.optional] == nil && null[keyPath: row.list].isEmpty)
            let nested = realm.create(
                Matrix.self,
                value: ["link": values, "linkList": [values, values]] as [String: Any]
            )
            check(row, nested.link!, "nested in a link")
            check(row, nested.linkList[1], "nested in a list")
            expect(nested.link!.linking.count == 1 && nested.linkList[0].listing.first == nested)
        }
        expect(unmanaged.realm == nil && foreign.realm == elsewhere)
        expectEqual(realm.objects(Matrix.self).count, 10)
        func code(_ value: [String: Any]) -> Realm.Error.Code? {
            thrownCode { _ = try realm.write { realm.create(Matrix.self, value: value) } }
        }
        expectEqual(code([row.name: NSNull()]), .missingValue)
        expectEqual(code([row.name: ["a": 1]]), .invalidValue)
        expectEqual(code([row.name + "List": [NSNull()]]), .missingValue)
        expectEqual(code([row.name + "List": 5]), .invalidValue)
        expectEqual(realm.objects(Matrix.self).count, 10)
    }
}

private struct Subscripts: MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws {
        let realm = try matrixRealm()
        let object = Matrix()
        func assign() {
            object[row.name] = row.samples[0]
            object[row.name + "Opt"] = row.samples[1]
            object[row.name + "List"] = row.samples
            object[row.name + "OptList"] = row.samples.map { $0 } + [nil] as [T?]
        }
        func clear() {
            object[row.name + "Opt"] = nil
            object[row.name + "List"] = nil
            object[row.name + "OptList"] = NSNull()
            expect(object[row.name + "Opt"] == nil && object[keyPath: row.optional] == nil)
            expect(object[keyPath: row.list].isEmpty && object[keyPath: row.optionalList].isEmpty)
        }
        assign()
        check(row, object, "unmanaged")
        clear()
        try realm.write {
            realm.add(object)
            assign()
            check(row, object, "managed")
            clear()
            assign()
        }
        check(row, object, "afterwards")
        expectEqual(thrownCode { try realm.write { object[row.name] = nil } }, .missingValue)
        expectEqual(thrownCode { try realm.write { object[row.name] = ["no"] } }, .invalidValue)
        check(row, object, "after errors")
    }
}

private struct Lists: MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws {
        let realm = try matrixRealm()
        let managed = Matrix()
        try realm.write { realm.add(managed) }
        let (a, b) = (row.samples[0], row.samples[1])
        func edit(_ list: List<T?>) -> [[T?]] {
            var states: [[T?]] = []
            func note() { states.append(Array(list)) }
            list.append(objectsIn: [a, b, nil, a])
            note()
            list.insert(nil, at: 0)
            list[1] = b
            note()
            list.swapAt(0, 2)
            list.move(from: 0, to: 3)
            note()
            list.replaceSubrange(1..<3, with: [nil, a, nil])
            note()
            list.remove(at: 0)
            list.removeLast()
            note()
            expectEqual(list.index(of: nil), states.last!.firstIndex(of: nil))
            expectEqual(list.index(of: a), states.last!.firstIndex(of: a))
            expect(list.contains(nil) && list.first == states.last!.first && list.last == states.last!.last)
            return states
        }
        let expected = edit(List<T?>())
        try realm.write { expectEqual(edit(managed[keyPath: row.optionalList]), expected) }
        expectEqual(Array(managed[keyPath: row.optionalList]), expected.last!)
    }
}

private struct Conditions: MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws {
        let realm = try matrixRealm()
        try realm.write {
            for sample in row.samples {
                let object = Matrix()
                object[keyPath: row.plain] = sample
                object[keyPath: row.optional] = sample
                object[keyPath: row.optionalList].append(objectsIn: [sample, nil])
                realm.add(object)
            }
            realm.add(Matrix())
        }
        let all = realm.objects(Matrix.self)
        for sample in row.samples {
            let equal = row.samples.filter { $0 == sample }.count
            expectEqual(all.where { $0[dynamicMember: row.optional] == sample }.count, equal)
            expectEqual(all.where { !($0[dynamicMember: row.optional] == sample) }.count, all.count - equal)
            expect(all.where { $0[dynamicMember: row.plain].in([sample]) }.count >= equal)
            expectEqual(all.where { $0[dynamicMember: row.optionalList].contains(sample) }.count, equal)
        }
        expectEqual(all.where { $0[dynamicMember: row.optional] == nil }.count, 1)
        expectEqual(all.where { $0[dynamicMember: row.optional] != nil }.count, row.samples.count)
        expectEqual(all.where { $0[dynamicMember: row.optionalList].contains(nil) }.count, row.samples.count)
    }
}
