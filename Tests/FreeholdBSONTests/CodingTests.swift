import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

@Suite("BSON: Codable")
struct CodingTests {
    struct Everything: Codable, Equatable {
        var id = ObjectId.generate()
        var name = "Ada"
        var price: Decimal128 = "19.90"
        var born = Date(timeIntervalSince1970: 1_356_351_330.501)
        var uuid = UUID()
        var data = Data([1, 2])
        var flag = true
        var int = -1
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.max
        var uint: UInt = 5
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64(Int64.max)
        var float: Float = 0.1
        var double = 0.1
        var missing: String?
        var optional: Int? = 3
        var nested: [[Int]?] = [[1, 2], nil, []]
        var dates = ["a": Date(timeIntervalSince1970: 0)]
        var any: BSONValue = ["x": [.minKey]]
        var document: BSONDocument = ["y": .null]
        var regex = BSONRegex(pattern: "a", options: "xi")
        var stamp = BSONTimestamp(seconds: 1, increment: 2)
        var exact = BSONDateTime(milliseconds: .min)
        var kind = Kind.second
        var shape = Shape.circle(radius: 2)
        enum Kind: String, Codable { case first, second }
        enum Shape: Codable, Equatable { case circle(radius: Double), point }
    }

    @Test func `every type is decoded as encoded, and has its BSON type`() throws {
        let value = Everything()
        let document = try BSONEncoder().encode(value)
        try expectEqual(BSONDecoder().decode(Everything.self, from: document.bytes()), value)
        try expectEqual(BSONDecoder().decode(Everything.self, from: document.data()), value)
        expectEqual(document["id"], .objectId(value.id))
        expectEqual(document["price"], .decimal128("19.90"))
        expectEqual(document["born"]?.datetimeValue?.milliseconds, 1_356_351_330_501)
        expect(document["uuid"] == .uuid(value.uuid) && document["data"] == .data(value.data))
        expect(document["int"] == .int64(-1) && document["int32"] == .int32(.min) && document["uint8"] == .int32(255))
        expectEqual(document["uint32"], .int64(4_294_967_295))
        expectEqual(document["float"], .double(Double(Float(0.1))))
        expect(document["missing"] == nil)
        expectEqual(document["nested"], [[1, 2], nil, []])
        expect(document["any"] == value.any && document["exact"] == .datetime(value.exact))
        expect(document["kind"] == "second" && document["shape"] == ["circle": ["radius": 2.0]])
    }

    @Test func `values outside of documents are encoded and decoded as values`() throws {
        let encoder = BSONEncoder()
        let decoder = BSONDecoder()
        try expectEqual(encoder.encodeValue([1, 2]), [1, 2])
        try expectEqual(encoder.encodeValue("a"), "a")
        try expectEqual(encoder.encodeValue(nil as Int?), .null)
        try expectEqual(encoder.encodeValue(Date(timeIntervalSince1970: 0)), .datetime(BSONDateTime(milliseconds: 0)))
        try expectEqual(decoder.decode([Int8?].self, from: [.int32(1), .undefined, .double(3)]), [1, nil, 3])
        expect(try decoder.decode(Int?.self, from: .null) == nil)
        #expect(throws: EncodingError.self) { try encoder.encode([1]) }
    }

