import Foundation
import Testing

@testable import Freehold

struct InspectionTests {
    @Test func `a file's size, version and soundness are reported, also if it is read only`() throws {
        try withNewFile { configuration in
            let first: UInt64
            do {
                let realm = try Realm(configuration: configuration)
                first = realm.version
                try realm.write { for id in 0..<2000 { realm.add(RTDog(id: id, name: "Dog \(id)")) } }
                expectEqual(realm.version, first + 1)
                try realm.write { realm.delete(realm.objects(RTDog.self)) }
            }
            var reading = configuration
            reading.readOnly = true
            let realm = try Realm(configuration: reading)
            expect(realm.version == first + 2 && realm.verify() == [])
            let use = try realm.fileUse()
            let size = try FileManager.default.attributesOfItem(atPath: configuration.fileURL!.path)[.size] as? Int
            expect(use.totalBytes == size && use.usedBytes > 0 && use.freeBytes == use.totalBytes - use.usedBytes)
            expect(use.freeBytes > use.usedBytes)
            // Looked at while it is open read-only here.
            try expectEqual(schemaVersionAtURL(configuration.fileURL!), realm.storedSchemaVersion)
        }
    }
}
