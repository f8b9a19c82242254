import Foundation
import FreeholdEngine
import TestRealmFiles
import Testing

@testable import RealmFileReader

/// Files that Realm wrote, with their arrays at other offsets.
struct RelocatedFileTests {
    private func withFile(_ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).realm")
        defer { try? FileManager.default.removeItem(at: url) }
        try body(url.path)
    }

    /// Checks that both files have the same objects.
    private func expectEqualFiles(_ a: RealmFile, _ b: RealmFile) throws {
        expect(a.classes == b.classes && a.schemaVersion == b.schemaVersion && a.formatVersion == b.formatVersion)
        for (first, second) in zip(a.classes, b.classes) {
            let (old, new) = (try a.objects(of: first), try b.objects(of: second))
            expectEqual(old.map(\.key), new.map(\.key))
            let areEqual = zip(old, new).allSatisfy { old, new in
                old.values.allSatisfy { name, value in Value.areIdentical(value, new.values[name] ?? .null) }
            }
            expect(areEqual, "\(first.name)")
        }
    }

    @Test(arguments: [RealmFixture.cases10, .cases21, .format22, .format23, .format24, .copy])
    func `references of 32 and 64 bits, and those over 4 GiB, lead to the same content`(_ fixture: RealmFixture) throws
    {
        let original = try fixture.open()
        for (base, width) in [(24, 32), (24, 64), (5 << 30, 64)] {
            try withFile { path in
                try FileRelocation.write(fixture.bytes(), to: path, base: base, width: width)
                let file = try RealmFile(path: path)
                expect(base == 24 || file.byteCount > 5 << 30)
                try expectEqualFiles(original, file)
            }
        }
    }

    /// Realm assigns a negative key to the second and every further entry with one hash: the dictionaries of `cases22`
    /// have such entries. In these files, the test sets the sign of keys that Realm wrote.
    @Test(arguments: [RealmFixture.format22, .cases21])
    func `entries of old dictionaries whose keys have one hash are read`(_ fixture: RealmFixture) throws {
        let original = try fixture.open()
        var bytes = try fixture.bytes()
        var changed = 0
        for item in original.classes {
            for property in item.properties where property.collection == .dictionary {
                try original.forEachCluster(of: item) { cluster in
                    for ref in try cluster.collections(of: property).refs.compactMap({ $0 }) {
                        let leaf = try original.nodes.refs(ref)
                        guard !leaf.isInner, let keysRef = leaf.ref(0) else { continue }
                        let keys = try original.nodes.ints(keysRef)
                        guard keys.count > 0, keys.width == 64 else { continue }
                        bytes[keys.offset + 8 + keys.count * 8 - 1] |= 0x80
                        changed += 1
                    }
                }
            }
        }
        expect(changed > 3)
        try withFile { path in
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            try expectEqualFiles(original, RealmFile(path: path))
        }
    }
}
