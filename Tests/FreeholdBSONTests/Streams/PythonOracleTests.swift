import Foundation
import FreeholdBSON
import FreeholdEngine
import Testing

/// PyPI's `pymongo`, if a Python with it is installed. `FREEHOLD_PYTHON` names the interpreter, which is `python3` by
/// default.
enum PythonOracle {
    static let path: String? = {
        let named = ProcessInfo.processInfo.environment["FREEHOLD_PYTHON"]
        let candidates = named.map { [$0] } ?? ["/usr/bin/python3", "/usr/local/bin/python3"]
        for candidate in candidates where FileManager.default.isExecutableFile(atPath: candidate) {
            if (try? run(candidate, ["-c", "import bson.json_util"])) == 0 { return candidate }
        }
        return nil
    }()

    static func run(_ executable: String, _ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        if arguments.first == "-c", arguments.count == 2 {
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// `generate FOLDER SEED`: the same documents as BSON, canonical and relaxed. `convert FOLDER`: BSON and canonical as BSON.
    static let script = #"""
        import sys, random, uuid, datetime
        import bson
        from bson import json_util, Binary, Code, DBRef, Int64, MaxKey, MinKey, ObjectId, Regex, SON, Timestamp
        from bson.decimal128 import Decimal128
        from bson.codec_options import CodecOptions, DatetimeConversion
        from bson.datetime_ms import DatetimeMS

        STANDARD = 4
        CODEC = CodecOptions(document_class=SON, uuid_representation=STANDARD, datetime_conversion=DatetimeConversion.DATETIME_MS)
        def options(mode):
            return json_util.JSONOptions(json_mode=mode, document_class=SON, uuid_representation=STANDARD,
                                         datetime_conversion=DatetimeConversion.DATETIME_MS)
        CANONICAL = options(json_util.JSONMode.CANONICAL)
        RELAXED = options(json_util.JSONMode.RELAXED)

        def text(r):
            return "".join(r.choice("abcxyz é☆😀\"\\/\n\t\u2028$.") for _ in range(r.randint(0, 12)))

        def scalar(r):
            pick = r.randint(0, 18)
            if pick == 0: return r.choice([0.0, -0.0, 0.1, 1e300, 5e-324, float("inf"), float("-inf"), float("nan"), 3.0])
            if pick == 1: return text(r)
            if pick == 2: return Binary(bytes(r.randint(0, 255) for _ in range(r.randint(0, 20))), r.choice([0, 1, 2, 5, 6, 128]))
            if pick == 3: return uuid.UUID(int=r.getrandbits(128))
            if pick == 4: return ObjectId(bytes(r.randint(0, 255) for _ in range(12)))
            if pick == 5: return r.choice([True, False])
            if pick == 6: return DatetimeMS(r.choice([0, -1, 1, 253402300799999, -62135596800000, 2**63 - 1, -2**63, r.randint(-10**14, 10**14)]))
            if pick == 7: return None
            if pick == 8: return Regex(text(r).replace("\x00", ""), r.choice(["", "i", "imsx", "u"]))
            if pick == 9: return Code(text(r))
            if pick == 10: return Code(text(r), SON([("a", 1), ("b", text(r))]))
            if pick == 11: return r.randint(-2**31, 2**31 - 1)
            if pick == 12: return Timestamp(r.randint(0, 2**32 - 1), r.randint(0, 2**32 - 1))
            if pick == 13: return Int64(r.choice([2**63 - 1, -2**63, 0, 5, 2**31]))
            if pick == 14: return Decimal128(r.choice(["0", "-0", "1.00", "0.1", "1E+6000", "-1E-6170", "Infinity", "NaN", "9999999999999999999999999999999999"]))
            if pick == 15: return MinKey()
            if pick == 16: return MaxKey()
            if pick == 17: return SON([("$ref", "things"), ("$id", r.randint(0, 9))])
            return text(r)

        def value(r, depth):
            if depth > 0 and r.random() < 0.25:
                return document(r, depth - 1) if r.random() < 0.5 else [value(r, depth - 1) for _ in range(r.randint(0, 4))]
            return scalar(r)

        def document(r, depth):
            return SON([("k%d%s" % (i, text(r).replace("$", "")), value(r, depth)) for i in range(r.randint(0, 7))])

        folder = sys.argv[2]
        if sys.argv[1] == "generate":
            r = random.Random(int(sys.argv[3]))
            documents = [document(r, 4) for _ in range(200)]
            with open(folder + "/python.bson", "wb") as a, open(folder + "/canonical.json", "w", encoding="utf-8") as b, \
                 open(folder + "/relaxed.json", "w", encoding="utf-8") as c, open(folder + "/array.json", "w", encoding="utf-8") as d:
                for one in documents:
                    a.write(bson.encode(one, codec_options=CODEC))
                    b.write(json_util.dumps(one, json_options=CANONICAL) + "\n")
                    c.write(json_util.dumps(one, json_options=RELAXED, ensure_ascii=False) + "\n")
                d.write(json_util.dumps(documents, json_options=CANONICAL, indent=2))
        else:
            with open(folder + "/swift.bson", "rb") as source, open(folder + "/from-bson.bson", "wb") as target:
                for one in bson.decode_file_iter(source, codec_options=CODEC):
                    target.write(bson.encode(one, codec_options=CODEC))
            with open(folder + "/swift.jsonl", encoding="utf-8", newline="\n") as source, open(folder + "/from-lines.bson", "wb") as target:
                for line in source.read().split("\n")[:-1]:
                    target.write(bson.encode(json_util.loads(line, json_options=CANONICAL), codec_options=CODEC))
            with open(folder + "/swift.json", encoding="utf-8") as source, open(folder + "/from-array.bson", "wb") as target:
                for one in json_util.loads(source.read(), json_options=CANONICAL):
                    target.write(bson.encode(one, codec_options=CODEC))
        """#
}

@Suite(
    "Streams are read and written as pymongo does",
    .enabled(if: PythonOracle.path != nil, "no Python with pymongo: set FREEHOLD_PYTHON to one that has it")
)
struct PythonOracleTests {
    private func withFolder(_ body: (String, (String, String) throws -> Void) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "freehold-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(PythonOracle.script.utf8).write(to: URL(filePath: folder + "/oracle.py"))
        try body(folder) { mode, seed in
            let status = try PythonOracle.run(PythonOracle.path!, [folder + "/oracle.py", mode, folder, seed])
            expectEqual(status, 0)
        }
    }

    @Test("its output is read: BSON byte for byte, canonical text as the same documents, relaxed text as ours")
    func reading() throws {
        var random = SeededRandom(test: "pymongo writes")
        for _ in 0..<(isSoak ? 20 : 2) {
            try withFolder { folder, python in
                try python("generate", "\(UInt32(truncatingIfNeeded: random.next()))")
                var stream = try DocumentStreamReader(file: folder + "/python.bson")
                let documents = try stream.rest()
                expectEqual(documents.count, 200)
                try expectEqual(
                    Data(documents.flatMap { try $0.bytes() }),
                    Data(contentsOf: URL(filePath: folder + "/python.bson"))
                )
                for name in ["canonical.json", "array.json"] {
                    var stream = try DocumentStreamReader(file: folder + "/" + name)
                    let read = try stream.rest()
                    try expectEqual(read.map { try $0.bytes() }, documents.map { try $0.bytes() }, "\(name)")
                }
                var relaxed = try DocumentStreamReader(file: folder + "/relaxed.json")
                let own = try documents.map { try BSONDocument(extendedJSON: $0.extendedJSON(.relaxed)) }
                try expectEqual(relaxed.rest(), own)
            }
        }
    }

    @Test
    func `it reads our output, and writes it again as the same bytes`() throws {
        var documents = RandomDocuments(random: SeededRandom(test: "pymongo reads"), isTextSafe: true)
        for _ in 0..<(isSoak ? 20 : 2) {
            let all = (0..<200).map { _ in Self.known(documents.document()) }
            try withFolder { folder, python in
                try Data(written(all, .bson)).write(to: URL(filePath: folder + "/swift.bson"))
                try Data(written(all, .lines(.canonical))).write(to: URL(filePath: folder + "/swift.jsonl"))
                try Data(written(all, .array(.canonical))).write(to: URL(filePath: folder + "/swift.json"))
                try python("convert", "0")
                for name in ["from-bson", "from-lines", "from-array"] {
                    var stream = try DocumentStreamReader(file: folder + "/\(name).bson", .bson)
                    let read = try stream.rest()
                    expectEqual(read.count, all.count)
                    for (a, b) in zip(read, all) where a != b { expectEqual(a, b, "\(name)") }
                }
            }
        }
    }

    /// Without types that Python has no values for.
    private static func known(_ document: BSONDocument) -> BSONDocument {
        BSONDocument(document.map { (key: $0.key, value: known($0.value)) })
    }

    private static func known(_ value: BSONValue) -> BSONValue {
        switch value {
        case .undefined: .null
        case .symbol(let text): .string(text)
        case .dbPointer(let pointer): .objectId(pointer.id)
        case .binary(let binary) where [.uuid, .oldUUID].contains(binary.subtype) && binary.bytes.count != 16: .null
        case .document(let document): .document(known(document))
        case .array(let values): .array(values.map(known))
        case .javaScriptWithScope(let code):
            .javaScriptWithScope(BSONCodeWithScope(code: code.code, scope: known(code.scope)))
        default: value
        }
    }
}
