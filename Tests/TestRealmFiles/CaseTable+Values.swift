import Foundation
import FreeholdEngine

extension CaseTable {
    private static let ints: [Int64] = [
        0, 1, -1, 127, -128, 128, 32767, -32768, 65536, 2_147_483_647, -2_147_483_649, 4_294_967_296, .max, .min, 2, 3,
    ]
    private static let doubles: [Double] = [0, -0.0, 1, -1, .infinity, -.infinity, .nan, .leastNonzeroMagnitude]
    private static let dates: [Timestamp] = [
        (0, 0), (1, 999_999_999), (-1, -999_999_999), (253_402_300_799, 0), (-62_135_596_800, 0), (2_147_483_648, 0),
        (4_294_967_296_000, 1), (0, -1),
    ].map { Timestamp(seconds: $0, nanoseconds: $1) }
    private static let decimals = [
        "0", "-0", "NaN", "Infinity", "-Infinity", "9.999999999999999999999999999999999E+6144", "1E-6176", "-1.5",
    ]
    /// Those that have up to 7 and up to 16 digits, which newer files store in fewer bytes.
    private static let shortDecimals = ["0", "1", "-1.5", "1234567", "-0.001", "1E+90", "2E-95", "5"]
    private static let middleDecimals = ["0", "1", "-1.5", "1234567890123456", "-0.001", "1E+300", "2E-300", "5"]

    private static func decimal(_ text: String) -> Value { .decimal128(Decimal128(text)!) }

    /// The least and greatest of each type, and strings and data as long as each layout allows.
    static func limits(_ i: Int, _ format: Int) -> [String: Value] {
        func optional(_ value: Value) -> Value { i == 5 ? .null : value }
        let texts = [
            "S15": String(repeating: "x", count: i),
            "S63": String(repeating: "é", count: i * 2) + (i == 15 ? "123" : ""),
            "S75": String(repeating: "y", count: i * 5),
        ]
        // Realm doesn't store a value that equals the present one: a required property already has 0, which equals -0.
        let optDouble = doubles[i % 8]
        let double = optDouble == 0 ? 0 : optDouble
        let isLeast = i % 8 == 7
        let optFloat = isLeast ? Float.leastNonzeroMagnitude : Float(optDouble)
        let float = isLeast ? Float.leastNonzeroMagnitude : Float(double)
        let data = Value.data(Data((0..<(i * 5)).map { UInt8(truncatingIfNeeded: $0 * 37) }))
        var values: [String: Value] = [
            "i": .int(Int64(i)), "int": .int(ints[i]), "optInt": optional(.int(ints[i])),
            "float": .float(float), "optFloat": optional(.float(optFloat)),
            "double": .double(double), "optDouble": optional(.double(optDouble)),
            "date": .timestamp(dates[i % 8]), "optDate": optional(.timestamp(dates[i % 8])),
            "zero": .string("a\0b\(i)"), "emoji": .string("😀\(i)"), "data": data, "optData": optional(data),
            "optBool": i % 3 == 0 ? .null : .bool(i % 3 == 1),
        ]
        for (name, text) in texts {
            values["s" + name.dropFirst()] = .string(text)
            values["opt" + name] = optional(.string(text))
        }
        guard format >= 20 else { return values }
        // Decimals behave in the same way, since format 24 while a leaf has only zeros.
        values["dec"] = decimal(decimals[format >= 24 && i == 1 ? 0 : i % 8])
        values["dec7"] = optional(decimal(shortDecimals[i % 8]))
        values["dec16"] = optional(decimal(middleDecimals[i % 8]))
        values["dec0"] = decimal("0")
        values["decNull"] = .null
        values["oidNull"] = .null
        return values
    }

    /// Collections of none, few and many elements.
    static func bulk(_ count: Int, _ format: Int) -> [String: Value] {
        let all = 0..<count
        var values: [String: Value] = [
            "count": .int(Int64(count)),
            "ints": list(all.map { .int(Int64($0 * $0 - 3)) }),
            "optStrings": list(all.map { $0 % 3 == 1 ? .null : .string("e\($0)") }),
            "datas": list(all.map { .data(Data(repeating: 7, count: $0 % 7)) }),
            "optDates": list(
                all.map { $0 % 5 == 0 ? .null : .timestamp(Timestamp(seconds: Int64($0), nanoseconds: Int32($0))) }
            ),
            "hubs": list(all.map { hub($0 % 2) }),
        ]
        guard format >= 20 else { return values }
        values["decimals"] = list(all.map { decimal($0 % 2 == 0 ? "\($0).5" : "\($0)E+20") })
        values["optOids"] = list(all.map { $0 % 4 == 3 ? .null : .objectId(FixtureTable.objectId($0)) })
        guard format >= 21 else { return values }
        addSets(count, &values)
        addMaps(count, &values)
        return values
    }

    private static func text(_ j: Int) -> Value { .string(["A", "b", "é", "😀"][j % 4] + "\(j)") }

    private static func addSets(_ count: Int, _ values: inout [String: Value]) {
        let (all, few) = (0..<count, 0..<min(count, 50))
        values["intSet"] = set(all.map { .int(Int64($0 * 3 - 500)) })
        values["stringSet"] = set(all.map { text($0) })
        values["dateSet"] = set(
            few.map { j in
                let nanoseconds = j == 20 ? 0 : j < 20 ? -j : j
                return j == 2
                    ? .null : .timestamp(Timestamp(seconds: Int64(j - 20), nanoseconds: Int32(nanoseconds)))
            }
        )
        values["oidSet"] = set(few.map { .objectId(FixtureTable.objectId($0)) })
        values["uuidSet"] = set(few.map { .uuid(FixtureTable.uuid($0)) })
        values["doubleSet"] = set(few.map { .double(Double($0) / 8 - 3) })
        values["dataSet"] = set(few.map { .data(Data(repeating: 0xf0, count: $0)) })
        values["decimalSet"] = set(few.map { decimal("\($0).25") })
        values["boolSet"] = set(count == 0 ? [] : [.null, .bool(false), .bool(true)])
    }

    private static func addMaps(_ count: Int, _ values: inout [String: Value]) {
        let (all, few) = (0..<count, 0..<min(count, 50))
        func map(_ range: Range<Int>, _ value: (Int) -> Value) -> Value {
            FixtureTable.dictionary(range.map { ("k\($0)", value($0)) })
        }
        values["intMap"] = map(all) { .int(Int64($0)) }
        values["optStringMap"] = map(all) { $0 % 3 == 1 ? .null : text($0) }
        values["dataMap"] = map(few) { .data(Data(repeating: 0xf0, count: $0)) }
        values["optUuidMap"] = map(few) { $0 % 3 == 1 ? .null : .uuid(FixtureTable.uuid($0)) }
        values["dateMap"] = map(few) { .timestamp(Timestamp(seconds: Int64($0), nanoseconds: 1)) }
        values["decimalMap"] = map(few) { decimal("\($0).75") }
    }
}
