import Foundation
import Freehold
import Testing

/// Every type that a property can have, each plain, optional, and as lists of both.
class Matrix: Object {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID

    @Persisted var boolOpt: Bool?
    @Persisted var intOpt: Int?
    @Persisted var int8Opt: Int8?
    @Persisted var int16Opt: Int16?
    @Persisted var int32Opt: Int32?
    @Persisted var int64Opt: Int64?
    @Persisted var floatOpt: Float?
    @Persisted var doubleOpt: Double?
    @Persisted var stringOpt: String?
    @Persisted var dataOpt: Data?
    @Persisted var dateOpt: Date?
    @Persisted var decimalOpt: Decimal128?
    @Persisted var objectIdOpt: ObjectId?
    @Persisted var uuidOpt: UUID?

    @Persisted var boolList: List<Bool>
    @Persisted var intList: List<Int>
    @Persisted var int8List: List<Int8>
    @Persisted var int16List: List<Int16>
    @Persisted var int32List: List<Int32>
    @Persisted var int64List: List<Int64>
    @Persisted var floatList: List<Float>
    @Persisted var doubleList: List<Double>
    @Persisted var stringList: List<String>
    @Persisted var dataList: List<Data>
    @Persisted var dateList: List<Date>
    @Persisted var decimalList: List<Decimal128>
    @Persisted var objectIdList: List<ObjectId>
    @Persisted var uuidList: List<UUID>

    @Persisted var boolOptList: List<Bool?>
    @Persisted var intOptList: List<Int?>
    @Persisted var int8OptList: List<Int8?>
    @Persisted var int16OptList: List<Int16?>
    @Persisted var int32OptList: List<Int32?>
    @Persisted var int64OptList: List<Int64?>
    @Persisted var floatOptList: List<Float?>
    @Persisted var doubleOptList: List<Double?>
    @Persisted var stringOptList: List<String?>
    @Persisted var dataOptList: List<Data?>
    @Persisted var dateOptList: List<Date?>
    @Persisted var decimalOptList: List<Decimal128?>
    @Persisted var objectIdOptList: List<ObjectId?>
    @Persisted var uuidOptList: List<UUID?>

    @Persisted var link: Matrix?
    @Persisted var linkList: List<Matrix>
    @Persisted(originProperty: "link") var linking: LinkingObjects<Matrix>
    @Persisted(originProperty: "linkList") var listing: LinkingObjects<Matrix>
}

/// One type's properties of ``Matrix`` and values to try them with.
struct MatrixRow<T: _PersistableScalar> {
    let name: String
    let samples: [T]
    let plain: ReferenceWritableKeyPath<Matrix, T>
    let optional: ReferenceWritableKeyPath<Matrix, T?>
    let list: ReferenceWritableKeyPath<Matrix, List<T>>
    let optionalList: ReferenceWritableKeyPath<Matrix, List<T?>>
}

/// An operation on each type's row.
protocol MatrixVisitor {
    func visit<T>(_ row: MatrixRow<T>) throws
}

enum MatrixType: String, CaseIterable, CustomTestStringConvertible {
    case bool, int, int8, int16, int32, int64, float, double, string, data, date, decimal, objectId, uuid

    var testDescription: String { rawValue }

    func accept(_ visitor: some MatrixVisitor) throws {
        switch self {
        case .bool:
            try visitor.visit(row([true, false, true], \.bool, \.boolOpt, \.boolList, \.boolOptList))
        case .int:
            try visitor.visit(row([.min, .max, 0, -1, 300], \.int, \.intOpt, \.intList, \.intOptList))
        case .int8:
            try visitor.visit(row([.min, .max, 0, -1], \.int8, \.int8Opt, \.int8List, \.int8OptList))
        case .int16:
            try visitor.visit(row([.min, .max, 0, -1, 300], \.int16, \.int16Opt, \.int16List, \.int16OptList))
        case .int32:
            try visitor.visit(row([.min, .max, 0, 70_000], \.int32, \.int32Opt, \.int32List, \.int32OptList))
        case .int64:
            try visitor.visit(row([.min, .max, 0, -5], \.int64, \.int64Opt, \.int64List, \.int64OptList))
        case .float:
            let values: [Float] = [
                1.5, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
            ]
            try visitor.visit(row(values, \.float, \.floatOpt, \.floatList, \.floatOptList))
        case .double:
            let values = [0.1, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
            try visitor.visit(row(values, \.double, \.doubleOpt, \.doubleList, \.doubleOptList))
        case .string:
            let values = ["a", "", "\0", "Zoë 👩‍👩‍👧", String(repeating: "long ", count: 4_000)]
            try visitor.visit(row(values, \.string, \.stringOpt, \.stringList, \.stringOptList))
        case .data:
            let values = [Data([0, 255]), Data(), Data(repeating: 7, count: 20_000)]
            try visitor.visit(row(values, \.data, \.dataOpt, \.dataList, \.dataOptList))
        case .date:
            let values = [-1.5, 0, 1_700_000_000.123456, -62_135_769_600, 253_402_300_799].map {
                Date(timeIntervalSince1970: $0)
            }
            try visitor.visit(row(values, \.date, \.dateOpt, \.dateList, \.dateOptList))
        case .decimal:
            let values = ["12.50", "-0", "9.999999999999999999999999999999999E+6144", "Infinity"].map {
                Decimal128($0)!
            }
            try visitor.visit(row(values, \.decimal, \.decimalOpt, \.decimalList, \.decimalOptList))
        case .objectId:
            let values = [ObjectId.generate(), ObjectId(), ObjectId("ffffffffffffffffffffffff")!]
            try visitor.visit(row(values, \.objectId, \.objectIdOpt, \.objectIdList, \.objectIdOptList))
        case .uuid:
            let values = [UUID(), UUID(uuidString: "00000000-0000-0000-0000-000000000000")!]
            try visitor.visit(row(values, \.uuid, \.uuidOpt, \.uuidList, \.uuidOptList))
        }
    }

    private func row<T>(
        _ samples: [T],
        _ plain: ReferenceWritableKeyPath<Matrix, T>,
        _ optional: ReferenceWritableKeyPath<Matrix, T?>,
        _ list: ReferenceWritableKeyPath<Matrix, List<T>>,
        _ optionalList: ReferenceWritableKeyPath<Matrix, List<T?>>
    ) -> MatrixRow<T> {
        MatrixRow(
            name: rawValue,
            samples: samples,
            plain: plain,
            optional: optional,
            list: list,
            optionalList: optionalList
        )
    }
}
