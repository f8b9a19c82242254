public import Foundation
public import Freehold
import FreeholdEngine
import RealmFileReader

/// The description of a Realm file.
public struct RealmFileSummary: Sendable {
    public struct Class: Sendable, Codable {
        public let name: String
        /// `topLevel`, `embedded` or `asymmetric`.
        public let kind: String
        public let objects: Int
        public let primaryKey: String?
    }

    public let formatVersion: Int
    public let schemaVersion: UInt64?
    public let isEncrypted: Bool
    public let isSynchronized: Bool
    /// The number of local changes of a synchronized realm that weren't sent, or `nil` if it isn't known.
    public let unsentChanges: Int?
    public let bytes: Int
    public let classes: [Class]
    /// The schema that an import creates, without asymmetric classes.
    public let schema: Schema

    /// Returns the summary as JSON, without the schema.
    public func json() throws -> Data {
        struct Content: Encodable {
            let format: Int
            let schemaVersion: UInt64?
            let encrypted: Bool
            let synchronized: Bool
            let unsentChanges: Int?
            let bytes: Int
            let classes: [Class]
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(
            Content(
                format: formatVersion,
                schemaVersion: schemaVersion,
                encrypted: isEncrypted,
                synchronized: isSynchronized,
                unsentChanges: unsentChanges,
                bytes: bytes,
                classes: classes
            )
        )
    }
}

extension Realm {
    /// Reads the description of a Realm file, without its objects.
    ///
    /// - Throws: The errors of ``importRealmFile(at:to:key:progress:)``.
    public static func inspectRealmFile(at url: URL, key: Data? = nil) throws -> RealmFileSummary {
        do {
            let file = try RealmFile(path: url.path, key: key.map { Array($0) })
            return RealmFileSummary(
                formatVersion: file.formatVersion,
                schemaVersion: file.schemaVersion,
                isEncrypted: file.isEncrypted,
                isSynchronized: file.isSynchronized,
                unsentChanges: file.unsentChanges,
                bytes: file.byteCount,
                classes: file.classes.map {
                    .init(name: $0.name, kind: $0.kind.rawValue, objects: $0.count, primaryKey: $0.primaryKey?.name)
                },
                schema: try SchemaCheck.schema(of: RealmImport(file, nil).specs)
            )
        } catch let error as RealmFileError {
            throw Error(error, fileURL: url)
        } catch let error as EngineError {
            throw Error(error, fileURL: url)
        }
    }
}
