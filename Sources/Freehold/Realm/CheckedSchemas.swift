import FreeholdEngine
import Synchronization

/// The schemas of classes that are known to fit a file without a change. Opening the file again with one of them needs
/// no comparison.
final class CheckedSchemas: Sendable {
    private struct Entry {
        let asked: SchemaIdentity
        let stored: DatabaseSchema
        let userVersion: UInt64
        let version: UInt64
        let mode: Realm.SchemaMode
        let textMatching: Realm.TextMatching

        init?(_ schema: Schema, _ configuration: Realm.Configuration, at snapshot: Snapshot) {
            guard let identity = schema.identity else { return nil }
            asked = identity
            stored = snapshot.schema.origin
            userVersion = snapshot.userVersion
            version = configuration.schemaVersion
            mode = configuration.schemaMode
            textMatching = configuration.textMatching
        }

        func isSame(as other: Entry) -> Bool {
            asked === other.asked && stored === other.stored && userVersion == other.userVersion
                && version == other.version && mode == other.mode && textMatching == other.textMatching
        }
    }

    private let entries = Mutex<[Entry]>([])
    private static let kept = 8

    /// Returns a Boolean value that indicates whether an earlier opening of this version with the configuration changed
    /// nothing.
    func fits(_ schema: Schema, _ configuration: Realm.Configuration, at snapshot: Snapshot) -> Bool {
        guard let entry = Entry(schema, configuration, at: snapshot) else { return false }
        return entries.withLock { entries in entries.contains { $0.isSame(as: entry) } }
    }

    func note(_ schema: Schema, _ configuration: Realm.Configuration, at snapshot: Snapshot) {
        guard let entry = Entry(schema, configuration, at: snapshot) else { return }
        entries.withLock { entries in
            if entries.count >= Self.kept { entries.removeFirst() }
            entries.append(entry)
        }
    }
}
