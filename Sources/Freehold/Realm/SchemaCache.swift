import Synchronization

/// An object whose identity distinguishes schemas without a comparison of their contents.
final class SchemaIdentity: Sendable {}

/// The schemas that were made, so that opening a realm again needn't inspect classes.
enum SchemaCache {
    /// Sendable because a schema is immutable, and the entry contains nothing else.
    private struct Entry: @unchecked Sendable {
        let schema: Schema
    }

    private enum Key: Hashable {
        /// All discovered classes. Their number is part of the key, because loading a library can add classes.
        case discovered(Int, Naming)
        case listed([ObjectIdentifier], Naming)
    }

    private static let schemas = Mutex<[Key: Entry]>([:])

    /// Returns the schema of these classes, or of all classes if none are given.
    static func schema(of types: [ObjectBase.Type]?, _ naming: Naming) throws(Realm.Error) -> Schema {
        let key: Key =
            types.map { .listed($0.map { ObjectIdentifier($0) }, naming) }
            ?? .discovered(Discovery.modelClasses().count, naming)
        if let found = schemas.withLock({ $0[key] }) { return found.schema }
        var schema = try SchemaBuilder.build(types, naming: naming)
        schema.identity = SchemaIdentity()
        let made = Entry(schema: schema)
        schemas.withLock { $0[key] = made }
        return made.schema
    }
}
