import Foundation
import Testing

@testable import Freehold

/// Comparisons, aggregates and sorting of every type that has an order.
@Suite("Numbers and dates in results and lists")
struct NumberTests {
    enum Numeric: String, CaseIterable, CustomTestStringConvertible {
        case int, int8, int16, int32, int64, float, double, decimal
        var testDescription: String { rawValue }
    }

    @Test(arguments: Numeric.allCases)
    func `aggregates, comparisons and sorting work for every number type`(_ type: Numeric) throws {
        switch type {
        case .int: try check([3, 1, 2], \.int, \.intOpt, \.intList, \.intOptList, "int")
        case .int8: try check([3, 1, 2], \.int8, \.int8Opt, \.int8List, \.int8OptList, "int8")
        case .int16: try check([3, 1, 2], \.int16, \.int16Opt, \.int16List, \.int16OptList, "int16")
        case .int32: try check([3, 1, 2], \.int32, \.int32Opt, \.int32List, \.int32OptList, "int32")
        case .int64: try check([3, 1, 2], \.int64, \.int64Opt, \.int64List, \.int64OptList, "int64")
        case .float: try check([3, 1, 2], \.float, \.floatOpt, \.floatList, \.floatOptList, "float")
        case .double: try check([3, 1, 2], \.double, \.doubleOpt, \.doubleList, \.doubleOptList, "double")
        case .decimal: try check([3, 1, 2], \.decimal, \.decimalOpt, \.decimalList, \.decimalOptList, "decimal")
        }
    }

