import Foundation
import Testing

@testable import Freehold

@Suite("JSON: export")
struct JSONExportTests {
    private func sample(_ id: Int) -> JSAll {
        let o = JSAll()
        o.id = id
        o.bool = true
        o.int8 = -128
        o.int64 = .max
        o.float = 0.1
        o.double = -0.0
        o.string = "quote \" backslash \\ tab \t null \0 bell \u{07} é 漢 😀 \u{2028}"
        o.data = Data((0...255).map { UInt8($0) })
        o.date = Date(timeIntervalSince1970: 1_700_000_000.123_456)
        o.decimal = "1234567890.123456789012345678901234"
        o.boolOpt = false
        o.intOpt = .min
        o.floatOpt = -.infinity
        o.doubleOpt = .leastNonzeroMagnitude
        o.stringOpt = ""
        o.dataOpt = Data()
        o.dateOpt = .distantPast
        o.decimalOpt = .nan
        o.objectIdOpt = .generate()
        o.uuidOpt = UUID()
        o.ints.append(objectsIn: [1, .min, .max])
        o.doubles.append(objectsIn: [0.1, nil, .infinity, 1, 1e300])
        o.strings.append(objectsIn: ["", nil, "x"])
        o.dates.append(objectsIn: [.distantFuture, Date(timeIntervalSince1970: 0)])
        o.decimals.append(objectsIn: ["1E-6176", "-Inf"])
        o.datas.append(objectsIn: [Data(), Data([1])])
        let plain = JSPlain()
        plain.name = "inner"
        o.plain = plain
        o.plains.append(objectsIn: [JSPlain(), plain])
        return o
    }

    private func expectSame(_ a: JSAll, _ b: JSAll) {
        for property in a.objectSchema.properties where property.type != .object && property.type != .linkingObjects {
            let x = a[property.name]
            let y = b[property.name]
            expectEqual(String(describing: x), String(describing: y), "\(property.name)")
        }
        expect(a.date == b.date && a.dateOpt == b.dateOpt && Array(a.dates) == Array(b.dates) && a.data == b.data)
        expect(a.double.sign == b.double.sign && a.decimal == b.decimal && Array(a.decimals) == Array(b.decimals))
        expect(a.link?.id == b.link?.id && a.links.map(\.id) == b.links.map(\.id))
        expect(a.plain?.name == b.plain?.name && a.plains.map(\.name) == b.plains.map(\.name))
    }

    @Test
    func `every type is exported and read again, with every option`() throws {
        let realm = try jsonRealm()
        try realm.write {
            let one = sample(1)
            let two = JSAll()
            two.id = 2
            one.link = two
            two.links.append(objectsIn: [one, two, one])
            two.double = .nan
            realm.add([one, two])
        }
        let formats: [JSONExportOptions.Format] = [.array, .lines]
        let names: [JSONExportOptions.Names] = [.swift, .stored]
        let links: [JSONExportOptions.Links] = [.primaryKeys, .nested]
        for format in formats {
            for name in names {
                for link in links {
                    for (date, flag) in zip(JSONDateFormat.allCases, [true, false, true]) {
                        let options = JSONExportOptions(
                            format: format,
                            isPretty: flag,
                            sortsKeys: !flag,
                            names: name,
                            links: link,
                            dates: date,
                            writesNulls: flag
                        )
                        let data = try realm.jsonData(of: JSAll.self, options: options)
                        let copy = try jsonRealm()
                        let reading = JSONImportOptions(unknownKeys: .refused, dates: date)
                        try expectEqual(copy.importJSON(from: data, into: JSAll.self, options: reading), 2)
                        for (a, b) in zip(
                            realm.objects(JSAll.self).sorted(by: \.id),
                            copy.objects(JSAll.self).sorted(by: \.id)
                        ) {
                            expectSame(a, b)
                        }
                        // Written once more it is the same text.
                        try expectEqual(copy.jsonData(of: JSAll.self, options: options).count, data.count)
                    }
                }
            }
        }
    }

    @Test("the text has the documented order, names, nulls and indentation")
    func text() throws {
        let realm = try jsonRealm()
        try realm.write {
            realm.create(JSPlain.self, value: ["name": "a\"b", "age": 3])
            realm.create(JSPlain.self, value: ["name": "c", "next": ["name": "d"]])
        }
        let some = realm.objects(JSPlain.self).where { $0.name != "d" }
        func text(_ options: JSONExportOptions) throws -> String {
            String(decoding: try some.jsonData(options: options), as: UTF8.self)
        }
        try expectEqual(
            text(JSONExportOptions()),
            """
            [{"name":"a\\"b","age":3,"next":null},
            {"name":"c","age":0,"next":{"name":"d","age":0,"next":null}}]

            """
        )
        try expectEqual(
            text(
                JSONExportOptions(format: .lines, isPretty: true, sortsKeys: true, names: .stored, writesNulls: false)
            ),
            """
            {"age":3,"full_name":"a\\"b"}
            {"age":0,"full_name":"c","next":{"age":0,"full_name":"d"}}

            """
        )
        try expectEqual(
            text(JSONExportOptions(isPretty: true, writesNulls: false)),
            """
            [
              {
                "name": "a\\"b",
                "age": 3
              },
              {
                "name": "c",
                "age": 0,
                "next": {
                  "name": "d",
                  "age": 0
                }
              }
            ]

            """
        )
        let none = some.where { $0.age > 100 }
        expectEqual(String(decoding: try none.jsonData(), as: UTF8.self), "[]\n")
        expect(try none.jsonData(options: JSONExportOptions(format: .lines)).isEmpty)
        expectEqual(String(decoding: try List<JSPlain>().jsonData(), as: UTF8.self), "[]")
    }

