package import FreeholdEngine
package import Foundation
package import RealmFileReader

/// A file that Realm wrote: see RealmFileReaderTests/Fixtures/README.md.
package enum RealmFixture: String, Sendable {
    case format11
    case format20
    case format22
    case format23
    case format24
    case copy = "format24-copy"
    case encrypted = "format24-encrypted"
    case synchronized20 = "format20-sync"
    case synchronized21 = "format21-sync"
    case synchronized22 = "format22-sync"
    case synchronized23 = "format23-sync"
    case synchronized = "format24-sync"
    case encryptedCopy = "format24-copy-encrypted"
    case cases10 = "format10-cases"
    case cases21 = "format21-cases"
    case cases22 = "format22-cases"
    case cases24 = "format24-cases"

    /// The fixtures with the content of `FixtureTable`.
    package static let tables: [RealmFixture] = [
        .format11, .format20, .format22, .format23, .format24, .copy, .encrypted,
    ]

    /// The fixtures with the content of `CaseTable`.
    package static let cases: [RealmFixture] = [.cases10, .cases21, .cases22, .cases24]

    /// Those of one class Person, of a client's realm.
    package static let synchronizedOnes: [RealmFixture] = [
        .synchronized20, .synchronized21, .synchronized22, .synchronized23, .synchronized,
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("RealmFileReaderTests/Fixtures")

    package var url: URL { Self.folder.appendingPathComponent("\(rawValue).realm") }
    package var path: String { url.path }
    package var key: [UInt8]? {
        self == .encrypted || self == .encryptedCopy ? (0..<64).map { UInt8($0 * 3 + 1) } : nil
    }
    package var formatVersion: Int { Int(rawValue.dropFirst("format".count).prefix(2))! }

    /// The names of the classes in `tables`.
    package var classes: Set<String> {
        var names: Set = ["Everything", "Word", "Many", "Big"]
        if formatVersion >= 20 { names.insert("Child") }
        if formatVersion >= 23 { names.insert("Event") }
        if formatVersion >= 24 { names.insert("Nested") }
        return names
    }

    /// Returns whether a file of this format has the property of the class Everything.
    package func has(_ property: String) -> Bool {
        let since20 = ["decimal", "optDecimal", "decimals", "oid", "optOid", "child", "children"]
        let since21 = [
            "uuid", "optUuid", "uuids", "mixed", "mixeds", "stringSet", "intSet", "wordSet", "intMap", "optStringMap",
            "mixedMap", "wordMap",
        ]
        if since20.contains(property) { return formatVersion >= 20 }
        if since21.contains(property) { return formatVersion >= 21 }
        return property == "text" ? formatVersion >= 23 : true
    }

    package func open() throws -> RealmFile { try RealmFile(path: path, key: key) }
    package func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }
}

extension RealmFile {
    package func requireClass(_ name: String) -> RealmFileClass { classes.first { $0.name == name }! }

    /// All objects of a class: each one's key, and its values by the properties' names. A collection's are a `.list`, those
    /// of a dictionary a `.dictionary`.
    package func objects(of item: RealmFileClass) throws -> [(key: Int64, values: [String: Value])] {
        var objects: [(key: Int64, values: [String: Value])] = []
        try forEachCluster(of: item) { cluster in
            let start = objects.count
            objects += cluster.keys.map { ($0, [:]) }
            for property in item.properties {
                guard property.collection != .none else {
                    for (i, value) in try cluster.values(of: property).enumerated() {
                        objects[start + i].values[property.name] = value
                    }
                    continue
                }
                let collections = try cluster.collections(of: property)
                for i in 0..<cluster.count {
                    let value: Value
                    if property.collection == .dictionary {
                        let entries = try cluster.entries(of: property, at: i, in: collections)
                        value = .dictionary(NestedDictionary(entries.map { .init($0.key, $0.value) }))
                    } else {
                        value = .list(NestedList(try cluster.elements(of: property, at: i, in: collections)))
                    }
                    objects[start + i].values[property.name] = value
                }
            }
        }
        return objects
    }

    /// Reads the whole content of the file, and keeps nothing.
    package func readAll() throws {
        for item in classes {
            try forEachCluster(of: item) { cluster in
                for property in item.properties {
                    guard property.collection != .none else {
                        _ = try cluster.values(of: property)
                        continue
                    }
                    let collections = try cluster.collections(of: property)
                    for i in 0..<cluster.count {
                        if property.collection == .dictionary {
                            _ = try cluster.entries(of: property, at: i, in: collections)
                        } else {
                            try cluster.forEachPart(of: property, at: i, in: collections) { _ in }
                        }
                    }
                }
            }
        }
    }
}