    /// The path of the error about a value that doesn't fit.
    private static func path(_ body: () throws -> Void) -> [String]? {
        do {
            try body()
            return nil
        } catch let error as DecodingError {
            guard case .dataCorrupted(let context) = error else { return nil }
            return context.codingPath.map(\.stringValue)
        } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else { return nil }
            return context.codingPath.map(\.stringValue)
        } catch {
            return nil
        }
    }

    @Test func `integers out of range are errors with a path`() throws {
        struct Holder<T: Codable>: Codable { var a: [T] }
        let decoder = BSONDecoder()
        func number(_ value: BSONValue) -> BSONDocument { ["a": [.int32(0), value]] }
        expectEqual(Self.path { _ = try decoder.decode(Holder<Int8>.self, from: number(128)) }, ["a", "1"])
        expectEqual(Self.path { _ = try decoder.decode(Holder<UInt64>.self, from: number(-1)) }, ["a", "1"])
        expectEqual(Self.path { _ = try decoder.decode(Holder<Int32>.self, from: number(2_147_483_648)) }, ["a", "1"])
        expectEqual(Self.path { _ = try decoder.decode(Holder<Int>.self, from: number(0.5)) }, ["a", "1"])
        expectEqual(
            Self.path { _ = try decoder.decode(Holder<Int>.self, from: number(.double(.infinity))) },
            ["a", "1"]
        )
        expectEqual(
            Self.path { _ = try decoder.decode(Holder<Double>.self, from: number(9_007_199_254_740_993)) },
            [
                "a", "1",
            ]
        )
        expectEqual(Self.path { _ = try decoder.decode(Holder<Float>.self, from: number(1e300)) }, ["a", "1"])
        expectEqual(Self.path { _ = try BSONEncoder().encode(Holder<UInt64>(a: [0, .max])) }, ["a", "1"])
        expectEqual(Self.path { _ = try BSONEncoder().encode(["a": UInt.max]) }, ["a"])
    }

    @Test func `another type, a missing key and null are errors of different kinds`() {
        struct Holder: Codable { var a: Int }
        let decoder = BSONDecoder()
        func error(_ document: BSONDocument) -> String {
            do {
                return "\(try decoder.decode(Holder.self, from: document).a)"
            } catch let error as DecodingError {
                switch error {
                case .keyNotFound(let key, _): return "missing " + key.stringValue
                case .typeMismatch(_, let context): return "mismatch " + context.codingPath.map(\.stringValue).joined()
                case .valueNotFound(_, let context): return "null " + context.codingPath.map(\.stringValue).joined()
                default: return "\(error)"
                }
            } catch {
                return "\(error)"
            }
        }
        expectEqual(error([:]), "missing a")
        expectEqual(error(["a": "1"]), "mismatch a")
        expectEqual(error(["a": true]), "mismatch a")
        expectEqual(error(["a": nil]), "null a")
        #expect(throws: DecodingError.self) { try decoder.decode([String: Int].self, from: [1] as BSONValue) }
        #expect(throws: DecodingError.self) { try decoder.decode([Int].self, from: BSONDocument()) }
        #expect(throws: DecodingError.self) { try decoder.decode(Data.self, from: .uuid(UUID())) }
        #expect(throws: BSONError.self) { try decoder.decode(Holder.self, from: [1, 2, 3] as [UInt8]) }
    }

    class Base: Codable {
        var a = 1
        init() {}
    }

    final class Derived: Base {
        var b = 2
        enum Keys: String, CodingKey { case b, list, inner }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            b = try container.decode(Int.self, forKey: .b)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            expect(try list.decodeNil())
            var rows = try list.nestedUnkeyedContainer()
            try expectEqual(rows.decode(Int.self), 1)
            expect(try list.nestedContainer(keyedBy: Keys.self).decode(Bool.self, forKey: .b))
            expect(list.isAtEnd && list.currentIndex == 3)
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            try expectEqual(container.nestedContainer(keyedBy: Keys.self, forKey: .inner).allKeys, [.b, .list])
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(b, forKey: .b)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encodeNil()
            var rows = list.nestedUnkeyedContainer()
            try rows.encode(1)
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try inner.encode(true, forKey: .b)
            var last = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try last.encode("", forKey: .b)
            try last.encode([0], forKey: .list)
            try super.encode(to: container.superEncoder())
        }
    }

    @Test func `nested containers and superclasses are encoded at their places`() throws {
        let value = Derived()
        value.a = 7
        value.b = 8
        let document = try BSONEncoder().encode(value)
        let expected: BSONDocument = [
            "b": 8, "list": [nil, [1], ["b": true]], "inner": ["b": "", "list": [0]], "super": ["a": 7],
        ]
        expectEqual(document, expected)
        let same = try BSONDecoder().decode(Derived.self, from: document)
        expect(same.a == 7 && same.b == 8)
    }

    final class Node: Codable {
        var next: Node?
        init(next: Node? = nil) { self.next = next }
    }

    @Test func `deep values are encoded up to the limit, and a cyclic object is an error, on a small stack`() {
        onSmallStack {
            var deep = Node()
            for _ in 0..<99 { deep = Node(next: deep) }
            let limits = BSONLimits(depth: 100)
            #expect(throws: Never.self) {
                let document = try BSONEncoder(limits: limits).encode(deep)
                let bytes = try document.bytes(limits: limits)
                _ = try BSONDecoder(limits: limits).decode(Node.self, from: bytes)
            }
            #expect(throws: BSONError.self) { try BSONEncoder(limits: BSONLimits(depth: 99)).encode(deep) }
            let round = Node()
            round.next = round
            #expect(throws: BSONError.self) { try BSONEncoder().encode(round) }
            round.next = nil
        }
    }

    @Test func `a dictionary with many keys is encoded and decoded`() throws {
        let many = Dictionary(uniqueKeysWithValues: (0..<50_000).map { ("\($0)", $0) })
        let document = try BSONEncoder().encode(many)
        expectEqual(document.count, many.count)
        try expectEqual(BSONDecoder().decode([String: Int].self, from: document), many)
    }

    @Test func `other coders encode BSON's types as text`() throws {
        let value: BSONDocument = [
            "a": .int32(1), "b": [.minKey, .binary(BSONBinary(bytes: [1], subtype: .encrypted))],
        ]
        let data = try JSONEncoder().encode(["x": value])
        try expectEqual(JSONDecoder().decode([String: BSONDocument].self, from: data), ["x": value])
        let values: [BSONValue] = [1, "é", .null, .undefined]
        try expectEqual(JSONDecoder().decode([BSONValue].self, from: JSONEncoder().encode(values)), values)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([BSONValue].self, from: Data(#"["{"]"#.utf8))
        }
    }

    @Test func `user info is available to the types`() throws {
        struct Probe: Codable {
            var found = false
            init() {}
            init(from decoder: any Decoder) throws { found = decoder.userInfo[.probe] as? Int == 1 }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(encoder.userInfo[.probe] as? Int == 1)
            }
        }
        var encoder = BSONEncoder()
        encoder.userInfo[.probe] = 1
        try expectEqual(encoder.encode(["a": Probe()]), ["a": true])
        var decoder = BSONDecoder()
        decoder.userInfo[.probe] = 1
        expect(try decoder.decode([Probe].self, from: [1] as BSONValue).allSatisfy(\.found))
    }
}

extension CodingUserInfoKey {
    fileprivate static let probe = CodingUserInfoKey(rawValue: "probe")!
}