    @Test
    func `Foundation reads the exported text`() throws {
        let realm = try jsonRealm()
        try realm.write { realm.add(sample(1)) }
        for isPretty in [false, true] {
            let data = try realm.jsonData(of: JSAll.self, options: JSONExportOptions(isPretty: isPretty))
            let read = try JSONSerialization.jsonObject(with: data) as? [[String: Any]]
            expectEqual(read?.first?["string"] as? String, sample(1).string)
            expectEqual(read?.first?["data"] as? String, sample(1).data.base64EncodedString())
        }
    }

    @Test
    func `files, handles, streams and lists are written; only a complete export replaces a file`() throws {
        let realm = try jsonRealm()
        try realm.write {
            for id in 0..<500 {
                realm.create(JSAll.self, value: ["id": id, "string": String(repeating: "x", count: 300)])
            }
            realm.object(ofType: JSAll.self, forPrimaryKey: 0)!.links.append(objectsIn: realm.objects(JSAll.self))
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("all.json")
        let expected = try realm.jsonData(of: JSAll.self)
        expect(expected.count > 200_000)
        try expectEqual(realm.exportJSON(JSAll.self, to: url), 500)
        try expectEqual(Data(contentsOf: url), expected)
        let file = try FileHandle(forUpdating: url)
        try expectEqual(realm.objects(JSAll.self).exportJSON(to: file), 500)
        try expectEqual(Data(contentsOf: url), expected)
        let stream = OutputStream(toMemory: ())
        try expectEqual(realm.objects(JSAll.self).exportJSON(to: stream), 500)
        expectEqual(stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data, expected)
        try expectEqual(realm.object(ofType: JSAll.self, forPrimaryKey: 0)!.links.jsonData(), expected)
        try expectEqual(AnyRealmCollection(realm.objects(JSAll.self)).jsonData(), expected)

        // A failed export leaves the existing file unchanged and creates no other one.
        try realm.write {
            let plain = JSPlain()
            plain.next = plain
            realm.add(plain)
        }
        let error = #expect(throws: JSONError.self) { try realm.exportJSON(JSPlain.self, to: url) }
        expect(error?.kind == .cycle && error?.path == "next" && error?.className == "JSPlain")
        try expectEqual(Data(contentsOf: url), expected)
        try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["all.json"])
        let nowhere = #expect(throws: JSONError.self) {
            try realm.exportJSON(JSAll.self, to: folder.appendingPathComponent("no/such/folder.json"))
        }
        expectEqual(nowhere?.kind, .io)
    }

    @Test
    func `nested links end at objects that contain them, and links by key don't nest`() throws {
        let realm = try jsonRealm()
        try realm.importJSON(
            from: Data("{\"key\":\"a\",\"friend\":\"b\"}\n{\"key\":\"b\",\"friend\":\"a\"}".utf8),
            into: JSText.self
        )
        let one = realm.objects(JSText.self).where { $0.key == "a" }
        let nested = try one.jsonData(options: JSONExportOptions(format: .lines, links: .nested))
        expectEqual(
            String(decoding: nested, as: UTF8.self),
            #"{"key":"a","friend":{"key":"b","friend":"a","note":"none"},"note":"none"}"# + "\n"
        )
        let flat = try one.jsonData(options: JSONExportOptions(format: .lines))
        expectEqual(String(decoding: flat, as: UTF8.self), #"{"key":"a","friend":"b","note":"none"}"# + "\n")
        let copy = try jsonRealm()
        try copy.importJSON(from: nested, into: JSText.self)
        expectEqual(copy.objects(JSText.self).count, 2)
        expectEqual(copy.object(ofType: JSText.self, forPrimaryKey: "b")?.friend?.key, "a")
    }

    @Test
    func `a chain of links that is too deep to be read again is an error`() throws {
        let realm = try jsonRealm()
        try realm.write {
            var last: JSPlain?
            for age in 0..<300 {
                let plain = JSPlain()
                plain.age = age
                plain.next = last
                realm.add(plain)
                last = plain
            }
        }
        let shallow = realm.objects(JSPlain.self).where { $0.age == 99 }
        let copy = try jsonRealm()
        try copy.importJSON(from: shallow.jsonData(), into: JSPlain.self)
        expectEqual(copy.objects(JSPlain.self).count, 100)
        let error = #expect(throws: JSONError.self) { try realm.jsonData(of: JSPlain.self) }
        expectEqual(error?.kind, .tooDeep)
    }

    @Test
    func `a failing target is an error, and an export in a transaction includes its changes`() throws {
        let realm = try jsonRealm()
        try realm.write {
            realm.create(JSText.self, value: ["key": "x"])
            let inside = try realm.jsonData(of: JSText.self)
            expect(String(decoding: inside, as: UTF8.self).contains("\"x\""))
        }
        let error = #expect(throws: JSONError.self) {
            try realm.objects(JSText.self).exportJSON { _ in throw CocoaError(.fileWriteOutOfSpace) }
        }
        expectEqual(error?.kind, .io)
    }
}
