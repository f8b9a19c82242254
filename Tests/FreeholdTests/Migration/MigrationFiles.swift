import Foundation
import FreeholdEngine
import Testing

@testable import Freehold

/// The configuration of a file with classes made by hand.
func migrationConfiguration(
    _ base: Realm.Configuration,
    _ version: UInt64,
    _ classes: [ObjectSchema],
    _ block: MigrationBlock? = nil
) -> Realm.Configuration {
    var configuration = base
    configuration.objectTypes = nil
    configuration.schema = Schema(classes)
    configuration.schemaVersion = version
    configuration.migrationBlock = block
    return configuration
}

/// Writes with a realm that is closed afterwards.
func writeFile(_ configuration: Realm.Configuration, _ body: (Realm) throws -> Void) throws {
    let realm = try Realm(configuration: configuration)
    try realm.write { try body(realm) }
}

/// Opens the file, calls the body, closes the file and checks it.
func readFile<R>(_ configuration: Realm.Configuration, _ body: (Realm) throws -> R) throws -> R {
    let result: R = try {
        let realm = try Realm(configuration: configuration)
        try expectEqual(realm.core.database.snapshot().verify(), [])
        return try body(realm)
    }()
    return result
}

/// Expects the opening to throw, and the file to be what it was.
@discardableResult
func expectRefused(_ configuration: Realm.Configuration, _ code: Realm.Error.Code) throws -> Realm.Error? {
    let url = try require(configuration.fileURL)
    let before = try Data(contentsOf: url)
    let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
    expectEqual(error?.code, code, "\(String(describing: error))")
    expect(error?.fileURL != nil)
    try expectEqual(Data(contentsOf: url), before, "the file was changed")
    return error
}

func person(_ properties: Property..., embedded: Bool = false) -> ObjectSchema {
    ObjectSchema("Person", isEmbedded: embedded, properties: properties)
}