    private func check<T>(
        _ values: [T],
        _ plain: ReferenceWritableKeyPath<Matrix, T>,
        _ optional: ReferenceWritableKeyPath<Matrix, T?>,
        _ list: ReferenceWritableKeyPath<Matrix, List<T>>,
        _ optionalList: ReferenceWritableKeyPath<Matrix, List<T?>>,
        _ name: String
    ) throws
    where T: _PersistableScalar & MinMaxType & AddableType & _QueryNumeric & Comparable & ExpressibleByIntegerLiteral {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Matrix.self])
        )
        let all = realm.objects(Matrix.self)
        expect(all.min(of: plain) == nil && all.max(of: plain) == nil && all.average(of: plain) == nil)
        expectEqual(all.sum(of: plain), 0)
        let holder = Matrix()
        try realm.write {
            for value in values {
                let object = Matrix()
                object[keyPath: plain] = value
                object[keyPath: optional] = value
                realm.add(object)
                holder.linkList.append(object)
            }
            // In the transaction, too, results are live.
            expect(all.count == 3 && all.max(of: plain) == 3)
            realm.add(holder)
            expect(all.count == 4 && all.min(of: plain) == 0)
            holder[keyPath: plain] = 0
            holder[keyPath: list].append(objectsIn: values)
            holder[keyPath: optionalList].append(objectsIn: values.map { $0 } + [nil])
        }
        expect(all.min(of: plain) == 0 && all.max(of: plain) == 3 && all.sum(of: plain) == 6)
        expect(all.min(of: optional) == .some(1) && all.max(of: optional) == .some(3))
        expect(all.sum(of: optional) == .some(6) && all.average(of: optional) == .some(2))
        expect(all.average(ofProperty: name) == 1.5 && all.average(ofProperty: name + "Opt") == 2.0)
        expect(holder.linkList.max(of: plain) == 3 && holder.linkList.sum(of: plain) == 6)
        let numbers = holder[keyPath: list]
        expect(numbers.min() == 1 && numbers.max() == 3 && numbers.sum() == 6)
        expectEqual((holder.linkList.where { $0[dynamicMember: plain] > 1 }).map { $0[keyPath: plain] }, [3, 2])

        func count(_ condition: (Query<Matrix>) -> Query<Bool>) -> Int { all.where(condition).count }
        expect(count { $0[dynamicMember: plain] > 1 } == 2 && count { $0[dynamicMember: plain] >= 1 } == 3)
        expect(count { $0[dynamicMember: plain] < 1 } == 1 && count { $0[dynamicMember: plain] <= 1 } == 2)
        expect(count { $0[dynamicMember: optional] > 1 } == 2 && count { $0[dynamicMember: optional] <= 1 } == 1)
        expectEqual(count { !($0[dynamicMember: optional] > 1) }, 2)
        expectEqual(count { $0[dynamicMember: plain].contains(1...2) }, 2)
        expectEqual(count { $0[dynamicMember: plain].contains(1..<2) }, 1)
        expectEqual(count { $0[dynamicMember: plain].in([0, 3, 9]) }, 2)
        expectEqual(count { $0[dynamicMember: plain] == $0[dynamicMember: plain] }, 4)
        expectEqual(count { $0.linkList[dynamicMember: plain] > 2 }, 1)
        expectEqual(
            count { $0.linkList.count == 3 && $0[dynamicMember: plain] != 3 || $0[dynamicMember: plain] == 3 },
            2
        )
        expectEqual(count { $0.listing[dynamicMember: plain] == 0 }, 3)

        expectEqual(all.sorted(by: plain).map { $0[keyPath: plain] }, [0, 1, 2, 3])
        expectEqual(all.sorted(by: plain, ascending: false).map { $0[keyPath: plain] }, [3, 2, 1, 0])
        expectEqual(all.sorted(by: optional).map { $0[keyPath: optional] }, [nil, 1, 2, 3])
        let sorted = all.sorted(by: plain)
        expect(sorted.index(of: holder) == 0 && sorted.last?[keyPath: plain] == 3 && sorted.first == holder)
        try realm.write {
            holder[keyPath: plain] = 4
            expect(sorted.last == holder && sorted.index(of: holder) == 3)
        }
        expect(sorted.last == holder && sorted.count == 4)
    }

    @Test
    func `dates have an order and no sum`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Matrix.self])
        )
        let days = [3.0, 1, 2].map { Date(timeIntervalSince1970: $0 * 86_400) }
        try realm.write {
            for day in days { realm.create(Matrix.self, value: ["date": day, "dateOpt": day, "dateList": days]) }
            realm.create(Matrix.self, value: ["date": days[0]])
        }
        let all = realm.objects(Matrix.self)
        expect(all.min(of: \.date) == days[1] && all.max(of: \.dateOpt) == .some(days[0]))
        expect(all.where { $0.date > days[2] }.count == 2 && all.where { $0.dateOpt <= days[2] }.count == 2)
        expectEqual(all.sorted(by: \.dateOpt).map(\.dateOpt), [nil, days[1], days[2], days[0]])
        expect(all[0].dateList.min() == days[1] && all[0].dateList.max() == days[0])
        expectEqual(all.where { $0.date.contains(days[1]...days[2]) }.count, 2)
    }

    @Test
    func `strings are compared, searched and folded`() throws {
        let realm = try Realm(
            configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Matrix.self])
        )
        let words: [String?] = ["Ärger", "ärger", "Zebra", "", nil]
        try realm.write {
            for word in words {
                realm.create(Matrix.self, value: ["stringOpt": word as Any, "string": word ?? "none"])
            }
        }
        func found(_ condition: (Query<Matrix>) -> Query<Bool>) -> [String?] {
            realm.objects(Matrix.self).where(condition).map(\.stringOpt)
        }
        expectEqual(found { $0.stringOpt.starts(with: "Är") }, ["Ärger"])
        expectEqual(found { $0.stringOpt.starts(with: "är", options: .caseInsensitive) }, ["Ärger", "ärger"])
        expectEqual(found { $0.stringOpt.ends(with: "GER", options: .caseInsensitive) }, ["Ärger", "ärger"])
        expectEqual(found { $0.stringOpt.contains("eb") }, ["Zebra"])
        expectEqual(found { $0.stringOpt.equals("ZEBRA", options: .caseInsensitive) }, ["Zebra"])
        expectEqual(found { $0.stringOpt.like("?rg*") }, ["Ärger", "ärger"])
        expect(found { $0.stringOpt == "" } == [""] && found { $0.stringOpt == nil } == [nil])
        expectEqual(found { $0.stringOpt.in(["Zebra", nil]) }, ["Zebra", nil])
        expectEqual(found { $0.stringOpt != "Zebra" && $0.string != "none" }, ["Ärger", "ärger", ""])
        expectEqual(found { $0.stringOpt.equals($0.string) }.count, 4)
        expectEqual(found { !($0.string.starts(with: "Z") || $0.string.contains("rg")) }, ["", nil])
    }
}
